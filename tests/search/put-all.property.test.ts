// @module-tag once
import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createIndex, type SearchDocument } from '../../src/search/index.ts'
import { propertyRuns } from '../harness/property-runs.ts'

const ids = Array.from({ length: 12 }, (_, number) => `d${number}`)
const words = ['story', 'stories', 'image', 'writer', 'write', 'video', 'ai']
const phrase = fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((list) => list.join(' '))
const document = fc.record({
  id: fc.constantFrom(...ids),
  text: fc.tuple(phrase, phrase, phrase),
  facets: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  popularity: fc.nat(3),
  recency: fc.nat(3),
  numbers: fc.array(fc.nat(2), { maxLength: 1 }),
  item: fc.nat(),
})
const round = fc.record({
  documents: fc.uniqueArray(document, { selector: ({ id }) => id, maxLength: 12 }),
  removed: fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 6 }),
})

it('changing many documents at once gives the index that changing one after the other gives', () => {
  fc.assert(
    fc.property(fc.array(round, { minLength: 1, maxLength: 5 }), (rounds) => {
      const options = {
        defaultKey: ({ text, recency }: SearchDocument<number>) => [recency, text[0]] as const,
        numberOrders: ['first-number'] as const,
      }
      const [atOnce, oneByOne] = [createIndex<number>(options), createIndex<number>(options)]
      for (const { documents, removed } of rounds) {
        const others = removed.filter((id) => documents.every((document) => document.id !== id))
        atOnce.putAll(documents, others)
        for (const id of others) oneByOne.remove(id)
        for (const one of documents) oneByOne.put(one)
        expect(atOnce.size).toBe(oneByOne.size)
        for (const id of ids) expect(atOnce.get(id)).toBe(oneByOne.get(id))
        for (const order of [undefined, 'default', 'popular-then-newest', 'first-number'] as const)
          for (const q of [undefined, ...words])
            for (const all of [[], ['a']]) {
              const query = { q, all, order, offset: 0, limit: 20 }
              deepStrictEqual(atOnce.find(query), oneByOne.find(query))
            }
      }
    }),
    { numRuns: propertyRuns(300) },
  )
})
