// Reads that only the site offers: complete lists of categories and tags, and similar tools. Its searches are in `site-search.ts`.
import type { Context } from '../../kernel/context.ts'
import { type CategoryRow, findSubmissionLink, type TagRow } from './queries.ts'
import { findTerms, listShownTags } from './reads.ts'
import { HAS_ENDED, isAdult, type Listing, RATING_STEPS } from './rules.ts'
import type { Directory, ListedKind, Tool } from './schema.ts'
import type { Snapshot } from './snapshot.ts'
import { termsNear } from './term-lists.ts'

/** All categories or tags by name, without the adult ones: a visitor finds those only by their address. */
export const browseTerms = ({ taxonomy, tools }: Snapshot, kind: 'category' | 'tag') => {
  const terms: ReadonlyMap<string, CategoryRow | TagRow> = kind === 'category' ? taxonomy.categories : taxonomy.tags
  return findTerms(terms, kind, tools, undefined, terms.size).filter(({ adult }) => !adult)
}

/** The slugs of the terms of `browseTerms`, in no particular order. */
export const browsableSlugs = (snapshot: Snapshot, kind: 'category' | 'tag'): string[] =>
  kind === 'category'
    ? [...snapshot.taxonomy.categories.values()].flatMap(({ slug, adult }) => (adult ? [] : slug))
    : listShownTags(snapshot).flatMap(({ slug, adult }) => (adult ? [] : slug))

const MOST_NEAR = 6

/** The categories that come nearest to a question: those of the tools that it finds, the most frequent first, then those it names in part. */
export function categoriesNear({ taxonomy, tools }: Snapshot, q: string, found: readonly Tool[]) {
  const counts = Map.groupBy(found, ({ category }) => category?.slug ?? '')
  const slugs = [...counts].toSorted(([, a], [, b]) => b.length - a.length).map(([slug]) => slug)
  const near = termsNear(taxonomy.categories, q, MOST_NEAR).map(({ slug }) => slug)
  return [...new Set([...slugs, ...near])]
    .flatMap((slug) => taxonomy.categories.get(slug) ?? [])
    .filter(({ slug, adult }) => !adult && tools.index.count(`category:${slug}`) > 0)
    .slice(0, MOST_NEAR)
    .map((category) => ({ ...category, toolsCount: tools.index.count(`category:${category.slug}`) }))
}

/** The categories of directories that a question names in part, the best first. */
export const directoryCategoriesNear = ({ taxonomy, directories }: Snapshot, q: string) =>
  termsNear(taxonomy.directoryCategories, q, MOST_NEAR)
    .map(({ slug, name }) => ({ slug, name, count: directories.index.count(`category:${slug}`) }))
    .filter(({ count }) => count > 0)

/** How many similar listings the page of a tool or directory shows. */
const MOST_SIMILAR = 6
// The most opened tools of a category are enough to choose from, and few enough to compare one by one.
const CANDIDATES = 60

/** A listing that is similar to another. */
export interface SimilarListing {
  id: string
  slug: string
  name: string
}

export const similarListings = (
  snapshot: Snapshot,
  kind: ListedKind,
  listing: Listing,
  limit: number,
): SimilarListing[] => {
  if (kind === 'directory') return similarDirectories(snapshot, parsed<Directory>(listing), limit)
  const tool = parsed<Tool>(listing)
  return similarTools(snapshot, tool, isAdultTool(tool, snapshot), limit)
}

export const isAdultTool = (tool: Tool, { taxonomy }: Snapshot): boolean =>
  isAdult({ category: tool.category?.slug ?? null, tags: tool.tags.map((tag) => tag.slug) }, taxonomy)

/**
 * Tools of the same category: those with the most tags in common first, then the most opened. `adult`: whether adult tools are among them.
 */
