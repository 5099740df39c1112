// The page on which visitors browse directories: by words, category, cost, badge, link type, price and Domain Rating, in a chosen order.
import { Type } from 'typebox'
import { searchDirectories } from '../../../../features/catalog/operations.ts'
import { PRICE_STEPS, RATING_STEPS } from '../../../../features/catalog/rules.ts'
import {
  BADGES,
  COST,
  DIRECTORY_ORDER_ALIASES,
  DIRECTORY_ORDERS,
  type Directory,
  USUAL_LINK_TYPES,
} from '../../../../features/catalog/schema.ts'
import { type Browsed, browseDirectories } from '../../../../features/catalog/site/site-search.ts'
import { slugsNamed } from '../../../../features/catalog/terms/term-lists.ts'
import type { Context } from '../../../../kernel/context.ts'
import { readParameters } from '../../../../kernel/input.ts'
import { oneOf } from '../../../../kernel/schema.ts'
import { linkButton } from '../../kit/button.ts'
import { emptyState } from '../../kit/components.ts'
import { select } from '../../kit/forms/field.ts'
import { searchForm } from '../../kit/forms/search-form.ts'
import { icon } from '../../kit/icon.ts'
import {
  type AddressQuery,
  addressWith,
  joinedList,
  listOf,
  queryList,
  queryValues,
} from '../../kit/lists/address-query.ts'
import { pager } from '../../kit/lists/paged-lists.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { amount, money } from '../../kit/values.ts'
import { publicDirectoryCategories } from '../catalog-reads.ts'
import { chips, listHeading } from '../entries.ts'
import {
  foundEntries,
  nearQuestions,
  nearQuestionsAndContact,
  nothingFoundAdvice,
  WITHOUT_SENTENCE,
} from '../search/found-entries.ts'
import { directoryReasons } from '../search/reasons.ts'
import { DIRECTORIES, understoodPart } from '../search/understood.ts'
import { directoryTable } from './directory-table.ts'
import {
  badgeSelect,
  categoryOptions,
  chosenFilters,
  facetBoxes,
  facetList,
  filterChips,
  narrowing,
  type OptionCounts,
  plainOptions,
  ratingSelect,
  withCounts,
} from './narrowing.ts'

const PATH = '/directories'
const PAGE_SIZE = 20

const SORTS = [
  ...DIRECTORY_ORDERS,
  ...(Object.keys(DIRECTORY_ORDER_ALIASES) as (keyof typeof DIRECTORY_ORDER_ALIASES)[]),
] as const

/** The query is parsed like the parameters of an operation: lenient about numbers and case, strict about the rest. */
const parameters = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 500 })),
  facts: searchDirectories.parameters.properties.facts,
  badge: Type.Optional(oneOf(BADGES)),
  rating: Type.Optional(oneOf(RATING_STEPS.map(String))),
  maxPrice: Type.Optional(oneOf(PRICE_STEPS.map(String))),
  sort: Type.Optional(oneOf(SORTS)),
  page: Type.Integer({ minimum: 1, default: 1 }),
})

/** Filters of which a visitor may choose several values; each is read like a parameter of its own. */
const severalValues = Type.Object({
  category: Type.Optional(Type.String()),
  cost: Type.Optional(oneOf(COST)),
  type: Type.Optional(Type.String({ maxLength: 100 })),
})

export const DIRECTORY_PARAMETERS = [parameters, severalValues].flatMap(({ properties }) => Object.keys(properties))

type DirectoryFilters = Partial<
  Record<'q' | 'facts' | 'category' | 'cost' | 'badge' | 'type' | 'rating' | 'maxPrice' | 'sort', string>
>

const FEED = '/feeds/directories.xml'

