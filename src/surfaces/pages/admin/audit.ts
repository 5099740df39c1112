// The audit log: who did what to what, and when.
import type { Static } from 'typebox'
import { listAuditEntries } from '../../../features/audit/operations.ts'
import { nameAuditRows } from '../../../features/overview/operations.ts'
import { capitalised } from '../../../kernel/text.ts'
import { html, type Markup } from '../kit/markup.ts'
import { addressWith } from '../kit/site-addresses.ts'
import { fieldLabel, time } from '../kit/values.ts'
import { declareList } from './list-pages.ts'
import type { ConsolePages, Visit } from './visit.ts'

const PATH = '/admin/audit'

type AuditEntry = Static<typeof listAuditEntries.data>[number]

export const auditPages: ConsolePages = {
  [PATH]: {
    GET: declareList({
      path: PATH,
      operation: listAuditEntries,
      title: 'Audit log',
      lead: 'Every change, newest first.',
      load: (visit, rows) => namesOf(visit, rows),
      filters: {
        actor: { label: 'Who', placeholder: 'ada@example.com' },
        action: { label: 'What', placeholder: 'tool or tool.put' },
        subject: { label: 'On what', placeholder: 'tool:acme-writer' },
      },
      caption: 'Changes',
      columns: ({ loaded: names }) => [
        { label: 'When', onPhones: 'unlabelled', cell: ({ at }) => time(at) },
        { label: 'Who', onPhones: 'unlabelled', cell: ({ actor }) => actorLink(actor, names) },
        {
          label: 'What',
          rowHeader: true,
          cell: ({ action }) => html`<a href="${addressWith(PATH, { action })}">${actionWords(action)}</a>`,
        },
        { label: 'On what', onPhones: 'unlabelled', cell: ({ subject }) => subjectLink(subject, names) },
        { label: 'Details', onPhones: 'unlabelled', cell: ({ details }) => detailsOf(details, names) },
      ],
      empty: { title: 'Nothing was changed yet' },
    }),
  },
}

/** An action such as `submission.done` in words: Submission: done. The filter and the API have its name. */
function actionWords(action: string): string {
  const [kind = '', what = ''] = action.split(/\.(.*)/s)
  return what === '' ? action : `${fieldLabel(kind)}: ${what}`
}

/** The label and the page of each kind of subject; a key and an app (grant) are shown on the page of their owner. */
const SUBJECTS: Record<string, [word: string, page: ((id: string) => string) | null]> = {
  tool: ['Tool', (slug) => `/admin/tools/${slug}`],
  directory: ['Directory', (slug) => `/admin/directories/${slug}`],
  category: ['Category', (slug) => `/admin/taxonomy/categories/${slug}`],
  tag: ['Tag', (slug) => `/admin/taxonomy/tags/${slug}`],
  directoryCategory: ['Directory category', (slug) => `/admin/taxonomy/directory-categories/${slug}`],
  user: ['User', userPage],
  partner: ['Partner', (id) => `/admin/partners/${id}`],
  submission: ['Submission', (id) => `/admin/submissions/${id}`],
  conversation: ['Conversation', (id) => `/admin/support/${id}`],
  webhook: ['Webhook', (id) => `/admin/webhooks/${id}`],
  key: ['Key', null],
  grant: ['App', null],
}

function userPage(id: string): string {
  return `/admin/users/${id}`
}

const parseSubject = (subject: string) => {
  const [kind = '', id = ''] = subject.split(/:(.*)/s)
  return Object.hasOwn(SUBJECTS, kind) && id ? { kind: SUBJECTS[kind], id: encodeURIComponent(id) } : null
}

interface Names {
  subjects: ReadonlyMap<string, { name: string; owner: string | null }>
  users: ReadonlyMap<string, string>
}

/** Looks up the names of all subjects and actors of a page in one call. */
async function namesOf(visit: Visit, rows: readonly AuditEntry[]): Promise<Names> {
  const subjects = [...new Set(rows.flatMap(({ subject, details }) => [subject, ...detailSubjects(details)]))].filter(
    parseSubject,
  )
  const actors = [...new Set(rows.map(({ actor }) => actor))].filter((actor) => actor.includes('@'))
  const found = await visit.perform(nameAuditRows, {}, { subjects, actors })
  return {
    subjects: new Map(found.subjects.map(({ subject, ...named }) => [subject, named])),
    users: new Map(found.users.map(({ email, id }) => [email, id])),
  }
}

/** Links to the user's page. The operator token, keys, jobs and deleted users have none, so they link to their entries in this log. */
function actorLink(actor: string, { users }: Names): Markup {
  const id = users.get(actor)
  return id === undefined
    ? html`<a href="${addressWith(PATH, { actor })}"><bdi>${capitalised(actor)}</bdi></a>`
    : html`<a href="${userPage(id)}"><bdi>${actor}</bdi></a>`
}

/** A deleted subject has neither name nor page, so only its identifier is shown. */
function subjectLink(subject: string, { subjects }: Names): Markup {
  const known = parseSubject(subject)
  const named = subjects.get(subject)
  if (!known?.kind || !named) return html`<bdi>${subject}</bdi>`
  const [word, page] = known.kind
  const owner = named.owner === null ? null : parseSubject(named.owner)
  const address = page ? page(known.id) : owner?.kind?.[1]?.(owner.id)
  const name = html`<bdi>${named.name}</bdi>`
  return html`<span class="quiet">${word}</span> ${address ? html`<a href="${address}">${name}</a>` : name}`
}

// Longer details, such as whole articles, are folded.
const LONGEST_UNFOLDED = 160

/** Details whose value is an identifier, and the kind of subject that it identifies. */
const DETAIL_KINDS: Record<string, string> = {
  partner: 'partner',
  client: 'partner',
  user: 'user',
  toolId: 'tool',
  directory: 'directory',
}

const detailSubject = (name: string, value: unknown): string | null =>
  Object.hasOwn(DETAIL_KINDS, name) && typeof value === 'string' && value.length <= 200
    ? `${DETAIL_KINDS[name]}:${value}`
    : null

const detailSubjects = (details: Record<string, unknown>): string[] =>
  Object.entries(details).flatMap(([name, value]) => detailSubject(name, value) ?? [])

function detailsOf(details: Record<string, unknown>, { subjects }: Names): Markup | null {
  const entries = Object.entries(details).map(([name, value]): [string, unknown] => {
    const named = subjects.get(detailSubject(name, value) ?? '')
    return named ? [name.replace(/Id$/, ''), named.name] : [name, value]
  })
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
