// What narrows a list: the order, the filters beside the list (on phones a sheet that a link opens), and the chosen filters. The console
// has some of the filters too; only the site gives for each choice the number of listings that are left.
import { RATING_STEPS } from '../../../../features/catalog/rules.ts'
import { COST } from '../../../../features/catalog/schema.ts'
import { button } from '../../kit/button.ts'
import { type Option, select } from '../../kit/forms/field.ts'
import { icon } from '../../kit/icon.ts'
import { addressWith, listOf, listWithout } from '../../kit/lists/address-query.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { number } from '../../kit/values.ts'

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

/** The number of listings by the value of the option; a missing value has none. */
export type OptionCounts = Readonly<Record<string, number>>

const countOf = (counts: OptionCounts, value: string): number =>
  Object.hasOwn(counts, value) ? (counts[value] ?? 0) : 0

interface Facet {
  name: string
  legend: string
  options: readonly Option[]
  chosen: readonly string[]
  counts?: OptionCounts
}

/** Checkboxes of a filter that takes several values, in the order of `options`. A box without listings cannot be checked. */
export const facetBoxes = (facet: Facet): Markup => facetGroup(facet.legend, facetInputs(facet))

/** Radio buttons of a filter that takes one value; null when no value has listings. */
export const facetChoice = (facet: Omit<Facet, 'chosen'> & { chosen?: string }): Markup | null => {
  const one = { ...facet, chosen: facet.chosen ? [facet.chosen] : [] }
  const any = html`<label><input type="radio" name="${facet.name}" value=""${!facet.chosen && html` checked`}>Any</label>`
  return isUseful(one) ? facetGroup(facet.legend, html`${any}${facetInputs(one, 'radio')}`) : null
}

/** How many values of a long filter are shown at once. */
const SHOWN_AT_ONCE = 6

/**
 * Checkboxes of a filter with many values: those with the most listings first, the others behind a button. Values without listings are left
 * out. Null when no value has listings.
 */
export function facetList(facet: Facet & { all?: { href: string; label: string } }): Markup | null {
  const { options, chosen, counts = {}, all } = facet
  const isChosen = ({ value }: Option) => chosen.includes(value)
  const filled = options
    .filter((option) => isChosen(option) || countOf(counts, option.value) > 0)
    .toSorted((a, b) => countOf(counts, b.value) - countOf(counts, a.value))
  const first = filled.filter((option, at) => at < SHOWN_AT_ONCE || isChosen(option))
  const rest = filled.filter((option) => !first.includes(option))
  const more =
    rest.length > 0 &&
    html`<details><summary>${number(rest.length)} more</summary>${facetInputs({ ...facet, options: rest })}${all && html`<a href="${all.href}">${all.label}</a>`}</details>`
  return isUseful(facet) ? facetGroup(facet.legend, html`${facetInputs({ ...facet, options: first })}${more}`) : null
}

const isUseful = ({ options, chosen, counts = {} }: Facet): boolean =>
  chosen.length > 0 || options.some(({ value }) => countOf(counts, value) > 0)

const facetGroup = (legend: string, inputs: unknown): Markup =>
  html`<div class="facet" role="group" aria-label="${legend}"><span class="facet-name" aria-hidden="true">${legend}</span>${inputs}</div>\n`

const facetInputs = (
  { name, options, chosen, counts = {} }: Facet,
  type: 'checkbox' | 'radio' = 'checkbox',
): Markup[] =>
  options.map(({ value, label }) => {
    const count = countOf(counts, value)
    const isChosen = chosen.includes(value)
    return html`<label><input type="${type}" id="facet-${name}-${value.toLowerCase().replace(/[^a-z0-9]+/g, '-')}" name="${name}${type === 'checkbox' && '[]'}" value="${value}"${isChosen && html` checked`}${!isChosen && count === 0 && html` disabled`}>${label} <span class="count">${number(count)}</span></label>`
  })

const withCount = (option: Option, counts: OptionCounts): Option => ({
  ...option,
  label: `${option.label} (${number(countOf(counts, option.value))})`,
})

/**
 * Options of a select field, each with its count. Those without listings come last and cannot be chosen, except the chosen one, which keeps
 * its place. Without counts the options stay as they are.
 */
export function withCounts(options: readonly Option[], chosen: string | undefined, counts?: OptionCounts): Option[] {
  if (!counts) return [...options]
  const isUsable = ({ value }: Option) => value === chosen || countOf(counts, value) > 0
  return [
    ...options.filter(isUsable).map((option) => withCount(option, counts)),
    ...options
      .filter((option) => !isUsable(option))
      .map((option) => ({ ...withCount(option, counts), disabled: true })),
  ]
}

type Value = string | undefined

export const plainOptions = (values: readonly string[]): Option[] => values.map((value) => ({ value, label: value }))

export const categoryOptions = (categories: readonly { slug: string; name: string }[]): Option[] =>
  categories.map(({ slug, name }) => ({ value: slug, label: oneLine(name, 40) }))

export const categorySelect = (value: Value, categories: readonly { slug: string; name: string }[]): Markup =>
  select({ name: 'category', label: 'Category', none: 'Any', value, options: categoryOptions(categories) })

export const ratingSelect = (value: Value, label: string, counts?: OptionCounts): Markup =>
  select({
    name: 'rating',
    label,
    none: 'Any',
    value,
    options: withCounts(
      RATING_STEPS.map((step) => ({ value: String(step), label: `${step} or more` })),
      value,
      counts,
    ),
  })

export const costSelect = (value: Value, counts?: OptionCounts): Markup =>
  select({ name: 'cost', label: 'Cost', none: 'Any', value, options: withCounts(plainOptions(COST), value, counts) })

const BADGE_OPTIONS: Option[] = [
  { value: 'none', label: 'Not required' },
  { value: 'required', label: 'Required' },
]

export const badgeSelect = (value: Value, counts?: OptionCounts): Markup =>
  select({ name: 'badge', label: 'Badge', none: 'Any', value, options: withCounts(BADGE_OPTIONS, value, counts) })
