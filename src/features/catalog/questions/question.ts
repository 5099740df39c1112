// A search with a question: what the question says in facts is a condition like a filter, the rest is searched as words. REST, MCP, the
// site and the operator's explanation all search through `askIndex`, so that they agree.
import { isDeepStrictEqual } from 'node:util'
import { MOST_PREFERRED, type SearchQuery, type SearchResult, words } from '../../../search/index.ts'
import { MOST_PLACES, orderByOpenings } from '../../learning/rules.ts'
import type { ListingIndex } from '../memory/listing-states.ts'
import type { Listing, Taxonomy } from '../rules.ts'
import type { ListedKind } from '../schema.ts'
import { facetConditions, type GivenFilters, RANGES } from './conditions.ts'
import { FACT_WORDS } from './find-facts.ts'
import { namedTermsIn } from './named-terms.ts'
import { missingHeader, type OtherWord, type Statement, statementsIn, understoodHeader } from './statements.ts'
import { isFillerWord, type Understood, understand } from './understand.ts'

export interface Question extends SearchQuery {
  /** off: the question is searched as words alone. */
  facts?: 'on' | 'off'
  given: GivenFilters
}

export interface Asked {
  result: SearchResult<Listing>
  /** The query that gave the result. */
  query: SearchQuery
  /** What was understood, as filters; '' when nothing was. */
  understood: string
  /** The words that no listing has, separated by commas; '' with a full match. */
  missing: string
  /** With `explain`: what was understood, statement by statement, and the other words; otherwise empty. */
  stated: readonly Statement[]
  words: readonly OtherWord[]
  /** The misspelt words of the question, with those that were searched for instead. */
  respelt: readonly { typed: string; meant: string }[]
  /** Whether the listings of the result have the facts. */
  keepsFacts: boolean
  /** Only with `explain` and without `keepsFacts`: whether other listings have all of the facts, whatever their words are. */
  othersHaveFacts?: boolean
  /** Whether the result would still be the same; undefined: it holds until the next change. */
  stillHolds?: () => boolean
}

/** Searches, and moves up the listings that visitors open after this question. */
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

/** `isRespelt`: whether the misspelt words of the question have been replaced already. */
function ask(
  kind: ListedKind,
  listings: ListingIndex,
  taxonomy: Taxonomy,
  { facts, given, ...query }: Question,
  isRespelt = false,
): Asked {
  const { index } = listings
  const { q = '' } = query
  if (facts === 'off' || q.trim() === '') return askWords(listings, query)
  // A reader who types the whole name of a listing looks for that listing, whatever facts its name seems to state.
  if (index.isName(q)) return whileNamed(listings, q, askWords(listings, query))

  const { read, named, understood, queries, usesSameTerms } = readQuestion(kind, index, taxonomy, query, given)
  /** `isBold`: words that the language has may be misspelt too, and a word may have one more typo. */
  const misspelt = (isBold: boolean) => (isRespelt ? [] : misspeltIn(index, read, queries.first, isBold))
  const askMeant = (respelt: Asked['respelt']): Asked | undefined =>
    respelt.length === 0
      ? undefined
      : { ...ask(kind, listings, taxonomy, { ...query, facts, given, q: withWords(q, respelt) }, true), respelt }
  const typed = misspelt(false)
  const meant = askMeant(typed)
  /** Whether the question would be read as it was. `hasUnknown`: the result depends on how unknown words are taken. */
  const isReadAlike = (hasUnknown: boolean) =>
    usesSameTerms() && (!hasUnknown || isDeepStrictEqual(misspelt(false), typed))
  // What was probably meant is right only if listings match every word of it.
  if (meant && meant.result.full > 0)
    return whileNamed(
      listings,
      q,
      whileHolds(meant, () => isReadAlike(true)),
    )

  const withFacts = find(index, queries.first)
  const isNothing = withFacts.result.total === 0
  const meantBoldly = isNothing ? askMeant(misspelt(true)) : undefined
  // The answer holds until the next change, after which listings may have what was typed.
  if (meantBoldly && meantBoldly.result.full > 0) return { ...meantBoldly, stillHolds: undefined }

  // When no listing has both the facts and the words, listings that lack a fact are shown, if there are any.
  const others = isNothing && queries.withoutFacts ? find(index, queries.withoutFacts) : withFacts
  const shown = others.result.total > 0 ? others : withFacts
  const keepsFacts = shown === withFacts
  // Listings that lack the facts are no full matches.
  const result = keepsFacts ? shown.result : { ...shown.result, full: 0 }
  // A second search that found nothing may find something after a change, so the answer depends on it, too.
  const dependsOn = [...new Set([shown.result.dependsOn, others.result.dependsOn])].flatMap((one) => one ?? [])
  const hasUnknown = dependsOn.some((one) => one.hasUnknown)
  const dependsOnKnown = shown.result.dependsOn !== undefined && others.result.dependsOn !== undefined
  // Where nothing was found, it would take long to tell what an unknown word is taken for now: it is compared with all terms.
  const canBeKept = keepsFacts && dependsOnKnown && (result.total > 0 || !hasUnknown)
  const stillHolds = () =>
    isReadAlike(hasUnknown) && (!meant || meant.stillHolds?.() === true) && dependsOn.every(index.stillHolds)
  return whileNamed(listings, q, {
    result,
    query: shown.query,
    understood,
    missing: missingHeader(result),
    keepsFacts,
    respelt: [],
    ...(query.explain &&
      !keepsFacts && { othersHaveFacts: index.find({ ...queries.first, q: undefined, limit: 0 }).total > 0 }),
    ...(query.explain ? statementsIn(kind, q, given, read, named, result) : NOT_EXPLAINED),
    ...(canBeKept && { stillHolds }),
  })
}

