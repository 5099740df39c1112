// A label is a text to filter by, such as `category:video`. Its number is called its facet, which is also the number of its list in
// `documents`.
import { NumberLists } from './number-lists.ts'
import { inSteps, partOf, type Saved, savedAs } from './saved.ts'
import { createTextMap } from './text-map.ts'

/**
 * Which documents have a label, and which labels a document has, so that a document can be removed again.
 * Lists, not bit sets, because most labels belong to few documents.
 */
export interface Facets {
  /** Replaces the labels of the document. */
  set(document: number, labels: Iterable<string>): void
  /** The facet of the label; undefined when no document has the label. */
  numberOf(label: string): number | undefined
  /** The documents of each facet, ascending. */
  documents: NumberLists
  labelsOf(document: number): string[]
  /** The facets of each document. */
  facetsByDocument: NumberLists
  /** One more than the highest number of a list. */
  capacity(): number
  save(): Saved
  /** Restores what save returned, in steps: it yields so that the caller can do other work. */
  restore(saved: Saved): Generator<void>
}

export function createFacets(): Facets {
  const numbers = createTextMap<number>()
  const labelOf: string[] = []
  const vacant: number[] = []
  const documents = new NumberLists()
  const facetsByDocument = new NumberLists()

  return {
    documents,
    facetsByDocument,
    capacity: () => labelOf.length,
    numberOf: (label) => numbers.get(label),
    labelsOf: (document) => Array.from(facetsByDocument.valuesOf(document), (facet) => labelOf[facet]!),
    set(document, labels) {
      const before = new Set(facetsByDocument.valuesOf(document))
      facetsByDocument.clear(document)
      for (const label of new Set(labels)) {
        let facet = numbers.get(label)
        if (facet === undefined) {
          facet = vacant.pop() ?? labelOf.length
          labelOf[facet] = label
          numbers.set(label, facet)
        }
        if (!before.delete(facet)) documents.insert(facet, document)
        facetsByDocument.push(document, facet)
      }
      for (const facet of before) {
        documents.remove(facet, document)
        if (documents.lengthOf(facet) > 0) continue
        numbers.delete(labelOf[facet]!)
        labelOf[facet] = ''
        vacant.push(facet)
      }
    },
    save: () => ({
      labels: labelOf,
      ...savedAs('documents', documents.save()),
      ...savedAs('facetsByDocument', facetsByDocument.save()),
    }),
    *restore(saved) {
      documents.restore(partOf(saved, 'documents'))
      facetsByDocument.restore(partOf(saved, 'facetsByDocument'))
      yield* inSteps(saved.labels as string[], (label, facet) => {
        labelOf[facet] = label
        if (documents.lengthOf(facet) > 0) numbers.set(label, facet)
        else vacant.push(facet)
      })
    },
  }
}
