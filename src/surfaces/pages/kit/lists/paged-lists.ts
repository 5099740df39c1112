// Reads a list that is too long for one page, one page at a time. The operations do not count rows, so a page knows only whether there is
// a next one.
import type { FastifyRequest } from 'fastify'
import type { Static, TArray, TObject, TSchema } from 'typebox'
import type { Operation, Unread } from '../../../../kernel/operation.ts'
import type { Service } from '../../../http/service.ts'
import { html, type Markup } from '../markup.ts'
import { performAs } from '../sending/private-pages.ts'
import { type AddressQuery, addressWith, queryText } from './address-query.ts'

export interface ListPage<Row> {
  rows: Row[]
  page: number
  hasMore: boolean
}

const PAGE_SIZE = 50

type ListOperation<I extends TObject, Row extends TSchema> = Operation<I, TSchema, TArray<Row>>

/** Reads the page of the list that `page` in the address asks for. */
export async function readListPage<I extends TObject, Row extends TSchema>(
  service: Service,
  request: FastifyRequest,
  operation: ListOperation<I, Row>,
  filters?: Unread<Static<I>>,
): Promise<ListPage<Static<Row>>> {
  const page = pageNumberOf(request)
  const readRows = (limit: number, page: number) =>
    performAs(service, request, operation, { ...filters, limit, page } as Unread<Static<I>>)
  const rows = await readRows(PAGE_SIZE, page)
  // Only a full page can have a next one. The first row of the next page is read as a page of one row: its page number is its row number.
  const rowAfter = rows.length < PAGE_SIZE ? [] : await readRows(1, page * PAGE_SIZE + 1)
  return { rows, page, hasMore: rowAfter.length > 0 }
}

/** A larger page number would become an offset that is too large for the database. */
const LAST_PAGE = 1_000_000
export const pageNumberOf = ({ query }: FastifyRequest): number => {
  const page = Number(queryText(query as AddressQuery, 'page'))
  return Number.isInteger(page) && page >= 1 ? Math.min(page, LAST_PAGE) : 1
}

/** Links to the previous and the next page; null when one page holds all rows. Lists whose number of rows is known use `pager.ts`. */
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
