// Counts how many documents of a result each choice of a filter would leave.
import type { SearchQuery } from '../index-interface.ts'
import { type Conditions, ENOUGH_MATCHES, type Match } from '../matching/matching.ts'
import type { Facets } from '../stored/facets.ts'

/** A filter: the labels to count, and the labels that the user has chosen, of which a document must have one. */
export interface CountedFacet {
  labels: readonly string[]
  chosen?: readonly string[]
}

/** The chosen labels of each facet that has any. */
type Choices = readonly (readonly string[])[]

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

/** For each facet and each of its labels, the number of documents. See `countFacets` of the index. */
type FacetCounter = (conditions: CountedConditions, counted: readonly CountedFacet[]) => number[][]

/**
 * Counts every label of every facet in one walk over the documents that match the words. A document that fulfils all choices counts for
 * every facet. One that lacks a single choice counts for the facet of that choice only, because that facet leaves its own choice out.
 *
 * Whether a result has partial matches depends on the filters: without one of them, enough documents may match fully (ENOUGH_MATCHES). So
 * each facet that has a choice and too few full matches takes one search more, however many labels it has.
 */
export function createFacetCounter(sources: FacetCounterSources): FacetCounter {
  const { facets, match, partialResult, capacity } = sources
  /** Counts by the number of a label: `shown` for facets without a choice, and `without` for each choice, with that choice left out. */
  function countsFor({ nearness, ...conditions }: CountedConditions, chosen: Choices): CountsByChoice {
    const { q = '', all = [], any = [], none = [], ranges = [] } = conditions
    if (q.trim() === '' && all.length + any.length + ranges.length + chosen.length === 0)
      return { shown: countOfAll(facets, none), without: [] }
    const found = match(chosen.length === 0 ? conditions : { ...conditions, partial: false })
    // The full matches are counted first, because the next search uses the same memory.
    const { whole, lackingOne } = countFull(facets, found, chosen, capacity())
    if (chosen.length === 0) {
      const documents = partialResult(found, nearness)
      return { shown: documents ? countLabels(facets, documents) : whole.counts, without: [] }
    }
    /** The counts of the result without one choice (-1: with all of them); undefined when it has no partial matches. */
    const partialCounts = (leftOut: number, total: number): Uint32Array | undefined => {
      if (!conditions.partial || total >= ENOUGH_MATCHES) return undefined
      const others = chosen.filter((_, at) => at !== leftOut)
      const documents = partialResult(match({ ...conditions, any: [...(conditions.any ?? []), ...others] }), nearness)
      return documents && countLabels(facets, documents)
    }
    return {
      shown: partialCounts(-1, whole.total) ?? whole.counts,
      without: lackingOne.map(
        ({ total, counts }, at) =>
          partialCounts(at, whole.total + total) ?? counts.map((count, list) => count + whole.counts[list]!),
      ),
    }
  }

  return (conditions, counted) => {
    const chosen = counted.flatMap(({ chosen = [] }) => (chosen.length > 0 ? [chosen] : []))
    if (chosen.length > MOST_CHOSEN) throw new RangeError(`At most ${MOST_CHOSEN} facets can have a chosen label.`)
    const { shown, without } = countsFor(conditions, chosen)
    let at = 0
    return counted.map((facet) => {
      const counts = facet.chosen?.length ? without[at++]! : shown
      return facet.labels.map((label) => counts[facets.numberOf(label) ?? -1] ?? 0)
    })
  }
}

/** For each document a bit for each choice that it lacks. */
function lackingOf({ documents, numberOf }: Facets, chosen: Choices, capacity: number): Uint32Array {
  const lacking = new Uint32Array(capacity).fill(2 ** chosen.length - 1)
  for (const [at, labels] of chosen.entries())
    for (const label of labels) {
      const number = numberOf(label)
      if (number === undefined) continue
      const data = documents.dataOf(number)
      const start = documents.startOf(number)
      const end = start + documents.length[number]!
      for (let index = start; index < end; index++) lacking[data[index]!]! &= ~(1 << at)
    }
  return lacking
}

/**
 * How many full matches have each label. `whole`: of the matches that fulfil every choice; `lackingOne`: by choice, of those that lack only
 * it.
 */
function countFull(facets: Facets, found: Match, chosen: Choices, capacity: number) {
  const noneYet = () => ({ total: 0, counts: new Uint32Array(facets.capacity()) })
  const whole = noneYet()
  const lackingOne = chosen.map(noneYet)
  const { facetsByDocument } = facets
  const { length } = facetsByDocument
  const documents = found.words && found.scored?.documents
  // Without words every number of a document is looked at, because the labels lie in memory in that order. A number that no document has at
  // present has no labels.
  const end = documents ? found.total : Math.min(capacity, length.length)
  const lacking = lackingOf(facets, chosen, capacity)
  for (let at = 0; at < end; at++) {
    const document = documents ? documents[at]! : at
    if (!documents && !found.holds(document)) continue
    const lacks = lacking[document]!
    const lacksSeveral = (lacks & (lacks - 1)) !== 0
    if (lacksSeveral) continue
    const into = lacks === 0 ? whole : lackingOne[31 - Math.clz32(lacks)]!
    into.total++
    const { counts } = into
    const data = facetsByDocument.dataOf(document)
    const start = facetsByDocument.startOf(document)
    const last = start + facetsByDocument.lengthOf(document)
    for (let index = start; index < last; index++) counts[data[index]!]!++
  }
  return { whole, lackingOne }
}

/** Without words, filters and choices, the count of a label is the length of its list, less the excluded documents. */
function countOfAll(facets: Facets, excluded: readonly string[]): Uint32Array {
  const { documents, facetsByDocument } = facets
  const counts = Uint32Array.from({ length: facets.capacity() }, (_, list) => documents.lengthOf(list))
  const seen = new Set<number>()
  for (const label of excluded) {
    const list = facets.numberOf(label)
    if (list === undefined) continue
    for (const document of documents.valuesOf(list)) seen.add(document)
  }
  for (const document of seen) for (const list of facetsByDocument.valuesOf(document)) counts[list]!--
  return counts
}

function countLabels(facets: Facets, documents: readonly number[]): Uint32Array {
  const counts = new Uint32Array(facets.capacity())
  for (const document of documents) for (const list of facets.facetsByDocument.valuesOf(document)) counts[list]!++
  return counts
}

interface CountsByChoice {
  shown: Uint32Array
  /** In the order of the choices. */
  without: Uint32Array[]
}

// Each choice is one bit of a 32-bit number; a site has half a dozen facets.
const MOST_CHOSEN = 20
