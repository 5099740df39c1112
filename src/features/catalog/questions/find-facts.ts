// Splits a question into words, finds the facts that it states, in the order of its words, and joins the words that are no facts again. The
// spellings of facts are in `facts.rules.ts`.
import { words } from '../../../search/index.ts'
import type { ListedKind } from '../schema.ts'
import { BOUNDS, FACTS, type FactRow, type Meaning, NEGATIONS, WORDINGS, WORDS_AFTER_NEGATION } from './facts.rules.ts'

export interface QuestionToken {
  word: string
  /** The number of the part that it comes from. A part is the text between two separators: "follow-up" is one part with two words. */
  part: number
  /** Whether the word is the first of its part. A fact consists of whole parts, so that "follow-up" does not contain "follow". */
  isFirst: boolean
  /** Only of the first word of a part with several words: the part as one word, so that "do-follow" fits the spelling "dofollow". */
  joined?: string
  /** How many words the part has. */
  count: number
}

/** A question in words and in parts. */
export interface QuestionTokens {
  tokens: readonly QuestionToken[]
  parts: readonly string[]
}

const SEPARATORS = /[\s,;/|()&"<>]+/
/** What is replaced before the question is split. Signs become words only beside a number, because markup and names have them, too. */
const REWRITES: readonly (readonly [RegExp, string])[] = [
  [/(?:>=|≥|>)(?=\s?[$€£]?\s?\d)/g, ' over '],
  [/(?:<=|≤)(?=\s?[$€£]?\s?\d)/g, ' at most '],
  [/<(?=\s?[$€£]?\s?\d)/g, ' under '],
  [/[$€£](?=\s?\d)|(?<=\d\s?)[$€£]/g, ' dollars '],
  [/(?<=\d)\s?\+/g, ' plus '],
  [/(?<=\bdr)(?=\d)/gi, ' '],
  [/(?<=\d),(?=\d{3}(?!\d))/g, ''],
  [/(?<=\d)\s[-–]\s(?=\d)/g, '-'],
]

export function tokensOf(q: string): QuestionTokens {
  const plain = REWRITES.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), q)
  const parts = plain.split(SEPARATORS).filter(Boolean)
  const tokens = parts.flatMap((text, part) => {
    const partWords = words(text)
    return partWords.map((word, at): QuestionToken => {
      const isFirst = at === 0
      return {
        word,
        part,
        isFirst,
        count: partWords.length,
        ...(isFirst && partWords.length > 1 && { joined: partWords.join('') }),
      }
    })
  })
  return { tokens, parts }
}

/** The question as it was typed, without the words at the places in `taken`. */
export function questionWithoutWords({ tokens, parts }: QuestionTokens, taken: ReadonlySet<number>): string {
  const partsWithTaken = new Set(tokens.flatMap(({ part }, at) => (taken.has(at) ? part : [])))
  return parts
    .map((text, part) =>
      partsWithTaken.has(part)
        ? tokens.flatMap((token, at) => (token.part === part && !taken.has(at) ? token.word : [])).join(' ')
        : text,
    )
    .filter(Boolean)
    .join(' ')
}

/** The text of a part in lower case, without the signs around it. */
export const plainPart = (text: string): string => text.toLowerCase().replace(SIGNS_AROUND, '')

const SIGNS_AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

/** The question as people type it: words that REWRITES made become signs again, and words such as "and" at its end are removed. */
export const asTyped = (q: string): string =>
  q
    .replace(/\bdollars (?=\d)/g, '$')
    .replace(/(?<=\d) plus\b/g, '+')
    .replace(/(?: (?:and|or|but|with|for|from|of|on|in|to|a|an|the))+$/i, '')

export interface StatedFact {
  row: FactRow
  /** Undefined when no filter of the catalog can say it. */
  meaning?: Meaning
  /** The places of its first word and after its last one. */
  from: number
  end: number
  numbers: readonly number[]
  /** Whether a negation turns it round. */
  isNegated: boolean
}

/** The facts that the question states. A fact that means nothing in this catalog is left out. */
export function factsIn(kind: ListedKind, tokens: readonly QuestionToken[]): StatedFact[] {
  const stated: StatedFact[] = []
  for (let at = 0; at < tokens.length; ) {
    const plain = factAt(kind, tokens, at)
    const negated = negatedFactAt(kind, tokens, at)
    // The longer of the two: "no cost" is itself the spelling of a fact.
    const found = negated && negated.end > (plain?.end ?? 0) ? negated : plain
    const fact = found && asRatingAfterRating(found, stated.at(-1))
    if (fact?.meaning) stated.push(fact)
    at = fact ? fact.end : at + 1
  }
  return stated
}

interface Spelling {
  row: FactRow
  words: readonly string[]
  /** Whether it counts only after a negation. */
  needsNegation: boolean
}

/** The spelling with each wording in place of its name in braces. */
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
const SPELLINGS: ReadonlyMap<string, readonly Spelling[]> = spellingsByFirstWord()

