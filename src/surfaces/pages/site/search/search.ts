// One search over both catalogs. When only one of them answers the question in full, or the visitor chooses one, its results are listed
// page by page; otherwise the best of both, the catalog with the better match first.
import { Type } from 'typebox'
import { searchTools } from '../../../../features/catalog/operations.ts'
import { DIRECTORY_ORDERS, type Directory, TOOL_ORDERS, type Tool } from '../../../../features/catalog/schema.ts'
import { searchBoth } from '../../../../features/catalog/site/search-both.ts'
import {
  type Browsed,
  browseDirectories,
  browseTools,
  type Found,
} from '../../../../features/catalog/site/site-search.ts'
import type { Context } from '../../../../kernel/context.ts'
import { readParameters } from '../../../../kernel/input.ts'
import { oneOf } from '../../../../kernel/schema.ts'
import { linkButton } from '../../kit/button.ts'
import { emptyState } from '../../kit/components.ts'
import { searchForm } from '../../kit/forms/search-form.ts'
import { icon } from '../../kit/icon.ts'
import { type AddressQuery, addressWith, queryText } from '../../kit/lists/address-query.ts'
import { pager } from '../../kit/lists/paged-lists.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { amount, number } from '../../kit/values.ts'
import { narrowingLinks } from '../lists/narrowing-links.ts'
import { foundEntries, nearQuestions, type ShownEntries, tellOperator } from './found-entries.ts'
import { directoryReasons, toolReasons } from './reasons.ts'
import { directoryRows, toolResultRows } from './result-rows.ts'
import * as understood from './understood.ts'

export const SEARCH = '/search'
const SINGLE_CATALOGS = ['tools', 'directories'] as const
const CATALOGS = ['all', ...SINGLE_CATALOGS] as const
type OneCatalog = (typeof SINGLE_CATALOGS)[number]
type SearchedCatalog = (typeof CATALOGS)[number]
const parameters = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 500 })),
  in: Type.Optional(oneOf(CATALOGS)),
  facts: searchTools.parameters.properties.facts,
  sort: Type.Optional(oneOf([...new Set([...TOOL_ORDERS, ...DIRECTORY_ORDERS])])),
  page: Type.Integer({ minimum: 1, default: 1 }),
})
export const SEARCH_PARAMETERS = Object.keys(parameters.properties)
/** How many listings of each catalog are shown when both are, and how many on a page of one. */
const SHOWN_OF_EACH = 6
const PAGE_SIZE = 20

const CATALOG_LABELS = { all: 'Everything', tools: 'Tools', directories: 'Directories' } satisfies Record<
  SearchedCatalog,
  string
>

interface BothSearchForm {
  q?: string
  chosen?: SearchedCatalog
  /** How many listings each catalog has; a missing count is not shown. */
  counts?: Partial<Record<SearchedCatalog, number>>
  /** Whether the counts are those of the results, so that the live search must renew them. */
  countsResults?: boolean
}

export const bothSearchForm = ({ q = '', chosen = 'all', counts = {}, countsResults }: BothSearchForm): Markup =>
  searchForm({
    action: SEARCH,
    label: 'Search tools and directories',
    value: q,
    placeholder: 'What should it do?',
    live: true,
    renewed: countsResults ? ['search-in'] : undefined,
    before: html`<fieldset class="dividers"${countsResults && html` id="search-in"`}><legend class="visually-hidden">Search in</legend>${CATALOGS.map(
      (catalog) =>
        html`<label><input type="radio" name="in" value="${catalog === 'all' ? '' : catalog}"${catalog === chosen && html` checked`}>${CATALOG_LABELS[catalog]}${counts[catalog] !== undefined && html` <span class="count">${number(counts[catalog])}</span>`}</label>`,
    )}</fieldset>`,
  })

export async function searchPage(ctx: Context, query: AddressQuery): Promise<Page> {
  const asked = readParameters(
    parameters,
    Object.fromEntries(SEARCH_PARAMETERS.map((name) => [name, queryText(query, name)])),
  )
  const { q = '', in: chosen = 'all' } = asked
  const found = q ? await searchCatalogs(ctx, { ...asked, q }) : undefined
  return {
    title: q ? `${q}: tools and directories` : 'Search',
    description: 'Search AI tools and startup directories together.',
    path: SEARCH,
    ownSearch: true,
    found: found && found.paged !== 'directories' ? found.tools.listings.map(({ id }) => id) : undefined,
    body: html`<div class="flow">
${q ? html`<h1 class="visually-hidden">Search</h1>` : html`<h1>Search</h1>\n<p class="lead">AI tools and startup directories together.</p>`}
${bothSearchForm({ q, chosen, counts: found && { tools: found.tools.total, directories: found.directories.total }, countsResults: true })}
${found ? results(ctx, q, found) : html`<div id="results" class="flow"><h2 class="visually-hidden">What to ask for</h2>${nearQuestions(ctx, q, [])}</div>`}
</div>`,
  }
}

