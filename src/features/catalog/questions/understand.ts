// Reads what a question says about listings: the facts that it states (`find-facts.ts`), as filters. The words of facts are taken out of
// the question; the rest is searched as words, and may name categories and tags.
import { ALSO_ASKING, ASKING_WORDS, FUNCTION_WORDS } from '../../../search/index.ts'
import type { Taxonomy } from '../rules.ts'
import type { ListedKind } from '../schema.ts'
import { slugsSpelled, type TermMap } from '../terms/term-lists.ts'
import type { GivenFilters } from './conditions.ts'
import { BOUNDS, type Bound, CLOSED_LISTS, type ListFilter, NEGATIONS } from './facts.rules.ts'
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
  first: readonly string[]
  /** The words of the rest, each a word that may be part of the name of a category or tag. */
  words: readonly string[]
  /** A word of the rest as it was typed; one of several that hyphens join ("follow-up") with the others. */
  typedAt(place: number): string
  /** The question without the words of all facts about this filter; undefined when it states none. */
  withoutFacts(filter: string): string | undefined
  /** The question without some words of the rest, by their places in `words`. */
  withoutWords(places: readonly number[]): string
  /** What is left of the question when these words of the rest are taken out, too. */
  taking(places: readonly number[]): Pick<Understood, 'rest' | 'isFactsAlone'>
  /** The places of a negation before this word of the rest, and of the words between the two; empty without a negation. */
  negationBefore(place: number): readonly number[]
}

/** A longer question is searched as words alone. The parameters accept no longer one. */
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
    withoutFacts: (filter) => {
      const places = placesOf(facts.filter(({ meaning }) => meaning && filterOfMeaning(meaning) === filter))
      return places.length > 0 ? without(places) : undefined
    },
    withoutWords: (places) => without(places.flatMap((at) => untaken[at] ?? [])),
    taking: (places) => ({
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

const NOTHING = { isFactsAlone: false, values: {}, bounds: [], first: [] }

/** Whether a word says nothing about what is asked for, such as "best" or "tools". */
export const isFillerWord = (word: string): boolean =>
  FUNCTION_WORDS.has(word) || ASKING_WORDS.has(word) || ALSO_ASKING.has(word)

function boundsOf({ meaning, numbers, isNegated }: StatedFact): StatedBound[] {
  if (!meaning || !('bound' in meaning)) return []
  const { bound, isBelow, upTo } = meaning
  const value = Math.min(...numbers)
  // A number that is not at least 60 is below 60.
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

const meaningOf = (facts: readonly StatedFact[]): Pick<Understood, 'values' | 'bounds' | 'first'> => ({
  values: valuesOf(facts),
  bounds: facts.flatMap(boundsOf),
  first: facts.flatMap(({ meaning, isNegated }) =>
    meaning && 'filter' in meaning && meaning.first && !isNegated ? `${meaning.filter}:${meaning.first}` : [],
  ),
})

/** How many words the name of a category or tag may have; a longer name is not looked for. */
const LONGEST_NAME = 6

/** A name in the question, with the categories and tags that have it. */
export interface NamedTerms {
  /** The facets of the terms; empty when it is in doubt whether the name is meant. */
  labels: readonly string[]
  /** The places of its words in the question, and of the words of a negation before it. */
  places: readonly number[]
  /** Whether there is a negation before it. */
  isNot: boolean
}

/**
 * The categories and tags whose whole name is in the question, the longest names first. A name of one word counts only when the question
 * asks for nothing else: "speech to text" is not about the category Speech. After a negation it is found beside other words, too, but has
 * no facets then: "logos without design" may mean without skills in design. So its words are not searched, and no listing is left out.
 */
export function namedTermsIn(
  kind: ListedKind,
  /** Whether a listing has the facet. */
  isUsed: (label: string) => boolean,
  { categories, tags, directoryCategories }: Taxonomy,
  { words, negationBefore }: Understood,
  given: GivenFilters,
): NamedTerms[] {
  const lists: Record<string, TermMap<{ slug: string; name: string; adult?: boolean }>> = kind === 'tool'
    ? { category: categories, tag: tags }
    : { category: directoryCategories }
  // A filter that the caller has set is not read from the question.
  const asked = Object.entries(lists).filter(([filter]) => given(filter).length === 0)
  /** The places of the words of names that were found. */
  const taken = new Set<number>()
  const negations = words.map((_, at) => negationBefore(at))
  /** The words that say what is asked for, without those after a negation. A name without a negation is one of them itself. */
  const telling = words.filter((word, at) => !isFillerWord(word) && !NEGATIONS.has(word) && negations[at]?.length === 0)
  const found: NamedTerms[] = []
  for (let length = LONGEST_NAME; length > 0; length--)
    for (let from = 0; from + length <= words.length; from++) {
      const spelled = words.slice(from, from + length)
      const negation = negations[from] ?? []
      const isNot = negation.length > 0
      const isBesideOthers = length === 1 && telling.length > (isNot ? 0 : 1)
      if (isBesideOthers && !isNot) continue
      if (spelled.every(isFillerWord) || spelled.some((_, at) => taken.has(from + at))) continue
      const labels = asked.flatMap(([filter, terms]) =>
        slugsSpelled(terms, spelled)
          .filter((slug) => !terms.get(slug)?.adult)
          .map((slug) => `${filter}:${slug}`),
      )
      // A term without listings is no condition, because nothing would be found; after a negation it does no harm.
      const used = labels.filter((label) => isNot || isUsed(label))
      if (used.length === 0) continue
      const places = [...negation, ...spelled.map((_, at) => from + at)]
      found.push({ labels: isBesideOthers ? [] : used, places, isNot })
      for (const place of places) taken.add(place)
    }
  return found
}
