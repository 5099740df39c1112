// Which listings are similar to a tool or directory: the alternatives that its page shows.
import type { Snapshot } from '../memory/snapshot.ts'
import { HAS_ENDED, isAdult, type Listing } from '../rules.ts'
import type { Directory, ListedKind, Tool } from '../schema.ts'

/** How many similar listings the page of a tool or directory shows. */
const MOST_SIMILAR = 6
// The most opened tools of a category are enough to choose from, and few enough to compare one by one.
const CANDIDATES = 60
// Each category of a directory costs a search.
const MOST_CATEGORIES = 4

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
  return similarTools(snapshot, tool, { adult: isAdultTool(tool, snapshot), limit })
}

export const isAdultTool = (tool: Tool, { taxonomy }: Snapshot): boolean =>
  isAdult({ category: tool.category?.slug ?? null, tags: tool.tags.map((tag) => tag.slug) }, taxonomy)

/**
 * Tools of the same category: those with the most tags in common first, then the most opened. `adult`: whether adult tools are among them.
 */
export function similarTools(
  { tools }: Snapshot,
  tool: Tool,
  { adult, limit = MOST_SIMILAR }: { adult: boolean; limit?: number },
): Tool[] {
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
  const ownCategories = new Set(directory.categories.map(({ slug }) => slug))
  // The default order of directories is by their strength.
  const strongest = [...ownCategories]
    .slice(0, MOST_CATEGORIES)
    .flatMap(
      (slug) =>
        directories.index.find({ all: [`category:${slug}`], none: [HAS_ENDED], offset: 0, limit: CANDIDATES }).items,
    )
  return [...new Set(strongest)]
    .filter(({ slug }) => slug !== directory.slug)
    .map((listing) => ({ listing, shared: categoriesOf(listing).filter((slug) => ownCategories.has(slug)).length }))
    .sort((a, b) => b.shared - a.shared || strengthOf(b.listing) - strengthOf(a.listing))
    .slice(0, limit)
    .map(({ listing }) => parsed<Directory>(listing))
}

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

/** The first number by which the directories of the default order are compared. */
const strengthOf = ({ order }: Listing): number => order?.[0] ?? 0
