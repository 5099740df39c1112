// A search with a question: what the question says in facts is a condition like a filter, the rest is searched as words. REST, MCP, the
// site and the operator's explanation all search through `askIndex`, so that they agree.
import { isDeepStrictEqual } from 'node:util'
import { MOST_PREFERRED, type SearchQuery, type SearchResult, words } from '../../search/index.ts'
import { MOST_PLACES, orderByOpenings } from '../learning/rules.ts'
import { conditions, type GivenFilters, RANGES } from './conditions.ts'
import { BOUNDS, NEGATIONS } from './facts.rules.ts'
import type { ListingIndex } from './listing-states.ts'
import type { Listing, Taxonomy } from './rules.ts'
import type { ListedKind } from './schema.ts'
import { slugsSpelled, type TermMap } from './term-lists.ts'
import { FACT_WORDS, isFillerWord, type Understood, understand } from './understand.ts'

export interface Question extends SearchQuery {
  /** off: the question is searched as words alone. */
  facts?: 'on' | 'off'
  given: GivenFilters
}

/** Something that the question says about listings: facts about one filter, or the name of a category or tag. */
export interface Statement {
  /**
   * As in X-Catalog-Understood; `isBelow`: less than the value; `isNot`: a category or tag that is not wanted, which the header leaves out.
   * `filter`: the one of readers that it belongs to. `alternatives`: all values, where the header has only the one that is preferred.
   */
  pairs: readonly {
    filter: string
    name: string
    value: string
    alternatives?: readonly string[]
    isBelow?: boolean
    isNot?: boolean
  }[]
  /** The question without its words; '' when that asks for nothing more. */
  rest: string
}

export interface Asked {
  result: SearchResult<Listing>
  /** The query that gave the result. */
  query: SearchQuery
  /** What was understood, as filters; '' when nothing was. */
  understood: string
  /** The words that no listing has, separated by commas; '' with a full match. */
  missing: string
  /** With `explain`: what was understood, statement by statement, and the other words; `isUnknown`: no listing has it. */
  stated: readonly Statement[]
  words: readonly { word: string; rest: string; isUnknown: boolean }[]
  /** The misspelt words of the question, with those that were searched for instead. */
  respelt: readonly { typed: string; meant: string }[]
  /** Whether the listings have the facts. */
  keepsFacts: boolean
  /** With `explain`, where they do not have them: whether others have all of the facts, without the words. */
  othersHaveFacts?: boolean
  /** Whether the result would still be the same; undefined: it holds until the next change. */
  stillHolds?: () => boolean
}

/** Searches, and moves the listings that visitors open after this question. */
export function askIndex(kind: ListedKind, listings: ListingIndex, taxonomy: Taxonomy, question: Question): Asked {
  const { q = '' } = question
  const opened = listings.openedAfter?.(q)
  const arrange: SearchQuery['arrange'] = opened && {
    reach: MOST_PLACES,
    order: (ids) => orderByOpenings(ids.map((id) => opened.get(id) ?? 0)),
  }
  const asked = ask(kind, listings, taxonomy, { ...question, arrange })
  return whileHolds(asked, () => listings.openedAfter?.(q) === opened)
}

