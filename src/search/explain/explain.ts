// Explains a search: how its words were read, why each document of the page is in the result, and for a named document its place, or why it
// is not found.
import type { SearchIndex, SearchQuery, SearchResult } from '../index-interface.ts'
import { type Conditions, ENOUGH_MATCHES, type Match } from '../matching/matching.ts'
import { rateWords } from '../partial/partial.ts'
import type { PageSelection } from '../results/page-selection.ts'
import { neededWords } from '../terms/resolve-words.ts'
import { nameStems } from '../words/word-forms.ts'
import { words } from '../words/words.ts'
import {
  type ExplainedDocument,
  type ExplainerSources,
  explainFull,
  explainPartial,
  type MadeSearch,
} from './explain-document.ts'
import { type ExplainedWord, explainWords, fullHits, partialHits } from './explain-words.ts'
import {
  type NotFoundReason,
  pointsTogether,
  reasonLeftOut,
  reasonsAgainstPartial,
  unfulfilledFilters,
} from './not-found-reasons.ts'

export interface ExplainedPlace {
  /** Counted from 1; undefined when the document is not found. */
  place?: number
  document: ExplainedDocument
  /** The words that it lacks for a full match. */
  lacks: string[]
  /** Empty when it is found. */
  reasons: NotFoundReason[]
}

export interface Explanation<Item> extends SearchResult<Item> {
  words: ExplainedWord[]
  /** For each item; without words there is nothing to explain and the list is empty. */
  documents: ExplainedDocument[]
  /** Only when the caller names a document that the index has. */
  named?: ExplainedPlace
}

interface SearchSources<Item> extends ExplainerSources {
  match(conditions: Conditions): Match
  select(match: Match, query: SearchQuery): PageSelection
  numberOf(id: string): number | undefined
  itemOf(document: number): Item
}

export const createExplainer =
  <Item>(sources: SearchSources<Item>): SearchIndex<Item>['explain'] =>
  (query, named) => {
    // Without the filters, because a filter that no document fulfils ends a search before its words are read.
    const { q, lenient } = query
    const allWords = sources.match({ q, lenient }).words ?? []
    const required = neededWords(allWords)
    const match = sources.match(query)
    const { documents, total, full, partial } = sources.select(match, query)
    const search: MadeSearch = {
      ...{ query, match, allWords, required, partial },
      rated: rateWords(allWords, sources.postings, sources.extent().size),
      wholeName: sources.names.numberOf(nameStems(words(query.q ?? ''))),
    }
    const number = named === undefined ? undefined : sources.numberOf(named)
    return {
      items: Array.from(documents, sources.itemOf),
      total,
      full,
      words: explainWords(sources, query, allWords),
      documents: Array.from(required.length > 0 ? documents : [], (document, at) =>
        (query.offset + at < full ? explainFull : explainPartial)(sources, search, document),
      ),
      ...(number !== undefined && { named: arrangedPlace(sources, search, number) }),
    }
  }

/**
 * Like `explainPlace`, but with the place of a full match after `arrange` has moved it by at most `reach` places. The places of partial
 * matches include this already.
 */
function arrangedPlace<Item>(sources: SearchSources<Item>, search: MadeSearch, document: number): ExplainedPlace {
  const explained = explainPlace(sources, search, document)
  const { place } = explained
  const { arrange } = search.query
  if (!arrange || search.partial || place === undefined) return explained
  const offset = Math.max(0, place - 1 - arrange.reach)
  const { documents } = sources.select(search.match, { ...search.query, offset, limit: 2 * arrange.reach + 1 })
  return { ...explained, place: offset + Array.from(documents).indexOf(document) + 1 }
}

function explainPlace(sources: ExplainerSources, search: MadeSearch, document: number): ExplainedPlace {
  const { query, match, required, partial } = search
  const hits = fullHits(sources, required, document)
  const lacks = [...new Set(required.filter((_, at) => !hits[at]).map(({ word }) => word))]
  const found = (isFull: boolean): ExplainedPlace => ({
    place: partial ? partial.documents.indexOf(document) + 1 : placeOf(sources, search, document),
    document: (isFull ? explainFull : explainPartial)(sources, search, document),
    lacks,
    reasons: [],
  })
  const notFound = (reasons: NotFoundReason[]): ExplainedPlace => {
    const ownHits = partialHits(sources, search.rated, document)
    return { document: { match: 'none', score: pointsTogether(ownHits), hits: ownHits, wholeName: 0 }, lacks, reasons }
  }
  const unfulfilled = unfulfilledFilters(sources, query, document)
  if (unfulfilled.length > 0) return notFound(unfulfilled)
  if (query.q?.trim() && required.length === 0) return notFound([{ reason: 'no_words' }])
  if (lacks.length === 0) return found(true)
  if (partial?.documents.includes(document)) return found(false)

  const missing = { reason: 'words_missing', words: lacks } as const
  if (!partial && !query.partial) return notFound([missing, { reason: 'partial_not_wanted' }])
  if (!partial) {
    const because = match.total >= ENOUGH_MATCHES ? 'count' : match.isName ? 'name' : 'one_word'
    return notFound([missing, { reason: 'full_matches_enough', full: match.total, because }])
  }
  if (!partial.ranked.includes(document))
    return notFound([missing, ...reasonsAgainstPartial(sources, search, partial, document)])
  return {
    document: { ...explainPartial(sources, search, document), match: 'none' },
    lacks,
    reasons: [missing, reasonLeftOut(partial, document)],
  }
}

/** The place of a match in a result without partial matches: one more than the number of matches before it. */
function placeOf({ orderNamed }: ExplainerSources, { match, query: { order } }: MadeSearch, document: number): number {
  let before = 0
  // Sorted by score: a result by relevance, or by preferred labels if there are no words. Equal scores are sorted by ranks.
  if (match.scored && (order === undefined || !match.words)) {
    const { documents, score } = match.scored
    const ranks = orderNamed(match.words ? 'popular-then-newest' : order).ranks()
    for (let at = 0; at < match.total; at++) {
      const scoreDifference = score[documents[at]!]! - score[document]!
      if (scoreDifference > 0 || (scoreDifference === 0 && ranks[documents[at]!]! < ranks[document]!)) before++
    }
    return before + 1
  }
  for (const other of orderNamed(order).sequence()) {
    if (other === document) break
    if (match.holds(other)) before++
  }
  return before + 1
}
