// What is written for machines that read the site: robots.txt, the sitemap and llms.txt. All from memory.
import { listShownTags } from '../../../features/catalog/reads.ts'
import type { Listing } from '../../../features/catalog/rules.ts'
import type { Snapshot } from '../../../features/catalog/snapshot.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { RoutedOperation } from '../../../kernel/operation.ts'
import { MCP_PATH, REST_BASE } from '../../http/addresses.ts'
import { DESCRIPTION, NAME } from '../../http/identity.ts'
import { oneLine } from '../kit/markup.ts'

/** The most that one sitemap may hold. */
export const SITEMAP_SIZE = 50_000

const PLACES = ['/', '/tools', '/directories', '/categories', '/tags', '/developers', '/docs', '/policy']

export const robots = (publicUrl: string): string =>
  `User-agent: *
Allow: /
Disallow: /api/
Disallow: /mcp
Disallow: /dashboard
Disallow: /admin
Disallow: /sign-in
Disallow: /tools/*/visit
Disallow: /*adult=true

Sitemap: ${publicUrl}/sitemap.xml
`

/** One sitemap, or, when there is more than one may hold, the list of its parts. */
export function sitemap(snapshot: Snapshot, publicUrl: string, size = SITEMAP_SIZE): string {
  const parts = Math.ceil(countOf(snapshot) / size)
  if (parts <= 1) return sitemapPart(snapshot, publicUrl, 1, size)
  const items = Array.from(
    { length: parts },
    (_, i) => `<sitemap><loc>${publicUrl}/sitemaps/${i + 1}.xml</loc></sitemap>\n`,
  )
  return `${XML}<sitemapindex xmlns="${NAMESPACE}">\n${items.join('')}</sitemapindex>\n`
}

/** Places first, then terms, tools and directories; adult ones are in none. */
export function sitemapPart(snapshot: Snapshot, publicUrl: string, part: number, size = SITEMAP_SIZE): string {
  if (!Number.isInteger(part) || part < 1 || (part > 1 && (part - 1) * size >= countOf(snapshot)))
    throw notFound('This part of the sitemap was')
  let skip = (part - 1) * size
  let room = size
  const lines: string[] = []
  for (const { total, take } of sources(snapshot)) {
    const count = Math.min(room, Math.max(0, total - skip))
    if (count > 0) for (const line of take(skip, count)) lines.push(line.replace('<loc>', `<loc>${publicUrl}`))
    room -= count
    skip = Math.max(0, skip - total)
  }
  return `${XML}<urlset xmlns="${NAMESPACE}">\n${lines.join('')}</urlset>\n`
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

interface Source {
  total: number
  take(skip: number, count: number): string[]
}

function sources(snapshot: Snapshot): Source[] {
  const { tools, directories, taxonomy } = snapshot
  const list = (paths: string[]): Source => ({
    total: paths.length,
    take: (skip, count) => paths.slice(skip, skip + count).map((path) => entry(path)),
  })
  const listings = ({ index }: Snapshot['tools'], folder: string): Source => ({
    total: index.find({ none: ['adult'], offset: 0, limit: 0 }).total,
    take: (skip, count) =>
      index
        .find({ none: ['adult'], offset: skip, limit: count })
        .items.map((listing) => entry(`${folder}/${listing.slug}`, changedAt(listing))),
  })
  const slugs = (terms: Iterable<{ slug: string; adult: boolean }>, folder: string) =>
    [...terms].flatMap(({ slug, adult }) => (adult ? [] : [`${folder}/${slug}`]))
  return [
    list([
      ...PLACES,
      ...slugs(taxonomy.categories.values(), '/categories'),
      ...slugs(listShownTags(snapshot), '/tags'),
    ]),
    listings(tools, '/tools'),
    listings(directories, '/directories'),
  ]
}

const countOf = (snapshot: Snapshot): number => sources(snapshot).reduce((sum, { total }) => sum + total, 0)

// Slugs are letters, digits and hyphens: nothing in them has a meaning in XML.
const entry = (path: string, changed?: string): string =>
  `<url><loc>${path}</loc>${changed ? `<lastmod>${changed}</lastmod>` : ''}</url>\n`

/** Read from the end of the written object, where it stands last: fifty thousand objects are not parsed for a date each. */
const changedAt = ({ json }: Listing): string | undefined =>
  /"updatedAt":"([\dT:.Z-]+)"\}$/.exec(json.toString('latin1', Math.max(0, json.length - 60)))?.[1]

export function llms(snapshot: Snapshot, operations: readonly RoutedOperation[], publicUrl: string): string {
  const total = (listings: Snapshot['tools']) => listings.index.find({ none: ['adult'], offset: 0, limit: 0 }).total
  const terms = [...snapshot.taxonomy.categories.values()].filter(({ adult }) => !adult)
  const tools = operations.filter(({ tool }) => tool)
  return `# ${NAME}

> ${DESCRIPTION}

${total(snapshot.tools)} AI tools and ${total(snapshot.directories)} submission directories. Agents should use MCP or REST with an API key rather than read the pages: pages are limited by address.

## For agents

- [MCP endpoint](${publicUrl}${MCP_PATH}): Streamable HTTP, key as a Bearer token. Tools: ${tools.map(({ name }) => name).join(', ')}
- [REST](${publicUrl}${REST_BASE}/): start here; it names every endpoint
- [OpenAPI document](${publicUrl}${REST_BASE}/openapi.json): the whole contract
- [API reference](${publicUrl}/docs): the same for people
- [Developers](${publicUrl}/developers): keys, snippets, limits and prices
- [Acceptable-use policy](${publicUrl}/policy): no competing directory, no bulk export

## Browse

- [Tools](${publicUrl}/tools): search with ?q=, narrow with category, tag and pricing
- [Directories](${publicUrl}/directories): by Domain Rating, cost, badge and category
- [Sitemap](${publicUrl}/sitemap.xml)

## Categories

${terms.map(({ slug, name, description }) => `- [${plain(name)}](${publicUrl}/categories/${slug})${description ? `: ${plain(description)}` : ''}`).join('\n')}
`
}

/** In a line of Markdown nothing may end the link or begin another. */
const plain = (text: string): string => oneLine(text, 200).replace(/[[\]<>`*_\\]/g, ' ')