/** `isRespelt`: the words that were misspelt have been replaced. */
function ask(
  kind: ListedKind,
  listings: ListingIndex,
  taxonomy: Taxonomy,
  { facts, given, ...query }: Question,
  isRespelt = false,
): Asked {
  const { index } = listings
  const { q = '' } = query
  if (facts === 'off' || q.trim() === '') return withoutFacts(listings, query)
  // A reader who types the whole name of a listing looks for that listing, whatever facts its name seems to state.
  if (index.isName(q)) return whileNamed(listings, q, withoutFacts(listings, query))
  const said = understand(kind, q, given)
  const counted = new Map<string, boolean>()
  const isUsed = (label: string): boolean => {
    const isAny = index.count(label) > 0
    counted.set(label, isAny)
    return isAny
  }
  const named = termsIn(kind, isUsed, taxonomy, said, given)
  const [wanted, unwanted] = [named.filter(({ isNot }) => !isNot), named.filter(({ isNot }) => isNot)]
  const read = unwanted.length > 0 ? { ...said, ...said.taking(unwanted.flatMap(({ places }) => places)) } : said
  const terms = wanted.flatMap(({ labels }) => labels)
  const understood = textOf(read, terms, given)
  const none = unwanted.flatMap(({ labels }) => labels)
  const { first, withoutFacts: others } = readings(kind, query, read, terms, none)
  const misspelt = (isBold: boolean) => (isRespelt ? [] : misspeltIn(index, read, first, isBold))
  const askMeant = (respelt: Asked['respelt']): Asked | undefined =>
    respelt.length === 0
      ? undefined
      : { ...ask(kind, listings, taxonomy, { ...query, facts, given, q: withWords(q, respelt) }, true), respelt }
  const typed = misspelt(false)
  const meant = askMeant(typed)
  const isReadAlike = (hasUnknown: boolean) =>
    [...counted].every(([label, wasUsed]) => index.count(label) > 0 === wasUsed) &&
    (!hasUnknown || isDeepStrictEqual(misspelt(false), typed))
  // What was probably meant is right only if listings match every word of it.
  if (meant && meant.result.full > 0)
    return whileNamed(
      listings,
      q,
      whileHolds(meant, () => isReadAlike(true)),
    )
  let asked = found(index, first)
  const meantBoldly = asked.result.total === 0 ? askMeant(misspelt(true)) : undefined
  // It holds until the next change: then listings may have what was typed.
  if (meantBoldly && meantBoldly.result.full > 0) return { ...meantBoldly, stillHolds: undefined }
  const lacking = asked.result.total === 0 && others ? found(index, others) : asked
  if (lacking.result.total > 0) asked = lacking
  const result = asked.query === others ? { ...asked.result, full: 0 } : asked.result
  const dependsOn = [...new Set([asked.result.dependsOn, lacking.result.dependsOn])].flatMap((one) => one ?? [])
  const hasUnknown = dependsOn.some((one) => one.hasUnknown)
  // Where nothing was found, an unknown word is compared with all terms.
  const isKept =
    asked.query === first && asked.result.dependsOn && lacking.result.dependsOn && (result.total > 0 || !hasUnknown)
  const stillHolds = () =>
    isReadAlike(hasUnknown) && (!meant || meant.stillHolds?.() === true) && dependsOn.every(index.stillHolds)
  return whileNamed(listings, q, {
    result,
    query: asked.query,
    understood,
    missing: missingIn(result),
    keepsFacts: asked.query !== others,
    respelt: [],
    ...(query.explain &&
      asked.query === others && { othersHaveFacts: index.find({ ...first, q: undefined, limit: 0 }).total > 0 }),
    ...(query.explain ? statements(kind, q, given, read, named, result) : NOT_EXPLAINED),
    ...(isKept && { stillHolds }),
  })
}

function withoutFacts({ index }: ListingIndex, query: SearchQuery): Asked {
  const result = index.find(query)
  const { dependsOn } = result
  return {
    ...{ result, query, understood: '', missing: '', keepsFacts: true, respelt: [], ...NOT_EXPLAINED },
    ...(dependsOn && { stillHolds: () => index.stillHolds(dependsOn) }),
  }
}

const NOT_EXPLAINED = { stated: [], words: [] }

function statements(
  kind: ListedKind,
  q: string,
  given: GivenFilters,
  read: Understood,
  named: readonly NamedTerms[],
  { missing = [] }: SearchResult<unknown>,
): Pick<Asked, 'stated' | 'words'> {
  const facts = Map.groupBy(newPairsOf(read, given), ({ filter }) => filter)
  const isNamed = new Set(named.flatMap(({ places }) => places))
  const places = Map.groupBy(read.words.keys(), (at) => (isNamed.has(at) ? '' : read.typedAt(at)))
  return {
    stated: [
      ...[...facts].map(([filter, pairs]) => ({ pairs, rest: saying(questionWithout(kind, q, filter, given)) })),
      ...named
        .filter(({ labels }) => labels.length > 0)
        .map(({ labels, places, isNot }) => ({
          pairs: labels.map((label) => ({ ...pairOf(label), ...(isNot && { isNot }) })),
          rest: saying(read.withoutWords(places)),
        })),
    ].slice(0, MOST_STATED),
    words: [...places]
      .filter(([word]) => word !== '' && !isFillerWord(word))
      .slice(0, MOST_WORDS)
      .map(([word, at]) => ({
        word,
        rest: saying(read.withoutWords(at)),
        isUnknown: at.some((place) => missing.includes(read.words[place] ?? '')),
      })),
  }
}

/** The page says of this many words what became of them. */
const MOST_WORDS = 8
/** Each is counted by a search of its own. */
const MOST_STATED = 5

/** The question, or '' when it says nothing about what is asked for. */
const saying = (q: string): string => (words(q).every(isFillerWord) ? '' : q)

