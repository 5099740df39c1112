// Why a search found a listing: which words of the question it has, where, and which it lacks. The site shows it beside the listing.
import { shortParts, type WordHit, words } from '../../../search/index.ts'
import type { Asked } from '../questions/question.ts'
import type { Listing } from '../rules.ts'
import type { Directory, ListedKind, Tool } from '../schema.ts'
import { quoteOf, termChecker } from './quote.rules.ts'

/** Why a listing was found. `hits` and `lacks` are words as the visitor typed them; the other words are as the listing has them. */
export interface Reason {
  /** The words of the question of which the index found a part; the part alone where the listing does not have the whole compound. */
  hits: string[]
  /**
   * For each word of the question that is not lacking, how the listing writes it: '' if only its search words, which are not shown, have
   * it, and as it was typed if the listing has another form of it only.
   */
  met: string[]
  /** The words found that its name shows. */
  named: string[]
  /** The words found that its other texts show, at most MOST_NAMED. */
  mentioned: string[]
  /** Whether the listing has a word of the question only among its search words, which are not shown. */
  hasUnshown: boolean
  /** The words of the question of which the listing has no form. A full match lacks none. At most MOST_NAMED. */
  lacks: string[]
  /** The words to mark in its texts. */
  terms: string[]
  /** A sentence of its description with such words; '' when name and tagline have them all. */
  quote: string
}

/** At most this many words are named that a listing mentions, and as many that it lacks. */
export const MOST_NAMED = 6

/** The fields of the index that these reasons tell apart; see `toolDocument` and `directoryDocument` (`rules.ts`). */
const NAME_FIELD = 0
const DESCRIPTION_FIELD = 2

/** A word that was asked for, with the words of the index that it stands for: "follow-up" is "follow" and "up" there. */
export interface AskedWord {
  word: string
  parts: readonly string[]
  /** Its parts of one or two letters, unless all are. Alone they say nothing: a listing with "made-up" does not mention "follow-up". */
  short: ReadonlySet<string>
  /** Finds a compound in a text, written as one word, with a hyphen or apart. */
  compound?: RegExp
}

/**
 * The words of a question that say what is asked for, each once, in the order of the question. "follow-up" is one word; "follow" is another
 * one only if it was typed alone, too. `typed`: the words as the visitor typed them; `asked`: the words that the index searched, with the
 * parts of compounds in place of these, and without words of asking.
 */
export function askedWords(typed: Asked['words'], asked: readonly string[]): AskedWord[] {
  const texts = [...new Set(typed.map(({ word }) => word))]
  const compounds = texts.flatMap((word) => {
    const parts = [...new Set(words(word))].filter((part) => asked.includes(part))
    const short = shortParts(word)
    const isShort = parts.every((part) => short.has(part))
    return parts.length > 1
      ? [{ word, parts, short: isShort ? new Set<string>() : short, compound: compoundPattern(word) }]
      : []
  })
  const single = [...new Set(asked)].filter(
    (word) => texts.includes(word) || !compounds.some(({ parts }) => parts.includes(word)),
  )
  const placeOf = ({ parts: [first = ''] }: AskedWord) => asked.indexOf(first)
  return [...compounds, ...single.map((word) => ({ word, parts: [word], short: new Set<string>() }))].sort(
    (one, other) => placeOf(one) - placeOf(other),
  )
}

/**
 * `found`: the searched words that the listing matches. Words of asking are not in `asked`, so they are no reason, and are not marked.
 * `hasForm`: whether the texts of the listing have a related form that search treats as another word ("summary" and "summarise").
 */
