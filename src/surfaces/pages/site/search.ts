// One search over both catalogs: the best tools and the best directories, the stronger group first.

import { Type } from 'typebox'
import { type Found, searchBoth } from '../../../features/catalog/site-search.ts'
import type { Context } from '../../../kernel/context.ts'
import { readParameters } from '../../../kernel/input.ts'
import { linkButton } from '../kit/button.ts'
import { sectionHead } from '../kit/card.ts'
import type { Page } from '../kit/document.ts'
import { emptyState } from '../kit/empty-state.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { searchForm } from '../kit/search-form.ts'
import { type AddressQuery, addressWith, queryText } from './addresses.ts'
import { directoryEntries, toolEntries } from './entries.ts'
import { foundEntries } from './found.ts'
import { amount } from './listing.ts'

const PATH = '/search'
const parameters = Type.Object({ q: Type.Optional(Type.String({ maxLength: 500 })) })
const SHOWN = 6

export const bothSearchForm = (q = ''): Markup =>
  searchForm({
    action: PATH,
    label: 'Search tools and directories',
    value: q,
    placeholder: 'What should it do?',
    live: true,
  })

export async function searchPage(ctx: Context, query: AddressQuery): Promise<Page> {
  const { q = '' } = readParameters(parameters, { q: queryText(query, 'q') })
  return {
    title: q ? `${q}: tools and directories` : 'Search',
    description: 'Search AI tools and startup directories together.',
    path: PATH,
    body: html`<div class="flow">
<h1>Search</h1>
<p class="lead">AI tools and startup directories together.</p>
${bothSearchForm(q)}
${q ? await results(ctx, q) : html`<div id="results"></div>`}
</div>`,
  }
}

async function results(ctx: Context, q: string): Promise<Markup> {
  const { tools, directories, first } = await searchBoth(ctx, { q, limit: SHOWN })
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
        action: html`<div class="row">${linkButton('/tools', 'All tools', { kind: 'plain' })}${linkButton('/directories', 'All directories', { kind: 'plain' })}</div>`,
      })
}
</div>`
}

const GROUPS = {
  tools: { title: 'Tools', path: '/tools', one: 'tool', many: 'tools' },
  directories: { title: 'Directories', path: '/directories', one: 'directory', many: 'directories' },
} as const

/** A group without a hit is left out. */
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