type Asked = ReturnType<typeof readParameters<typeof parameters>> & { q: string }

interface FoundListings {
  chosen: SearchedCatalog
  facts: string
  sort: string
  tools: Found<Tool>
  directories: Found<Directory>
  first: OneCatalog
  /** The catalog whose results are listed page by page; undefined when the best of both are shown. */
  paged?: OneCatalog
}

async function searchCatalogs(
  ctx: Context,
  { q, in: chosen = 'all', facts, sort, page }: Asked,
): Promise<FoundListings> {
  // The question is counted once: here, or below in the search of the chosen catalog.
  const both = await searchBoth(ctx, { q, limit: SHOWN_OF_EACH, facts, isCounted: chosen === 'all' })
  const full = SINGLE_CATALOGS.filter((one) => both[one].fullMatches > 0)
  const paged = chosen === 'all' ? (full.length === 1 ? full[0] : undefined) : chosen
  // Only a chosen catalog is sorted and has further pages.
  const order = chosen === 'all' ? undefined : sort
  const found = { ...both, chosen, facts: facts ?? '', sort: order ?? '', paged }
  const given = { q, facts, page: chosen === 'all' ? 1 : page, limit: PAGE_SIZE }
  if (paged === 'tools')
    return { ...found, tools: await browseTools(ctx, { ...given, sort: TOOL_ORDERS.find((one) => one === order) }) }
  if (paged === 'directories')
    return {
      ...found,
      directories: await browseDirectories(ctx, { ...given, sort: DIRECTORY_ORDERS.find((one) => one === order) }),
    }
  return found
}

function results(ctx: Context, q: string, found: FoundListings): Markup {
  const { chosen, facts, sort, tools, directories, first, paged } = found
  const inOrder = [paged ?? first, ...SINGLE_CATALOGS.filter((one) => one !== (paged ?? first))]
  const shown = paged ? [paged] : inOrder
  const searched = shown.map(
    (one): understood.Searched =>
      one === 'tools' ? { kind: 'tool', found: tools } : { kind: 'directory', found: directories },
  )
  const count = (catalog: OneCatalog) => (chosen === 'all' || chosen === catalog ? found[catalog].total : 0)
  const href = (values: { q?: string; facts?: string; in?: string; sort?: string; page?: string }) =>
    values.q === ''
      ? GROUPS[paged ?? first].path
      : addressWith(SEARCH, { q, in: chosen === 'all' ? '' : chosen, facts, ...values })
  const isFull = fullIn(searched) > 0
  const listed: Found<unknown> | undefined = paged && found[paged]
  const beside = [
    understood.giveUpLinks(ctx, searched, facts, href, { isPanel: true }),
    isFull && paged && listed && isBrowsed(listed) && narrowingLinks(ctx, paged, q, listed),
    paged === 'directories' && isFull && LAUNCH_PLAN,
    !isFull && tellOperator(ctx, q),
  ].filter(Boolean)
  const list = html`<div class="flow">
${shown.map((one) => catalogSection(ctx, one, q, found, searched, (values) => href({ in: one, sort, ...values })))}
${paged && chosen === 'all' && otherCatalogNote(found, inOrder[1], href)}
${!isFull && nearQuestions(ctx, q, chosen === 'directories' ? undefined : tools.listings)}
</div>`
  return html`<div id="results" class="flow">
<h2 class="answer" data-count="${amount(count('tools'), 'tool', 'tools')} and ${amount(count('directories'), 'directory', 'directories')} found">${bothSentence(searched, q)}</h2>
${understood.respeltNote(searched, href)}
${understood.understoodLine(ctx, searched, facts, href)}
${searched.every((one) => one.found.total === 0) && BROWSE_ALL}
<div class="${beside.length > 0 ? 'beside found' : 'found'}">${list}${beside.length > 0 && html`<div class="flow">${beside}</div>`}</div>
</div>`
}

const BROWSE_ALL = html`<p>Browse <a href="/tools">all tools</a> or <a href="/directories">all directories</a>.</p>`

const LAUNCH_PLAN = html`<section class="panel flow"><h3>Do them in order</h3><p class="note">A launch plan puts directories into phases, with the time that each takes.</p>${linkButton('/plan', 'Make a launch plan', { kind: 'plain' })}</section>`

/** The heading of the results: how many listings of the searched catalogs do all of it. */
function bothSentence(searched: readonly understood.Searched[], q: string): string {
  const nouns = { tool: understood.TOOLS, directory: understood.DIRECTORIES }
  const [only, other] = searched
  if (only && !other) return understood.answerSentence(only.found, q, nouns[only.kind])
  const counts = searched.flatMap(({ kind, found: { fullMatches: full } }) =>
    full > 0 ? amount(full, nouns[kind].one, nouns[kind].many) : [],
  )
  if (counts.length > 0)
    return `${understood.fullSentence(counts, fullIn(searched), q)}${understood.moreSentence(fullIn(searched), totalIn(searched))}`
  const unknown = understood.unknownWords(understood.wordsOfAll(searched))
  return unknown ? `Nothing here mentions ${unknown}` : 'Nothing here does all of it'
}

