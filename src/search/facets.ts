// A label is a text to filter by, such as `category:video`. Each has a number, called facet here.
import { NumberLists } from './number-lists.ts'
import { inSteps, partOf, type Saved, savedAs } from './saved.ts'

/**
 * Which documents have a label, and which labels a document has, so that a document can be removed again.
 * Lists, not bit sets, because most labels belong to few documents.
 */
export interface Facets {
  /** Replaces the labels of the document. */
  set(document: number, labels: Iterable<string>): void
  /** The number of the list in `documents` that holds the documents with this label, ascending; undefined when no document has it. */
  numberOf(label: string): number | undefined
  documents: NumberLists
  labelsOf(document: number): string[]
  /** The numbers of the lists that a document is in, by document. */
  listsOf: NumberLists
  /** One more than the highest number of a list. */
  capacity(): number
  save(): Saved
  restore(saved: Saved): Generator<void>
}

export function createFacets(): Facets {
  const numbers = new Map<string, number>()
  const labelOf: string[] = []
  const vacant: number[] = []
  const documents = new NumberLists()
  const listsOf = new NumberLists()

  return {
    documents,
    listsOf,
    capacity: () => labelOf.length,
    numberOf: (label) => numbers.get(label),
    labelsOf: (document) => Array.from(listsOf.valuesOf(document), (facet) => labelOf[facet]!),
    set(document, labels) {
      const before = new Set(listsOf.valuesOf(document))
      listsOf.clear(document)
      for (const label of new Set(labels)) {
        let facet = numbers.get(label)
        if (facet === undefined) {
          facet = vacant.pop() ?? labelOf.length
          labelOf[facet] = label
          numbers.set(label, facet)
        }
        if (!before.delete(facet)) documents.insert(facet, document)
        listsOf.push(document, facet)
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
      ...savedAs('listsOf', listsOf.save()),
    }),
    *restore(saved) {
      documents.restore(partOf(saved, 'documents'))
      listsOf.restore(partOf(saved, 'listsOf'))
      yield* inSteps(saved.labels as string[], (label, facet) => {
        labelOf[facet] = label
        if (documents.lengthOf(facet) > 0) numbers.set(label, facet)
        else vacant.push(facet)
      })
    },
  }
}
