// Rows whose stored values break a rule, so that readers do not see them: the reason, and a link to the page that corrects each.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { listBrokenRows } from '../../../features/overview/operations.ts'
import type { brokenRowSchema } from '../../../features/overview/schema.ts'
import type { Service } from '../../http/service.ts'
import { badge } from '../kit/badge.ts'
import { emptyState } from '../kit/empty-state.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { listPageLinks, readListPage } from '../kit/paged-lists.ts'
import { addPrivatePages } from '../kit/private-pages.ts'
import { table } from '../kit/table.ts'
import { ADMIN, sendAdmin } from './frame.ts'

export type BrokenRowEntry = Static<typeof brokenRowSchema>

export const BROKEN_ROWS = `${ADMIN}/broken-rows`

export function addBrokenRowPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [BROKEN_ROWS]: { GET: (request, reply) => show(service, request, reply) },
  })
}

/** The page where an administrator can correct the row. Keys and articles have no page: they are in the lists of their owners. */
const EDIT_PAGES: Partial<Record<BrokenRowEntry['kind'], (row: BrokenRowEntry) => string>> = {
  tool: ({ name }) => `${ADMIN}/tools/${encodeURIComponent(name)}`,
  directory: ({ name }) => `${ADMIN}/directories/${encodeURIComponent(name)}`,
  category: ({ name }) => `${ADMIN}/taxonomy/categories/${encodeURIComponent(name)}`,
  tag: ({ name }) => `${ADMIN}/taxonomy/tags/${encodeURIComponent(name)}`,
  directoryCategory: ({ name }) => `${ADMIN}/taxonomy/directory-categories/${encodeURIComponent(name)}`,
}

const linkedName = (row: BrokenRowEntry): Markup => {
  const page = EDIT_PAGES[row.kind]?.(row)
  const name = html`<bdi>${oneLine(row.name, 80) || 'Without a name'}</bdi>`
  return page ? html`<a href="${page}">${name}</a>` : name
}

export const brokenLine = (row: BrokenRowEntry): Markup =>
  html`${linkedName(row)}<span class="note row">${badge(row.kind)}${oneLine(row.reason, 120)}</span>`

async function show(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const list = await readListPage(service, request, listBrokenRows)
  return sendAdmin(service, request, reply, {
    title: 'Broken rows',
    body: html`<div class="flow">
<h1>Broken rows</h1>
<p class="lead">Stored, but not as they must be. Readers are not shown them, and everything else goes on without them. Save each anew, hide it or delete it.</p>
${table({
  caption: 'Broken rows',
  rows: list.rows,
  columns: [
    { label: 'What', cell: ({ kind }) => badge(kind) },
    { label: 'Name', rowHeader: true, cell: linkedName },
    { label: 'What is wrong', cell: ({ reason }) => html`<bdi>${reason}</bdi>` },
  ],
  empty: emptyState({ title: list.page > 1 ? 'Nothing on this page' : 'Everything is as it must be' }),
})}
${listPageLinks(list, BROKEN_ROWS)}
</div>`,
  })
}
