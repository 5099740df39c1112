// Why a document is not in a result.
import type { NumberRange } from '../index-interface.ts'
import { isWithin } from '../matching/match-stages.ts'
import type { Conditions } from '../matching/matching.ts'
import { ENOUGH_WORDS, LEAST_WITH_WORDS, leastSimilarity, MOST_WITH_LITTLE } from '../partial/by-meaning.ts'
import { LEAST_PART, LEAST_RARITY } from '../partial/partial.ts'
import type { PartialSelection } from '../partial/partial-selection.ts'
import { type ExplainerSources, hasLabel, type MadeSearch, meaningCosine } from './explain-document.ts'
import { type ExplainedHit, partialHits } from './explain-words.ts'

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
  /** It has enough points, but this many other documents come before it, and no more were compared. */
  | { reason: 'beyond_compared'; most: number }
  | { reason: 'other_sense'; cosine: number; least: number }
  | { reason: 'meaning_not_compared' }
  | { reason: 'meaning_too_far'; cosine: number; least: number }
  /** Its meaning is near enough, but the sketches of other documents are nearer, and only the nearest were compared. */
  | { reason: 'not_among_nearest'; cosine: number }
  /** It has less than `enough` of what is asked for, and is not among the `most` best, which may have less. */
  | { reason: 'little_of_question'; part: number; enough: number; most: number }
  /** It is a partial match, but the result ends before its place. */
  | { reason: 'beyond_most'; place: number; most: number }

/** The filters of the query that the document does not fulfil. */
export function unfulfilledFilters(
  sources: ExplainerSources,
  { all = [], any = [], none = [], ranges = [] }: Conditions,
  document: number,
): NotFoundReason[] {
  const has = (label: string) => hasLabel(sources, document, label)
  const lacking = [
    ...all.filter((label) => !has(label)),
    ...any.filter((labels) => !labels.some(has)).map((labels) => labels.join(', ')),
  ]
  return [
    ...lacking.map((label) => ({ reason: 'filter' as const, label, has: false })),
    ...none.filter(has).map((label) => ({ reason: 'filter' as const, label, has: true })),
    ...ranges
      .filter((range) => !isWithin(range, sources.numbers[range.of][document]!))
      .map((range) => ({ reason: 'number' as const, range })),
  ]
}

/** Why neither its words nor its meaning make the document a partial match. */
export function reasonsAgainstPartial(
  sources: ExplainerSources,
  search: MadeSearch,
  { byWords }: PartialSelection,
  document: number,
): NotFoundReason[] {
  const ownHits = partialHits(sources, search.rated, document)
  const rarity = ownHits.reduce((sum, hit) => sum + (hit.rarity ?? 0), 0)
  const score = pointsTogether(ownHits)
  const least = Math.ceil((search.match.partial?.highest ?? 0) * LEAST_PART)
  const cosine = meaningCosine(sources, search, document)
  const meaning = reasonOfMeaning(cosine, leastSimilarity(search.match))
  if (ownHits.length === 0) return [{ reason: 'no_counted_word' }, meaning]
  if (rarity < LEAST_RARITY) return [{ reason: 'words_too_common', rarity, least: LEAST_RARITY }, meaning]
  if (score < least) return [{ reason: 'score_too_low', score, least }, meaning]
  if (!byWords.includes(document)) return [{ reason: 'beyond_compared', most: byWords.length }, meaning]
  // Of the documents in `byWords`, `addMeaning` drops only those whose meaning is too far away.
  return [{ reason: 'other_sense', cosine: cosine ?? 0, least: LEAST_WITH_WORDS }]
}

/** Why its meaning alone does not make a document a partial match. */
function reasonOfMeaning(cosine: number | undefined, least: number): NotFoundReason {
  if (cosine === undefined) return { reason: 'meaning_not_compared' }
  return cosine < least ? { reason: 'meaning_too_far', cosine, least } : { reason: 'not_among_nearest', cosine }
}

/** Why a partial match that was ranked is not in the result. */
export function reasonLeftOut(
  { enoughOfQuestion, shareOfQuestion, full, documents }: PartialSelection,
  document: number,
): NotFoundReason {
  const at = enoughOfQuestion.indexOf(document)
  if (at !== -1) return { reason: 'beyond_most', place: full + at + 1, most: documents.length }
  const most = Math.min(enoughOfQuestion.length, MOST_WITH_LITTLE)
  return { reason: 'little_of_question', part: shareOfQuestion(document), enough: ENOUGH_WORDS, most }
}

export const pointsTogether = (hits: readonly ExplainedHit[]): number =>
  hits.reduce((sum, { points }) => sum + points, 0)
