// Explains why a document has its place in a result, or is not in it. The parts of its score are computed again for one document at a time,
// so that an ordinary search does not have to record them; a property test checks that they add up to the score.
import {
  ENOUGH_WORDS,
  LEAST_WITH_WORDS,
  leastSimilarity,
  MEANING_POINTS,
  MOST_WITH_LITTLE,
  NEARNESS_POINTS,
} from './by-meaning.ts'
import {
  type ExplainedHit,
  type ExplainedWord,
  explainWords,
  fullHits,
  partialHits,
  type WordSources,
} from './explain-words.ts'
import type { Facets } from './facets.ts'
import type { NumberRange, RangedNumber, SearchIndex, SearchQuery, SearchResult } from './index-interface.ts'
import {
  COMPLETE,
  type Conditions,
  ENOUGH_MATCHES,
  isWithin,
  type Match,
  nameStems,
  preferredPoints,
  WHOLE_NAME,
} from './matching.ts'
import type { Order } from './order.ts'
import { LEAST_PART, LEAST_RARITY, neededWords, type RatedWord, rateWords, type WordTerms } from './partial.ts'
import type { PartialSelection } from './partial-selection.ts'
import type { Similarity } from './question-similarity.ts'
import { words } from './words.ts'

export interface MeaningPart {
  cosine: number
  points: number
}

export interface ExplainedDocument {
  /** `none`: it is not found; then the parts are those that it would have as a partial match by words. */
  match: 'full' | 'partial' | 'none'
  score: number
  hits: ExplainedHit[]
  /** Points because the question is the whole name; 0 otherwise. */
  wholeName: number
  /** Points of a full match for the labels that the query prefers, and for having the words of asking, if it has any of them. */
  preferred?: number
  /** By the built-in vectors. */
  meaning?: MeaningPart
  /** By the nearness that the caller of the search gave. */
  nearness?: MeaningPart
}

/** One of the reasons why a document is not found; all of them together keep it out. */
export type NotFoundReason =
  | { reason: 'filter'; label: string; has: boolean }
  | { reason: 'number'; range: NumberRange }
  | { reason: 'no_words' }
  | { reason: 'words_missing'; words: string[] }
  | { reason: 'partial_not_wanted' }
  | { reason: 'full_matches_enough'; full: number; because: 'count' | 'one_word' | 'name' }
  | { reason: 'no_counted_word' }
  | { reason: 'words_too_common'; rarity: number; least: number }
  | { reason: 'score_too_low'; score: number; least: number }
  | { reason: 'beyond_compared'; most: number }
  | { reason: 'other_sense'; cosine: number; least: number }
  | { reason: 'meaning_not_compared' }
  | { reason: 'meaning_too_far'; cosine: number; least: number }
  | { reason: 'not_among_nearest'; cosine: number }
  | { reason: 'little_of_question'; part: number; enough: number; most: number }
  | { reason: 'beyond_most'; place: number; most: number }

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

/** The documents of a page, by number. */
export interface Selection {
  documents: ArrayLike<number>
  total: number
  full: number
  /** Only when there may be partial matches. */
  partial?: PartialSelection
}

interface ExplainerSources extends WordSources {
  facets: Facets
  names: Facets
  numbers: Record<RangedNumber, readonly number[]>
  similarity: Similarity | undefined
  orderNamed(name: SearchQuery['order']): Order
  idOf(document: number): string
}

interface SearchSources<Item> extends ExplainerSources {
  match(conditions: Conditions): Match
  select(match: Match, query: SearchQuery): Selection
  numberOf(id: string): number | undefined
  itemOf(document: number): Item
}

/** A search that has been made, its arrays still valid. */
interface MadeSearch {
  query: SearchQuery
  match: Match
  /** The words of the question, whatever the filters. */
  all: readonly WordTerms[]
  /** Those of `all` that a full match must have. */
  required: readonly WordTerms[]
  partial: PartialSelection | undefined
  /** The same for every document, so it is worked out once. */
  rated: readonly RatedWord[]
  /** The list of documents whose whole name is the question. */
  wholeName: number | undefined
}

