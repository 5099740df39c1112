import { browseDirectories } from '../../../features/catalog/site-search.ts'
import type { Context } from '../../../kernel/context.ts'
import { MCP_PATH, REST_BASE } from '../../http/addresses.ts'
import { DESCRIPTION, NAME } from '../../http/identity.ts'
import { linkButton } from '../kit/button.ts'
import { sectionHead } from '../kit/card.ts'
import { copyableValue } from '../kit/code.ts'
import type { Page } from '../kit/document.ts'
import { html } from '../kit/markup.ts'
import { chips, directoryEntries, toolEntries } from './entries.ts'
import { amount } from './listing.ts'
import { bothSearchForm } from './search.ts'
import { emoji, findTools, mostUsed, publicCategories, publicTags, topTools } from './terms.ts'

const TOP_TOOLS = 10
const TOP_DIRECTORIES = 6
const TAGS = 20

export async function homePage(ctx: Context): Promise<Page> {
  const { publicUrl } = ctx
  const tools = findTools(ctx, { limit: 1 }).pagination.total
  const strongest = await browseDirectories(ctx, { page: 1, limit: TOP_DIRECTORIES })
  const popularTags = mostUsed(publicTags(ctx), TAGS)
  return {
    title: NAME,
    description: DESCRIPTION,
    url: `${publicUrl}/`,
    path: '/',
    facts: {
      '@type': 'WebSite',
      name: NAME,
      description: DESCRIPTION,
      url: `${publicUrl}/`,
      potentialAction: {
        '@type': 'SearchAction',
        target: { '@type': 'EntryPoint', urlTemplate: `${publicUrl}/search?q={search_term_string}` },
        'query-input': 'required name=search_term_string',
      },
    },
    body: html`<div class="flow">
<p class="label">${amount(tools, 'tool', 'tools')} and ${amount(strongest.pagination.total, 'directory', 'directories')}</p>
<h1>Find the AI tool for the job, and the place to launch yours</h1>
<p class="lead">Two catalogs: AI tools by what they do, and startup directories by the value of a listing. Read them here, over REST, or from your agent over MCP.</p>
${bothSearchForm()}
<div id="results"></div>
<section class="flow">${sectionHead('Categories', { href: '/categories', label: 'All categories' })}
${chips(publicCategories(ctx).map((term) => ({ href: `/categories/${term.slug}`, label: term.name, icon: emoji(term), count: term.toolsCount })))}</section>
<section class="flow">${sectionHead('Most opened tools', { href: '/tools', label: 'All tools' })}
${toolEntries(topTools(ctx, TOP_TOOLS), { columns: true })}</section>
${
  popularTags.length > 0 &&
  html`<section class="flow">${sectionHead('Tags', { href: '/tags', label: 'All tags' })}
${chips(popularTags.map((term) => ({ href: `/tags/${term.slug}`, label: term.name, count: term.toolsCount })))}</section>`
}
<section class="flow">${sectionHead('Strongest directories', { href: '/directories', label: 'All directories' })}
${directoryEntries(strongest.listings, { columns: true })}</section>
<section class="flow">${sectionHead('For programs and agents')}
<p class="prose">Every listing is also available as JSON. The same eight operations answer over REST and MCP.</p>
<dl class="facts broad">
<div><dt>REST</dt><dd>${copyableValue(`${publicUrl}${REST_BASE}`, 'Copy the REST address')}</dd></div>
<div><dt>MCP</dt><dd>${copyableValue(`${publicUrl}${MCP_PATH}`, 'Copy the MCP address')}</dd></div>
<div><dt>OpenAPI</dt><dd><a href="${REST_BASE}/openapi.json">${publicUrl}${REST_BASE}/openapi.json</a></dd></div>
</dl>
<div class="row">${linkButton('/developers', 'Start building')}${linkButton('/docs', 'API reference', { kind: 'plain' })}</div></section>
</div>`,
  }
}
