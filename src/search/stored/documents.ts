import { type IndexOptions, LAST, type SearchDocument } from '../index-interface.ts'
import { inSteps, type Saved } from './saved.ts'
import { createTextMap, type TextMap } from './text-map.ts'

/** The data of each document except its words and facets, by the document's number. Numbers are reused after a document is removed. */
export interface Documents<Item> {
  /** The number of each document, by id. */
  numbers: TextMap<number>
  ids: readonly string[]
  /** Undefined for a number that no document has. */
  items: (Item | undefined)[]
  popularity: number[]
  recency: readonly number[]
  defaultNumber: readonly number[]
  defaultText: readonly string[]
  firstNumber: readonly number[]
  secondNumber: readonly number[]
  /** 1 for a document with the facet LAST, otherwise 0. */
  last: readonly number[]
  revisions: number[]
  /** One more than the highest number. */
  capacity(): number
  /** Returns the number of the document, which is new unless `known` is that of the one that it replaces. */
  add(document: SearchDocument<Item>, known?: number): number
  remove(id: string, number: number): void
  save(): Saved
  restore(saved: Saved, items: Iterable<Item | undefined>): Generator<void>
}

export function createDocuments<Item>(defaultKey: IndexOptions<Item>['defaultKey']): Documents<Item> {
  const numbers = createTextMap<number>()
  const vacant: number[] = []
  let capacity = 0
  const ids: string[] = []
  const items: (Item | undefined)[] = []
  const popularity: number[] = []
  const recency: number[] = []
  const defaultNumber: number[] = []
  const defaultText: string[] = []
  const firstNumber: number[] = []
  const secondNumber: number[] = []
  const last: number[] = []
  const revisions: number[] = []
  /** The lists of numbers, by the name under which each is saved. */
  const kept = { popularity, recency, defaultNumber, firstNumber, secondNumber, last, revisions }

  return {
    ...{ numbers, ids, items, defaultText, ...kept },
    capacity: () => capacity,
    add(document, known) {
      const number = known ?? vacant.pop() ?? capacity++
      numbers.set(document.id, number)
      ids[number] = document.id
      items[number] = document.item
      popularity[number] = document.popularity
      recency[number] = document.recency
      firstNumber[number] = document.numbers?.[0] ?? 0
      secondNumber[number] = document.numbers?.[1] ?? 0
      last[number] = Number(document.facets.includes(LAST))
      revisions[number] = document.revision ?? 0
      const [byNumber, byText] = defaultKey ? defaultKey(document) : [document.recency, '']
      defaultNumber[number] = byNumber
      defaultText[number] = byText
      return number
    },
    remove(id, number) {
      numbers.delete(id)
      items[number] = undefined
      vacant.push(number)
    },
    save: () => ({
      ids,
      defaultText,
      ...Object.fromEntries(Object.entries(kept).map(([name, list]) => [name, new Float64Array(list)])),
    }),
    *restore(saved, all) {
      const lists = Object.entries(kept).map(([name, list]) => ({ list, from: saved[name] as Float64Array }))
      const [savedIds, savedTexts] = [saved.ids as string[], saved.defaultText as string[]]
      yield* inSteps(all, (item, number) => {
        capacity = number + 1
        items[number] = item
        ids[number] = savedIds[number]!
        defaultText[number] = savedTexts[number]!
        for (const { list, from } of lists) list[number] = from[number]!
        if (item === undefined) vacant.push(number)
        else numbers.set(ids[number], number)
      })
    },
  }
}
