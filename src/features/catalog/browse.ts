// Reads that only the site offers: complete lists of categories and tags, and similar tools. Its searches are in `site-search.ts`.
import type { CategoryRow, TagRow } from './queries.ts'
import { findTerms } from './reads.ts'
import type { Listing } from './rules.ts'
import type { Tool } from './schema.ts'
import type { Snapshot } from './snapshot.ts'

/** All categories or tags by name, without the adult ones: a visitor finds those only by their address. */
export const browseTerms = ({ taxonomy, tools }: Snapshot, kind: 'category' | 'tag') => {
  const terms: ReadonlyMap<string, CategoryRow | TagRow> = kind === 'category' ? taxonomy.categories : taxonomy.tags
  return findTerms(terms, kind, tools, undefined, terms.size).filter(({ adult }) => !adult)
}

// The most opened tools of a category are enough to choose from, and few enough to compare one by one.
const CANDIDATES = 60

/** Tools of the same category: those with the most tags in common first, then the most opened. */
export function similarTools({ tools }: Snapshot, tool: Tool, adult: boolean, limit: number): Tool[] {
  const mostOpenedWith = (facet: string): Listing[] =>
    tools.index.find({
      all: [facet],
      none: adult ? [] : ['adult'],
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
    .map(({ listing }) => read<Tool>(listing))
}

// Parsed once for each listing, because every tool of a category is compared with the same candidates. A changed listing is a new object.
const tagsRead = new WeakMap<Listing, readonly string[]>()

function tagsOf(listing: Listing): readonly string[] {
  const tags = tagsRead.get(listing) ?? read<Tool>(listing).tags.map(({ slug }) => slug)
  tagsRead.set(listing, tags)
  return tags
}

const read = <T>({ json }: Listing): T => JSON.parse(json.toString())
