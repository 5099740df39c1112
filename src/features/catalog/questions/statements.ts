// What a question says, statement by statement, and its other words: the page of a search shows them, and lets the visitor leave out each.
// Answers of the API say it in the headers X-Catalog-Understood and X-Catalog-Missing.
import { type SearchResult, words } from '../../../search/index.ts'
import type { ListedKind } from '../schema.ts'
import type { GivenFilters } from './conditions.ts'
import { BOUNDS } from './facts.rules.ts'
import type { NamedTerms } from './named-terms.ts'
import { isFillerWord, type Understood, understand } from './understand.ts'

/** A filter with the value that the question states for it. */
export interface StatedPair {
  /** The filter under which the page shows it: the two bounds of one number are shown under one of them. */
  filter: string
  /** The name and the value as X-Catalog-Understood has them. */
  name: string
  value: string
  /** Both values that listings may have, when `value` is only the one whose listings come first. */
  alternatives?: readonly string[]
  /** Whether the number must be less than the value, and not at most the value. */
  isBelow?: boolean
  /** A category or tag that is not wanted. The header leaves it out. */
  isNot?: boolean
}

/** Something that the question says about listings: facts about one filter, or the name of a category or tag. */
export interface Statement {
  pairs: readonly StatedPair[]
  /** The question without its words; '' when that asks for nothing more. */
  rest: string
}

/** A word of the question that is part of no statement. */
export interface OtherWord {
  word: string
  /** The question without the word; '' when that asks for nothing more. */
  rest: string
  /** Whether no listing has it. */
  isUnknown: boolean
}

/** What the question says. `read`: the question, whose rest lacks the terms that are not wanted; `named`: all terms that it names. */
export function statementsIn(
  kind: ListedKind,
  q: string,
  given: GivenFilters,
  read: Understood,
  named: readonly NamedTerms[],
  { missing = [] }: SearchResult<unknown>,
): { stated: readonly Statement[]; words: readonly OtherWord[] } {
  const facts = Map.groupBy(pairsNotGiven(read, given), ({ filter }) => filter)
  const isNamed = new Set(named.flatMap(({ places }) => places))
  /** For each word as it was typed its places in the question. The key '' has the places of all words that belong to names. */
  const placesOfWord = Map.groupBy(read.words.keys(), (at) => (isNamed.has(at) ? '' : read.typedAt(at)))
  return {
    stated: [
      ...[...facts].map(([filter, pairs]) => ({
        pairs,
        rest: askedOrNothing(questionWithout(kind, q, filter, given)),
      })),
      ...named
        .filter(({ labels }) => labels.length > 0)
        .map(({ labels, places, isNot }) => ({
          pairs: labels.map((label) => ({ ...pairOf(label), ...(isNot && { isNot }) })),
          rest: askedOrNothing(read.withoutWords(places)),
        })),
    ].slice(0, MOST_STATED),
    words: [...placesOfWord]
      .filter(([word]) => word !== '' && !isFillerWord(word))
      .slice(0, MOST_WORDS)
      .map(([word, at]) => ({
        word,
        rest: askedOrNothing(read.withoutWords(at)),
        isUnknown: at.some((place) => missing.includes(read.words[place] ?? '')),
      })),
  }
}

/** The page of a search says something about this many words. */
const MOST_WORDS = 8
/** For each statement, a search of its own counts what the question finds without it. */
const MOST_STATED = 5

/** The question, or '' when it says nothing about what is asked for. */
const askedOrNothing = (q: string): string => (words(q).every(isFillerWord) ? '' : q)

/** Without the words of a fact, a question may state another fact about the same filter: "costs (free) nothing". So it is read again. */
function questionWithout(kind: ListedKind, q: string, filter: string, given: GivenFilters): string {
  const rest = understand(kind, q, given).questionWithoutFacts(filter)
  return rest === undefined ? q : questionWithout(kind, rest, filter, given)
}

/** What the question says beyond the filters that the caller has set. */
export const pairsNotGiven = (read: Understood, given: GivenFilters): StatedPair[] =>
  pairsOf(read).filter(({ name }) => given(name).length === 0)

/** The facts of a question as pairs. `only`: of the values of one filter, the one whose listings come first. */
const pairsOf = ({ values, bounds, preferredFacets }: Understood): StatedPair[] => [
  ...Object.entries(values).map(([name, named]) => {
    const only = preferredFacets.find((label) => label.startsWith(`${name}:`))?.slice(name.length + 1)
    if (only === undefined || named.length !== 2) return { filter: name, name, value: named.join(',') }
    return { filter: name, name, value: only, alternatives: named }
  }),
  ...bounds.map(({ bound, value, isBelow }) => ({
    filter: BOUNDS[bound].filter,
    name: bound,
    value: String(value),
    ...(isBelow && { isBelow }),
  })),
]

export const pairOf = (label: string): StatedPair => {
  const [name = '', value = ''] = label.split(':', 2)
  return { filter: name, name, value }
}

/**
 * What was understood, as `name=value` with the names of filters, each value as the filter takes it. '' when nothing was understood. When a
 * question rules out every value of a filter, the filter cannot say so, and is left out. `terms`: the facets of categories and tags.
 */
export const understoodHeader = (read: Understood, terms: readonly string[], given: GivenFilters): string =>
  inHeader(
    [...pairsNotGiven(read, given), ...terms.map(pairOf)].flatMap(({ name, value, isBelow }) =>
      value === '' ? [] : `${name}=${encodeURIComponent(isBelow ? justBelow(Number(value)) : value)}`,
    ),
    ', ',
  )

/** Domain Ratings have one decimal, so no rating is between this value and the bound. */
const justBelow = (value: number): number => Math.max(0, Number((value - 0.01).toFixed(2)))

const MOST_MISSING = 5

/** Longer words are left out, because no client would show them. */
const LONGEST_MISSING = 40

/** The words that no listing has; '' with a full match. */
export const missingHeader = ({ missing = [] }: SearchResult<unknown>): string =>
  inHeader(
    missing
      .filter((word) => word.length <= LONGEST_MISSING)
      .slice(0, MOST_MISSING)
      .map(encodeURIComponent),
    ',',
  )

/** Clients and proxies refuse answers with long headers. */
const LONGEST_HEADER = 1_024

/** The distinct values, up to the first for which the header has no room. The values are percent-encoded. */
function inHeader(values: readonly string[], separator: string): string {
  let text = ''
  for (const value of new Set(values)) {
    const longer = text === '' ? value : `${text}${separator}${value}`
    if (longer.length > LONGEST_HEADER) break
    text = longer
  }
  return text
}
