// Reads the facts that a question states (facts.rules.ts) and the categories and tags that it names. The words of facts are taken out of
// the question; what is left is searched as words.
import { ALSO_ASKING, ASKING_WORDS, FUNCTION_WORDS, words } from '../../search/index.ts'
import type { GivenFilters } from './conditions.ts'
import {
  BETWEEN,
  BOUNDS,
  type Bound,
  CLOSED_LISTS,
  FACTS,
  type FactRow,
  type ListFilter,
  type Meaning,
  NEGATIONS,
  WORDINGS,
} from './facts.rules.ts'
import type { ListedKind } from './schema.ts'

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
  /** The values that come first, as facets. */
  first: readonly string[]
  /** The words of the rest, each a word that may be part of the name of a category or tag. */
  words: readonly string[]
  /** A word of the rest; one of several that hyphens join ("follow-up") with the others. */
  typedAt(place: number): string
  /** The question without the words of all facts about this filter; undefined when it states none. */
  withoutFacts(filter: string): string | undefined
  /** The question without some words of the rest, by their places in `words`. */
  withoutWords(places: readonly number[]): string
  /** What is left of the question when these words of the rest are those of a fact, too. */
  taking(places: readonly number[]): Pick<Understood, 'rest' | 'isFactsAlone'>
  /** The places of a negation before this word of the rest and of the words between them; empty without one. */
  negationBefore(place: number): readonly number[]
}

/** A longer question is searched as words. The parameters take no longer one. */
const LONGEST = 500

interface Token {
  word: string
  /** The part of the question that it comes from, by number. */
  part: number
  /** Whether the word begins a part. Only there may a fact begin or end, so that "follow-up" is no "follow". */
  isFirst: boolean
  /** Of the first word of a part with hyphens: the part written as one word. */
  joined?: string
  count: number
}

