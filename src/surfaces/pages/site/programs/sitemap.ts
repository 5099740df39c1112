// The sitemap, made from the catalog in memory. Adult listings, categories and tags are not in it.
import type { Snapshot } from '../../../../features/catalog/memory/snapshot.ts'
import { listShownTags } from '../../../../features/catalog/reads.ts'
import { HAS_ENDED, type Listing } from '../../../../features/catalog/rules.ts'
import { Failure } from '../../../../kernel/errors.ts'
import { createPauses } from '../../../../kernel/work/scheduler.ts'

/** The sitemap protocol allows at most this many addresses in one file. */
const SITEMAP_SIZE = 50_000

/** What a sitemap is made from. `pages` are the paths of the pages that do not depend on the catalog. */
interface SitemapContent {
  snapshot: Snapshot
  pages: readonly string[]
}

/** One sitemap, or the index of its parts when one file cannot hold all addresses. */
export async function sitemap(content: SitemapContent, publicUrl: string, size = SITEMAP_SIZE): Promise<string> {
  const parts = Math.ceil(countOf(content) / size)
  if (parts <= 1) return sitemapPart(content, publicUrl, 1, size)
  const items = Array.from(
    { length: parts },
    (_, i) => `<sitemap><loc>${publicUrl}/sitemaps/${i + 1}.xml</loc></sitemap>\n`,
  )
  return `${XML_HEAD}<sitemapindex xmlns="${NAMESPACE}">\n${items.join('')}</sitemapindex>\n`
}

/** A sitemap of more listings may be five minutes old, because making it takes half a second, and search engines read it once a day. */
const LARGE_LISTINGS = 5_000
const LARGE_KEPT_MS = 5 * 60_000

/** A number that changes when the sitemap must be made again. `version` is that of the listings. */
export const sitemapVersion = ({ tools, directories }: Snapshot, version: number, now: Date): number =>
  tools.index.size + directories.index.size > LARGE_LISTINGS ? Math.floor(now.getTime() / LARGE_KEPT_MS) : version

/**
 * One file of the sitemap, made in small steps, between which requests are answered: fixed pages first, then categories and tags, tools and
 * directories, and the alternatives to each tool. Adult listings, categories and tags are left out.
 */
export async function sitemapPart(
  content: SitemapContent,
  publicUrl: string,
  part: number,
  size = SITEMAP_SIZE,
): Promise<string> {
  if (!Number.isInteger(part) || part < 1 || (part > 1 && (part - 1) * size >= countOf(content)))
    throw new Failure(404, 'This part of the sitemap was not found.')
  let skip = (part - 1) * size
  let room = size
  const chunks: string[] = []
  let lines: string[] = []
  const pause = createPauses()
  for (const { total, take } of sources(content)) {
    const count = Math.min(room, Math.max(0, total - skip))
    for (const { path, changed } of count > 0 ? take(skip, count) : []) {
      lines.push(`<url><loc>${publicUrl}${path}</loc>${changed ? `<lastmod>${changed}</lastmod>` : ''}</url>\n`)
      if (lines.length < LINES_PER_CHUNK) continue
      chunks.push(lines.join(''))
      lines = []
      await pause()
    }
    room -= count
    skip = Math.max(0, skip - total)
  }
  return `${XML_HEAD}<urlset xmlns="${NAMESPACE}">\n${[...chunks, ...lines].join('')}</urlset>\n`
}

/** Joining fifty thousand lines at once would block the thread; joining a few long chunks does not. */
const LINES_PER_CHUNK = 200

const XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

interface SitemapSource {
  total: number
  /** `changed`: when the page last changed, if that is known. */
  take(skip: number, count: number): Iterable<{ path: string; changed?: string }>
}

function sources({ snapshot, pages }: SitemapContent): SitemapSource[] {
  const { tools, directories, taxonomy } = snapshot
  const list = (paths: string[]): SitemapSource => ({
    total: paths.length,
    take: (skip, count) => paths.slice(skip, skip + count).map((path) => ({ path })),
  })
  const listings = ({ index }: Snapshot['tools'], folder: string, page = '', any: string[][] = []): SitemapSource => ({
    total: index.find({ any, none: ['adult'], offset: 0, limit: 0 }).total,
    *take(skip, count) {
      for (const listing of index.find({ any, none: ['adult'], offset: skip, limit: count }).items)
        yield { path: `${folder}/${listing.slug}${page}`, changed: changedAt(listing) }
    },
  })
  // The alternatives of a tool are the other tools of its category, without adult ones and those that have ended.
  const alternativesIn = (facet: string) =>
    tools.index.find({ all: [facet], none: ['adult', HAS_ENDED], offset: 0, limit: 0 }).total
  const shared = [...taxonomy.categories.keys()]
    .map((slug) => `category:${slug}`)
    .filter((facet) => tools.index.count(facet) > 1 && alternativesIn(facet) > 1)
  // Slugs are letters, digits and hyphens, so nothing in them needs escaping in XML.
  const slugs = (terms: Iterable<{ slug: string; adult: boolean }>, folder: string) =>
    [...terms].flatMap(({ slug, adult }) => (adult ? [] : [`${folder}/${slug}`]))
  return [
    list([...pages, ...slugs(taxonomy.categories.values(), '/categories'), ...slugs(listShownTags(snapshot), '/tags')]),
    listings(tools, '/tools'),
    listings(directories, '/directories'),
    ...(shared.length > 0 ? [listings(tools, '/tools', '/alternatives', [shared])] : []),
  ]
}

const countOf = (content: SitemapContent): number => sources(content).reduce((sum, { total }) => sum + total, 0)

/** Reads the date at the end of the JSON, where it is the last field, because parsing fifty thousand objects for one date each is slow. */
const changedAt = ({ json }: Listing): string | undefined =>
  /"updatedAt":"([\dT:.Z-]+)"\}$/.exec(json.toString('latin1', Math.max(0, json.length - 60)))?.[1]
