// Atom feeds of new tools and of new directories, and of the new tools of a category.
import type { Directory, Tool } from '../../../../features/catalog/schema.ts'
import { browseDirectories } from '../../../../features/catalog/site/site-search.ts'
import type { Context } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { oneLine } from '../../kit/markup.ts'
import { searchToolsAnswer } from '../catalog-reads.ts'

const MOST_ENTRIES = 30
export const ATOM = 'application/atom+xml; charset=utf-8'

interface FeedEntry {
  title: string
  url: string
  summary: string
  createdAt: string
  updatedAt: string
}

export const toolsFeed = (ctx: Context): string =>
  feed(ctx, '/feeds/tools.xml', '/tools', 'New AI tools', newTools(ctx, {}))

export function categoryFeed(ctx: Context, file: string): string {
  const slug = /^([a-z0-9-]{1,100})\.xml$/.exec(file)?.[1] ?? ''
  const category = ctx.catalog.snapshot().taxonomy.categories.get(slug)
  // An adult category has no feed, because a feed reader cannot ask its user for confirmation.
  if (!category || category.adult) throw notFound('Category')
  return feed(
    ctx,
    `/feeds/categories/${slug}.xml`,
    `/categories/${slug}`,
    `New AI tools: ${category.name}`,
    newTools(ctx, { category: slug }),
  )
}

export async function directoriesFeed(ctx: Context): Promise<string> {
  const { listings } = await browseDirectories(ctx, { sort: 'newest', page: 1, limit: MOST_ENTRIES })
  return feed(ctx, '/feeds/directories.xml', '/directories', 'New startup directories', listings.map(directoryEntry))
}

/** Without search words the newest tools come first. */
const newTools = (ctx: Context, filters: Record<string, string>): FeedEntry[] =>
  searchToolsAnswer(ctx, { ...filters, limit: MOST_ENTRIES }).data.map(toolEntry)

const toolEntry = ({ name, url, tagline, createdAt, updatedAt }: Tool): FeedEntry => ({
  title: name,
  url,
  summary: tagline,
  createdAt: String(createdAt),
  updatedAt: String(updatedAt),
})

const directoryEntry = ({ name, url, smallDescription, createdAt, updatedAt }: Directory): FeedEntry => ({
  title: name,
  url,
  summary: smallDescription ?? '',
  createdAt: String(createdAt),
  updatedAt: String(updatedAt),
})

function feed(ctx: Context, path: string, page: string, title: string, entries: readonly FeedEntry[]): string {
  const { publicUrl } = ctx
  // The time of an empty feed must not change with every request.
  const updated =
    entries
      .map(({ updatedAt }) => updatedAt)
      .toSorted()
      .at(-1) ?? '1970-01-01T00:00:00.000Z'
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${xml(`${title} – ${ctx.site.fields().name}`)}</title>
<id>${xml(publicUrl + path)}</id>
<link rel="self" type="application/atom+xml" href="${xml(publicUrl + path)}"/>
<link rel="alternate" type="text/html" href="${xml(publicUrl + page)}"/>
<updated>${xml(updated)}</updated>
<author><name>${xml(ctx.site.fields().name)}</name></author>
${entries.map(entryElement).join('')}</feed>
`
}

const entryElement = ({ title, url, summary, createdAt, updatedAt }: FeedEntry): string =>
  `<entry><title>${xml(oneLine(title, 200))}</title><id>${xml(url)}</id><link rel="alternate" type="text/html" href="${xml(url)}"/><published>${xml(createdAt)}</published><updated>${xml(updatedAt)}</updated><summary>${xml(oneLine(summary, 300))}</summary></entry>\n`

/** Escapes a text. XML 1.0 forbids control characters even when they are escaped, so they become spaces. */
const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\ufffe\uffff]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
