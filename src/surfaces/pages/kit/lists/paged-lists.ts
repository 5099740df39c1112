// Lists that are too long for one page. Most operations do not count rows, so a page knows only whether there is a next one. A list whose
// number of entries is known has `pager`.
import type { Static, TArray, TObject, TSchema } from 'typebox'
import type { Operation, Unread } from '../../../../kernel/operation.ts'
import { html, type Markup } from '../markup.ts'
import type { Visit } from '../sending/private-pages.ts'
import { number } from '../values.ts'
import { addressWith } from './address-query.ts'

export interface ListPage<Row> {
  rows: Row[]
  page: number
  hasMore: boolean
}

const PAGE_SIZE = 50

type ListOperation<I extends TObject, Row extends TSchema> = Operation<I, TSchema, TArray<Row>>

/** Reads the page of the list that `page` in the address asks for. */
export async function readListPage<I extends TObject, Row extends TSchema>(
  visit: Visit,
  operation: ListOperation<I, Row>,
  filters?: Unread<Static<I>>,
): Promise<ListPage<Static<Row>>> {
  const page = pageNumberOf(visit)
  const readRows = (limit: number, page: number) =>
    visit.perform(operation, { ...filters, limit, page } as Unread<Static<I>>)
  const rows = await readRows(PAGE_SIZE, page)
  // Only a full page can have a next one. The first row of the next page is read as a page of one row: its page number is its row number.
  const rowAfter = rows.length < PAGE_SIZE ? [] : await readRows(1, page * PAGE_SIZE + 1)
  return { rows, page, hasMore: rowAfter.length > 0 }
}

/** A larger page number would become an offset that is too large for the database. */
const LAST_PAGE = 1_000_000
export const pageNumberOf = (visit: Visit): number => {
  const page = Number(visit.query(['page']).page)
  return Number.isInteger(page) && page >= 1 ? Math.min(page, LAST_PAGE) : 1
}

/** Links to the previous and the next page; null when one page holds all rows. Lists whose number of rows is known use `pager`. */
export function previousNextLinks(page: number, hasMore: boolean, href: (page: number) => string): Markup | null {
  if (page === 1 && !hasMore) return null
  const step = (to: number, rel: 'prev' | 'next', label: string, word: string) =>
    html`<li><a href="${href(to)}" rel="${rel}" aria-label="${label}">${word}</a></li>`
  return html`<nav class="pager" aria-label="Pages"><ul>${page > 1 && step(page - 1, 'prev', 'Previous page', 'Previous')}<li><span class="here" aria-current="page"><span class="visually-hidden">Page </span>${page}</span></li>${hasMore && step(page + 1, 'next', 'Next page', 'Next')}</ul></nav>`
}

/** How many rows the list has, for its heading; "50+" while a next page may have more. */
export const listCount = ({ rows, page, hasMore }: ListPage<unknown>): Markup | false =>
  (rows.length > 0 || page > 1) &&
  html` <span class="count">${(page - 1) * PAGE_SIZE + rows.length}${hasMore && '+'}</span>`

/** The same links for a list that was read with `readListPage`; they keep its filters. */
export const listPageLinks = (
  { page, hasMore }: ListPage<unknown>,
  address: string,
  filters: Readonly<Record<string, string>> = {},
): Markup | null =>
  previousNextLinks(page, hasMore, (to) => addressWith(address, { ...filters, page: to > 1 ? String(to) : '' }))

export interface Pager {
  page: number
  pages: number
  /** With `total`: how many entries a page has. */
  limit?: number
  /** How many entries all pages have. */
  total?: number
  href: (page: number) => string
  /** What the pages contain, for screen readers: "Results". */
  label?: string
}

/** The page links; null for a single page. On a page past the end, Previous leads to the last page that exists. */
export function pager({ page, pages, limit = 0, total = 0, href, label = 'Pages' }: Pager): Markup | null {
  if (pages <= 1 && page <= 1) return null
  const previous = Math.min(page - 1, pages)
  return html`<nav class="pager" aria-label="${label}">
<ul>
${previous >= 1 && html`<li><a href="${href(previous)}" rel="prev" aria-label="Previous page">Previous</a></li>\n`}${shownPages(page, pages).map((at) => (at === null ? html`<li><span class="skipped">…</span></li>\n` : at === page ? html`<li><span class="here" aria-current="page"><span class="visually-hidden">Page </span>${at}</span></li>\n` : html`<li><a href="${href(at)}"><span class="visually-hidden">Page </span>${at}</a></li>\n`))}${page < pages && html`<li><a href="${href(page + 1)}" rel="next" aria-label="Next page">Next</a></li>\n`}</ul>
<span class="quiet small">${page * limit - limit < total ? `${number(page * limit - limit + 1)}–${number(Math.min(page * limit, total))} of ${number(total)}` : `Page ${page} of ${Math.max(pages, 1)}`}</span>
</nav>`
}

/** The numbers of the linked pages: the first, the last and those around the current one. null stands for pages that are left out. */
export function shownPages(page: number, pages: number): (number | null)[] {
  const candidates = [1, page - 1, page, page + 1, pages].filter((at) => at >= 1 && at <= pages)
  const sorted = [...new Set(candidates)].sort((a, b) => a - b)
  return sorted.flatMap((at, i) => {
    const gap = at - (sorted[i - 1] ?? 0)
    // A single missing page needs no more room than the dots, so it is shown.
    if (gap === 2) return [at - 1, at]
    return gap > 2 ? [null, at] : [at]
  })
}