export const createExplainer =
  <Item>(sources: SearchSources<Item>): SearchIndex<Item>['explain'] =>
  (query, named) => {
    // Without the filters, because a filter that no document fulfils ends a search before its words are read.
    const { q, lenient } = query
    const all = sources.match({ q, lenient }).words ?? []
    const required = neededWords(all)
    const match = sources.match(query)
    const { documents, total, full, partial } = sources.select(match, query)
    const search: MadeSearch = {
      ...{ query, match, all, required, partial },
      rated: rateWords(all, sources.postings, sources.extent().size),
      wholeName: sources.names.list(nameStems(words(query.q ?? ''))),
    }
    const number = named === undefined ? undefined : sources.numberOf(named)
    return {
      items: Array.from(documents, sources.itemOf),
      total,
      full,
      words: explainWords(sources, query, all),
      documents: Array.from(required.length > 0 ? documents : [], (document, at) =>
        (query.offset + at < full ? explainFull : explainPartial)(sources, search, document),
      ),
      ...(number !== undefined && { named: arrangedPlace(sources, search, number) }),
    }
  }

/** `explainPlace`, with the place that `arrange` gives to a full match. A partial selection is arranged already. */
function arrangedPlace<Item>(sources: SearchSources<Item>, search: MadeSearch, document: number): ExplainedPlace {
  const explained = explainPlace(sources, search, document)
  const { place } = explained
  const { arrange } = search.query
  if (!arrange || search.partial || place === undefined) return explained
  const offset = Math.max(0, place - 1 - arrange.reach)
  const { documents } = sources.select(search.match, { ...search.query, offset, limit: 2 * arrange.reach + 1 })
  return { ...explained, place: offset + Array.from(documents).indexOf(document) + 1 }
}

function explainFull(
  sources: ExplainerSources,
  { query, match, all, required, wholeName }: MadeSearch,
  document: number,
): ExplainedDocument {
  const { prefer = [] } = query
  const isComplete =
    required.length < all.length &&
    fullHits(sources, all, document).every((hit, at) => hit !== undefined || required.includes(all[at]!))
  const preferred = prefer.reduce(
    (sum, label, at) => sum + (hasLabel(sources, document, label) ? preferredPoints(prefer, at) : 0),
    isComplete ? COMPLETE : 0,
  )
  return {
    match: 'full',
    score: match.scored?.score[document] ?? 0,
    hits: fullHits(sources, required, document).filter((hit) => hit !== undefined),
    wholeName: wholeName !== undefined && sources.names.listsOf.valuesOf(document).includes(wholeName) ? WHOLE_NAME : 0,
    ...(preferred > 0 && { preferred }),
  }
}

function explainPartial(sources: ExplainerSources, search: MadeSearch, document: number): ExplainedDocument {
  const { query, match, partial, rated } = search
  const cosine = cosineOf(sources, search, document)
  const average = partial?.averageNearness
  const near = average === undefined ? undefined : query.nearness?.(sources.idOf(document))
  return {
    match: 'partial',
    score: match.partial?.score[document] ?? 0,
    // The words of a document that was found by meaning alone add nothing.
    hits: partial?.byWords.includes(document) ? partialHits(sources, rated, document) : [],
    wholeName: 0,
    ...(cosine !== undefined && { meaning: { cosine, points: Math.round(MEANING_POINTS * cosine) } }),
    ...(average !== undefined &&
      near !== undefined && {
        nearness: { cosine: near, points: Math.round(NEARNESS_POINTS * (near - average)) },
      }),
  }
}

const cosineOf = ({ similarity }: ExplainerSources, { partial }: MadeSearch, document: number): number | undefined =>
  partial?.byMeaning ? similarity?.of(document) : undefined

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
    return { document: { match: 'none', score: sumOf(ownHits), hits: ownHits, wholeName: 0 }, lacks, reasons }
  }
  const filtered = filtersAgainst(sources, query, document)
  if (filtered.length > 0) return notFound(filtered)
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
    return notFound([missing, ...reasonsAgainst(sources, search, partial, document)])
  return {
    document: { ...explainPartial(sources, search, document), match: 'none' },
    lacks,
    reasons: [missing, leftOutOf(partial, document)],
  }
}

