// Browsing directories by words, category, cost, badge, link type and lowest Domain Rating, in a chosen order.
import { Type } from 'typebox'
import { RATING_STEPS } from '../../../features/catalog/rules.ts'
import { BADGES, COST, DIRECTORY_ORDERS, type Directory } from '../../../features/catalog/schema.ts'
import {
  type Browsed,
  browseDirectories,
  type FacetCounts,
  USUAL_LINK_TYPES,
} from '../../../features/catalog/site-search.ts'
import type { Context } from '../../../kernel/context.ts'
import { readParameters } from '../../../kernel/input.ts'
import { oneOf } from '../../../kernel/schema.ts'
import { button, linkButton } from '../kit/button.ts'
import type { Page } from '../kit/document.ts'
import { emptyState } from '../kit/empty-state.ts'
import { type Option, select } from '../kit/field.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { pager } from '../kit/pager.ts'
import { searchForm } from '../kit/search-form.ts'
import { type AddressQuery, addressWith } from './addresses.ts'
import { type Counts, withCounts } from './counted-options.ts'
import { badgeSelect, categorySelect, costSelect, ratingSelect } from './directory-filters.ts'
import { directoryTable } from './directory-table.ts'
import { foundEntries, NOTHING_FOUND } from './found.ts'
import { amount } from './listing.ts'
import { publicDirectoryCategories } from './terms.ts'

const PAGE_SIZE = 20

/** Parsed as an operation parses its parameters: lenient about numbers and case, strict about the rest. */
const parameters = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 500 })),
  category: Type.Optional(Type.String()),
  cost: Type.Optional(oneOf(COST)),
  badge: Type.Optional(oneOf(BADGES)),
  type: Type.Optional(Type.String({ maxLength: 100 })),
  rating: Type.Optional(oneOf(RATING_STEPS.map(String))),
  sort: Type.Optional(oneOf(DIRECTORY_ORDERS)),
  page: Type.Integer({ minimum: 1, default: 1 }),
})

type DirectoryFilters = Partial<Record<'q' | 'category' | 'cost' | 'badge' | 'type' | 'rating' | 'sort', string>>

export async function directoriesPage(ctx: Context, query: AddressQuery): Promise<Page> {
  const { page, ...filters } = readParameters(parameters, query)
  const found = await browseDirectories(ctx, { ...filters, page, limit: PAGE_SIZE })
  const categories = publicDirectoryCategories(ctx)
  const category = categories.find(({ slug }) => slug === filters.category)
  const href = (to: number) => addressWith('/directories', { ...filters, page: to > 1 ? String(to) : '' })
  // Search engines index the whole list and each category. Other filters combine into endless pages, so those are not indexed.
  const isPlain = Object.keys(filters).every((name) => name === 'category') && (!filters.category || category)
  return {
    title: category ? `${category.name}: startup directories` : 'Startup directories',
    description: 'Startup and SaaS directories with Domain Rating, cost, link type and whether they demand a badge.',
    url: isPlain && (page === 1 || page <= found.pagination.pages) ? ctx.publicUrl + href(page) : undefined,
    path: '/directories',
    feed: '/feeds/directories.xml',
    ownSearch: true,
    body: html`<div class="flow">
<h1>Startup directories</h1>
<p class="lead">Where to list or launch a product: how strong the link is, what it costs, and what is asked in return.</p>
${searchForm({ action: '/directories', label: 'Search directories', value: filters.q, live: true, more: filterFields(filters, categories, found.counts) })}
${results(found, filters, href)}
</div>`,
  }
}

const filterFields = (
  filters: DirectoryFilters,
  categories: readonly { slug: string; name: string }[],
  counts: FacetCounts,
): Markup => html`<div class="filters" id="filters">
${categorySelect(filters.category, categories, counts.category)}
${ratingSelect(filters.rating, 'Domain Rating', counts.rating)}
${costSelect(filters.cost, counts.cost)}
${select({ name: 'type', label: 'Link type', none: 'Any', value: filters.type, options: linkTypes(filters.type, counts.type) })}
${badgeSelect(filters.badge, counts.badge)}
${select({
  name: 'sort',
  label: 'Sort by',
  none: 'Best match',
  value: filters.sort,
  options: [
    { value: 'rating', label: 'Domain Rating' },
    { value: 'newest', label: 'Newest' },
  ],
})}
${button('Apply', { kind: 'plain' })}
</div>`

/** The usual link types, and the one from the address when it is none of them. They are counted in lower case. */
function linkTypes(chosen: string | undefined, counts: Counts = {}): Option[] {
  const known = USUAL_LINK_TYPES.find((type) => type.toLowerCase() === chosen?.toLowerCase())
  const types: Option[] = USUAL_LINK_TYPES.map((type) => ({ value: type.toLowerCase(), label: type }))
  if (chosen && !known) types.push({ value: chosen.toLowerCase(), label: chosen })
  return withCounts(types, chosen?.toLowerCase(), counts).map((option) => ({
    ...option,
    // The form sends the spelling of the address again, so that the address stays the same.
    value: option.value === chosen?.toLowerCase() ? chosen : (spelling(option.value) ?? option.value),
  }))
}

const spelling = (type: string): string | undefined => USUAL_LINK_TYPES.find((usual) => usual.toLowerCase() === type)

function results(found: Browsed<Directory>, filters: DirectoryFilters, href: (page: number) => string): Markup {
  const { pagination } = found
  const count = amount(pagination.total, 'directory', 'directories')
  const isPastEnd = pagination.total > 0
  return html`<div id="results" class="flow">
<h2 class="visually-hidden">Results</h2>
<div class="row apart"><p class="label" data-count="${count} found">${count}${filters.q && html` for <bdi>“${oneLine(filters.q, 60)}”</bdi>`}</p>${Object.keys(filters).length > 0 && html`<a class="clear" href="/directories">Clear all filters</a>`}</div>
${
  found.listings.length > 0
    ? foundEntries(found, (pagination.page - 1) * pagination.limit, 'directory', (directories, matched) =>
        directoryTable(directories, { matched, filters }),
      )
    : emptyState({
        title: isPastEnd ? 'There is no such page' : 'Nothing found',
        text: isPastEnd ? undefined : NOTHING_FOUND,
        action: linkButton(
          isPastEnd ? href(1) : '/directories',
          isPastEnd ? 'Go to the first page' : 'Browse directories',
          {
            kind: 'plain',
          },
        ),
      })
}
${pager({ page: pagination.page, pages: pagination.pages, href, label: 'Pages of directories' })}
</div>`
}
