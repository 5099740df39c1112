// The filter forms and results of the console's lists.
import type { FastifyRequest } from 'fastify'
import { button } from '../kit/button.ts'
import { select } from '../kit/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { type ListPage, listPageLinks } from '../kit/paged-lists.ts'
import { type AddressQuery, queryText } from '../kit/site-addresses.ts'

/** The named parameters of the address; a missing one is empty. */
export const filtersOf = <Name extends string>(
  { query }: FastifyRequest,
  names: readonly Name[],
): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, queryText(query as AddressQuery, name)])) as Record<Name, string>

/** Without JavaScript a plain form; with it the results change while the administrator types. */
export const filterForm = (action: string, fields: unknown, isFiltered: boolean): Markup =>
  html`<form class="filters" action="${action}" method="get" role="search" data-live="page" data-hx-get="${action}" data-hx-trigger="input delay:300ms target:.input, change target:select" data-hx-target="#results" data-hx-select="#results" data-hx-swap="outerHTML" data-hx-sync="this:replace">
${fields}
<div class="row">${button('Apply', { kind: 'plain' })}${isFiltered && html`<a class="clear" href="${action}">Clear all filters</a>`}</div>
<p class="line visually-hidden whole" data-line role="status"></p>
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

/** The part of the page that the filter form replaces. Screen readers announce how many rows were found. */
export const filteredResults = (
  list: ListPage<unknown>,
  address: string,
  filters: Record<string, string>,
  body: Markup,
): Markup => {
  const count = `${list.rows.length}${list.hasMore ? ' and more' : ''} found`
  return html`<div id="results" class="flow">
<h2 class="visually-hidden" data-count="${count}">Results</h2>
${body}
${listPageLinks(list, address, filters)}
</div>`
}