export function reasonFound(
  found: readonly WordHit[],
  asked: readonly AskedWord[],
  kind: ListedKind,
  listing: Listing,
  hasForm: (word: string) => boolean,
): Reason {
  const hasPart = (part: string) => found.some(({ word }) => word === part)
  const hasParts = ({ parts }: AskedWord) => parts.every(hasPart)
  let texts: string | undefined
  // A listing has a compound only where its parts are together: "Set things up" has "set" and "up", and does not have "set-up".
  const hasWord = (one: AskedWord) =>
    hasParts(one) && (!one.compound || one.compound.test((texts ??= textsOf(kind, listing))))
  const had = asked.filter(hasWord)
  const hadWith = (part: string) => had.filter(({ parts }) => parts.includes(part))
  const foundParts = found.filter(({ word }) =>
    asked.some(({ parts, short }) => parts.includes(word) && !short.has(word)),
  )
  const terms = [...new Set(foundParts.flatMap((hit) => hit.terms))]
  const description = foundParts.some(({ field }) => field === DESCRIPTION_FIELD) ? DESCRIPTION_OF[kind](listing) : ''
  const isInDescription = termChecker(description)
  /** For each hit the term of the listing that matches best. */
  const best = foundParts.flatMap(({ word, field, terms: [term] }) => (term === undefined ? [] : { word, field, term }))
  // Search words are in the same field as the description, and are not shown.
  const shown = best.filter(({ field, term }) => field !== DESCRIPTION_FIELD || isInDescription(term))
  const isNamed = ({ parts }: AskedWord) =>
    parts.every((part) => shown.some(({ word, field }) => word === part && field === NAME_FIELD))
  /** The terms of the listing that are shown in its name, or in its other texts; a compound stands for the terms of its parts. */
  const shownIn = (isName: boolean) => {
    const inField = shown.filter(({ field }) => (field === NAME_FIELD) === isName)
    const shownWords = inField.flatMap(({ word, term }) => {
      const compounds = hadWith(word).filter((one) => one.parts.length > 1 && (!isName || isNamed(one)))
      return compounds.length > 0 ? compounds.map((one) => one.word) : [term]
    })
    return [...new Set(shownWords)]
  }
  /** The words that were asked for with this part, or else the part itself. */
  const askedWith = (part: string) => {
    const whole = hadWith(part)
    return whole.length > 0 ? whole.map(({ word }) => word) : [part]
  }
  const lacked = asked.filter((one) => !hasParts(one) && !hasForm(one.word))
  /** What `met` has for a word. A compound whose parts are apart in the listing is named by those parts. */
  const metAs = (one: AskedWord) => {
    const isWhole = one.parts.length > 1 && had.includes(one)
    const shownTerms = shown.flatMap(({ word, term }) => (one.parts.includes(word) && !one.short.has(word) ? term : []))
    if (isWhole) return one.word
    if (shownTerms.length === 0) return hasParts(one) ? '' : one.word
    return [...new Set(shownTerms)].join(' ')
  }
  return {
    hits: [...new Set(foundParts.flatMap(({ word }) => askedWith(word)))],
    named: shownIn(true),
    mentioned: shownIn(false).slice(0, MOST_NAMED),
    terms,
    hasUnshown: shown.length < best.length,
    met: asked.filter((one) => !lacked.includes(one)).map(metAs),
    lacks: lacked.slice(0, MOST_NAMED).map(({ word }) => word),
    quote: description === '' ? '' : quoteOf(description, new Set(terms)),
  }
}

const DESCRIPTION_OF: Record<ListedKind, (listing: Listing) => string> = {
  tool: ({ json }) => (JSON.parse(json.toString()) as Tool).description,
  directory: ({ extras }) => (JSON.parse(extras.toString()) as Directory).fullDescription ?? '',
}

/** What readers see of a listing in a result, and its description. */
export function shownTextOf(kind: ListedKind, listing: Listing): string {
  const { name, tagline, smallDescription }: Partial<Tool & Directory> = JSON.parse(listing.json.toString())
  return [name, tagline, smallDescription, DESCRIPTION_OF[kind](listing)].join(' ')
}

/** The same with its terms. Read once for a listing: it may have a megabyte of texts, and a question several compounds. */
function textsOf(kind: ListedKind, listing: Listing): string {
  const { category, categories, tags = [] }: Partial<Tool & Directory> = JSON.parse(listing.json.toString())
  const terms = [category ?? [], categories ?? [], tags].flat().map(({ name }) => name)
  return [...terms, shownTextOf(kind, listing)].join('\n')
}

const compoundPattern = (word: string): RegExp =>
  new RegExp(
    words(word)
      .map((part) => RegExp.escape(part))
      .join('[^\\p{L}\\p{N}]?'),
    'iu',
  )