export async function directoriesPage(ctx: Context, query: AddressQuery): Promise<Page> {
  const { page, ...single } = readParameters(parameters, query)
  const { directoryCategories } = ctx.catalog.snapshot().taxonomy
  const chosen = joinedList(queryValues(query, 'category').flatMap((value) => slugsNamed(directoryCategories, value)))
  const cost = listOf(queryList(query, 'cost')).flatMap(
    (one) => readParameters(severalValues, { cost: one }).cost ?? [],
  )
  const type = listOf(queryList(query, 'type')).flatMap(
    (one) => readParameters(severalValues, { type: one }).type ?? [],
  )
  const filters: DirectoryFilters = {
    ...single,
    ...(chosen ? { category: chosen } : {}),
    ...(cost.length > 0 ? { cost: cost.join(',') } : {}),
    ...(type.length > 0 ? { type: type.join(',') } : {}),
  }
  const found = await browseDirectories(ctx, {
    ...single,
    category: filters.category,
    cost,
    type,
    page,
    limit: PAGE_SIZE,
  })
  const categories = publicDirectoryCategories(ctx)
  const category = categories.find(({ slug }) => slug === filters.category)
  const href = (to: number) => addressWith(PATH, { ...filters, page: to > 1 ? String(to) : '' })
  // Search engines index the whole list and each category. Other filters combine into endless pages, so those are not indexed.
  const isIndexed = Object.keys(filters).every((name) => name === 'category') && (!filters.category || category)
  return {
    title: category ? `${category.name}: startup directories` : 'Startup directories',
    description: 'Startup and SaaS directories with Domain Rating, cost, link type and whether they demand a badge.',
    url: isIndexed && (page === 1 || page <= found.pagination.pages) ? ctx.publicUrl + href(page) : undefined,
    path: PATH,
    feed: FEED,
    ownSearch: true,
    body: html`<div class="flow">
${
  filters.q
    ? html`<h1 class="visually-hidden">Startup directories</h1>`
    : html`${listHeading('Startup directories', FEED)}
<p class="lead">What a listing there is worth, what it costs, and what is asked in return.</p>`
}
<div class="browse across">
${searchForm({ action: PATH, label: 'Search directories', value: filters.q, live: true, more: filterFields(filters, categories, found, ctx.site.fields().currency) })}
${results(ctx, found, filters, href)}
</div>
</div>`,
  }
}

const filterFields = (
  filters: DirectoryFilters,
  categories: readonly { slug: string; name: string }[],
  { counts, pagination }: Browsed<Directory>,
  currency: string,
): Markup =>
  narrowing({
    path: PATH,
    chosen: chosenIn(filters, categories, currency).length,
    count: amount(pagination.total, DIRECTORIES.one, DIRECTORIES.many),
    sort: {
      value: filters.sort,
      none: filters.q ? 'Best match' : 'Domain Rating',
      options: [
        ...(filters.q ? [{ value: 'rating', label: 'Domain Rating' }] : []),
        { value: 'visits', label: 'Visits' },
        { value: 'price', label: 'Lowest price' },
        { value: 'newest', label: 'Newest' },
      ],
    },
    // As the heads of the table do, the chosen order leads back to the usual one.
    otherOrder: html`<a class="clear other-order"${filters.sort === 'newest' && html` aria-current="true"`} href="${addressWith(PATH, { ...filters, sort: filters.sort === 'newest' ? '' : 'newest' })}">Newest first</a>`,
    filters: html`${facetBoxes({ name: 'cost', legend: 'Cost', options: plainOptions(COST), chosen: listOf(filters.cost ?? ''), counts: counts.cost })}
${linkTypeBoxes(listOf(filters.type ?? ''), counts.type)}
<details class="further"${[filters.category, filters.rating, filters.maxPrice, filters.badge].some(Boolean) && html` open`}><summary class="button plain">${icon('sliders')}All filters</summary><div class="flow">${facetList({ name: 'category', legend: 'Category', chosen: listOf(filters.category ?? ''), options: categoryOptions(categories), counts: counts.category })}
<div class="selects">${ratingSelect(filters.rating, 'Domain Rating', counts.rating)}
${select({ name: 'maxPrice', label: 'Price', none: 'Any', value: filters.maxPrice, options: withCounts(pricesIn(currency), filters.maxPrice, counts.maxPrice) })}
${badgeSelect(filters.badge, counts.badge)}</div></div></details>`,
  })

const chosenIn = (
  filters: DirectoryFilters,
  categories: readonly { slug: string; name: string }[],
  currency: string,
): ReturnType<typeof chosenFilters> => chosenFilters(PATH, filters, labelsOf(categories, currency))

