// One search over both catalogs: the best tools and the best directories, the group with the better match first.
import { Type } from 'typebox'
import { searchTools } from '../../../features/catalog/operations.ts'
import { type Found, type FoundInBoth, searchBoth } from '../../../features/catalog/site-search.ts'
import type { Context } from '../../../kernel/context.ts'
import { readParameters } from '../../../kernel/input.ts'
import { oneOf } from '../../../kernel/schema.ts'
import { linkButton } from '../kit/button.ts'
import { emptyState, sectionHead } from '../kit/components.ts'
import type { Page } from '../kit/document.ts'
import { html, type Markup } from '../kit/markup.ts'
import { searchForm } from '../kit/search-form.ts'
import { type AddressQuery, addressWith, queryText } from '../kit/site-addresses.ts'
import { number } from '../kit/values.ts'
import { directoryEntries, toolEntries } from './entries.ts'
import { foundEntries } from './found.ts'
import { amount } from './listing.ts'
import { directoryReasons, toolReasons } from './reasons.ts'
import {
  answerSentence,
  closestSentence,
  DIRECTORIES,
  fullSentence,
  nearby,
  type Searched,
  TOOLS,
  understoodLine,
  unknownWords,
  wordsOfAll,
} from './understood.ts'

const PATH = '/search'
const CATALOGS = ['all', 'tools', 'directories'] as const
type SearchedCatalog = (typeof CATALOGS)[number]
const parameters = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 500 })),
  in: Type.Optional(oneOf(CATALOGS)),
  facts: searchTools.parameters.properties.facts,
})
export const SEARCH_PARAMETERS = Object.keys(parameters.properties)
/** How many listings of each catalog are shown when both are searched, and when one is. */
const SHOWN_OF_EACH = 6
const SHOWN_OF_ONE = 20

const CATALOG_LABELS = { all: 'Everything', tools: 'Tools', directories: 'Directories' } satisfies Record<
  SearchedCatalog,
  string
>

/** `counts`: how many listings each catalog has; a missing count is not shown. */
export const bothSearchForm = (
  q = '',
  chosen: SearchedCatalog = 'all',
  counts: Partial<Record<SearchedCatalog, number>> = {},
): Markup =>
  searchForm({
    action: PATH,
    label: 'Search tools and directories',
    value: q,
    placeholder: 'What should it do?',
    live: true,
    before: html`<fieldset class="dividers"><legend class="visually-hidden">Search in</legend>${CATALOGS.map(
      (catalog) =>
        html`<label><input type="radio" name="in" value="${catalog === 'all' ? '' : catalog}"${catalog === chosen && html` checked`}>${CATALOG_LABELS[catalog]}${counts[catalog] !== undefined && html` <span class="count">${number(counts[catalog])}</span>`}</label>`,
    )}</fieldset>`,
  })

export async function searchPage(ctx: Context, query: AddressQuery): Promise<Page> {
  const asked = readParameters(
    parameters,
    Object.fromEntries(SEARCH_PARAMETERS.map((name) => [name, queryText(query, name)])),
  )
  const { q = '', in: catalog = 'all' } = asked
  const found = q ? await searchBoth(ctx, { q, limit: shownOf(catalog), facts: asked.facts }) : null
  return {
    title: q ? `${q}: tools and directories` : 'Search',
    description: 'Search AI tools and startup directories together.',
    path: PATH,
    ownSearch: true,
    found: catalog === 'directories' ? undefined : found?.tools.listings.map(({ id }) => id),
    body: html`<div class="flow">
${q ? html`<h1 class="visually-hidden">Search</h1>` : html`<h1>Search</h1>\n<p class="lead">AI tools and startup directories together.</p>`}
${bothSearchForm(q, catalog)}
${found ? results(ctx, found, q, catalog, asked.facts) : html`<div id="results"></div>`}
</div>`,
  }
}

const shownOf = (catalog: SearchedCatalog): number => (catalog === 'all' ? SHOWN_OF_EACH : SHOWN_OF_ONE)