/** Without some of its words a question may state another fact about the same filter: "costs (free) nothing". */
function questionWithout(kind: ListedKind, q: string, filter: string, given: GivenFilters): string {
  const rest = understand(kind, q, given).withoutFacts(filter)
  return rest === undefined ? q : questionWithout(kind, rest, filter, given)
}

/** Whether the question is the name of a listing decides how it is read. */
function whileNamed({ index }: ListingIndex, q: string, asked: Asked): Asked {
  const isName = index.isName(q)
  return whileHolds(asked, () => index.isName(q) === isName)
}

/** The answer holds no longer than the condition. */
const whileHolds = ({ stillHolds, ...asked }: Asked, condition: () => boolean): Asked =>
  stillHolds ? { ...asked, stillHolds: () => condition() && stillHolds() } : asked

const found = (index: ListingIndex['index'], query: SearchQuery) => ({ query, result: index.find(query) })

/** The misspelt words of a short question, with those that were probably meant. */
function misspeltIn(
  index: ListingIndex['index'],
  { words: typed }: Understood,
  { q, spelt }: SearchQuery,
  isBold: boolean,
): Asked['respelt'] {
  const isShort = typed.filter((word) => !isFillerWord(word)).length <= MOST_RESPELT
  const meant = isShort && q !== undefined ? index.respelt(q, isBold, spelt)?.split(' ') : undefined
  return words(meant ? (q ?? '') : '').flatMap((word, at) => {
    const other = meant?.[at] ?? word
    return other === word ? [] : { typed: word, meant: other }
  })
}

/** The question with its misspelt words replaced, to be read anew: the right word may state a fact or name a category. */
const withWords = (q: string, respelt: Asked['respelt']): string =>
  q.replace(/[\p{L}\p{M}\p{N}'’]+/gu, (text) => {
    const word = words(text).join('')
    return respelt.find(({ typed }) => typed === word)?.meant ?? text
  })

/** The way to read the question, and one for when that finds nothing: listings that lack a fact are shown as partial matches. */
function readings(
  kind: ListedKind,
  query: SearchQuery,
  read: Understood,
  terms: readonly string[],
  unwanted: readonly string[],
): { first: SearchQuery; withoutFacts?: SearchQuery } {
  const lenient = { ...query, q: read.rest, lenient: true, spelt: FACT_WORDS }
  const hasFacts = Object.keys(read.values).length + read.bounds.length + unwanted.length > 0
  const found = conditions(labelled(read.values), { adult: true })
  const withFacts = {
    ...lenient,
    all: [...(query.all ?? []), ...found.all],
    any: [...(query.any ?? []), ...found.any],
    none: [...(query.none ?? []), ...unwanted],
    ranges: [...(query.ranges ?? []), ...read.bounds.map(({ bound, value, isBelow }) => RANGES[bound](value, isBelow))],
    ...preferring(query, [...read.first, ...terms]),
  }
  if (read.isFactsAlone) return { first: { ...withFacts, q: undefined, order: query.order ?? ORDER_OF_FACTS[kind] } }
  return { first: withFacts, ...(hasFacts && query.partial && { withoutFacts: lenient }) }
}

/** Of a longer question not every word is misspelt; each costs a look at all words of the catalog. */
const MOST_RESPELT = 4

/** A chosen order holds for all of the result. */
const preferring = ({ order }: SearchQuery, labels: readonly string[]): Pick<SearchQuery, 'prefer'> =>
  order === undefined && labels.length > 0 ? { prefer: [...new Set(labels)].slice(0, MOST_PREFERRED) } : {}

/** The order of listings that have the facts of a question without other words, as of equally relevant ones. */
const ORDER_OF_FACTS = { tool: 'popular-then-newest', directory: 'default' } as const satisfies Record<
  ListedKind,
  SearchQuery['order']
>

/** Facets have link types in lower case. */
const labelled = ({ type, ...values }: Understood['values']) => ({
  ...values,
  ...(type && { type: type.map((one) => one.toLowerCase()) }),
})

/** In words: a longer name of a term is not looked for. */
const LONGEST_NAME = 6

/** The facets of a name in the question, none in doubt, and the places of its words; `isNot`: with those of a negation before it. */
interface NamedTerms {
  labels: readonly string[]
  places: readonly number[]
  isNot: boolean
}

