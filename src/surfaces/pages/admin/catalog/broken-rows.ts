// The list of rows whose stored values break a rule, so that readers do not see them. Each has the reason, and a link to the page where it
// can be corrected.
import type { Static } from 'typebox'
import { listBrokenRows } from '../../../../features/overview/operations.ts'
import type { brokenRowSchema } from '../../../../features/overview/schema.ts'
import { badge } from '../../kit/components.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { VisitPages } from '../../kit/sending/private-pages.ts'
import { ADMIN } from '../kit/frame.ts'
import { declareList } from '../kit/list-pages.ts'

type BrokenRowEntry = Static<typeof brokenRowSchema>

export const BROKEN_ROWS = `${ADMIN}/broken-rows`

export const brokenRowPages: VisitPages = {
  [BROKEN_ROWS]: {
    GET: declareList({
      path: BROKEN_ROWS,
      operation: listBrokenRows,
      title: 'Broken rows',
      lead: 'Stored, but not as they must be. Readers are not shown them, and everything else goes on without them. Save each anew, hide it or delete it.',
      columns: [
        { label: 'What', cell: ({ kind }) => badge(kind) },
        { label: 'Name', rowHeader: true, cell: (row) => linkedName(row) },
        { label: 'What is wrong', cell: ({ reason }) => html`<bdi>${reason}</bdi>` },
      ],
      empty: { title: 'Everything is as it must be' },
    }),
  },
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

/** A row as the start page of the console shows it. */
export const brokenLine = (row: BrokenRowEntry): Markup =>
  html`${linkedName(row)}<span class="note row">${badge(row.kind)}${oneLine(row.reason, 120)}</span>`
