// How a stored row becomes a document of the search index with its JSON already written.
import { Type } from 'typebox'
import { writer } from '../../kernel/output.ts'
import type { SearchDocument } from '../../search/index.ts'
import type { CategoryRow, DirectoryCategoryRow, DirectoryRow, TagRow, ToolRow } from './queries.ts'
import { directoryExtras, directorySchema, toolExtras, toolSchema } from './schema.ts'

export interface Taxonomy {
  categories: ReadonlyMap<string, CategoryRow>
  tags: ReadonlyMap<string, TagRow>
  directoryCategories: ReadonlyMap<string, DirectoryCategoryRow>
}

export interface Listing {
  slug: string
  website: string
  /** Place in the default order: the number descending, then the text. Tools have none: they go by age. */
  order?: readonly [number, string]
  /** The object of a search result. */
  json: Buffer
  /** What a single lookup adds, as an object of its own. */
  extras: Buffer
}

const writeTool = writer(toolSchema)
const writeToolExtras = writer(Type.Object(toolExtras))
const writeDirectory = writer(directorySchema)
const writeDirectoryExtras = writer(Type.Object(directoryExtras))

/** In memory of its own: small buffers share a pool of eight kilobytes, all of which would stay with the one that is kept. */
function kept(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** Adult by category or by tag. */
export const isAdult = (tool: Pick<ToolRow, 'category' | 'tags'>, taxonomy: Taxonomy): boolean =>
  (tool.category !== null && taxonomy.categories.get(tool.category)?.adult === true) ||
  tool.tags.some((slug) => taxonomy.tags.get(slug)?.adult === true)

export function toolDocument(row: ToolRow, taxonomy: Taxonomy, publicUrl: string): SearchDocument<Listing> {
  const category = row.category === null ? undefined : taxonomy.categories.get(row.category)
  const tags = row.tags.flatMap((slug) => taxonomy.tags.get(slug) ?? [])
  const facets = [`pricing:${row.pricing}`, ...tags.map((tag) => `tag:${tag.slug}`)]
  if (category) facets.push(`category:${category.slug}`)
  if (row.featured) facets.push('featured')
  if (isAdult(row, taxonomy)) facets.push('adult')
  return {
    id: row.id,
    text: [row.name, [row.tagline, category?.name ?? '', ...tags.map((tag) => tag.name)].join('\n'), row.description],
    facets,
    popularity: row.opens,
    recency: row.createdAt.getTime(),
    item: {
      slug: row.slug,
      website: row.website,
      json: kept(
        writeTool({
          ...row,
          url: `${publicUrl}/tools/${row.slug}`,
          category: category ?? null,
          tags,
        }),
      ),
      extras: kept(writeToolExtras(row)),
    },
  }
}

/** The same listing after somebody clicked through. */
export const withOpens = (listing: Listing, opens: number): Listing => ({
  ...listing,
  json: kept(writeTool({ ...JSON.parse(listing.json.toString()), opens })),
})

/** The least Domain Rating that the site lets people ask for; each is a facet. */
export const RATING_STEPS = [10, 20, 30, 40, 50, 60, 70, 80, 90] as const

export function directoryDocument(row: DirectoryRow, taxonomy: Taxonomy, publicUrl: string): SearchDocument<Listing> {
  const categories = row.categories.flatMap((slug) => taxonomy.directoryCategories.get(slug) ?? [])
  return {
    id: row.id,
    text: [
      row.name,
      [row.smallDescription ?? '', ...categories.map((category) => category.name)].join('\n'),
      row.fullDescription ?? '',
    ],
    facets: [
      `cost:${row.cost}`,
      ...(row.featured ? ['featured'] : []),
      ...categories.map((category) => `category:${category.slug}`),
      `badge:${row.requiresBadge ? 'required' : 'none'}`,
      `type:${row.type.toLowerCase()}`,
      ...RATING_STEPS.filter((step) => (row.domainRating ?? 0) >= step).map((step) => `rating:${step}`),
    ],
    popularity: 0,
    recency: row.createdAt.getTime(),
    item: {
      slug: row.slug,
      order: [row.domainRating ?? Number.NEGATIVE_INFINITY, nameKey(row.name)],
      website: row.website,
      json: kept(
        writeDirectory({
          ...row,
          url: `${publicUrl}/directories/${row.slug}`,
          categories,
        }),
      ),
      extras: kept(writeDirectoryExtras(row)),
    },
  }
}

/** Names in the order a reader expects: case and accents do not count. */
export const nameKey = (name: string): string => name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

export const byName = <T extends { slug: string; name: string }>(a: T, b: T): number =>
  compare(nameKey(a.name), nameKey(b.name)) || compare(a.slug, b.slug)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** An item with everything about it: the extras follow the fields of a search result in one object. */
export const detailJson = ({ json, extras }: Listing): Buffer =>
  Buffer.concat([json.subarray(0, -1), Buffer.from(','), extras.subarray(1)])
