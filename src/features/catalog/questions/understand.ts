// Reads what a question says about listings: the facts that it states (`find-facts.ts`), as filters. The words of facts are taken out of
// the question; the rest is searched as words, and may name categories and tags
// (`named-terms.ts`).
import { ALSO_ASKING, ASKING_WORDS, FUNCTION_WORDS } from '../../../search/index.ts'
import type { ListedKind } from '../schema.ts'
import type { GivenFilters } from './conditions.ts'
import { BOUNDS, type Bound, CLOSED_LISTS, type ListFilter } from './facts.rules.ts'
import {
  asTyped,
  factsIn,
  filterOfMeaning,
  negationEndingAt,
  plainPart,
  type QuestionTokens,
  questionWithoutWords,
  type StatedFact,
  tokensOf,
} from './find-facts.ts'

interface StatedBound {
  bound: Bound
  value: number
  /** Less than the value. */
  isBelow?: boolean
}

export interface Understood {
  /** The question without the words of its facts. */
  rest: string
  /** Whether the rest says nothing more: it has only function words and words of asking. */
  isFactsAlone: boolean
  values: Partial<Record<ListFilter, readonly string[]>>
  bounds: readonly StatedBound[]
  /** The facets of listings that come first: of several values of a fact, the one that is preferred. */
  preferredFacets: readonly string[]
  /** The words of the rest, each a word that may be part of the name of a category or tag. */
  words: readonly string[]
  /** A word of the rest as it was typed. For a part of a hyphenated word it is the whole one ("follow-up"), if all parts are in the rest. */
  typedAt(place: number): string
  /** The question without the words of all facts about this filter; undefined when it states none. */
  questionWithoutFacts(filter: string): string | undefined
  /** The whole question, facts included, without some words of the rest, by their places in `words`. */
  withoutWords(places: readonly number[]): string
  /** What is left of the question when these words of the rest are taken out, too. */
  restWithout(places: readonly number[]): Pick<Understood, 'rest' | 'isFactsAlone'>
  /** The places of a negation before this word of the rest, and of the words between the two; empty without a negation. */
  negationBefore(place: number): readonly number[]
}

/** Facts are read in questions up to this length only. Parameters accept no longer one; callers inside the service may have one. */
const LONGEST = 500

/**
 * Reads a question. When the caller has set the filter of a fact, and listings that the filter keeps may lack the fact, the filter wins:
 * the words of that fact are searched as words.
 */
export function understand(kind: ListedKind, q: string, given: GivenFilters): Understood {
  const asked: QuestionTokens = q.length > LONGEST ? { tokens: [], parts: [] } : tokensOf(q)
  const { tokens, parts } = asked
  const facts = withoutContradicted(factsIn(kind, tokens), given)
  const placesOf = (some: readonly StatedFact[]) => some.flatMap(({ from, end }) => [...tokens.keys()].slice(from, end))
  const taken = new Set(placesOf(facts))
  /** The places of the words of the rest. */
  const untaken = [...tokens.keys()].filter((at) => !taken.has(at))
  const words = untaken.flatMap((at) => tokens[at]?.word ?? [])
  const without = (places: readonly number[]) => asTyped(questionWithoutWords(asked, new Set(places)))
  return {
    ...(facts.length === 0
      ? { ...NOTHING, rest: q }
      : { ...meaningOf(facts), rest: questionWithoutWords(asked, taken), isFactsAlone: words.every(isFillerWord) }),
    words,
    typedAt: (place) => {
      const { word = '', part = 0, count = 1 } = tokens[untaken[place] ?? -1] ?? {}
      const isWhole = count > 1 && untaken.filter((at) => tokens[at]?.part === part).length === count
      return isWhole ? plainPart(parts[part] ?? '') : word
    },
    questionWithoutFacts: (filter) => {
      const places = placesOf(facts.filter(({ meaning }) => meaning && filterOfMeaning(meaning) === filter))
      return places.length > 0 ? without(places) : undefined
    },
    withoutWords: (places) => without(places.flatMap((at) => untaken[at] ?? [])),
    restWithout: (places) => ({
      rest: questionWithoutWords(asked, new Set([...taken, ...places.flatMap((at) => untaken[at] ?? [])])),
      isFactsAlone: words.every((word, at) => places.includes(at) || isFillerWord(word)),
    }),
    negationBefore: (place) => {
      const end = untaken[place] ?? 0
      const from = tokens[end]?.isFirst ? negationEndingAt(tokens, end) : end
      return untaken.flatMap((at, one) => (at >= from && at < end ? one : []))
    },
  }
}

