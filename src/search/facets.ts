import { NumberLists } from './number-lists.ts'
import { inSteps, partOf, type Saved, savedAs } from './saved.ts'

/**
 * Which documents have a label, and which labels a document has, so that a document can be removed again.
 * Lists, not bit sets, because few documents have most labels.
 */
export interface Facets {
  add(document: number, labels: Iterable<string>): void
  remove(document: number): void
  /** The number of the list in `documents` that holds the documents with this label, ascending; undefined when no document has it. */
  list(label: string): number | undefined
  documents: NumberLists
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
    list: (label) => numbers.get(label),
    add(document, labels) {
      for (const label of new Set(labels)) {
        let facet = numbers.get(label)
        if (facet === undefined) {
          facet = vacant.pop() ?? labelOf.length
          labelOf[facet] = label
          numbers.set(label, facet)
        }
        documents.insert(facet, document)
        listsOf.push(document, facet)
      }
    },
    remove(document) {
      const count = listsOf.lengthOf(document)
      for (let at = 0; at < count; at++) {
        const facet = listsOf.data[listsOf.start[document]! + at]!
        documents.remove(facet, document)
        if (documents.length[facet]! > 0) continue
        numbers.delete(labelOf[facet]!)
        labelOf[facet] = ''
        vacant.push(facet)
      }
      listsOf.clear(document)
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
