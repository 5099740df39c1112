// Lists of the console: what they are narrowed by, a page of them, and the way to the next. The operator API counts nothing, so
// the pages say whether there is more and not how much.
import type { FastifyRequest } from 'fastify'
import type { Operation } from '../../../kernel/operation.ts'
import type { Service } from '../../http/service.ts'
import { button } from '../components/button.ts'
import { select } from '../components/field.ts'
import { html, type Markup } from '../markup.ts'
import { performAs } from '../private.ts'
import { addressWith, type Query, textOf } from '../site/addresses.ts'

export interface Listed<Row> {
  rows: Row[]
  page: number
  hasMore: boolean
}

const PAGE_SIZE = 50

/** The page that the address asks for. */
export async function listed<Row>(
  service: Service,
  request: FastifyRequest,
  operation: Operation,
  filters: Readonly<Record<string, string>>,
): Promise<Listed<Row>> {
  const page = pageOf(request)
  const rows = await performAs<Row[]>(service, request, operation, { ...filters, limit: PAGE_SIZE, page })
  // Asked only when it can be: the one row after a full page.
  const after =
    rows.length < PAGE_SIZE
      ? []
      : await performAs<Row[]>(service, request, operation, { ...filters, limit: 1, page: page * PAGE_SIZE + 1 })
  return { rows, page, hasMore: after.length > 0 }
}

const LAST_PAGE = 1_000_000
const pageOf = ({ query }: FastifyRequest): number => {
  const page = Number(textOf(query as Query, 'page'))
  return Number.isInteger(page) && page >= 1 ? Math.min(page, LAST_PAGE) : 1
}

/** The named values of the address, empty where they are not given. */
export const filtersOf = <Name extends string>(
  { query }: FastifyRequest,
  names: readonly Name[],
): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, textOf(query as Query, name)])) as Record<Name, string>

/** Without JavaScript a plain form; with it the results change while one types. */
export const filterForm = (action: string, fields: unknown, isNarrowed: boolean): Markup =>
  html`<form class="filters" action="${action}" method="get" role="search" data-live="page" data-hx-get="${action}" data-hx-trigger="input delay:300ms target:.input, change target:select" data-hx-target="#results" data-hx-select="#results" data-hx-swap="outerHTML" data-hx-sync="this:replace">
${fields}
<div class="row">${button('Show', { kind: 'plain' })}${isNarrowed && html`<a class="clear" href="${action}">Show all</a>`}</div>
<p class="line away whole" data-line role="status"></p>
</form>`

export const bannedFilter = (value: string): Markup =>
  select({
    name: 'banned',
    label: 'Banned',
    none: 'Any',
    value,
    options: [
      { value: 'true', label: 'Yes' },
      { value: 'false', label: 'No' },
    ],
  })

/** What the form above changes; how many were found is read out when it did. */
export const results = (
  list: Listed<unknown>,
  address: string,
  filters: Record<string, string>,
  body: Markup,
): Markup => {
  const href = (page: number) => addressWith(address, { ...filters, page: page > 1 ? String(page) : '' })
  const count = `${list.rows.length}${list.hasMore ? ' and more' : ''} found`
  return html`<div id="results" class="flow">
<h2 class="away" data-count="${count}">Results</h2>
${body}
${
  (list.page > 1 || list.hasMore) &&
  html`<nav class="pager" aria-label="Pages"><ul>${list.page > 1 && html`<li><a href="${href(list.page - 1)}" rel="prev" aria-label="Previous page">←</a></li>`}<li><span class="here" aria-current="page"><span class="away">Page </span>${list.page}</span></li>${list.hasMore && html`<li><a href="${href(list.page + 1)}" rel="next" aria-label="Next page">→</a></li>`}</ul></nav>`
}
</div>`
}
