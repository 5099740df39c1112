// Collections: lists of tools and directories that the operator has chosen, each with a text.
import { raw } from 'hono/html'
import type { ListingIndex } from '../../../../features/catalog/memory/snapshot.ts'
import { endedOf } from '../../../../features/catalog/reads.ts'
import type { Collection } from '../../../../features/site/collections.schema.ts'
import type { Context } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { linkButton } from '../../kit/button.ts'
import { breadcrumbs, countedTitle, emptyState, sectionHead, tile } from '../../kit/components.ts'
import { html, isFilled, type Markup, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { amount } from '../../kit/values.ts'
import { findDirectory, findTool } from '../catalog-reads.ts'
import { compareAddress, MOST_COMPARED_TOOLS } from '../chosen/compare.ts'
import { toolRows } from '../entries.ts'
import { directoryTable } from './directory-table.ts'

export const COLLECTIONS = '/collections'

/** The beginning of the text, for its card and for search engines. */
const summaryOf = async (ctx: Context, { text }: Collection): Promise<string> =>
  isFilled(text) ? oneLine((await ctx.site.markdown(text)).summary, 160) : ''

const SHOWN_LOGOS = 6

export async function collectionCards(ctx: Context, collections: readonly Collection[]): Promise<Markup> {
  const summaries = await Promise.all(collections.map((collection) => summaryOf(ctx, collection)))
  return html`<ul class="entries columns thirds">
${collections.map(({ slug, name, tools, directories }, at) => {
  const summary = summaries[at] ?? ''
  const counts = [
    tools.length > 0 && amount(tools.length, 'tool', 'tools'),
    directories.length > 0 && amount(directories.length, 'directory', 'directories'),
  ]
  const listings = [
    ...tools.slice(0, SHOWN_LOGOS).map((one) => findTool(ctx, one)),
    ...directories.slice(0, SHOWN_LOGOS).map((one) => findDirectory(ctx, one)),
  ].filter((one) => one !== null)
  return html`<li class="entry plain"><div class="logos">${listings.slice(0, SHOWN_LOGOS).map((one) => tile(one.name, one.icon))}</div><h3><a href="${COLLECTIONS}/${slug}"><bdi>${oneLine(name, 100)}</bdi></a></h3>
${isFilled(summary) && html`<p dir="auto">${summary}</p>`}
<ul class="marks">${counts.filter(Boolean).map((count) => html`<li>${count}</li>`)}</ul></li>\n`
})}</ul>`
}

export async function collectionsPage(ctx: Context): Promise<Page> {
  const collections = ctx.site.collections()
  const cards = await collectionCards(ctx, collections)
  return {
    title: 'Collections',
    description: 'Tools and directories, chosen by hand for a purpose.',
    url: collections.length > 0 ? ctx.publicUrl + COLLECTIONS : undefined,
    path: COLLECTIONS,
    body: html`<div class="flow">
<h1>Collections</h1>
<p class="lead">Tools and directories, chosen by hand for a purpose.</p>
<h2 class="visually-hidden">All collections</h2>
${
  collections.length > 0
    ? cards
    : emptyState({ title: 'No collections yet', action: linkButton('/tools', 'All tools', { kind: 'plain' }) })
}
</div>`,
  }
}

/** The listings in the order that the operator chose, except that those whose websites are gone or parked come last. */
const endedLast = (listings: ListingIndex, slugs: readonly string[]): string[] =>
  slugs.toSorted((a, b) => Number(Boolean(endedOf(listings, a))) - Number(Boolean(endedOf(listings, b))))

export async function collectionPage(ctx: Context, slug: string): Promise<Page> {
  const collection = ctx.site.collections().find((one) => one.slug === slug)
  if (!collection) throw notFound('Collection')
  const snapshot = ctx.catalog.snapshot()
  const tools = endedLast(snapshot.tools, collection.tools).flatMap((one) => findTool(ctx, one) ?? [])
  const directories = endedLast(snapshot.directories, collection.directories).flatMap(
    (one) => findDirectory(ctx, one) ?? [],
  )
  const text = isFilled(collection.text) && raw((await ctx.site.markdown(collection.text)).html)
  const compared = tools
    .map(({ slug }) => slug)
    .filter((slug) => !endedOf(snapshot.tools, slug))
    .slice(0, MOST_COMPARED_TOOLS)
  return {
    title: collection.name,
    description: (await summaryOf(ctx, collection)) || `${collection.name}: a collection of tools and directories.`,
    url: `${ctx.publicUrl}${COLLECTIONS}/${slug}`,
    path: COLLECTIONS,
    body: html`${breadcrumbs([{ label: 'Collections', href: COLLECTIONS }, { label: oneLine(collection.name, 60) }])}
<div class="flow">
<h1 dir="auto">${collection.name}</h1>
${text && html`<div class="flow prose own-text">${text}</div>`}
${tools.length > 0 && html`<section class="flow">${sectionHead(countedTitle('Tools', tools.length), compared.length > 1 ? { href: compareAddress(compared), label: compared.length < tools.length ? `Compare the first ${compared.length}` : 'Compare them' } : undefined)}${toolRows(tools, { isAlone: true, now: ctx.now() })}</section>`}
${directories.length > 0 && html`<section class="flow">${sectionHead(countedTitle('Directories', directories.length))}${directoryTable(directories, ctx.site.fields().currency)}</section>`}
${tools.length + directories.length === 0 && emptyState({ title: 'Nothing in it at the moment', action: linkButton(COLLECTIONS, 'All collections', { kind: 'plain' }) })}
</div>`,
  }
}