/**
 * The facets of the categories and tags whose whole name is in the question, those with the longest names first. A name of one word counts
 * only when nothing else is asked for: "speech to text" is not about the category Speech. After a negation it is then no wish either, and
 * leaves nothing out: "logos without design" may mean without skills in it.
 */
function termsIn(
  kind: ListedKind,
  isUsed: (label: string) => boolean,
  { categories, tags, directoryCategories }: Taxonomy,
  { words, negationBefore }: Understood,
  given: GivenFilters,
): NamedTerms[] {
  const lists: Record<string, TermMap<{ slug: string; name: string; adult?: boolean }>> = kind === 'tool'
    ? { category: categories, tag: tags }
    : { category: directoryCategories }
  const asked = Object.entries(lists).filter(([filter]) => given(filter).length === 0)
  const isTaken = new Set<number>()
  const negations = words.map((_, at) => negationBefore(at))
  const telling = words.filter((word, at) => !isFillerWord(word) && !NEGATIONS.has(word) && negations[at]?.length === 0)
  const found: NamedTerms[] = []
  for (let length = LONGEST_NAME; length > 0; length--)
    for (let from = 0; from + length <= words.length; from++) {
      const spelled = words.slice(from, from + length)
      const negation = negations[from] ?? []
      const isNot = negation.length > 0
      const isBesideOthers = length === 1 && telling.length > (isNot ? 0 : 1)
      if (spelled.every(isFillerWord) || (isBesideOthers && !isNot) || spelled.some((_, at) => isTaken.has(from + at)))
        continue
      const labels = asked.flatMap(([filter, terms]) =>
        slugsSpelled(terms, spelled)
          .filter((slug) => !terms.get(slug)?.adult)
          .map((slug) => `${filter}:${slug}`),
      )
      const used = labels.filter((label) => isNot || isUsed(label))
      if (used.length === 0) continue
      const places = [...negation, ...spelled.map((_, at) => from + at)]
      found.push({ labels: isBesideOthers ? [] : used, places, isNot })
      for (const place of places) isTaken.add(place)
    }
  return found
}

/** As `name=value`, with the names of filters, each value as the filter takes it. No filter says that no value is left. */
const textOf = (read: Understood, terms: readonly string[], given: GivenFilters): string =>
  inHeader(
    [...newPairsOf(read, given), ...terms.map(pairOf)].flatMap(({ name, value, isBelow }) =>
      value === '' ? [] : `${name}=${encodeURIComponent(isBelow ? justBelow(Number(value)) : value)}`,
    ),
    ', ',
  )

/** Domain Ratings have one decimal. */
const justBelow = (value: number): number => Math.max(0, Number((value - 0.01).toFixed(2)))

/** What the question says beyond the filters that the caller has set. */
const newPairsOf = (read: Understood, given: GivenFilters): Statement['pairs'][number][] =>
  pairsOf(read).filter(({ name }) => given(name).length === 0)

const pairsOf = ({ values, bounds, first }: Understood): Statement['pairs'][number][] => [
  ...Object.entries(values).map(([name, named]) => {
    const only = first.find((label) => label.startsWith(`${name}:`))?.slice(name.length + 1)
    if (only === undefined || named.length !== 2) return { filter: name, name, value: named.join(',') }
    return { filter: name, name, value: only, alternatives: named }
  }),
  ...bounds.map(({ bound, value, isBelow }) => ({
    ...{ filter: BOUNDS[bound].filter, name: bound, value: String(value) },
    ...(isBelow && { isBelow }),
  })),
]

const pairOf = (label: string): Statement['pairs'][number] => {
  const [name = '', value = ''] = label.split(':', 2)
  return { filter: name, name, value }
}

const MOST_MISSING = 5

/** Longer ones are no words that a client would show. */
const LONGEST_MISSING = 40

const missingIn = ({ missing = [] }: SearchResult<unknown>): string =>
  inHeader(
    missing
      .filter((word) => word.length <= LONGEST_MISSING)
      .slice(0, MOST_MISSING)
      .map(encodeURIComponent),
    ',',
  )

/** Clients and proxies refuse answers with long headers. */
const LONGEST_HEADER = 1_024

/** The distinct values that the header has room for, up to the first that is too much. The values are percent-encoded. */
const inHeader = (values: readonly string[], separator: string): string =>
  [...new Set(values)].reduce(
    ({ text, isFull }, value) => {
      const longer = text === '' ? value : `${text}${separator}${value}`
      return isFull || longer.length > LONGEST_HEADER ? { text, isFull: true } : { text: longer, isFull }
    },
    { text: '', isFull: false },
  ).text