export function similarTools({ tools }: Snapshot, tool: Tool, adult: boolean, limit = MOST_SIMILAR): Tool[] {
  const mostOpenedWith = (facet: string): Listing[] =>
    tools.index.find({
      all: [facet],
      none: adult ? [HAS_ENDED] : ['adult', HAS_ENDED],
      order: 'popular-then-newest',
      offset: 0,
      limit: CANDIDATES,
    }).items
  const found = tool.category
    ? mostOpenedWith(`category:${tool.category.slug}`)
    : tool.tags[0]
      ? mostOpenedWith(`tag:${tool.tags[0].slug}`)
      : []
  const ownTags = new Set(tool.tags.map(({ slug }) => slug))
  const shared = (other: Listing) => tagsOf(other).filter((slug) => ownTags.has(slug)).length
  return found
    .filter(({ slug }) => slug !== tool.slug)
    .map((listing) => ({ listing, shared: shared(listing) }))
    .sort((a, b) => b.shared - a.shared)
    .slice(0, limit)
    .map(({ listing }) => parsed<Tool>(listing))
}

/** Directories with a category in common: those that share the most categories first, then the strongest. */
export function similarDirectories({ directories }: Snapshot, directory: Directory, limit = MOST_SIMILAR): Directory[] {
  const own = new Set(directory.categories.map(({ slug }) => slug))
  const strongest = [...own]
    .slice(0, MOST_CATEGORIES)
    .flatMap(
      (slug) =>
        directories.index.find({ all: [`category:${slug}`], none: [HAS_ENDED], offset: 0, limit: CANDIDATES }).items,
    )
  return [...new Set(strongest)]
    .filter(({ slug }) => slug !== directory.slug)
    .map((listing) => ({ listing, shared: categoriesOf(listing).filter((slug) => own.has(slug)).length }))
    .sort((a, b) => b.shared - a.shared || (b.listing.order?.[0] ?? 0) - (a.listing.order?.[0] ?? 0))
    .slice(0, limit)
    .map(({ listing }) => parsed<Directory>(listing))
}

/** How many directories have at least a step of the Domain Rating, and whether this directory is one of them. */
export interface RatingRank {
  step: number
  count: number
  total: number
  isAmong: boolean
}

/** Where its Domain Rating stands: its own step if at most half of the directories reach it, else the next step above. */
export function ratingRank({ directories }: Snapshot, { domainRating }: Directory): RatingRank | null {
  if (domainRating === null) return null
  const rankAt = (step: number, isAmong: boolean): RatingRank => ({
    step,
    count: directories.index.count(`rating:${step}`),
    total: directories.index.size,
    isAmong,
  })
  const own = RATING_STEPS.findLast((step) => step <= domainRating)
  const next = RATING_STEPS.find((step) => step > domainRating)
  const rank = own === undefined ? null : rankAt(own, true)
  return rank && (rank.count * 2 <= rank.total || next === undefined) ? rank : next ? rankAt(next, false) : null
}

/** The address of a directory's own form, where the operator shows it on the site. No answer of the API has it. */
export const readSubmissionForm = async ({ db, site }: Context, directoryId: string): Promise<string | null> =>
  site.fields().submissionForms ? findSubmissionLink(db, directoryId) : null

// Each category costs a search.
const MOST_CATEGORIES = 4

const slugsOf = (terms: readonly { slug: string }[]): readonly string[] => terms.map(({ slug }) => slug)

// Cached, because every listing of a category is compared with the same candidates. A changed listing is a new object.
function cachedForListing(find: (listing: Listing) => readonly string[]): (listing: Listing) => readonly string[] {
  const known = new WeakMap<Listing, readonly string[]>()
  return (listing) => {
    const slugs = known.get(listing) ?? find(listing)
    known.set(listing, slugs)
    return slugs
  }
}

const tagsOf = cachedForListing((listing) => slugsOf(parsed<Tool>(listing).tags))
const categoriesOf = cachedForListing((listing) => slugsOf(parsed<Directory>(listing).categories))

const parsed = <T>({ json }: Listing): T => JSON.parse(json.toString())
