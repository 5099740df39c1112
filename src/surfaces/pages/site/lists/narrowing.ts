// What narrows a list of the site: the order, the filters beside the list (on phones a sheet that a link opens), and the chosen filters.

import { button } from '../../kit/button.ts'
import { type Option, select } from '../../kit/forms/field.ts'
import { icon } from '../../kit/icon.ts'
import { addressWith, listOf, listWithout } from '../../kit/lists/address-query.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'

interface Narrowing {
  path: string
  /** How many filters are chosen. */
  chosen: number
  sort: { value?: string; none: string; options: readonly Option[] }
  /** Shown instead of the field for the order where the heads of a table sort it: an order that no column has. */
  otherOrder?: Markup
  filters: Markup
  /** What the list shows with these filters: "612 tools". */
  count: string
}

/** The live search replaces both elements with those of its answer, see `searchForm`. */
export const narrowing = ({ path, chosen, sort, otherOrder, filters, count }: Narrowing): Markup =>
  html`<div class="listbar" id="listbar"><a class="button plain" href="#filters">${icon('sliders')}Filters${chosen > 0 && ` (${chosen})`}</a>${select({ name: 'sort', label: 'Sort by', ...sort })}${otherOrder}${button('Apply', { kind: 'plain' })}</div>
<div class="facets" id="filters" role="group" aria-label="Filters">
<div class="sheet-head"><h2>Filters</h2><a class="button plain slim" href="#results" aria-label="Close the filters">${icon('close')}</a></div>
${filters}
<div class="sheet-foot">${chosen > 0 && html`<a class="clear" href="${path}">Clear all</a>`}${button(`Show ${count}`)}</div>
</div>`

/** The chosen values of the filters that `labels` names, each with its label and the address of the list without it. */
export const chosenFilters = (
  path: string,
  filters: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, (value: string) => string | undefined>>,
): { label: string; href: string }[] =>
  Object.entries(labels).flatMap(([name, labelOf]) =>
    listOf(filters[name] ?? '').map((value) => ({
      label: labelOf(value) ?? value,
      href: addressWith(path, { ...filters, [name]: listWithout(filters[name] ?? '', value) }),
    })),
  )

/** A chip for each chosen filter; it leads to the same results without that filter. */
export const filterChips = (path: string, chosen: ReturnType<typeof chosenFilters>): Markup | null =>
  chosen.length === 0
    ? null
    : html`<div class="row"><ul class="chips" aria-label="Active filters">
${chosen.map(({ label, href }) => html`<li><a class="on" href="${href}"><span class="visually-hidden">Without </span><bdi>${oneLine(label, 40)}</bdi>${icon('close', 'small')}</a></li>\n`)}</ul><a class="clear" href="${path}">Clear all filters</a></div>`