function spellingsByFirstWord(): Map<string, Spelling[]> {
  const all = FACTS.flatMap((row) => [
    ...row.said.flatMap(expanded).map((words): Spelling => ({ row, words, needsNegation: false })),
    ...(row.saidAfterNot ?? []).flatMap(expanded).map((words): Spelling => ({ row, words, needsNegation: true })),
  ])
  return Map.groupBy(
    all.toSorted((a, b) => b.words.length - a.words.length),
    ({ words: [first = ''] }) => first,
  )
}

/** The words of facts, in both catalogs: none of them is taken for a misspelt word. */
export const FACT_WORDS: ReadonlySet<string> = new Set([...SPELLINGS.values()].flat().flatMap(({ words }) => words))

const NUMBER = /^\d{1,7}(?:\.\d{1,4})?$/

/** Where the spelling ends when it begins at this token, and the numbers in it; undefined when the question does not have it there. */
function fitSpelling(tokens: readonly QuestionToken[], from: number, spelling: readonly string[]) {
  let at = from
  const numbers: number[] = []
  for (const word of spelling) {
    const token = tokens[at]
    if (!token) return undefined
    // '#' is a number; '-#' a number that a hyphen joins to the number before it.
    const isNumber = word === '#' || (word === '-#' && !token.isFirst)
    if (isNumber ? NUMBER.test(token.word) : token.word === word) {
      if (isNumber) numbers.push(Number(token.word))
      at++
    } else if (token.joined === word) {
      // The part written as one word: "do-follow" fits "dofollow".
      at += token.count
    } else return undefined
  }
  // A fact must not end inside a part.
  return tokens[at]?.isFirst === false ? undefined : { end: at, numbers }
}

/** The longest fact that begins at this token. `isAfterNot`: whether a negation is before it, which some spellings need. */
function factAt(
  kind: ListedKind,
  tokens: readonly QuestionToken[],
  from: number,
  isAfterNot = false,
): StatedFact | undefined {
  const token = tokens[from]
  if (!token?.isFirst) return undefined
  const begins = [token.word, token.joined ?? '', ...(NUMBER.test(token.word) ? ['#'] : [])]
  let best: StatedFact | undefined
  for (const { row, words, needsNegation } of begins.flatMap((word) => SPELLINGS.get(word) ?? [])) {
    if (needsNegation && !isAfterNot) continue
    const fits = fitSpelling(tokens, from, words)
    if (!fits || (best && fits.end <= best.end)) continue
    if (row.notBefore?.includes(tokens[fits.end]?.word ?? '')) continue
    const meaning = row[kind]
    if (!isPossible(meaning, fits.numbers)) continue
    best = { row, meaning, from, ...fits, isNegated: isAfterNot }
  }
  return best
}

/** Whether the filter accepts the numbers. */
const isPossible = (meaning: Meaning | undefined, numbers: readonly number[]): boolean =>
  !meaning || 'filter' in meaning || Math.max(...numbers) <= BOUNDS[meaning.bound].most

/** A negation that begins at this token, words between, and the fact that the negation turns round. */
function negatedFactAt(kind: ListedKind, tokens: readonly QuestionToken[], from: number): StatedFact | undefined {
  if (!NEGATIONS.has(tokens[from]?.word ?? '')) return undefined
  for (let at = from + 1; at <= from + MAX_NEGATION_DISTANCE; at++) {
    const fact = factAt(kind, tokens, at, true)
    // "not between 20 and 40" means below 20 or above 40. No filter can express that.
    if (fact) return { ...fact, from, ...(isRange(fact.meaning) && { meaning: undefined }) }
    if (!WORDS_AFTER_NEGATION.has(tokens[at]?.word ?? '')) return undefined
  }
  return undefined
}

const isRange = (meaning: Meaning | undefined) => meaning && 'bound' in meaning && meaning.upTo !== undefined

/** A negation turns round a fact that begins at most this many words after it. */
const MAX_NEGATION_DISTANCE = 4

/**
 * The place of the negation before `end`; only WORDS_AFTER_NEGATION may be between the two. Returns `end` if there is none, or if it is
 * part of a longer word ("no-code").
 */
export function negationEndingAt(tokens: readonly QuestionToken[], end: number): number {
  for (let at = end - 1; at >= end - MAX_NEGATION_DISTANCE; at--) {
    const { word = '', count = 0 } = tokens[at] ?? {}
    if (NEGATIONS.has(word)) return count === 1 ? at : end
    if (!WORDS_AFTER_NEGATION.has(word)) return end
  }
  return end
}

/**
 * After a fact about the Domain Rating, a bare number is a rating too: "DR over 40 and under 80". At most one word may be between the two.
 */
function asRatingAfterRating(fact: StatedFact, before: StatedFact | undefined): StatedFact {
  const { afterRating } = fact.row
  const isAfterRating =
    before?.meaning && filterOfMeaning(before.meaning) === BOUNDS.minDomainRating.filter && fact.from <= before.end + 1
  return afterRating && isAfterRating && isPossible(afterRating, fact.numbers)
    ? { ...fact, meaning: afterRating }
    : fact
}

export const filterOfMeaning = (meaning: Meaning): string =>
  'filter' in meaning ? meaning.filter : BOUNDS[meaning.bound].filter
