// Select fields that narrow a list of directories, on the site and in the console. Only the site gives a count for each choice.
import { RATING_STEPS } from '../../../../features/catalog/rules.ts'
import { COST } from '../../../../features/catalog/schema.ts'
import { type Option, select } from '../../kit/forms/field.ts'
import { type Markup, oneLine } from '../../kit/markup.ts'
import { type OptionCounts, withCounts } from './counted-options.ts'

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