function results(
  ctx: Context,
  found: FoundInBoth,
  q: string,
  catalog: SearchedCatalog,
  facts: 'on' | 'off' | undefined,
): Markup {
  const { first } = found
  const tools = catalog === 'directories' ? NO_RESULT : found.tools
  const directories = catalog === 'tools' ? NO_RESULT : found.directories
  const searched: Searched[] = [
    ...(catalog === 'directories' ? [] : [{ kind: 'tool' as const, found: tools }]),
    ...(catalog === 'tools' ? [] : [{ kind: 'directory' as const, found: directories }]),
  ]
  const groups = [
    group('tools', q, tools, (shown) =>
      foundEntries(
        tools,
        { noun: TOOLS.one, why: toolReasons(tools), closest: closestIn(tools, searched) },
        (listings, how) => toolEntries(listings, { ...how, ...shown }),
      ),
    ),
    group('directories', q, directories, (shown) =>
      foundEntries(
        directories,
        { noun: DIRECTORIES.one, why: directoryReasons(directories), closest: closestIn(directories, searched) },
        (listings, how) => directoryEntries(listings, { ...how, ...shown }),
      ),
    ),
  ]
  if (first === 'directories') {
    groups.reverse()
    searched.reverse()
  }
  const href = (values: { q?: string; facts?: string }) =>
    values.q === ''
      ? GROUPS[first].path
      : addressWith(PATH, { q, in: catalog === 'all' ? '' : catalog, facts: facts ?? '', ...values })
  return html`<div id="results" class="flow">
<h2 class="answer" data-count="${amount(tools.total, 'tool', 'tools')} and ${amount(directories.total, 'directory', 'directories')} found">${bothSentence(searched, q)}</h2>
${understoodLine(ctx, searched, facts ?? '', href)}
${
  tools.total + directories.total > 0
    ? groups
    : emptyState({
        title: 'Nothing found',
        text: 'Try other words.',
        action: html`<div class="row">${linkButton('/tools', 'Browse tools', { kind: 'plain' })}${linkButton('/directories', 'Browse directories', { kind: 'plain' })}</div>`,
      })
}
${fullIn(searched) === 0 && nearby(ctx, q, catalog === 'directories' ? undefined : tools.listings)}
</div>`
}

/** The answer of both catalogs in a sentence; each group says more. */
function bothSentence(searched: readonly Searched[], q: string): string {
  const nouns = { tool: TOOLS, directory: DIRECTORIES }
  const [only, other] = searched
  if (only && !other) return answerSentence(only.found, q, nouns[only.kind])
  const counts = searched.flatMap(({ kind, found: { full } }) =>
    full > 0 ? amount(full, nouns[kind].one, nouns[kind].many) : [],
  )
  if (counts.length > 0) return fullSentence(counts, fullIn(searched), q)
  const unknown = unknownWords(wordsOfAll(searched))
  return unknown ? `Nothing here mentions ${unknown}` : 'Nothing here does all of it'
}

const fullIn = (searched: readonly Searched[]): number => searched.reduce((sum, { found }) => sum + found.full, 0)

/** What is said of partial matches: not again what the answer has said of both catalogs. */
const closestIn = (found: Found<unknown>, searched: readonly Searched[]): string | undefined =>
  found.keepsFacts && fullIn(searched) === 0 && unknownWords(wordsOfAll(searched)) === unknownWords(found.words)
    ? closestSentence(found)
    : undefined

/** The result of a catalog that the visitor has not asked for. */
const NO_RESULT = { listings: [], total: 0, full: 0, reasons: [], stated: [], words: [], keepsFacts: true }

const GROUPS = {
  tools: { title: 'Tools', path: '/tools', one: 'tool', many: 'tools' },
  directories: { title: 'Directories', path: '/directories', one: 'directory', many: 'directories' },
} as const

/** The results of one catalog; null when there are none. */
function group(
  kind: keyof typeof GROUPS,
  q: string,
  found: Found<unknown>,
  list: (shown: { columns: true }) => Markup,
): Markup | null {
  if (found.total === 0) return null
  const { title, path, one, many } = GROUPS[kind]
  return html`<section class="flow">${sectionHead(title, { href: addressWith(path, { q }), label: found.total === 1 ? `1 ${one}` : `All ${amount(found.total, one, many)}` })}
${list({ columns: true })}</section>`
}
