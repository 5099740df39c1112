// Lists of the console, and what they are narrowed by.
import type { FastifyRequest } from 'fastify'
import { button } from '../kit/button.ts'
import { select } from '../kit/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { type ListPage, listPageLinks } from '../kit/paged-lists.ts'
import { type Query, textOf } from '../site/addresses.ts'

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
  list: ListPage<unknown>,
  address: string,
  filters: Record<string, string>,
  body: Markup,
): Markup => {
  const count = `${list.rows.length}${list.hasMore ? ' and more' : ''} found`
  return html`<div id="results" class="flow">
<h2 class="away" data-count="${count}">Results</h2>
${body}
${listPageLinks(list, address, filters)}
</div>`
}
