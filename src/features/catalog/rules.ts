// Turns a stored row into a document of the search index: which text of a listing is in which field, its facets, and the numbers that
// order listings without a question. The JSON of a document is written in advance.
import { Type } from 'typebox'
import { withPictures } from '../../kernel/addresses/own-addresses.ts'
import { type Shape, shapeOf, shapeProblem } from '../../kernel/checks/shape.ts'
import { writer } from '../../kernel/output.ts'
import { nullable } from '../../kernel/schema.ts'
import { DAY_MS } from '../../kernel/values/days.ts'
import { LAST, type NumberOrder, type SearchDocument } from '../../search/index.ts'
import { acceptedKinds, acceptedLanguages } from './known-hosts/known-hosts.rules.ts'
import { type BlockWriter, type Listing, storedListing } from './memory/listing-json.ts'
import type { CategoryRow, DirectoryCategoryRow, DirectoryRow, TagRow, ToolRow } from './queries.ts'
import * as schema from './schema.ts'
import { isSlug } from './terms/slugify.ts'

export type { Listing } from './memory/listing-json.ts'

export interface Taxonomy {
  categories: ReadonlyMap<string, CategoryRow>
  tags: ReadonlyMap<string, TagRow>
  directoryCategories: ReadonlyMap<string, DirectoryCategoryRow>
  /** Slugs of adult categories and tags whose rows are broken. Readers do not see them, but their listings still count as adult. */
  brokenAdultTerms: { categories: ReadonlySet<string>; tags: ReadonlySet<string> }
}

const writeTool = writer(schema.toolSchema)
const writeToolExtras = writer(Type.Object(schema.toolExtras))
const writeDirectory = writer(schema.directorySchema)
const writeDirectoryExtras = writer(Type.Object(schema.directoryExtras))

/** The row cannot be shown to readers; the message says why, in sentences. */
export class BrokenRowError extends Error {}

const { url: _toolUrl, ...toolFields } = { ...schema.toolSchema.properties, ...schema.toolExtras }
const { url: _directoryUrl, ...directoryFields } = { ...schema.directorySchema.properties, ...schema.directoryExtras }
const { toolsCount: _categoryCount, ...categoryFields } = schema.categorySchema.properties
const { toolsCount: _tagCount, ...tagFields } = schema.tagSchema.properties
const slugs = Type.Array(Type.String())
const adult = Type.Boolean()

/** The shape a row must have to be shown: the public fields, with slugs in place of the names that readers see. */
const ROW_SHAPES = {
  tool: shapeOf(Type.Object({ ...toolFields, category: nullable(Type.String()), tags: slugs })),
  directory: shapeOf(Type.Object({ ...directoryFields, categories: slugs })),
  category: shapeOf(Type.Object({ ...categoryFields, adult })),
  tag: shapeOf(Type.Object({ ...tagFields, adult })),
  directoryCategory: shapeOf(schema.directoryCategorySchema),
} satisfies Record<schema.Kind, Shape>

export type RowKind = schema.Kind

// An import accepts lines of 1 MiB and a request less. A larger row was written to the database directly, and would slow down all readers.
const MOST_BYTES = 2 * 1024 * 1024

/** Why a stored row cannot be shown to readers, in sentences; undefined when it can. */
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

/** Counts only the texts; lists and objects are counted when their JSON is written. */
function textLength(row: object): number {
  let length = 0
  for (const value of Object.values(row)) if (typeof value === 'string') length += value.length
  return length
}

function checkRow(kind: RowKind, row: { slug: string }): void {
  const problem = rowProblem(kind, row)
  if (problem) throw new BrokenRowError(problem)
}

function checkSize(text: string): string {
  if (text.length > MOST_BYTES) throw new BrokenRowError(`It is larger than ${MOST_BYTES / 1024 / 1024} MiB.`)
  return text
}

/** Adult by category or by tag. */
export const isAdult = (tool: Pick<ToolRow, 'category' | 'tags'>, taxonomy: Taxonomy): boolean => {
  const { categories, tags, brokenAdultTerms } = taxonomy
  return (
    (tool.category !== null &&
      (categories.get(tool.category)?.adult === true || brokenAdultTerms.categories.has(tool.category))) ||
    tool.tags.some((slug) => tags.get(slug)?.adult === true || brokenAdultTerms.tags.has(slug))
  )
}

const NEW_MS = 7 * DAY_MS

/** Whether a listing was made in the last seven days. */
export const isNew = ({ createdAt }: { createdAt: Date | null }, now: Date): boolean =>
  createdAt !== null && now.getTime() - new Date(createdAt).getTime() < NEW_MS

/** The least ratings that the site offers as a filter; each is a facet. */
export const STAR_STEPS = [3, 4, 4.5] as const
/** The facet of every listing that has ended: the index puts such listings after all others. */
export const HAS_ENDED = LAST
const endedFacets = ({ ended }: { ended?: schema.Ended | null }): string[] =>
  ended ? [HAS_ENDED, `ended:${ended}`] : []

/** The orders that each index keeps beside its default one: tools by rating; directories by visits and by price, the cheapest first. */
export const NUMBER_ORDERS = {
  tool: ['first-number'],
  directory: ['first-number', 'second-number'],
} as const satisfies Record<schema.ListedKind, readonly NumberOrder[]>

