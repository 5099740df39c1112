// How a stored row becomes a document of the search index with its JSON already written.
import { Type } from 'typebox'
import { writer } from '../../kernel/output.ts'
import { withPictures } from '../../kernel/own-addresses.ts'
import { nullable } from '../../kernel/schema.ts'
import { type Shape, shapeOf, shapeProblem } from '../../kernel/shape.ts'
import type { SearchDocument } from '../../search/index.ts'
import type { CategoryRow, DirectoryCategoryRow, DirectoryRow, TagRow, ToolRow } from './queries.ts'
import * as schema from './schema.ts'

export interface Taxonomy {
  categories: ReadonlyMap<string, CategoryRow>
  tags: ReadonlyMap<string, TagRow>
  directoryCategories: ReadonlyMap<string, DirectoryCategoryRow>
  /** Adult categories and tags that are left out because they are broken: what carries them is adult all the same. */
  adultLeftOut: { categories: ReadonlySet<string>; tags: ReadonlySet<string> }
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

const writeTool = writer(schema.toolSchema)
const writeToolExtras = writer(Type.Object(schema.toolExtras))
const writeDirectory = writer(schema.directorySchema)
const writeDirectoryExtras = writer(Type.Object(schema.directoryExtras))

/** The row cannot be shown to the world; the message says why, in sentences. */
export class BrokenRowError extends Error {}

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
export const MAX_SLUG = 100

/** Slugs stand in addresses, in the sitemap and in facets: nothing in one may have a meaning of its own there. */
export const isSlug = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_SLUG && SLUG.test(value)

const { url: _toolUrl, ...toolFields } = { ...schema.toolSchema.properties, ...schema.toolExtras }
const { url: _directoryUrl, ...directoryFields } = { ...schema.directorySchema.properties, ...schema.directoryExtras }
const { toolsCount: _categoryCount, ...categoryFields } = schema.categorySchema.properties
const { toolsCount: _tagCount, ...tagFields } = schema.tagSchema.properties
const slugs = Type.Array(Type.String())
const adult = Type.Boolean()

/** What a row must be to be shown: the fields that the world sees, and slugs where the world sees the names behind them. */
const ROW_SHAPES = {
  tool: shapeOf(Type.Object({ ...toolFields, category: nullable(Type.String()), tags: slugs })),
  directory: shapeOf(Type.Object({ ...directoryFields, categories: slugs })),
  category: shapeOf(Type.Object({ ...categoryFields, adult })),
  tag: shapeOf(Type.Object({ ...tagFields, adult })),
  directoryCategory: shapeOf(schema.directoryCategorySchema),
} satisfies Record<schema.Kind, Shape>

export type RowKind = schema.Kind

// An import takes lines of 1 MiB, and a request less; what is far beyond came another way and would hold up every reader.
const MOST_BYTES = 2 * 1024 * 1024

/** What keeps a stored row from being shown to the world, in sentences; undefined when nothing does. */
export function rowProblem(kind: RowKind, row: { slug: string }): string | undefined {
  const problems = [
    isSlug(row.slug)
      ? []
      : 'slug must be lower-case letters, digits and single hyphens. Delete it, and make it anew under another.',
    shapeProblem(ROW_SHAPES[kind], row) ?? [],
    textLength(row) > MOST_BYTES ? `It is larger than ${MOST_BYTES / 1024 / 1024} MiB.` : [],
  ].flat()
  return problems.length > 0 ? problems.join(' ') : undefined
}

/** Only of the texts: lists and objects are counted when they are written. */
function textLength(row: object): number {
  let length = 0
  for (const value of Object.values(row)) if (typeof value === 'string') length += value.length
  return length
}

function checkRow(kind: RowKind, row: { slug: string }): void {
  const problem = rowProblem(kind, row)
  if (problem) throw new BrokenRowError(problem)
}

/** In memory of its own: small buffers share a pool of eight kilobytes, all of which would stay with the one that is kept. */
function kept(text: string): Buffer {
  if (text.length > MOST_BYTES) throw new BrokenRowError(`It is larger than ${MOST_BYTES / 1024 / 1024} MiB.`)
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** Adult by category or by tag. */
export const isAdult = (tool: Pick<ToolRow, 'category' | 'tags'>, taxonomy: Taxonomy): boolean => {
  const { categories, tags, adultLeftOut } = taxonomy
  return (
    (tool.category !== null &&
      (categories.get(tool.category)?.adult === true || adultLeftOut.categories.has(tool.category))) ||
    tool.tags.some((slug) => tags.get(slug)?.adult === true || adultLeftOut.tags.has(slug))
  )
}

/** Throws for a row that cannot be shown. */
export function toolDocument(stored: ToolRow, taxonomy: Taxonomy, publicUrl: string): SearchDocument<Listing> {
  checkRow('tool', stored)
  const row = withPictures(publicUrl, stored)
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

/** Throws for a row that cannot be shown. */
export function directoryDocument(
  stored: DirectoryRow,
  taxonomy: Taxonomy,
  publicUrl: string,
): SearchDocument<Listing> {
  checkRow('directory', stored)
  const row = withPictures(publicUrl, stored)
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
