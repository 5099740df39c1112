// Options of a filter, each with the number of listings that are left when it is chosen.
import type { Option } from '../../kit/forms/field.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { number } from '../../kit/values.ts'

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
