// What differs between tools and directories in the console: operations, addresses, filters, columns, and the preview of a page.
import {
  byName,
  detailJson,
  directoryDocument,
  isAdult,
  type Taxonomy,
  toolDocument,
} from '../../../../features/catalog/rules.ts'
import {
  COST,
  type ListedKind as Kind,
  PRICING,
  PRICING_LABELS,
  type TermKind,
} from '../../../../features/catalog/schema.ts'
import { entryOperations, type ListingOperations } from '../../../../features/listings/operations.ts'
import type { StoredEntry } from '../../../../features/listings/schema.ts'
import type { Context } from '../../../../kernel/context.ts'
import type { TableColumn } from '../../kit/lists/table.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { number } from '../../kit/values.ts'
import { directoryPage } from '../../site/listing/directory.ts'
import { toolPage } from '../../site/listing/tool.ts'
import type { Filter } from '../kit/list-pages.ts'
import { HIDDEN_STATES } from '../kit/states.ts'
import { type FieldGroup, groupsOf } from './fields.ts'

export type StoredListing = StoredEntry<Kind>
/** Whether the listing is hidden until an administrator decides, because a listing with the same host was taken down before. */
export const waitsForReview = (stored: StoredListing): boolean =>
  'hiddenReason' in stored && stored.hiddenReason === 'review'

export interface ListingKind<K extends Kind = Kind> {
  kind: K
  operations: ListingOperations
  title: string
  /** The path of its pages in the console. */
  base: string
  /** The path of its pages on the site. */
  site: string
  groups: readonly FieldGroup[]
  /** The kind of terms to choose from, by name of the field. */
  terms: Readonly<Record<string, TermKind>>
  /** Filters besides those that both kinds have. */
  filters: Readonly<Record<string, Filter<ListingOperations['list']['parameters'], Taxonomy>>>
  columns(taxonomy: Taxonomy): readonly TableColumn<StoredEntry<K>>[]
  /** Why the listing is adult, in words; [] if it is not. */
  adultReason(stored: StoredEntry<K>, taxonomy: Taxonomy): string[]
  /** The page as visitors see it, or would see it if it were published. */
  preview(stored: StoredEntry<K>, ctx: Context): Markup
}

const termOptions = (terms: ReadonlyMap<string, { slug: string; name: string }>) =>
  [...terms.values()].sort(byName).map(({ slug, name }) => ({ value: slug, label: oneLine(name, 40) }))

const HIDDEN_OPTIONS = Object.entries(HIDDEN_STATES).map(([value, [label]]) => ({ value, label }))

export const TOOL_LISTINGS: ListingKind<'tool'> = {
  kind: 'tool',
  operations: entryOperations.tool,
  title: 'Tools',
  base: '/admin/tools',
  site: '/tools',
  groups: groupsOf('tool'),
  terms: { category: 'category', tags: 'tag' },
  filters: {
    hiddenReason: { label: 'Hidden', options: HIDDEN_OPTIONS },
    category: { options: ({ categories }) => termOptions(categories) },
    tag: { options: ({ tags }) => termOptions(tags) },
    pricing: { options: PRICING.map((value) => ({ value, label: PRICING_LABELS[value] })) },
  },
  columns: ({ categories }) => [
    {
      label: 'Category',
      onPhones: 'hidden',
      cell: ({ category }) => category && html`<bdi>${categories.get(category)?.name ?? category}</bdi>`,
    },
    { label: 'Pricing', onPhones: 'hidden', cell: ({ pricing }) => PRICING_LABELS[pricing] },
    { label: 'Opened', onPhones: 'hidden', kind: 'number', cell: ({ opens }) => number(opens) },
  ],
  adultReason(tool, taxonomy) {
    if (!isAdult(tool, taxonomy)) return []
    const category = taxonomy.categories.get(tool.category ?? '')
    const tags = tool.tags.flatMap((slug) => taxonomy.tags.get(slug) ?? [])
    return [
      ...(category?.adult ? [`the category ${category.name} is adult`] : []),
      ...tags.filter(({ adult }) => adult).map(({ name }) => `the tag ${name} is adult`),
    ]
  },
  preview(stored, { catalog, publicUrl, site }) {
    const { taxonomy } = catalog.snapshot()
    const { item } = toolDocument(stored, taxonomy, publicUrl)
    const shown = { adult: isAdult(stored, taxonomy), currency: site.fields().currency }
    return toolPage(JSON.parse(detailJson(item).toString()), shown).body
  },
}

export const DIRECTORY_LISTINGS: ListingKind<'directory'> = {
  kind: 'directory',
  operations: entryOperations.directory,
  title: 'Directories',
  base: '/admin/directories',
  site: '/directories',
  groups: groupsOf('directory'),
  terms: { categories: 'directoryCategory' },
  filters: {
    category: { options: ({ directoryCategories }) => termOptions(directoryCategories) },
    cost: { options: COST.map((value) => ({ value, label: value })) },
  },
  columns: () => [
    { label: 'Cost', onPhones: 'hidden', cell: ({ cost }) => cost },
    { label: 'Link type', onPhones: 'hidden', cell: ({ type }) => html`<bdi>${type}</bdi>` },
    {
      label: 'DR',
      kind: 'number',
      className: 'beside-name',
      cell: ({ domainRating }) => (domainRating === null ? null : number(domainRating)),
    },
  ],
  adultReason: () => [],
  preview(stored, { catalog, publicUrl }) {
    const { item } = directoryDocument(stored, catalog.snapshot().taxonomy, publicUrl)
    return directoryPage(JSON.parse(detailJson(item).toString())).body
  },
}
