// The pages on which visitors browse tools: all tools, or those of a category or tag. They use the same search as GET /tools.
import { Type } from 'typebox'
import { searchTools } from '../../../../features/catalog/operations.ts'
import { findTag } from '../../../../features/catalog/reads.ts'
import { STAR_STEPS } from '../../../../features/catalog/rules.ts'
import { PRICING_LABELS, TOOL_ORDERS, type Tool } from '../../../../features/catalog/schema.ts'
import { type Browsed, browseTools } from '../../../../features/catalog/site/site-search.ts'
import { slugsNamed, type TermMap } from '../../../../features/catalog/terms/term-lists.ts'
import type { Context } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { readParameters } from '../../../../kernel/input.ts'
import type { Pagination } from '../../../../kernel/output.ts'
import { oneOf } from '../../../../kernel/schema.ts'
import { button, linkButton } from '../../kit/button.ts'
import { breadcrumbs, emptyState } from '../../kit/components.ts'
import { choice, type Option } from '../../kit/forms/field.ts'
import { searchForm } from '../../kit/forms/search-form.ts'
import {
  type AddressQuery,
  addressWith,
  joinedList,
  listOf,
  queryList,
  queryText,
  queryValues,
} from '../../kit/lists/address-query.ts'
import { pager } from '../../kit/lists/paged-lists.ts'
import { html, isFilled, type Markup, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { amount } from '../../kit/values.ts'
import { COMPARE, MOST_COMPARED_TOOLS } from '../chosen/compare.ts'
import { SHORTLIST } from '../chosen/shortlist.ts'
import { chips, listHeading, toolRows } from '../entries.ts'
import {
  foundEntries,
  nearQuestions,
  nearQuestionsAndContact,
  nothingFoundAdvice,
  WITHOUT_SENTENCE,
} from '../search/found-entries.ts'
import { toolReasons } from '../search/reasons.ts'
import { TOOLS, understoodPart } from '../search/understood.ts'
import { chosenFilters, facetBoxes, facetChoice, facetList, filterChips, narrowing } from './narrowing.ts'

const PRICES: Option[] = Object.entries(PRICING_LABELS).map(([value, label]) => ({ value, label }))

const STARS: Option[] = STAR_STEPS.map((step) => ({ value: String(step), label: `${step} or more` }))

const FILTERS = ['q', 'facts', 'sort', 'category', 'tag', 'pricing', 'minRating', 'adult'] as const
export const TOOL_PARAMETERS = [...FILTERS, 'page']

type ToolFilters = Record<(typeof FILTERS)[number], string>
const NO_FILTERS: ToolFilters = {
  q: '',
  facts: '',
  sort: '',
  category: '',
  tag: '',
  pricing: '',
  minRating: '',
  adult: '',
}

const FEED = '/feeds/tools.xml'

export async function toolsPage(ctx: Context, query: AddressQuery): Promise<Page> {
  const snapshot = ctx.catalog.snapshot()
  const { taxonomy } = snapshot
  const filters = toolFiltersOf(ctx, query)
  const found = await findFiltered(ctx, filters, query)
  const { q, category, tag, pricing } = filters
  const termName = taxonomy.categories.get(category)?.name ?? findTag(snapshot, tag)?.name
  const adult = isAdultSearch(ctx, filters)
  const isPlain = !q && !pricing && !filters.minRating && !filters.adult && !filters.sort
  return {
    title: q ? `${q}: AI tools` : termName ? `${termName}: AI tools` : 'AI tools',
    description: `Search ${amount(found.pagination.total, 'AI tool', 'AI tools')} by what they do, category, tag and pricing.`,
    url: isPlain && isWithinPages(found.pagination) ? canonical(ctx, category, tag, found.pagination.page) : undefined,
    path: '/tools',
    feed: FEED,
    ownSearch: true,
    adult,
    found: q ? found.listings.map(({ id }) => id) : undefined,
    body: html`<div class="flow">
${q ? html`<h1 class="visually-hidden">AI tools</h1>` : listHeading('AI tools', FEED)}
<div class="browse">
${filterForm(ctx, filters, found)}
${results(ctx, found, filters, adult, (page) => addressWith('/tools', { ...filters, page: pageText(page) }))}
</div>
</div>`,
  }
}

/** On the page of a category or tag: its heading names it already. */
const NOTHING_CHOSEN: ReturnType<typeof chosenFilters> = []

/** The page of a category or tag: the results of /tools for it, under its own name and description. */
export async function termPage(
  ctx: Context,
  kind: 'category' | 'tag',
  slug: string,
  query: AddressQuery,
): Promise<Page> {
  const snapshot = ctx.catalog.snapshot()
  const { taxonomy } = snapshot
  const category = kind === 'category' ? taxonomy.categories.get(slug) : undefined
  const term = kind === 'category' ? category : findTag(snapshot, slug)
  if (!term) throw notFound(kind === 'category' ? 'Category' : 'Tag')
  const filters: ToolFilters = { ...NO_FILTERS, [kind]: slug }
  // A visitor who opens the page of an adult category or tag has opted in.
  if (term.adult) filters.adult = 'true'
  const found = await findFiltered(ctx, filters, query)
  const folder = kind === 'category' ? '/categories' : '/tags'
  const description = category?.description ?? ''
  const feed = category && !category.adult ? `/feeds/categories/${slug}.xml` : undefined
  return {
    title: `${term.name}: AI tools`,
    description: isFilled(description) ? description : `AI tools: ${term.name}.`,
    url: isWithinPages(found.pagination)
      ? ctx.publicUrl + addressWith(`${folder}/${slug}`, { page: pageText(found.pagination.page) })
      : undefined,
    path: '/tools',
    feed,
    ownSearch: true,
    adult: term.adult,
    body: html`${breadcrumbs([{ label: 'Tools', href: '/tools' }, { label: kind === 'category' ? 'Categories' : 'Tags', href: folder }, { label: oneLine(term.name, 60) }])}
<div class="flow">
${listHeading(term.name, feed)}
${isFilled(description) && html`<p class="lead" dir="auto">${description}</p>`}
<div class="browse">
${filterForm(ctx, filters, found)}
${results(ctx, found, filters, term.adult, (page) => addressWith(`${folder}/${slug}`, { page: pageText(page) }), NOTHING_CHOSEN)}
</div>
</div>`,
  }
}

/** The filters in an address. A category or tag may be given by its name; it becomes its slug, which the form and the links use. */
function toolFiltersOf(ctx: Context, query: AddressQuery): ToolFilters {
  const { categories, tags } = ctx.catalog.snapshot().taxonomy
  const slugsIn = (terms: TermMap, name: string) =>
    joinedList(queryValues(query, name).flatMap((value) => slugsNamed(terms, value)))
  return {
    q: queryText(query, 'q'),
    facts: queryText(query, 'facts').toLowerCase(),
    sort: queryText(query, 'sort').toLowerCase(),
    category: slugsIn(categories, 'category'),
    tag: slugsIn(tags, 'tag'),
    minRating: queryText(query, 'minRating'),
    pricing: queryList(query, 'pricing').toUpperCase(),
    adult: queryText(query, 'adult') === 'true' ? 'true' : '',
  }
}

/**
 * The parameters are read as the operation of the API reads them, so that the site and the API never disagree. The site also takes several
 * prices, and orders and ratings of its own; the API takes one price.
 */
const findFiltered = (
  ctx: Context,
  { adult, sort, pricing, minRating, ...filters }: ToolFilters,
  query: AddressQuery,
): Promise<Browsed<Tool>> => {
  const read = readParameters(sharedParameters, { ...filters, includeAdult: adult, page: query.page })
  return browseTools(ctx, {
    ...read,
    pricing: listOf(pricing).flatMap((one) => readParameters(searchTools.parameters, { pricing: one }).pricing ?? []),
    ...readParameters(siteParameters, { sort, minRating }),
  })
}

const sharedParameters = Type.Omit(searchTools.parameters, ['pricing', 'minRating'])
const siteParameters = Type.Object({
  sort: Type.Optional(oneOf(TOOL_ORDERS)),
  minRating: Type.Optional(oneOf(STAR_STEPS.map(String))),
})

function isAdultSearch(ctx: Context, { category, tag, adult }: ToolFilters): boolean {
  const { taxonomy } = ctx.catalog.snapshot()
  const isAdult = (terms: TermMap<{ slug: string; name: string; adult: boolean }>, text: string) =>
    slugsNamed(terms, text).some((slug) => terms.get(slug)?.adult)
  return adult === 'true' || isAdult(taxonomy.categories, category) || isAdult(taxonomy.tags, tag)
}

function filterForm(ctx: Context, filters: ToolFilters, { counts, pagination }: Browsed<Tool>): Markup {
  const { tools, taxonomy } = ctx.catalog.snapshot()
  const { q, pricing, minRating, adult, sort } = filters
  // Only terms that have tools in this result, because a catalog may have thousands of terms.
  const terms = (name: 'category' | 'tag', find: (slug: string) => NamedTerm | undefined) => ({
    name,
    chosen: listOf(filters[name]),
    counts: counts[name],
    options: [...new Set([...Object.keys(counts[name] ?? {}), ...listOf(filters[name])])].flatMap((slug) => {
      const term = find(slug)
      return term ? { value: slug, label: oneLine(term.name, 40) } : []
    }),
  })
  const hasAdult = adult !== '' || (ctx.site.fields().adultSwitch && tools.index.count('adult') > 0)
  return searchForm({
    value: q,
    placeholder: 'What should it do?',
    live: true,
    more: narrowing({
      path: '/tools',
      chosen: chosenIn(ctx, filters).length,
      count: amount(pagination.total, TOOLS.one, TOOLS.many),
      sort: {
        value: sort,
        none: q ? 'Best match' : 'Newest',
        options: [
          { value: 'opens', label: 'Most opened' },
          { value: 'rating', label: 'Rating' },
          ...(q ? [{ value: 'newest', label: 'Newest' }] : []),
        ],
      },
      filters: html`${facetBoxes({ name: 'pricing', legend: 'Pricing', chosen: listOf(pricing), options: PRICES, counts: counts.pricing })}
${facetList({ ...terms('category', (slug) => taxonomy.categories.get(slug)), legend: 'Category', all: { href: '/categories', label: 'All categories' } })}
${facetList({ ...terms('tag', (slug) => findTag(ctx.catalog.snapshot(), slug)), legend: 'Tag', all: { href: '/tags', label: 'All tags' } })}
${facetChoice({ name: 'minRating', legend: 'Rating', chosen: minRating, options: STARS, counts: counts.minRating })}
${hasAdult && choice({ name: 'adult', label: 'Include adult listings', checked: adult === 'true' })}`,
    }),
  })
}

interface NamedTerm {
  slug: string
  name: string
}

function chosenIn(ctx: Context, filters: ToolFilters): ReturnType<typeof chosenFilters> {
  const snapshot = ctx.catalog.snapshot()
  return chosenFilters('/tools', filters, {
    category: (slug) => snapshot.taxonomy.categories.get(slug)?.name,
    tag: (slug) => findTag(snapshot, slug)?.name,
    pricing: (value) => PRICES.find((option) => option.value === value)?.label,
    minRating: (value) => STARS.find((option) => option.value === value)?.label,
    adult: () => 'With adult listings',
  })
}

/** A form around a list, with which visitors choose tools to compare. */
export const compareForm = (list: Markup): Markup => html`<form class="flow" action="${COMPARE}" method="get">
${list}
<div class="tray spruce" data-most="${MOST_COMPARED_TOOLS}"><span class="logos"></span><span class="picked">chosen<span>, ${MOST_COMPARED_TOOLS} at most</span></span>${button('Compare')}<button type="submit" class="button plain" formaction="${SHORTLIST}">Shortlist</button></div>
</form>`

function results(
  ctx: Context,
  found: Browsed<Tool>,
  filters: ToolFilters,
  adult: boolean,
  href: (page: number) => string,
  chosen = chosenIn(ctx, filters),
): Markup {
  const { pagination } = found
  const count = amount(pagination.total, 'tool', 'tools')
  const isFiltered = Object.values(filters).some(Boolean)
  const { q, facts } = filters
  return html`<div id="results" class="flow">
${understoodPart(ctx, { q, facts, count, kind: 'tool', found, noun: TOOLS, href: (values) => addressWith('/tools', { ...filters, ...values }) })}
${filterChips('/tools', chosen)}
${quickFilters(ctx, found, filters)}
${
  found.listings.length > 0
    ? foundTools(ctx, found, filters, adult)
    : isFiltered && pagination.total === 0
      ? html`<p${chosen.length === 0 && html` class="nothing"`}>${!q && 'Nothing found. '}${nothingFoundAdvice(q, chosen.length)} <a href="/tools">All tools</a></p>`
      : emptyState({
          title: pagination.total > 0 ? 'There is no such page' : 'No tools yet',
          text: pagination.total > 0 ? undefined : 'As soon as tools are listed they are here.',
          action: linkButton(
            pagination.total > 0 ? href(1) : '/tools',
            pagination.total > 0 ? 'Go to the first page' : 'Browse tools',
            { kind: 'plain' },
          ),
        })
}
${q ? found.fullMatches === 0 && nearQuestionsAndContact(ctx, q, found.listings) : isFiltered && pagination.total === 0 && nearQuestions(ctx, q, [])}
${pager({ ...pagination, href, label: 'Pages of tools' })}
</div>`
}

/** The list of what was found. Adult tools cannot be compared, so their list is not a form. */
function foundTools(ctx: Context, found: Browsed<Tool>, { q, sort }: ToolFilters, adult: boolean): Markup {
  const { pagination } = found
  const list = foundEntries(
    found,
    {
      first: (pagination.page - 1) * pagination.limit,
      noun: TOOLS.one,
      why: q ? toolReasons(found) : [],
      closest: WITHOUT_SENTENCE,
      isSorted: sort !== '',
    },
    (tools, shown) => toolRows(tools, { adult, ...shown, picks: !adult, now: ctx.now() }),
  )
  return adult ? list : compareForm(list)
}

const MOST_QUICK_CATEGORIES = 6

/** For phones, where the filters are in a sheet: links to prices and to the largest categories; null when none would narrow the list. */
function quickFilters(ctx: Context, { counts, pagination }: Browsed<Tool>, filters: ToolFilters): Markup | null {
  const { categories } = ctx.catalog.snapshot().taxonomy
  const links = (name: 'pricing' | 'category', labelOf: (value: string) => string | undefined) =>
    Object.entries(counts[name] ?? {})
      .filter(() => filters[name] === '')
      .filter(([, count]) => count < pagination.total)
      .sort(([, a], [, b]) => b - a)
      .slice(0, MOST_QUICK_CATEGORIES)
      .map(([value, count]) => ({
        href: addressWith('/tools', { ...filters, [name]: value }),
        label: oneLine(labelOf(value) ?? value, 40),
        count,
      }))
  const all = [
    ...links('pricing', (value) => PRICES.find((option) => option.value === value)?.label),
    ...links('category', (slug) => categories.get(slug)?.name),
  ]
  return all.length > 0 ? html`<nav class="quick" aria-label="Often used filters">${chips(all)}</nav>` : null
}

const pageText = (page: number): string => (page > 1 ? String(page) : '')

const isWithinPages = ({ page, pages }: Pagination): boolean => page === 1 || page <= pages

/** A category or tag has its own page, which is the canonical one; a combination of both has none. */
function canonical(ctx: Context, category: string, tag: string, page: number): string | undefined {
  const snapshot = ctx.catalog.snapshot()
  const addressAt = (path: string) => ctx.publicUrl + addressWith(path, { page: pageText(page) })
  if (category && tag) return undefined
  if (category) return snapshot.taxonomy.categories.has(category) ? addressAt(`/categories/${category}`) : undefined
  if (tag) return findTag(snapshot, tag) ? addressAt(`/tags/${tag}`) : undefined
  return addressAt('/tools')
}