const labelsOf = (categories: readonly { slug: string; name: string }[], currency: string) => ({
  cost: (value: string) => value,
  type: (value: string) => USUAL_LINK_TYPES.find((type) => type.toLowerCase() === value.toLowerCase()) ?? value,
  category: (slug: string) => categories.find((one) => one.slug === slug)?.name,
  rating: (value: string) => `Domain Rating ${value} or more`,
  maxPrice: (value: string) => pricesIn(currency).find((option) => option.value === value)?.label,
  badge: (value: string) => (value === 'none' ? 'No badge' : 'Badge required'),
})

/** Each value of these filters includes the directories of the stricter values, so the value with the fewest directories is the closest. */
const STEPPED: ReadonlySet<string> = new Set(['rating', 'maxPrice'])
const MOST_CLOSE = 2

/** Where nothing is found: other values of the chosen filters that find something. */
function closestFilters(
  filters: DirectoryFilters,
  { counts }: Browsed<Directory>,
  labels: ReturnType<typeof labelsOf>,
): Markup | null {
  const close = (Object.keys(labels) as (keyof typeof labels)[]).flatMap((name) =>
    Object.entries(filters[name] ? (counts[name] ?? {}) : {})
      .toSorted(([, a], [, b]) => (STEPPED.has(name) ? a - b : b - a))
      .slice(0, MOST_CLOSE)
      .map(([value, count]) => ({
        label: oneLine(labels[name](value) ?? value, 40),
        href: addressWith(PATH, { ...filters, [name]: value }),
        count,
      })),
  )
  return close.length > 0 ? html`<section class="flow"><h3>The closest filters</h3>${chips(close)}</section>` : null
}

/** The usual link types, and any others that the address names. `counts` has the types in lower case. */
function linkTypeBoxes(chosen: readonly string[], counts: OptionCounts = {}): Markup {
  const spelled = chosen.map((one) => USUAL_LINK_TYPES.find((type) => type.toLowerCase() === one.toLowerCase()) ?? one)
  const options = plainOptions([...new Set([...USUAL_LINK_TYPES, ...spelled])])
  const counted = Object.fromEntries(options.map(({ value }) => [value, counts[value.toLowerCase()] ?? 0]))
  return facetBoxes({ name: 'type', legend: 'Link type', options, chosen: spelled, counts: counted })
}

const pricesIn = (currency: string) =>
  PRICE_STEPS.map((step) => ({ value: String(step), label: `Up to ${money(step, currency)}` }))

function results(
  ctx: Context,
  found: Browsed<Directory>,
  filters: DirectoryFilters,
  href: (page: number) => string,
): Markup {
  const { pagination } = found
  const count = amount(pagination.total, 'directory', 'directories')
  const isPastEnd = pagination.total > 0
  const isFiltered = Object.values(filters).some(Boolean)
  const { q = '', facts } = filters
  const categories = publicDirectoryCategories(ctx)
  const { currency } = ctx.site.fields()
  const chosen = chosenIn(filters, categories, currency)
  return html`<div id="results" class="flow">
${understoodPart(ctx, { q, facts, count, kind: 'directory', found, noun: DIRECTORIES, href: (values) => addressWith(PATH, { ...filters, ...values }) })}
${filterChips(PATH, chosen)}
${
  found.listings.length > 0
    ? foundEntries(
        found,
        {
          first: (pagination.page - 1) * pagination.limit,
          noun: DIRECTORIES.one,
          closest: WITHOUT_SENTENCE,
          why: q ? directoryReasons(found, currency) : [],
          isSorted: filters.sort !== undefined,
        },
        (directories, shown) => directoryTable(directories, currency, { ...shown, filters }),
      )
    : isFiltered && !isPastEnd
      ? html`<p${chosen.length === 0 && html` class="nothing"`}>${!q && 'Nothing found. '}${nothingFoundAdvice(q, chosen.length)} <a href="/directories">All directories</a></p>`
      : emptyState({
          title: isPastEnd ? 'There is no such page' : 'No directories yet',
          text: isPastEnd ? undefined : 'As soon as directories are listed they are here.',
          action: isPastEnd ? linkButton(href(1), 'Go to the first page', { kind: 'plain' }) : undefined,
        })
}
${pagination.total === 0 && closestFilters(filters, found, labelsOf(categories, currency))}
${q ? found.fullMatches === 0 && nearQuestionsAndContact(ctx, q, undefined) : isFiltered && pagination.total === 0 && nearQuestions(ctx, q, undefined)}
${pager({ ...pagination, href, label: 'Pages of directories' })}
</div>`
}