/** Reads the facts, categories and tags of a question, and makes the queries that they mean. */
function readQuestion(
  kind: ListedKind,
  index: ListingIndex['index'],
  taxonomy: Taxonomy,
  query: SearchQuery,
  given: GivenFilters,
) {
  const said = understand(kind, query.q ?? '', given)
  const wasUsed = new Map<string, boolean>()
  const isUsed = (label: string): boolean => {
    const isAny = index.count(label) > 0
    wasUsed.set(label, isAny)
    return isAny
  }
  const named = namedTermsIn(kind, isUsed, taxonomy, said, given)
  const [wanted, unwanted] = [named.filter(({ isNot }) => !isNot), named.filter(({ isNot }) => isNot)]
  const read = unwanted.length > 0 ? { ...said, ...said.restWithout(unwanted.flatMap(({ places }) => places)) } : said
  const terms = wanted.flatMap(({ labels }) => labels)
  return {
    read,
    named,
    understood: understoodHeader(read, terms, given),
    queries: queriesFor(
      kind,
      query,
      read,
      terms,
      unwanted.flatMap(({ labels }) => labels),
    ),
    /** Whether the categories and tags that the question may name are still used by listings, or still unused, as they were. */
    usesSameTerms: () => [...wasUsed].every(([label, isAny]) => index.count(label) > 0 === isAny),
  }
}

/** Searches the words of a question, without reading facts. */
function askWords({ index }: ListingIndex, query: SearchQuery): Asked {
  const result = index.find(query)
  const { dependsOn } = result
  return {
    ...{ result, query, understood: '', missing: '', keepsFacts: true, respelt: [], ...NOT_EXPLAINED },
    ...(dependsOn && { stillHolds: () => index.stillHolds(dependsOn) }),
  }
}

const NOT_EXPLAINED = { stated: [], words: [] }

/** The answer holds only while the question is, or is not, the name of a listing, because that decides how the question is read. */
function whileNamed({ index }: ListingIndex, q: string, asked: Asked): Asked {
  const isName = index.isName(q)
  return whileHolds(asked, () => index.isName(q) === isName)
}

/** The answer holds no longer than the condition. */
const whileHolds = ({ stillHolds, ...asked }: Asked, condition: () => boolean): Asked =>
  stillHolds ? { ...asked, stillHolds: () => condition() && stillHolds() } : asked

const find = (index: ListingIndex['index'], query: SearchQuery) => ({ query, result: index.find(query) })

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

/** The query of a question, and one for when it finds nothing: listings that lack a fact are shown as partial matches. */
function queriesFor(
  kind: ListedKind,
  query: SearchQuery,
  read: Understood,
  terms: readonly string[],
  unwanted: readonly string[],
): { first: SearchQuery; withoutFacts?: SearchQuery } {
  const lenient = { ...query, q: read.rest, lenient: true, spelt: FACT_WORDS }
  const hasFacts = Object.keys(read.values).length + read.bounds.length + unwanted.length > 0
  const found = facetConditions(labelled(read.values), { adult: true })
  const withFacts = {
    ...lenient,
    all: [...(query.all ?? []), ...found.all],
    any: [...(query.any ?? []), ...found.any],
    none: [...(query.none ?? []), ...unwanted],
    ranges: [...(query.ranges ?? []), ...read.bounds.map(({ bound, value, isBelow }) => RANGES[bound](value, isBelow))],
    ...preferring(query, [...read.preferredFacets, ...terms]),
  }
  if (read.isFactsAlone) return { first: { ...withFacts, q: undefined, order: query.order ?? ORDER_OF_FACTS[kind] } }
  return { first: withFacts, ...(hasFacts && query.partial && { withoutFacts: lenient }) }
}

/** In a question with more words than this, none is taken for misspelt, because each is compared with all words of the catalog. */
const MOST_RESPELT = 4

/** The labels whose listings come first. None when the client has chosen an order, because that order holds for the whole result. */
const preferring = ({ order }: SearchQuery, labels: readonly string[]): Pick<SearchQuery, 'prefer'> =>
  order === undefined && labels.length > 0 ? { prefer: [...new Set(labels)].slice(0, MOST_PREFERRED) } : {}

/** The order of the result when a question states facts and has no other words: the order that equally relevant listings have. */
const ORDER_OF_FACTS = { tool: 'popular-then-newest', directory: 'default' } as const satisfies Record<
  ListedKind,
  SearchQuery['order']
>

/** The values as facets have them: link types in lower case. */
const labelled = ({ type, ...values }: Understood['values']) => ({
  ...values,
  ...(type && { type: type.map((one) => one.toLowerCase()) }),
})
