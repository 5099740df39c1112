// What people ask of the catalog on the site and programs do not: directories by badge, link type and least Domain Rating, in an
// order of their choice, all categories and tags however many, and tools that are like another one. The same index as the operations',
// the same conditions.
import { type Pagination, paginate } from '../../kernel/output.ts'
import { conditions } from './conditions.ts'
import type { CategoryRow, TagRow } from './queries.ts'
import { findTerms } from './reads.ts'
import type { Listing } from './rules.ts'
import type { DIRECTORY_ORDERS, Directory, Tool } from './schema.ts'
import type { Snapshot } from './snapshot.ts'

export interface DirectoryWishes {
  q?: string
  category?: string
  cost?: string
  badge?: string
  type?: string
  /** One of RATING_STEPS. */
  rating?: string
  sort?: (typeof DIRECTORY_ORDERS)[number]
  page: number
  limit: number
}

export function browseDirectories(
  { directories }: Snapshot,
  { q, category, cost, badge, type, rating, sort, page, limit }: DirectoryWishes,
): { directories: Directory[]; pagination: Pagination } {
  const { items, total } = directories.index.find({
    q,
    ...conditions({ category, cost, badge, type: type?.toLowerCase(), rating }, undefined, true),
    // Directories have no popularity, so that order is by age alone.
    order: sort === 'newest' ? 'popular' : sort === 'rating' ? 'default' : undefined,
    offset: (page - 1) * limit,
    limit,
  })
  return { directories: items.map(read<Directory>), pagination: paginate(page, limit, total) }
}

/** All that are not for adults, by name: those are found only by who names them. */
export const browseTerms = ({ taxonomy, tools }: Snapshot, kind: 'category' | 'tag') => {
  const terms: ReadonlyMap<string, CategoryRow | TagRow> = kind === 'category' ? taxonomy.categories : taxonomy.tags
  return findTerms(terms, kind, tools, undefined, terms.size).filter(({ adult }) => !adult)
}

// The most opened of a category are enough to choose from, and few enough to look at one by one.
const CANDIDATES = 60

/** Of the same category, those that share most tags first, then the most opened. */
export function similarTools({ tools }: Snapshot, tool: Tool, adult: boolean, limit: number): Tool[] {
  const among = (facet: string): Listing[] =>
    tools.index.find({ all: [facet], none: adult ? [] : ['adult'], order: 'popular', offset: 0, limit: CANDIDATES })
      .items
  const found = tool.category
    ? among(`category:${tool.category.slug}`)
    : tool.tags[0]
      ? among(`tag:${tool.tags[0].slug}`)
      : []
  const own = new Set(tool.tags.map(({ slug }) => slug))
  const shared = (other: Listing) => tagsOf(other).filter((slug) => own.has(slug)).length
  return found
    .filter(({ slug }) => slug !== tool.slug)
    .map((listing) => ({ listing, shared: shared(listing) }))
    .sort((a, b) => b.shared - a.shared)
    .slice(0, limit)
    .map(({ listing }) => read<Tool>(listing))
}

// A listing never changes: a change makes another one. The candidates of a category are looked at again for each of its tools.
const tagsRead = new WeakMap<Listing, readonly string[]>()

function tagsOf(listing: Listing): readonly string[] {
  const tags = tagsRead.get(listing) ?? read<Tool>(listing).tags.map(({ slug }) => slug)
  tagsRead.set(listing, tags)
  return tags
}

const read = <T>({ json }: Listing): T => JSON.parse(json.toString())
