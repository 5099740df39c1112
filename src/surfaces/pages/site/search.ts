// One search over both catalogs: the best tools and the best directories, the group with the better match first.
import { Type } from 'typebox'
import { type Found, searchBoth } from '../../../features/catalog/site-search.ts'
import type { Context } from '../../../kernel/context.ts'
import { readParameters } from '../../../kernel/input.ts'
import { oneOf } from '../../../kernel/schema.ts'
import { linkButton } from '../kit/button.ts'
import { emptyState, sectionHead } from '../kit/components.ts'
import type { Page } from '../kit/document.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { searchForm } from '../kit/search-form.ts'
import { type AddressQuery, addressWith, queryText } from '../kit/site-addresses.ts'
import { number } from '../kit/values.ts'
import { directoryEntries, toolEntries } from './entries.ts'
import { foundEntries } from './found.ts'
import { amount } from './listing.ts'

const PATH = '/search'
const CATALOGS = ['all', 'tools', 'directories'] as const
type SearchedCatalog = (typeof CATALOGS)[number]
const parameters = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 500 })),
  in: Type.Optional(oneOf(CATALOGS)),
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
  const { q = '', in: catalog = 'all' } = readParameters(parameters, {
    q: queryText(query, 'q'),
    in: queryText(query, 'in'),
  })
  return {
    title: q ? `${q}: tools and directories` : 'Search',
    description: 'Search AI tools and startup directories together.',
    path: PATH,
    ownSearch: true,
    body: html`<div class="flow">
<h1>Search</h1>
<p class="lead">AI tools and startup directories together.</p>
${bothSearchForm(q, catalog)}
${q ? await results(ctx, q, catalog) : html`<div id="results"></div>`}
</div>`,
  }
}

async function results(ctx: Context, q: string, catalog: SearchedCatalog): Promise<Markup> {
  const found = await searchBoth(ctx, { q, limit: catalog === 'all' ? SHOWN_OF_EACH : SHOWN_OF_ONE })
  const { first } = found
  const tools = catalog === 'directories' ? NO_RESULT : found.tools
  const directories = catalog === 'tools' ? NO_RESULT : found.directories
  const groups = [
    group('tools', q, tools, (listings, matched) => toolEntries(listings, { matched, columns: true })),
    group('directories', q, directories, (listings, matched) => directoryEntries(listings, { matched, columns: true })),
  ]
  if (first === 'directories') groups.reverse()
  const toolCount = amount(tools.total, 'tool', 'tools')
  const directoryCount = amount(directories.total, 'directory', 'directories')
  return html`<div id="results" class="flow">
<p class="label" data-count="${toolCount} and ${directoryCount} found">${toolCount} and ${directoryCount} for <bdi>“${oneLine(q, 60)}”</bdi></p>
${
  tools.total + directories.total > 0
    ? groups
    : emptyState({
        title: 'Nothing found',
        text: 'Try other words.',
        action: html`<div class="row">${linkButton('/tools', 'Browse tools', { kind: 'plain' })}${linkButton('/directories', 'Browse directories', { kind: 'plain' })}</div>`,
      })
}
</div>`
}

/** The result of a catalog that the visitor has not asked for. */
const NO_RESULT = { listings: [], total: 0, full: 0, matched: [] }

const GROUPS = {
  tools: { title: 'Tools', path: '/tools', one: 'tool', many: 'tools' },
  directories: { title: 'Directories', path: '/directories', one: 'directory', many: 'directories' },
} as const

/** The results of one catalog; null when there are none. */
function group<T>(
  kind: keyof typeof GROUPS,
  q: string,
  found: Found<T>,
  list: (listings: readonly T[], matched?: readonly (readonly string[])[]) => Markup,
): Markup | null {
  if (found.total === 0) return null
  const { title, path, one, many } = GROUPS[kind]
  return html`<section class="flow">${sectionHead(title, { href: addressWith(path, { q }), label: found.total === 1 ? `1 ${one}` : `All ${amount(found.total, one, many)}` })}
${foundEntries(found, 0, one, list)}</section>`
}
