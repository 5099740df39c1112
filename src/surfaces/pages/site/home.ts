// The home page.
import { endedOf } from '../../../features/catalog/reads.ts'
import { isNew } from '../../../features/catalog/rules.ts'
import type { Tool } from '../../../features/catalog/schema.ts'
import { exampleQuestions } from '../../../features/catalog/site/examples.ts'
import { browseDirectories } from '../../../features/catalog/site/site-search.ts'
import { HOME_SECTIONS, type HomeSection } from '../../../features/site/schema.ts'
import type { Context } from '../../../kernel/context.ts'
import { REST_BASE } from '../../http/addresses.ts'
import { linkButton } from '../kit/button.ts'
import { codeBlock, codeTabs, sectionHead, tile } from '../kit/components.ts'
import { icon } from '../kit/icon.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import type { Page } from '../kit/sending/document.ts'
import { amount, number } from '../kit/values.ts'
import {
  mostUsed,
  type PublicTerm,
  publicCategories,
  publicTags,
  searchToolsAnswer,
  topTools,
  topToolsAnswer,
} from './catalog-reads.ts'
import { categoryTiles, chips, directoryLines, pricingBadge, toolCards, toolCover, toolLines } from './entries.ts'
import { COLLECTIONS, collectionCards } from './lists/collections.ts'
import { bothSearchForm } from './search/search.ts'
import { answerSnippet, mcpSnippet, TOP_CALL, topToolsSnippet } from './texts/snippets.ts'

const TOP_CARDS = 5
const NEW_CARDS = 6
const TOP_DIRECTORIES = 6
/** The tools after those on cards are in a list, which is as long as the list of directories beside it. */
const TOP_TOOLS = TOP_CARDS + TOP_DIRECTORIES
// A phone shows two categories in a row, so more of them would push the tools out of sight.
const SHOWN_CATEGORIES = 16
/** With fewer tags there is little to choose from, so none are shown. */
const SHOWN_TAGS = 6
const SHOWN_COLLECTIONS = 3

export async function homePage(ctx: Context): Promise<Page> {
  const { publicUrl } = ctx
  const { name, description, headline, examples, home } = ctx.site.fields()
  const { counts, top, sections } = await homeSections(ctx)
  return {
    title: name,
    description,
    url: `${publicUrl}/`,
    path: '/',
    ownSearch: true,
    facts: {
      '@type': 'WebSite',
      name,
      description,
      url: `${publicUrl}/`,
      potentialAction: {
        '@type': 'SearchAction',
        target: { '@type': 'EntryPoint', urlTemplate: `${publicUrl}/search?q={search_term_string}` },
        'query-input': 'required name=search_term_string',
      },
    },
    body: html`<div class="flow home">
${hero(headline, counts, exampleQuestions(ctx.catalog, examples), top)}
<div id="results"></div>
${home.flatMap((section) => sections[section] || [])}
</div>`,
  }
}

/** The sections, which the operator puts in order; a section that has nothing to show is false. */
async function homeSections(ctx: Context) {
  const now = ctx.now()
  const newest = searchToolsAnswer(ctx, { limit: NEW_CARDS, sort: 'newest' })
  const tools = newest.pagination.total
  const strongest = await browseDirectories(ctx, { page: 1, limit: TOP_DIRECTORIES })
  const popularTags = mostUsed(publicTags(ctx), SHOWN_TAGS)
  const categories = publicCategories(ctx)
  const collections = ctx.site.collections()
  const cards = await collectionCards(ctx, collections.slice(0, SHOWN_COLLECTIONS))
  const snapshot = ctx.catalog.snapshot()
  const top = topTools(ctx, TOP_TOOLS).filter(({ slug }) => !endedOf(snapshot.tools, slug))
  const directories = strongest.listings.filter(({ slug }) => !endedOf(snapshot.directories, slug))
  const opened = top.filter(({ opens }) => opens > 0)
  // A tool that is among the most opened is not shown again as new.
  const fresh = newest.data.filter(
    (tool) => isNew(tool, now) && !endedOf(snapshot.tools, tool.slug) && !opened.some(({ slug }) => slug === tool.slug),
  )
  const counts = { tools, directories: strongest.pagination.total }
  const sections: Record<HomeSection, Markup | false> = {
    categories: html`<section class="flow">${sectionHead(HOME_SECTIONS.categories, { href: '/categories', label: `All ${amount(categories.length, 'category', 'categories')}` })}
${categoryTiles((categories.length > SHOWN_CATEGORIES ? mostUsed(categories, SHOWN_CATEGORIES) : categories).toSorted(byCount))}</section>`,
    opened:
      opened.length > 0 &&
      html`<section class="flow">${sectionHead(HOME_SECTIONS.opened, { href: '/tools?sort=opens', label: `All ${amount(tools, 'tool', 'tools')}` })}
${toolCards(opened.slice(0, TOP_CARDS), { ranked: true })}</section>`,
    new:
      fresh.length > 0 &&
      html`<section class="flow">${sectionHead(HOME_SECTIONS.new, { href: '/tools', label: 'The newest tools' })}
${toolCards(fresh)}</section>`,
    lists: html`<section class="duo">
${opened.length > TOP_CARDS ? html`<div class="flow">${sectionHead('Also opened often', { href: '/tools?sort=opens', label: 'All tools' })}${toolLines(opened.slice(TOP_CARDS))}</div>` : opened.length === 0 && fresh.length === 0 && top.length > 0 && html`<div class="flow">${sectionHead('Tools', { href: '/tools', label: `All ${number(tools)}` })}${toolLines(top.slice(0, TOP_DIRECTORIES))}</div>`}
${directories.length > 0 && html`<div class="flow">${sectionHead('Strongest directories', { href: '/directories', label: `All ${number(counts.directories)}` })}${directoryLines(directories)}</div>`}
</section>`,
    tags:
      popularTags.length === SHOWN_TAGS &&
      html`<section class="flow">${sectionHead(HOME_SECTIONS.tags, { href: '/tags', label: 'All tags' })}
${chips(popularTags.map((term) => ({ href: `/tags/${term.slug}`, label: term.name, count: term.toolsCount })))}</section>`,
    collections:
      collections.length > 0 &&
      html`<section class="flow">${sectionHead(HOME_SECTIONS.collections, { href: COLLECTIONS, label: `All ${amount(collections.length, 'collection', 'collections')}` })}
${cards}</section>`,
    plan: html`<section class="promo"><div><h2>${HOME_SECTIONS.plan}</h2><p>Say what you have built and get an ordered plan: directories that fit, with reasons, as a checklist.</p></div><p>${linkButton('/plan', html`Make my plan${icon('arrow')}`)}</p></section>`,
    developers: developersSection(ctx),
  }
  return { counts, top: top[0], sections }
}

