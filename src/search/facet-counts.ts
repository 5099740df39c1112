import type { Facets } from './facets.ts'
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
  partialResult(conditions: Conditions): readonly number[] | undefined
  /** The numbers of all documents. */
  live(): Uint32Array
  /** One more than the highest number of a document. */
  capacity(): number
}

type FacetCounter = (conditions: Conditions, given: readonly CountedFacet[]) => number[][]

/**
 * Counts every label of every facet in one walk over the documents that match the words. A document that has all chosen labels counts
 * for every facet. One that lacks a single chosen label counts for that label's facet only, because that facet leaves its own choice out.
 *
 * A result with partial matches depends on the filters: with fewer of them five documents may match fully. So each facet that has a
 * choice and too few full matches takes one search more, however many labels it has.
 */
export function createFacetCounter(sources: FacetCounterSources): FacetCounter {
  const { facets, match, partialResult, live, capacity } = sources
  let lacking = new Uint32Array(0)

  /** For each document a bit for each chosen label that it lacks. */
  function markLacking(chosen: readonly string[]): void {
    if (lacking.length < capacity()) lacking = new Uint32Array(Math.ceil(capacity() * 1.25))
    lacking.fill(2 ** chosen.length - 1)
    const { data, start, length } = facets.documents
    for (const [at, label] of chosen.entries()) {
      const list = facets.list(label)
      if (list === undefined) continue
      const end = start[list]! + length[list]!
      for (let index = start[list]!; index < end; index++) lacking[data[index]!]! &= ~(1 << at)
    }
  }

  /** How many of the full matches have each label: of those with every chosen label, and of those that lack only one, by that one. */
  function countFull(conditions: Conditions, chosen: readonly string[]) {
    const found = match({ ...conditions, partial: false })
    const all = { total: 0, counts: new Uint32Array(facets.capacity()) }
    const lackingOne = chosen.map(() => ({ total: 0, counts: new Uint32Array(facets.capacity()) }))
    const documents = found.scored ? found.scored.documents : live()
    const end = found.scored ? found.total : documents.length
    markLacking(chosen)
    for (let at = 0; at < end; at++) {
      const document = documents[at]!
      if (!found.scored && !found.holds(document)) continue
      const lacks = lacking[document]!
      // More than one bit is set.
      if ((lacks & (lacks - 1)) !== 0) continue
      const part = lacks === 0 ? all : lackingOne[31 - Math.clz32(lacks)]!
      part.total++
      addLabels(part.counts, facets, document)
    }
    return { all, lackingOne }
  }

  return (conditions, given) => {
    const chosen = given.flatMap((facet) => facet.chosen ?? [])
    if (chosen.length > MOST_CHOSEN) throw new RangeError(`At most ${MOST_CHOSEN} facets can have a chosen label.`)
    const { all, lackingOne } = countFull(conditions, chosen)
    const partialWithout = (at: number, total: number): Uint32Array | undefined => {
      if (!conditions.partial || total >= ENOUGH) return undefined
      const others = chosen.filter((_, index) => index !== at)
      const documents = partialResult({ ...conditions, all: [...(conditions.all ?? []), ...others] })
      return documents && labelsOf(facets, documents)
    }
    const shown = partialWithout(-1, all.total) ?? all.counts
    let at = 0
    return given.map(({ labels, chosen: own }) => {
      let countOf = (list: number) => shown[list]!
      if (own !== undefined) {
        const without = lackingOne[at]!
        const partial = partialWithout(at, all.total + without.total)
        at++
        countOf = partial ? (list) => partial[list]! : (list) => all.counts[list]! + without.counts[list]!
      }
      return labels.map((label) => {
        const list = facets.list(label)
        return list === undefined ? 0 : countOf(list)
      })
    })
  }
}

function addLabels(counts: Uint32Array, { listsOf }: Facets, document: number): void {
  const count = listsOf.lengthOf(document)
  const start = count > 0 ? listsOf.start[document]! : 0
  for (let at = start; at < start + count; at++) counts[listsOf.data[at]!]!++
}

function labelsOf(facets: Facets, documents: readonly number[]): Uint32Array {
  const counts = new Uint32Array(facets.capacity())
  for (const document of documents) addLabels(counts, facets, document)
  return counts
}

// One bit for each in a number of 32 bits; a site has half a dozen facets.
const MOST_CHOSEN = 20
