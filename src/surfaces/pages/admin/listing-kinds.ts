// Tools and directories, as far as their pages in the console differ.
import type { DirectoryRow, ToolRow } from '../../../features/catalog/queries.ts'
import {
  byName,
  detailJson,
  directoryDocument,
  isAdult,
  type Taxonomy,
  toolDocument,
} from '../../../features/catalog/rules.ts'
import { COST, PRICING } from '../../../features/catalog/schema.ts'
import type { Context } from '../../../kernel/context.ts'
import { select } from '../components/field.ts'
import type { Column } from '../components/table.ts'
import { html, type Markup, oneLine } from '../markup.ts'
import { directoryPage } from '../site/directory.ts'
import { PRICING as PRICES } from '../site/entries.ts'
import { number } from '../site/listing.ts'
import { toolPage } from '../site/tool.ts'
import { DIRECTORY_FIELDS, type FieldGroup, TOOL_FIELDS } from './listing-fields.ts'
import { HIDDEN_STATES } from './states.ts'

/** A listing as it is stored, with what both kinds have. */
export interface Stored extends Record<string, unknown> {
  id: string
  slug: string
  name: string
  website: string
  icon: string | null
  published: boolean
  /** Of tools, while they are not published. */
  hiddenReason?: string
  featured: boolean
  version: number
  createdAt: Date
  updatedAt: Date
  /** Why readers do not see it, though it may be published. */
  broken?: string
}

export interface ListingKind {
  kind: 'tool' | 'directory'
  title: string
  /** Where its pages are in the console, and on the site. */
  base: string
  site: string
  groups: readonly FieldGroup[]
  /** By field: the operation that lists what there is to choose from. */
  terms: Readonly<Record<string, string>>
  filters: readonly string[]
  /** The terms come from memory: the list is asked for while somebody types. */
  filterFields(values: Readonly<Record<string, string>>, taxonomy: Taxonomy): Markup
  columns: readonly Column<Stored>[]
  /** Why it is adult; empty when it is not. */
  adultBecause(stored: Stored, taxonomy: Taxonomy): string[]
  /** The page that the world sees, or would see. */
  preview(stored: Stored, ctx: Context): Markup
}

const options = (terms: ReadonlyMap<string, { slug: string; name: string }>) =>
  [...terms.values()].sort(byName).map(({ slug, name }) => ({ value: slug, label: oneLine(name, 40) }))
const plain = (values: readonly string[]) => values.map((value) => ({ value, label: value }))

const HIDDEN = Object.entries(HIDDEN_STATES).map(([value, [label]]) => ({ value, label }))

export const TOOLS: ListingKind = {
  kind: 'tool',
  title: 'Tools',
  base: '/admin/tools',
  site: '/tools',
  groups: TOOL_FIELDS,
  terms: { category: 'list_category_entries', tags: 'list_tag_entries' },
  filters: ['q', 'published', 'hiddenReason', 'featured', 'category', 'tag', 'pricing'],
  filterFields: (values, { categories, tags }) =>
    html`${select({ name: 'hiddenReason', label: 'Hidden', none: 'Any', value: values.hiddenReason, options: HIDDEN })}
${select({ name: 'category', label: 'Category', none: 'Any', value: values.category, options: options(categories) })}
${select({ name: 'tag', label: 'Tag', none: 'Any', value: values.tag, options: options(tags) })}
${select({ name: 'pricing', label: 'Pricing', none: 'Any', value: values.pricing?.toUpperCase(), options: plain(PRICING) })}`,
  columns: [
    { label: 'Category', cell: ({ category }) => (category === null ? null : html`<code>${category}</code>`) },
    { label: 'Pricing', cell: ({ pricing }) => PRICES[pricing as keyof typeof PRICES] },
    { label: 'Opened', kind: 'number', cell: ({ opens }) => number(opens as number) },
  ],
  adultBecause(stored, taxonomy) {
    const tool = stored as unknown as ToolRow
    if (!isAdult(tool, taxonomy)) return []
    const category = taxonomy.categories.get(tool.category ?? '')
    const tags = tool.tags.flatMap((slug) => taxonomy.tags.get(slug) ?? [])
    return [
      ...(category?.adult ? [`the category ${category.name} is adult`] : []),
      ...tags.filter(({ adult }) => adult).map(({ name }) => `the tag ${name} is adult`),
    ]
  },
  preview(stored, { catalog, publicUrl }) {
    const { taxonomy } = catalog.snapshot()
    const row = stored as unknown as ToolRow
    const { item } = toolDocument(row, taxonomy, publicUrl)
    return toolPage(JSON.parse(detailJson(item).toString()), isAdult(row, taxonomy)).body
  },
}

export const DIRECTORIES: ListingKind = {
  kind: 'directory',
  title: 'Directories',
  base: '/admin/directories',
  site: '/directories',
  groups: DIRECTORY_FIELDS,
  terms: { categories: 'list_directory_category_entries' },
  filters: ['q', 'published', 'featured', 'category', 'cost'],
  filterFields: (values, { directoryCategories }) =>
    html`${select({ name: 'category', label: 'Category', none: 'Any', value: values.category, options: options(directoryCategories) })}
${select({ name: 'cost', label: 'Cost', none: 'Any', value: COST.find((cost) => cost.toLowerCase() === values.cost?.toLowerCase()), options: plain(COST) })}`,
  columns: [
    { label: 'Cost', cell: ({ cost }) => cost as string },
    { label: 'Link type', cell: ({ type }) => html`<bdi>${type}</bdi>` },
    {
      label: 'DR',
      kind: 'number',
      cell: ({ domainRating }) => (domainRating === null ? null : number(domainRating as number)),
    },
  ],
  adultBecause: () => [],
  preview(stored, { catalog, publicUrl }) {
    const { item } = directoryDocument(stored as unknown as DirectoryRow, catalog.snapshot().taxonomy, publicUrl)
    return directoryPage(JSON.parse(detailJson(item).toString())).body
  },
}
