import type { Facets } from './facets.ts'
import type { SearchQuery } from './index-interface.ts'
import { type Conditions, ENOUGH, type Match } from './matching.ts'

/** A filter with one value: the labels to count, and the label that the user has chosen. */
export interface CountedFacet {
  labels: readonly string[]
  chosen?: string
}

export interface FacetCounterSources {
  facets: Facets
  match(conditions: Conditions): Match
  /** The documents of a result that has partial matches; undefined when it has none. */
  partialResult(match: Match, nearness: SearchQuery['nearness']): readonly number[] | undefined
  /** One more than the highest number of a document. */
  capacity(): number
}

/** `nearness` decides, as in `find`, which partial matches are among the best, and only those are counted. */
export type CountedConditions = Conditions & Pick<SearchQuery, 'nearness'>

type FacetCounter = (conditions: CountedConditions, given: readonly CountedFacet[]) => number[][]

/**
 * Counts every label of every facet in one walk over the documents that match the words. A document that has all chosen labels counts
 * for every facet. One that lacks a single chosen label counts for that label's facet only, because that facet leaves its own choice out.
 *
 * A result with partial matches depends on the filters: with fewer of them five documents may match fully. So each facet that has a
 * choice and too few full matches takes one search more, however many labels it has.
 */
export function createFacetCounter(sources: FacetCounterSources): FacetCounter {
  const { facets, match, partialResult, capacity } = sources
  /** Counts by list of labels: for a facet with its own choice left out, and for all facets that have none. */
  function countsFor({ nearness, ...conditions }: CountedConditions, chosen: readonly string[]): CountsByChoice {
    const { q = '', all: fixed = [], none = [] } = conditions
    if (q.trim() === '' && fixed.length === 0 && chosen.length === 0)
      return { shown: countAll(facets, none), without: [] }
    const found = match(chosen.length === 0 ? conditions : { ...conditions, partial: false })
    // The full matches are counted first, because the next search uses the same memory.
    const { all, lackingOne } = countFull(facets, found, chosen, capacity())
    if (chosen.length === 0) {
      const documents = partialResult(found, nearness)
      return { shown: documents ? labelsOf(facets, documents) : all.counts, without: [] }
    }
    const partialWithout = (left: number, total: number): Uint32Array | undefined => {
      if (!conditions.partial || total >= ENOUGH) return undefined
      const others = chosen.filter((_, at) => at !== left)
      const documents = partialResult(match({ ...conditions, all: [...fixed, ...others] }), nearness)
      return documents && labelsOf(facets, documents)
    }
    return {
      shown: partialWithout(-1, all.total) ?? all.counts,
      without: lackingOne.map(
        ({ total, counts }, at) =>
          partialWithout(at, all.total + total) ?? counts.map((count, list) => count + all.counts[list]!),
      ),
    }
  }

  return (conditions, given) => {
    const chosen = given.flatMap((facet) => facet.chosen ?? [])
    if (chosen.length > MOST_CHOSEN) throw new RangeError(`At most ${MOST_CHOSEN} facets can have a chosen label.`)
    const { shown, without } = countsFor(conditions, chosen)
    let at = 0
    return given.map((facet) => {
      const counts = facet.chosen === undefined ? shown : without[at++]!
      return facet.labels.map((label) => counts[facets.list(label) ?? -1] ?? 0)
    })
  }
}

/** For each document a bit for each chosen label that it lacks. */
function lackingOf({ documents, list }: Facets, chosen: readonly string[], capacity: number): Uint32Array {
  const lacking = new Uint32Array(capacity).fill(2 ** chosen.length - 1)
  const { data, start, length } = documents
  for (const [at, label] of chosen.entries()) {
    const number = list(label)
    if (number === undefined) continue
    const end = start[number]! + length[number]!
    for (let index = start[number]!; index < end; index++) lacking[data[index]!]! &= ~(1 << at)
  }
  return lacking
}

/** How many of the full matches have each label: of those with every chosen label, and of those that lack only one, by that one. */
function countFull(facets: Facets, found: Match, chosen: readonly string[], capacity: number) {
  const part = () => ({ total: 0, counts: new Uint32Array(facets.capacity()) })
  const all = part()
  const lackingOne = chosen.map(part)
  const { data, start, length } = facets.listsOf
  const documents = found.scored?.documents
  // Without words every document is looked at, in the order of their labels in memory; a number without a document has no labels.
  const end = documents ? found.total : Math.min(capacity, length.length)
  const lacking = lackingOf(facets, chosen, capacity)
  for (let at = 0; at < end; at++) {
    const document = documents ? documents[at]! : at
    if (!documents && !found.holds(document)) continue
    const lacks = lacking[document]!
    // More than one bit is set.
    if ((lacks & (lacks - 1)) !== 0) continue
    const into = lacks === 0 ? all : lackingOne[31 - Math.clz32(lacks)]!
    into.total++
    const { counts } = into
    const last = document < length.length ? start[document]! + length[document]! : 0
    for (let index = start[document]!; index < last; index++) counts[data[index]!]!++
  }
  return { all, lackingOne }
}

/** Without words, filters and choices the lists know how long they are; only what is excluded must be looked at. */
function countAll(facets: Facets, excluded: readonly string[]): Uint32Array {
  const { documents, listsOf } = facets
  const counts = Uint32Array.from({ length: facets.capacity() }, (_, list) => documents.lengthOf(list))
  const seen = new Set<number>()
  for (const label of excluded) {
    const list = facets.list(label)
    if (list === undefined) continue
    for (let at = 0; at < documents.length[list]!; at++) seen.add(documents.data[documents.start[list]! + at]!)
  }
  for (const document of seen)
    for (let at = 0; at < listsOf.length[document]!; at++) counts[listsOf.data[listsOf.start[document]! + at]!]!--
  return counts
}

function labelsOf(facets: Facets, documents: readonly number[]): Uint32Array {
  const { data, start } = facets.listsOf
  const counts = new Uint32Array(facets.capacity())
  for (const document of documents)
    for (let at = 0; at < facets.listsOf.lengthOf(document); at++) counts[data[start[document]! + at]!]!++
  return counts
}

interface CountsByChoice {
  shown: Uint32Array
  /** In the order of the chosen labels. */
  without: Uint32Array[]
}

// One bit for each in a number of 32 bits; a site has half a dozen facets.
const MOST_CHOSEN = 20
