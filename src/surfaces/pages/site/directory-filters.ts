// Select fields that narrow a list of directories, on the site and in the console.
import { RATING_STEPS } from '../../../features/catalog/rules.ts'
import { COST } from '../../../features/catalog/schema.ts'
import { type Option, select } from '../kit/field.ts'
import { type Markup, oneLine } from '../kit/markup.ts'

type Value = string | undefined

export const plainOptions = (values: readonly string[]): Option[] => values.map((value) => ({ value, label: value }))

export const categorySelect = (value: Value, categories: readonly { slug: string; name: string }[]): Markup =>
  select({
    name: 'category',
    label: 'Category',
    none: 'Any',
    value,
    options: categories.map(({ slug, name }) => ({ value: slug, label: oneLine(name, 40) })),
  })

export const ratingSelect = (value: Value, label: string): Markup =>
  select({
    name: 'rating',
    label,
    none: 'Any',
    value,
    options: RATING_STEPS.map((step) => ({ value: String(step), label: `${step} or more` })),
  })

export const costSelect = (value: Value): Markup =>
  select({ name: 'cost', label: 'Cost', none: 'Any', value, options: plainOptions(COST) })

export const badgeSelect = (value: Value): Markup =>
  select({
    name: 'badge',
    label: 'Badge',
    none: 'Any',
    value,
    options: [
      { value: 'none', label: 'Not required' },
      { value: 'required', label: 'Required' },
    ],
  })