/** Why a partial match is not in the result. */
function leftOutOf({ telling, partOf, full, documents }: PartialSelection, document: number): NotFoundReason {
  const at = telling.indexOf(document)
  if (at !== -1) return { reason: 'beyond_most', place: full + at + 1, most: documents.length }
  const most = Math.min(telling.length, MOST_WITH_LITTLE)
  return { reason: 'little_of_question', part: partOf(document), enough: ENOUGH_WORDS, most }
}

/** Why neither the words of the document nor its meaning make it a partial match. */
function reasonsAgainst(
  sources: ExplainerSources,
  search: MadeSearch,
  { byWords }: PartialSelection,
  document: number,
): NotFoundReason[] {
  const ownHits = partialHits(sources, search.rated, document)
  const rarity = ownHits.reduce((sum, hit) => sum + (hit.rarity ?? 0), 0)
  const score = sumOf(ownHits)
  const least = Math.ceil((search.match.partial?.highest ?? 0) * LEAST_PART)
  const cosine = cosineOf(sources, search, document)
  const leastNear = leastSimilarity(search.match)
  const meaning: NotFoundReason =
    cosine === undefined
      ? { reason: 'meaning_not_compared' }
      : cosine < leastNear
        ? { reason: 'meaning_too_far', cosine, least: leastNear }
        : { reason: 'not_among_nearest', cosine }
  if (ownHits.length === 0) return [{ reason: 'no_counted_word' }, meaning]
  if (rarity < LEAST_RARITY) return [{ reason: 'words_too_common', rarity, least: LEAST_RARITY }, meaning]
  if (score < least) return [{ reason: 'score_too_low', score, least }, meaning]
  if (!byWords.includes(document)) return [{ reason: 'beyond_compared', most: byWords.length }, meaning]
  return [{ reason: 'other_sense', cosine: cosine ?? 0, least: LEAST_WITH_WORDS }]
}

const sumOf = (hits: readonly ExplainedHit[]): number => hits.reduce((sum, { points }) => sum + points, 0)

function filtersAgainst(
  sources: ExplainerSources,
  { all = [], any = [], none = [], ranges = [] }: Conditions,
  document: number,
): NotFoundReason[] {
  const has = (label: string) => hasLabel(sources, document, label)
  const lacking = [...all, ...any.filter((labels) => !labels.some(has)).map((labels) => labels.join(', '))]
  return [
    ...lacking.filter((label) => !has(label)).map((label) => ({ reason: 'filter' as const, label, has: false })),
    ...none.filter(has).map((label) => ({ reason: 'filter' as const, label, has: true })),
    ...ranges
      .filter((range) => !isWithin(range, sources.numbers[range.of][document]!))
      .map((range) => ({ reason: 'number' as const, range })),
  ]
}

function hasLabel({ facets }: ExplainerSources, document: number, label: string): boolean {
  const list = facets.list(label)
  return list !== undefined && facets.listsOf.valuesOf(document).includes(list)
}

/** The place of a match in a result without partial matches: one more than the number of matches before it. */
function placeOf({ orderNamed }: ExplainerSources, { match, query: { order } }: MadeSearch, document: number): number {
  let before = 0
  if (match.scored && (order === undefined || !match.words)) {
    const { documents, score } = match.scored
    const ranks = orderNamed(match.words ? 'popular-then-newest' : order).ranks()
    for (let at = 0; at < match.total; at++) {
      const more = score[documents[at]!]! - score[document]!
      if (more > 0 || (more === 0 && ranks[documents[at]!]! < ranks[document]!)) before++
    }
    return before + 1
  }
  for (const other of orderNamed(order).sequence()) {
    if (other === document) break
    if (match.holds(other)) before++
  }
  return before + 1
}