const NOTHING = { isFactsAlone: false, values: {}, bounds: [], preferredFacets: [] }

/** Whether a word says nothing about what is asked for, such as "best" or "tools". */
export const isFillerWord = (word: string): boolean =>
  FUNCTION_WORDS.has(word) || ASKING_WORDS.has(word) || ALSO_ASKING.has(word)

function boundsOf({ meaning, numbers, isNegated }: StatedFact): StatedBound[] {
  if (!meaning || !('bound' in meaning)) return []
  const { bound, isBelow, upTo } = meaning
  const value = Math.min(...numbers)
  // "not DR 60 or more" is below 60. The other bounds have no such form: negated they keep the number itself.
  if (isNegated)
    return [{ bound: BOUNDS[bound].otherwise, value, ...(bound === 'minDomainRating' && { isBelow: true }) }]
  return [
    { bound, value, ...(isBelow && { isBelow }) },
    ...(upTo ? [{ bound: upTo, value: Math.max(...numbers) }] : []),
  ]
}

/** For each filter, the values of which a listing must have one: the values that facts name, without the negated ones. */
function valuesOf(facts: readonly StatedFact[]): Understood['values'] {
  const values: Partial<Record<ListFilter, readonly string[]>> = {}
  // Negated facts take values out of those that the others name.
  const negatedLast = facts.toSorted((a, b) => Number(a.isNegated) - Number(b.isNegated))
  for (const { meaning, isNegated } of negatedLast) {
    if (!meaning || 'bound' in meaning) continue
    const { filter } = meaning
    const before = values[filter]
    // It may be that no value is left: "not free, not freemium and not paid".
    if (isNegated) values[filter] = (before ?? CLOSED_LISTS[filter]).filter((one) => !meaning.values.includes(one))
    else values[filter] = [...new Set([...(before ?? []), ...meaning.values])]
  }
  return values
}

/** The facts that no filter contradicts: when the caller has set the filter of a fact, all listings that the filter keeps have the fact. */
function withoutContradicted(facts: readonly StatedFact[], given: GivenFilters): StatedFact[] {
  const values = valuesOf(facts)
  const isKept = (filter: ListFilter) => {
    const named = values[filter]?.map((value) => value.toLowerCase())
    return given(filter).every((value) => named?.includes(value.toLowerCase()))
  }
  const isWithin = ({ bound, value, isBelow }: StatedBound) =>
    given(bound).every((text) => {
      const room = bound.startsWith('min') ? Number(text) - value : value - Number(text)
      return isBelow ? room > 0 : room >= 0
    })
  return facts.filter((fact) => {
    const { meaning } = fact
    return meaning && 'filter' in meaning ? isKept(meaning.filter) : boundsOf(fact).every(isWithin)
  })
}

const meaningOf = (facts: readonly StatedFact[]): Pick<Understood, 'values' | 'bounds' | 'preferredFacets'> => ({
  values: valuesOf(facts),
  bounds: facts.flatMap(boundsOf),
  preferredFacets: facts.flatMap(({ meaning, isNegated }) =>
    meaning && 'filter' in meaning && meaning.first && !isNegated ? `${meaning.filter}:${meaning.first}` : [],
  ),
})