/** Sorts categories by their tools; "Other" says the least, so it comes last. */
const byCount = (a: PublicTerm, b: PublicTerm): number =>
  Number(a.slug === 'other') - Number(b.slug === 'other') || b.toolsCount - a.toolsCount

/** `tries`: sentences that visitors can try with one click; they show that a search may be a whole sentence. */
const hero = (
  headline: string,
  counts: { tools: number; directories: number },
  tries: readonly string[],
  topTool: Tool | undefined,
): Markup =>
  html`<section class="spruce hero"><div>
<h1>${highlightedHeadline(headline)}</h1>
<p class="lead">${amount(counts.tools, 'tool', 'tools')} and ${amount(counts.directories, 'directory', 'directories')} in one place. Say what you need in a sentence.</p>
${bothSearchForm({ counts })}
${
  tries.length > 0 &&
  html`<ul class="tries" aria-label="Sentences to try">
${tries.map((sentence) => html`<li><a href="/search?q=${encodeURIComponent(sentence).replaceAll('%20', '+')}">${icon('try', 'small')}${sentence}</a></li>\n`)}</ul>`
}
</div>
${topTool && cardFan(topTool)}</section>`

/** The headline, in which what follows the first sentence is highlighted. */
export function highlightedHeadline(headline: string): Markup {
  const [, first = headline, rest = ''] = /^([^.!?]{1,80}[.!?])\s+(\S.*)$/.exec(headline) ?? []
  return html`${first}${rest && html` <em>${rest}</em>`}`
}

/** A decoration of overlapping cards with the most opened tool. That tool is listed below, too, so screen readers skip this. */
const cardFan = (tool: Tool): Markup =>
  html`<div class="fan" aria-hidden="true"><div><span class="tab">Directories</span></div><div><span class="tab">Launch plans</span></div><div>${tool.category && html`<span class="tab">${oneLine(tool.category.name, 24)}</span>`}<div class="body">${toolCover(tool)}${tile(tool.name, tool.icon)}<div><strong>${oneLine(tool.name, 30)}</strong><p>${oneLine(tool.tagline, 60)}</p></div><div class="marks">${pricingBadge(tool)}</div></div></div></div>`

function developersSection(ctx: Context): Markup {
  const { publicUrl } = ctx
  const answer = topToolsAnswer(ctx, TOP_CALL)
  return html`<section class="spruce devs"><div><h2>The same catalog for your code and your agents</h2>
<p>Every listing is also available as JSON. The same eight operations answer over REST and MCP.</p>
<div class="row">${linkButton('/developers', 'Start building')}${linkButton('/docs', 'API reference', { kind: 'plain' })}</div></div>
${codeTabs('way', 'Way in', [
  {
    label: 'REST',
    blocks: html`${codeBlock('A first call', topToolsSnippet(publicUrl))}${answer.length > 0 && codeBlock('Its answer', answerSnippet(answer))}`,
  },
  { label: 'MCP', blocks: codeBlock('MCP client settings', mcpSnippet(publicUrl)) },
  { label: 'OpenAPI', blocks: codeBlock('OpenAPI document', `${publicUrl}${REST_BASE}/openapi.json`) },
])}</section>`
}