/** Throws for a row that cannot be shown. */
export function toolDocument(
  stored: ToolRow,
  taxonomy: Taxonomy,
  publicUrl: string,
  blocks?: BlockWriter,
): SearchDocument<Listing> {
  checkRow('tool', stored)
  const row = withPictures(publicUrl, stored)
  const category = row.category === null ? undefined : taxonomy.categories.get(row.category)
  const tags = row.tags.flatMap((slug) => taxonomy.tags.get(slug) ?? [])
  const facets = [`pricing:${row.pricing}`, ...tags.map((tag) => `tag:${tag.slug}`)]
  if (category) facets.push(`category:${category.slug}`)
  facets.push(...STAR_STEPS.filter((step) => row.rating >= step).map((step) => `minRating:${step}`))
  if (row.featured) facets.push('featured')
  if (isAdult(row, taxonomy)) facets.push('adult')
  facets.push(...endedFacets(row))
  return {
    id: row.id,
    text: [
      row.name,
      [row.tagline, category?.name ?? '', ...tags.map((tag) => tag.name)].join('\n'),
      row.searchWords ? `${row.description}\n${row.searchWords}` : row.description,
    ],
    facets,
    popularity: popularityOf(row.opens),
    recency: row.createdAt.getTime(),
    numbers: [row.rating],
    revision: row.revision,
    item: storedListing(
      row.slug,
      undefined,
      checkSize(writeTool({ ...row, url: `${publicUrl}/tools/${row.slug}`, category: category ?? null, tags })),
      checkSize(writeToolExtras(row)),
      blocks,
    ),
  }
}

/** The popularity of a tool in the index is the number of its click-throughs. */
const popularityOf = (opens: number): number => opens

/** What changes of a tool's document with the number of its click-throughs. */
export const withOpens = ({ slug, json, extras }: Listing, opens: number) => ({
  popularity: popularityOf(opens),
  item: storedListing(slug, undefined, writeTool({ ...JSON.parse(json.toString()), opens }), extras.toString()),
})

/** What the cheapest submission costs. A paid directory that names no price comes after all others. */
const lowestPrice = ({ cost, minimumPrice }: DirectoryRow): number =>
  minimumPrice > 0 ? minimumPrice : cost === 'Paid' ? Number.POSITIVE_INFINITY : 0

/** The facet of directories that do not accept this kind of product. */
export const notForKind = (kind: schema.ProductKind): string => `not-for:${kind}`
/** The facet of directories that do not accept products in the default language. */
export const OTHER_LANGUAGES = 'other-languages'

/** Facets for the site's page of plans. No answer contains the fields they are made from. */
function planFacets(directory: DirectoryRow): string[] {
  const languages = acceptedLanguages(directory)
  const accepts = acceptedKinds(directory)
  const refused = accepts.length === 0 ? [] : schema.PRODUCT_KINDS.filter((kind) => !accepts.includes(kind))
  const takesDefault = languages.length === 0 || languages.some((code) => isSameLanguage(code, schema.DEFAULT_LANGUAGE))
  return [...refused.map(notForKind), ...(takesDefault ? [] : [OTHER_LANGUAGES])]
}

/** Whether two codes name the same language, whatever the region or script: pt and pt-BR. */
export const isSameLanguage = (one: string, other: string): boolean => primaryTag(one) === primaryTag(other)
const primaryTag = (code: string): string => String(code).split('-', 1)[0]?.toLowerCase() ?? ''

/** The minimum Domain Ratings that the site offers as a filter; each is a facet. */
export const RATING_STEPS = [10, 20, 30, 40, 50, 60, 70, 80, 90] as const
/** The highest prices that the site offers as a filter; each is a facet. */
export const PRICE_STEPS = [10, 25, 50, 100, 250] as const

/** Throws for a row that cannot be shown. */
export function directoryDocument(
  stored: DirectoryRow,
  taxonomy: Taxonomy,
  publicUrl: string,
  blocks?: BlockWriter,
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
      ...endedFacets(row),
      ...categories.map((category) => `category:${category.slug}`),
      `badge:${row.requiresBadge ? 'required' : 'none'}`,
      `type:${row.type.toLowerCase()}`,
      ...RATING_STEPS.filter((step) => (row.domainRating ?? 0) >= step).map((step) => `rating:${step}`),
      ...PRICE_STEPS.filter((step) => lowestPrice(row) <= step).map((step) => `maxPrice:${step}`),
      ...planFacets(row),
    ],
    popularity: 0,
    recency: row.createdAt.getTime(),
    numbers: [row.monthlyVisits ?? -1, -lowestPrice(row)],
    revision: row.revision,
    item: storedListing(
      row.slug,
      [row.domainRating ?? Number.NEGATIVE_INFINITY, sortableName(row.name)],
      checkSize(writeDirectory({ ...row, url: `${publicUrl}/directories/${row.slug}`, categories })),
      checkSize(writeDirectoryExtras(row)),
      blocks,
    ),
  }
}

/** The text by which names are sorted: without case and accents. */
export const sortableName = (name: string): string => name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

export const byName = (a: { name: string; slug: string }, b: { name: string; slug: string }): number => {
  const [one, other] = [sortableName(a.name), sortableName(b.name)]
  return one < other || (one === other && a.slug < b.slug) ? -1 : 1
}

/** The JSON of a single lookup: the fields of a search result and the extras in one object. */
export const detailJson = ({ json, extras }: Listing): Buffer =>
  Buffer.concat([json.subarray(0, -1), Buffer.from(','), extras.subarray(1)])