const fullIn = (searched: readonly understood.Searched[]): number =>
  searched.reduce((sum, { found }) => sum + found.fullMatches, 0)
/** Full and partial matches together, which the tabs and the list count. */
const totalIn = (searched: readonly understood.Searched[]): number =>
  searched.reduce((sum, { found }) => sum + found.total, 0)

/**
 * The sentence before the partial matches of one catalog: '' where the heading of the page says the same, undefined for the sentence that
 * `foundEntries` writes.
 */
const closestSentenceFor = (found: Found<unknown>, searched: readonly understood.Searched[]): string | undefined => {
  if (searched.length === 1) return ''
  return found.keepsFacts &&
    fullIn(searched) === 0 &&
    understood.unknownWords(understood.wordsOfAll(searched)) === understood.unknownWords(found.words)
    ? understood.closestSentence(found)
    : undefined
}

const GROUPS = {
  tools: { title: 'Tools', path: '/tools', noun: understood.TOOLS },
  directories: { title: 'Directories', path: '/directories', noun: understood.DIRECTORIES },
} as const satisfies Record<OneCatalog, object>

const SORTS: Readonly<Record<OneCatalog, Readonly<Record<string, string>>>> = {
  tools: { '': 'Best match', opens: 'Most opened', rating: 'Rating', newest: 'Newest' },
  directories: {
    '': 'Best match',
    'domain-rating': 'Domain Rating',
    visits: 'Visits',
    price: 'Lowest price',
    newest: 'Newest',
  },
}

const isBrowsed = <T>(found: Found<T>): found is Browsed<T> => 'pagination' in found

type Href = (values: { sort?: string; page?: string }) => string

/** The results of one catalog; null when there are none. */
function catalogSection(
  ctx: Context,
  catalog: OneCatalog,
  q: string,
  { tools, directories, sort }: FoundListings,
  searched: readonly understood.Searched[],
  href: Href,
): Markup | null {
  const found: Found<unknown> = catalog === 'tools' ? tools : directories
  const { title, path, noun } = GROUPS[catalog]
  const { currency } = ctx.site.fields()
  if (found.total === 0) return null
  const paging = isBrowsed(found) ? found.pagination : undefined
  const first = paging ? (paging.page - 1) * paging.limit : 0
  const shownHow = {
    first,
    noun: noun.one,
    closest: closestSentenceFor(found, searched),
    rest: 'These come close:',
    isSorted: sort !== '',
  }
  const list =
    catalog === 'tools'
      ? foundEntries(tools, { ...shownHow, why: toolReasons(tools) }, toolResultRows)
      : foundEntries(
          directories,
          { ...shownHow, why: directoryReasons(directories, currency) },
          (listings, shown: ShownEntries) => directoryRows(listings, currency, shown),
        )
  const more = paging
    ? html`${icon('sliders', 'small')}All filters`
    : found.total > found.listings.length && `All ${amount(found.total, noun.one, noun.many)}`
  const place = `${number(first + 1)}–${number(first + found.listings.length)} of ${number(found.total)}`
  return html`<section class="flow"><div class="section-head"><h2>${title}</h2>${paging && found.fullMatches > 1 && html`<p>${place}</p>${sortLinks(catalog, sort, href)}`}${more && html`<a href="${addressWith(path, { q })}">${more}</a>`}</div>
${found.listings.length > 0 ? list : emptyState({ title: 'There is no such page', action: linkButton(href({}), 'Go to the first page', { kind: 'plain' }) })}
${paging && pager({ ...paging, href: (page) => href({ page: page > 1 ? String(page) : '' }), label: `Pages of ${noun.many}` })}</section>`
}

const sortLinks = (catalog: OneCatalog, chosen: string, href: Href): Markup =>
  html`<nav class="sorts" aria-label="Sort by"><ul>${Object.entries(SORTS[catalog]).map(
    ([sort, label]) =>
      html`<li><a href="${href({ sort })}"${sort === chosen && html` aria-current="true"`}>${label}</a></li>`,
  )}</ul></nav>`

/** How many listings of the catalog that is not listed come close; it has no full match. */
function otherCatalogNote(
  found: FoundListings,
  catalog: OneCatalog | undefined,
  href: (values: { in: string }) => string,
): Markup | null {
  const total = catalog ? found[catalog].total : 0
  if (!catalog || total === 0) return null
  const { one, many } = GROUPS[catalog].noun
  return html`<p class="note">No ${one} does all of it. <a href="${href({ in: catalog })}">${amount(total, `${one} comes`, `${many} come`)} close</a></p>`
}
