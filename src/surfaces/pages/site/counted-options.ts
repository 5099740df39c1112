// Options of a filter, each with the number of listings that are left when it is chosen.
import { type Option, select } from '../kit/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { number } from '../kit/values.ts'

/** The number of listings by the value of the option; a missing value has none. */
export type OptionCounts = Readonly<Record<string, number>>

const countOf = (counts: OptionCounts, value: string): number =>
  Object.hasOwn(counts, value) ? (counts[value] ?? 0) : 0

/** Checkboxes of a filter that takes several values, each with its count. A box without listings cannot be checked. */
export function facetBoxes(facet: {
  name: string
  legend: string
  options: readonly Option[]
  chosen: readonly string[]
  counts?: OptionCounts
}): Markup {
  const { name, legend, options, chosen, counts = {} } = facet
  return html`<div class="facet" role="group" aria-label="${legend}"><span class="facet-name" aria-hidden="true">${legend}</span>${options.map(
    ({ value, label }) => {
      const count = countOf(counts, value)
      const isChosen = chosen.includes(value)
      return html`<label><input type="checkbox" id="facet-${name}-${value.toLowerCase()}" name="${name}[]" value="${value}"${isChosen && html` checked`}${!isChosen && count === 0 && html` disabled`}>${label} <span class="count">${number(count)}</span></label>`
    },
  )}</div>`
}

/** Select fields of a filter that takes several values: one for each chosen value, and one more while there may be more. */
export function severalSelects(filter: {
  name: string
  label: string
  options: readonly Option[]
  chosen: readonly string[]
  counts?: OptionCounts
}): Markup {
  const { name, label, options, chosen, counts } = filter
  const values = chosen.length < MOST_CHOSEN ? [...chosen, ''] : chosen
  return html`${values.map((value, at) => {
    const others = options.filter((option) => option.value === value || !chosen.includes(option.value))
    return select({
      ...{
        name: at === 0 ? name : `or-${name}[]`,
        id: at === 0 ? undefined : `${name}-${at}`,
        label: at === 0 ? label : `Or ${label.toLowerCase()}`,
      },
      ...{ none: at === 0 ? 'Any' : 'None', value, options: filledOnly(others, value, counts) },
    })
  })}`
}

const MOST_CHOSEN = 4

const withCount = (option: Option, counts: OptionCounts): Option => ({
  ...option,
  label: `${option.label} (${number(countOf(counts, option.value))})`,
})

/**
 * For a short list that visitors know: options without listings are shown last and cannot be chosen. The chosen one keeps its place.
 * Without counts the options stay as they are.
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

/** For a long list: options without listings are left out, except the chosen one. */
export const filledOnly = (options: readonly Option[], chosen: string | undefined, counts?: OptionCounts): Option[] =>
  withCounts(options, chosen, counts).filter(({ disabled }) => !disabled)