const SEPARATORS = /[\s,;/|()&"<>]+/
/** The signs that are read as words, and only beside a number: markup, arrows and names have such signs, too. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/(?:>=|≥|>)(?=\s?[$€£]?\s?\d)/g, ' over '],
  [/(?:<=|≤)(?=\s?[$€£]?\s?\d)/g, ' at most '],
  [/<(?=\s?[$€£]?\s?\d)/g, ' under '],
  [/[$€£](?=\s?\d)|(?<=\d\s?)[$€£]/g, ' dollars '],
  [/(?<=\d)\s?\+/g, ' plus '],
  [/(?<=\bdr)(?=\d)/gi, ' '],
  [/(?<=\d),(?=\d{3}(?!\d))/g, ''],
  [/(?<=\d)\s[-–]\s(?=\d)/g, '-'],
]

function tokensOf(q: string): { tokens: Token[]; parts: string[] } {
  const plain = SIGNS.reduce((text, [sign, word]) => text.replace(sign, word), q)
  const parts = plain.split(SEPARATORS).filter(Boolean)
  const tokens = parts.flatMap((text, part) => {
    const spellingWords = words(text)
    return spellingWords.map((word, at): Token => {
      const isFirst = at === 0
      return {
        word,
        part,
        isFirst,
        count: spellingWords.length,
        ...(isFirst && spellingWords.length > 1 && { joined: spellingWords.join('') }),
      }
    })
  })
  return { tokens, parts }
}

interface Spelling {
  row: FactRow
  words: readonly string[]
  isAfterNot: boolean
}

function expanded(spelling: string): string[][] {
  return spelling.split(' ').reduce<string[][]>(
    (before, word) => {
      const wordings = WORDINGS[word.slice(1, -1)]
      const ways = word.startsWith('{') && wordings ? wordings : [word]
      return before.flatMap((list) => ways.map((way) => [...list, ...way.split(' ').filter(Boolean)]))
    },
    [[]],
  )
}

/** By their first word, the longest first. */
const SPELLINGS: ReadonlyMap<string, readonly Spelling[]> = (() => {
  const all = FACTS.flatMap((row) => [
    ...row.said.flatMap(expanded).map((words): Spelling => ({ row, words, isAfterNot: false })),
    ...(row.saidAfterNot ?? []).flatMap(expanded).map((words): Spelling => ({ row, words, isAfterNot: true })),
  ])
  return Map.groupBy(
    all.toSorted((a, b) => b.words.length - a.words.length),
    ({ words: [first = ''] }) => first,
  )
})()

/** The words of facts, in whatever catalog: none of them is a misspelt word. */
export const FACT_WORDS: ReadonlySet<string> = new Set([...SPELLINGS.values()].flat().flatMap(({ words }) => words))

const NUMBER = /^\d{1,7}(?:\.\d{1,4})?$/

/** Where the spelling ends when it begins at a token, or undefined. `numbers`: those in it. */
function fitSpelling(tokens: readonly Token[], from: number, spelling: readonly string[]) {
  let at = from
  const numbers: number[] = []
  for (const word of spelling) {
    const token = tokens[at]
    if (!token) return undefined
    const isNumber = word === '#' || (word === '-#' && !token.isFirst)
    if (isNumber ? NUMBER.test(token.word) : token.word === word) {
      if (isNumber) numbers.push(Number(token.word))
      at++
    } else if (token.joined === word) at += token.count
    else return undefined
  }
  return tokens[at]?.isFirst === false ? undefined : { end: at, numbers }
}

interface FoundFact {
  row: FactRow
  meaning?: Meaning
  from: number
  end: number
  numbers: readonly number[]
  isNegated: boolean
}

/** The fact that begins at this token, the longest one. `isAfterNot`: whether a negation stands before it, which some spellings need. */
function factAt(kind: ListedKind, tokens: readonly Token[], from: number, isAfterNot = false): FoundFact | undefined {
  const token = tokens[from]
  if (!token?.isFirst) return undefined
  const begins = [token.word, token.joined ?? '', ...(NUMBER.test(token.word) ? ['#'] : [])]
  let best: FoundFact | undefined
  for (const { row, words, isAfterNot: only } of begins.flatMap((word) => SPELLINGS.get(word) ?? [])) {
    if (only && !isAfterNot) continue
    const fits = fitSpelling(tokens, from, words)
    if (!fits || (best && fits.end <= best.end)) continue
    if (row.notBefore?.includes(tokens[fits.end]?.word ?? '')) continue
    const meaning = row[kind]
    if (!isPossible(meaning, fits.numbers)) continue
    best = { row, meaning, from, ...fits, isNegated: isAfterNot }
  }
  return best
}

const isPossible = (meaning: Meaning | undefined, numbers: readonly number[]): boolean =>
  !meaning || 'filter' in meaning || Math.max(...numbers) <= BOUNDS[meaning.bound].most

/** A negation, words between, and the fact that it turns round. */
function negatedFactAt(kind: ListedKind, tokens: readonly Token[], from: number): FoundFact | undefined {
  if (!NEGATIONS.has(tokens[from]?.word ?? '')) return undefined
  for (let at = from + 1; at <= from + MOST_BETWEEN; at++) {
    const fact = factAt(kind, tokens, at, true)
    // What is not between two numbers is below one or above the other, which no filter says.
    if (fact) return { ...fact, from, ...(isBetween(fact.meaning) && { meaning: undefined }) }
    if (!BETWEEN.has(tokens[at]?.word ?? '')) return undefined
  }
  return undefined
}

const isBetween = (meaning: Meaning | undefined) => meaning && 'bound' in meaning && meaning.upTo !== undefined

/** How many words after a negation the fact may begin that it turns round. */
const MOST_BETWEEN = 4

/** Where the negation begins that, with the words between, ends before this token; the token itself without one. "no-code" has none. */
function negationEndingAt(tokens: readonly Token[], end: number): number {
  for (let at = end - 1; at >= end - MOST_BETWEEN; at--) {
    const { word = '', count = 0 } = tokens[at] ?? {}
    if (NEGATIONS.has(word)) return count === 1 ? at : end
    if (!BETWEEN.has(word)) return end
  }
  return end
}

/** A filter that the caller has set wins over a fact that it does not ensure: the words of that fact are plain words. */
export function understand(kind: ListedKind, q: string, given: GivenFilters): Understood {
  const { tokens, parts } = q.length > LONGEST ? { tokens: [], parts: [] } : tokensOf(q)
  const stated: FoundFact[] = []
  for (let at = 0; at < tokens.length; ) {
    // "no cost" is a spelling itself.
    const plain = factAt(kind, tokens, at)
    const negated = negatedFactAt(kind, tokens, at)
    const found = negated && negated.end > (plain?.end ?? 0) ? negated : plain
    const fact = found && inContext(found, stated.at(-1))
    if (fact?.meaning) stated.push(fact)
    at = fact ? fact.end : at + 1
  }
  const facts = withoutContradicted(stated, given)
  const placesOf = (some: readonly FoundFact[]) => some.flatMap(({ from, end }) => [...tokens.keys()].slice(from, end))
  const taken = new Set(placesOf(facts))
  const untaken = [...tokens.keys()].filter((at) => !taken.has(at))
  const words = untaken.flatMap((at) => tokens[at]?.word ?? [])
  const without = (places: readonly number[]) => typed(restOf(tokens, parts, new Set(places)))
  return {
    ...(facts.length === 0
      ? { ...NOTHING, rest: q }
      : { ...meaningOf(facts), rest: restOf(tokens, parts, taken), isFactsAlone: words.every(isFillerWord) }),
    words,
    typedAt: (place) => {
      const { word = '', part = 0, count = 1 } = tokens[untaken[place] ?? -1] ?? {}
      const isWhole = count > 1 && untaken.filter((at) => tokens[at]?.part === part).length === count
      return isWhole ? (parts[part] ?? '').toLowerCase().replace(AROUND, '') : word
    },
    withoutFacts: (filter) => {
      const places = placesOf(facts.filter(({ meaning }) => meaning && filterOf(meaning) === filter))
      return places.length > 0 ? without(places) : undefined
    },
    withoutWords: (places) => without(places.flatMap((at) => untaken[at] ?? [])),
    taking: (places) => ({
      rest: restOf(tokens, parts, new Set([...taken, ...places.flatMap((at) => untaken[at] ?? [])])),
      isFactsAlone: words.every((word, at) => places.includes(at) || isFillerWord(word)),
    }),
    negationBefore: (place) => {
      const end = untaken[place] ?? 0
      const from = tokens[end]?.isFirst ? negationEndingAt(tokens, end) : end
      return untaken.flatMap((at, one) => (at >= from && at < end ? one : []))
    },
  }
}

const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

/** A question as people type it: what SIGNS has written as words is a sign again, and no joining word is left at the end. */
const typed = (q: string): string =>
  q
    .replace(/\bdollars (?=\d)/g, '$')
    .replace(/(?<=\d) plus\b/g, '+')
    .replace(/(?: (?:and|or|but|with|for|from|of|on|in|to|a|an|the))+$/i, '')

/** One word, such as "and", may stand between. */
function inContext(fact: FoundFact, before: FoundFact | undefined): FoundFact {
  const { afterRating } = fact.row
  const isAfterRating =
    before?.meaning && filterOf(before.meaning) === BOUNDS.minDomainRating.filter && fact.from <= before.end + 1
  return afterRating && isAfterRating && isPossible(afterRating, fact.numbers)
    ? { ...fact, meaning: afterRating }
    : fact
}

const NOTHING = { isFactsAlone: false, values: {}, bounds: [], first: [] }

/** Whether a word says nothing about what is asked for, such as "best" or "tools". */
export const isFillerWord = (word: string): boolean =>
  FUNCTION_WORDS.has(word) || ASKING_WORDS.has(word) || ALSO_ASKING.has(word)

const filterOf = (meaning: Meaning): string => ('filter' in meaning ? meaning.filter : BOUNDS[meaning.bound].filter)

/** The parts of the question as they were typed, without the words that are taken. */
function restOf(tokens: readonly Token[], parts: readonly string[], taken: ReadonlySet<number>): string {
  const isTouched = new Set(tokens.flatMap(({ part }, at) => (taken.has(at) ? part : [])))
  return parts
    .map((text, part) =>
      isTouched.has(part)
        ? tokens.flatMap((token, at) => (token.part === part && !taken.has(at) ? token.word : [])).join(' ')
        : text,
    )
    .filter(Boolean)
    .join(' ')
}

/** The bounds that a fact names. */
function boundsOf({ meaning, numbers, isNegated }: FoundFact): StatedBound[] {
  if (!meaning || !('bound' in meaning)) return []
  const { bound, isBelow, upTo } = meaning
  const value = Math.min(...numbers)
  // What is not at least 60 is below 60.
  if (isNegated)
    return [{ bound: BOUNDS[bound].otherwise, value, ...(bound === 'minDomainRating' && { isBelow: true }) }]
  return [
    { bound, value, ...(isBelow && { isBelow }) },
    ...(upTo ? [{ bound: upTo, value: Math.max(...numbers) }] : []),
  ]
}

/** Of facts about one filter a listing must have one; facts that are turned round hold all together. */
function valuesOf(facts: readonly FoundFact[]): Understood['values'] {
  const values: Partial<Record<ListFilter, readonly string[]>> = {}
  for (const { meaning, isNegated } of facts.toSorted((a, b) => Number(a.isNegated) - Number(b.isNegated))) {
    if (!meaning || 'bound' in meaning) continue
    const { filter } = meaning
    const before = values[filter]
    // No value may be left: nothing is "not free and not paid".
    if (isNegated) values[filter] = (before ?? CLOSED_LISTS[filter]).filter((one) => !meaning.values.includes(one))
    else values[filter] = [...new Set([...(before ?? []), ...meaning.values])]
  }
  return values
}

/** The facts that no filter contradicts: where the caller has set the filter of a fact, the listings that it keeps all have the fact. */
function withoutContradicted(facts: readonly FoundFact[], given: GivenFilters): FoundFact[] {
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

const meaningOf = (facts: readonly FoundFact[]): Pick<Understood, 'values' | 'bounds' | 'first'> => ({
  values: valuesOf(facts),
  bounds: facts.flatMap(boundsOf),
  first: facts.flatMap(({ meaning, isNegated }) =>
    meaning && 'filter' in meaning && meaning.first && !isNegated ? `${meaning.filter}:${meaning.first}` : [],
  ),
})
