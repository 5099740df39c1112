// The search of the site for tools and directories at once, and whether a listing is among the first results of a question.
import type { Context } from '../../../kernel/context.ts'
import { FIELD, type SearchResult, type WordHit } from '../../../search/index.ts'
import type { Snapshot } from '../memory/snapshot.ts'
import { NO_FILTERS_GIVEN } from '../questions/conditions.ts'
import { askIndex, type Question } from '../questions/question.ts'
import { unfoundOf } from '../reads.ts'
import { HAS_ENDED } from '../rules.ts'
import { type Directory, type ListedKind, TOPIC, type Tool } from '../schema.ts'
import { cachedSearch, type Found, foundListings, matchOf } from './site-search.ts'

export interface FoundInBoth {
  tools: Found<Tool>
  directories: Found<Directory>
  /** The catalog whose listings are shown first. */
  first: 'tools' | 'directories'
}

/** The words with which a question says which catalog it asks for. */
const CATALOG_WORDS = { tools: /\btools?\b/i, directories: /\bdirector(?:y|ies)\b/i }

/**
 * The best tools and directories for one question, without adult listings. `isUnfinished`: the visitor still types, so the question is not
 * counted, and products that have ended are not suggested. `isCounted: false`: another search of the same page counts the question, and
 * what it would find without each of its statements.
 */
export const searchBoth = (
  ctx: Context,
  query: { q: string; limit: number; facts?: Question['facts']; isUnfinished?: true; isCounted?: boolean },
): Promise<FoundInBoth> =>
  cachedSearch(ctx, 'search_both', query, ({ taxonomy, ...catalogs }, nearness) => {
    const { q, limit, facts, isUnfinished, isCounted = !isUnfinished } = query
    const ended = isUnfinished ? [HAS_ENDED] : []
    const search = { limit, facts, partial: true, offset: 0, nearness, given: NO_FILTERS_GIVEN }
    /** Returns a function that asks one catalog. Without `explain` it only counts full matches. */
    const asking = (kind: ListedKind, explain: boolean) => (q: string) =>
      askIndex(kind, catalogs[TOPIC[kind]], taxonomy, {
        ...{ ...search, q, explain, none: kind === 'tool' ? ['adult', ...ended] : ended },
        ...(!explain && { partial: false, limit: 0 }),
      })
    const [tools, directories] = [asking('tool', true)(q), asking('directory', true)(q)]
    const [foundTools, foundDirectories] = [tools.result, directories.result]
    const ofTools = strengthOf(foundTools, CATALOG_WORDS.tools.test(q))
    const ofDirectories = strengthOf(foundDirectories, CATALOG_WORDS.directories.test(q))
    const first = isStronger(ofDirectories, ofTools) ? 'directories' : 'tools'
    const sums = {
      total: foundTools.total + foundDirectories.total,
      fullMatches: foundTools.full + foundDirectories.full,
    }
    return {
      found: {
        tools: foundListings('tool', tools, isCounted ? asking('tool', false) : undefined),
        directories: foundListings('directory', directories, isCounted ? asking('directory', false) : undefined),
        first,
      },
      match: matchOf(sums),
      unfound: unfoundOf({ q, searched: 'both', isCounted }, sums),
    }
  })

/**
 * How good the best match of a catalog is, as numbers, the most important first: whether there is one; whether the question is its whole
 * name; whether the question says that it asks for this catalog (`asksForIt`); whether the match has every word; how many words it has; and
 * the points of these words, by field and quality. Scores of partial matches are not compared, because they depend on how rare a word is in
 * each catalog. The tools come first when all numbers are equal.
 */
function strengthOf({ total, full, explained }: SearchResult<unknown>, asksForIt: boolean): readonly number[] {
  const best = explained?.hits[0] ?? []
  return [
    Number(total > 0),
    Number(explained?.isName ?? false),
    Number(asksForIt),
    Number(full > 0),
    best.length,
    pointsOfWords(best),
  ]
}

const pointsOfWords = (hits: readonly WordHit[]): number =>
  hits.reduce((sum, { field, quality }) => sum + (FIELD[field] ?? 0) + quality, 0)

function isStronger(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((value, index) => value !== other[index])
  return at !== -1 && (one[at] ?? 0) > (other[at] ?? 0)
}

/** A visitor who opens a result has rarely looked at more results than these. */
const MOST_LOOKED_AT = 100
/** The pages of results refuse a longer question. */
const LONGEST_QUESTION = 500

/** Whether the listing is among the first results of a question. */
export function isFoundBy({ taxonomy, ...catalogs }: Snapshot, kind: ListedKind, q: string, slug: string): boolean {
  if (q.length > LONGEST_QUESTION) return false
  const query = { q, partial: true, offset: 0, limit: MOST_LOOKED_AT, given: NO_FILTERS_GIVEN }
  return askIndex(kind, catalogs[TOPIC[kind]], taxonomy, query).result.items.some((one) => one.slug === slug)
}
