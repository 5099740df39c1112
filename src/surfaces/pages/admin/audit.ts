// The audit log: who did what to what, and when.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { listAuditEntries } from '../../../features/audit/operations.ts'
import type { Service } from '../../http/service.ts'
import { linkButton } from '../kit/button.ts'
import { emptyState } from '../kit/empty-state.ts'
import { field } from '../kit/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { type ListPage, readListPage } from '../kit/paged-lists.ts'
import { addPrivatePages } from '../kit/private-pages.ts'
import { table } from '../kit/table.ts'
import { time } from '../kit/values.ts'
import { addressWith } from '../site/addresses.ts'
import { filteredResults, filterForm, filtersOf } from './filtered-lists.ts'
import { sendAdmin } from './frame.ts'

const PATH = '/admin/audit'

type AuditEntry = Static<typeof listAuditEntries.data>[number]

export function addAuditPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [PATH]: {
      GET: async (request, reply) => {
        const filters = filtersOf(request, ['actor', 'action', 'subject'])
        return sendAdmin(
          service,
          request,
          reply,
          auditPage(await readListPage(service, request, listAuditEntries, filters), filters),
        )
      },
    },
  })
}

const auditPage = (list: ListPage<AuditEntry>, filters: Record<'actor' | 'action' | 'subject', string>) => {
  const isFiltered = Object.values(filters).some(Boolean)
  return {
    title: 'Audit log',
    body: html`<div class="flow">
<h1>Audit log</h1>
<p class="lead">Every change, newest first. Times are UTC.</p>
${filterForm(
  PATH,
  html`${field({ name: 'actor', label: 'Who', value: filters.actor, maxLength: 300, placeholder: 'ada@example.com' })}
${field({ name: 'action', label: 'What', value: filters.action, maxLength: 300, placeholder: 'tool or tool.put' })}
${field({ name: 'subject', label: 'On what', value: filters.subject, maxLength: 300, placeholder: 'tool:acme-writer' })}`,
  isFiltered,
)}
${filteredResults(
  list,
  PATH,
  filters,
  table({
    caption: 'Changes',
    rows: list.rows,
    columns: [
      { label: 'When', cell: ({ at }) => time(at) },
      { label: 'Who', cell: ({ actor }) => html`<a href="${addressWith(PATH, { actor })}"><bdi>${actor}</bdi></a>` },
      { label: 'What', rowHeader: true, cell: ({ action }) => html`<code>${action}</code>` },
      { label: 'On what', cell: ({ subject }) => subjectLink(subject) },
      { label: 'Details', cell: ({ details }) => detailsOf(details) },
    ],
    empty: emptyState({
      title: isFiltered ? 'Nothing found' : 'Nothing was changed yet',
      action: isFiltered ? linkButton(PATH, 'Show all', { kind: 'plain' }) : undefined,
    }),
  }),
)}
</div>`,
  }
}

/** The page of each kind of subject; a key has no page. */
const SUBJECT_PAGES: Record<string, (id: string) => string> = {
  tool: (slug) => `/admin/tools/${slug}`,
  directory: (slug) => `/admin/directories/${slug}`,
  category: (slug) => `/admin/taxonomy/categories/${slug}`,
  tag: (slug) => `/admin/taxonomy/tags/${slug}`,
  directoryCategory: (slug) => `/admin/taxonomy/directory-categories/${slug}`,
  user: (id) => `/admin/users/${id}`,
  partner: (id) => `/admin/partners/${id}`,
  submission: (id) => `/admin/submissions/${id}`,
  conversation: (id) => `/admin/support/${id}`,
}

function subjectLink(subject: string): Markup {
  const [kind = '', id = ''] = subject.split(/:(.*)/s)
  const page = Object.hasOwn(SUBJECT_PAGES, kind) && id ? SUBJECT_PAGES[kind]?.(encodeURIComponent(id)) : null
  return page ? html`<a href="${page}"><bdi>${subject}</bdi></a>` : html`<bdi>${subject}</bdi>`
}

// Longer details, such as whole articles, are folded.
const LONGEST_UNFOLDED = 160

function detailsOf(details: Record<string, unknown>): Markup | null {
  const entries = Object.entries(details)
  if (entries.length === 0) return null
  const shown = html`<dl class="details">${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd dir="auto">${readable(value)}</dd></div>`)}</dl>`
  if (JSON.stringify(details).length <= LONGEST_UNFOLDED) return shown
  return html`<details><summary>${entries.map(([name]) => name).join(', ')}</summary>${shown}</details>`
}

function readable(value: unknown): string {
  if (value === null || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return value.length === 0 ? 'nothing' : value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}
