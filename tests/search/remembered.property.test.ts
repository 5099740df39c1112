// @module-tag once
// A result that is said to hold still is the result that a search gives now, whatever has changed since.
import { deepStrictEqual } from 'node:assert'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  createIndex,
  LAST,
  parseVectors,
  type SearchDocument,
  type SearchQuery,
  type SearchResult,
} from '../../src/search/index.ts'
import { MOST_INEXACT } from '../../src/search/terms/vocabulary.ts'
import { propertyRuns } from '../harness/property-runs.ts'

const ids = Array.from({ length: 14 }, (_, number) => `d${number}`)
// Forms of a word, longer words, misspelt ones, words written as one, a single letter, numbers.
const WORDS =
  'story stories storie storyteller image images imag imagination chat gpt chatgpt chatgpts text-to-speech speech a ai c++ 3.5 write writer wrote 漢字 tool need'.split(
    ' ',
  )
const phrase = (most: number) => fc.array(fc.constantFrom(...WORDS), { maxLength: most }).map((list) => list.join(' '))
const document = fc.record({
  id: fc.constantFrom(...ids),
  text: fc.tuple(phrase(2), phrase(2), phrase(3)),
  facets: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', LAST), { maxLength: 2 }),
  popularity: fc.nat(3),
  recency: fc.nat(3),
  numbers: fc.array(fc.nat(2), { maxLength: 1 }),
  item: fc.nat(),
})
const facet = fc.constantFrom('a', 'b', 'c')
const query: fc.Arbitrary<SearchQuery> = fc.record(
  {
    q: fc.oneof(
      phrase(3),
      fc.constantFrom(
        'storys',
        'imge',
        'imagse gpt',
        'storiez tool',
        'chatimage',
        'speechstory',
        'i',
        'writing storyt',
        'chat gpts',
      ),
    ),
    all: fc.array(facet, { maxLength: 1 }),
    any: fc.array(fc.array(facet, { minLength: 1, maxLength: 2 }), { maxLength: 1 }),
    none: fc.array(facet, { maxLength: 1 }),
    ranges: fc.array(fc.record({ of: fc.constant('first-number' as const), least: fc.nat(2) }), { maxLength: 1 }),
    prefer: fc.uniqueArray(facet, { maxLength: 2 }),
    lenient: fc.boolean(),
    order: fc.constantFrom('default' as const, 'popular-then-newest' as const, 'first-number' as const),
    partial: fc.boolean(),
    offset: fc.constantFrom(0, 2),
    limit: fc.constantFrom(1, 2, 20),
  },
  { requiredKeys: ['offset', 'limit'] },
)
const step = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('put' as const), document }), weight: 5 },
  { arbitrary: fc.record({ kind: fc.constant('remove' as const), id: fc.constantFrom(...ids) }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      id: fc.constantFrom(...ids),
      popularity: fc.nat(3),
      item: fc.nat(),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('putAll' as const),
      documents: fc.uniqueArray(document, { selector: ({ id }) => id, maxLength: 5 }),
    }),
    weight: 1,
  },
  { arbitrary: fc.record({ kind: fc.constant('ask' as const), query }), weight: 5 },
)

it('a result that still holds is the one that a search gives now', () => {
  let held = 0
  let dropped = 0
  fc.assert(
    fc.property(
      fc.array(document, { maxLength: 20 }),
      fc.array(step, { minLength: 5, maxLength: 40 }),
      (first, steps) => {
        const index = createIndex<number>({
          defaultKey: ({ text, recency }: SearchDocument<number>) => [recency, text[0]] as const,
          numberOrders: ['first-number'],
        })
        for (const one of first) index.put(one)
        const remembered = new Map<string, { query: SearchQuery; result: SearchResult<number> }>()
        for (const one of steps) {
          if (one.kind === 'put') index.put(one.document)
          else if (one.kind === 'putAll') index.putAll(one.documents, [])
          else if (one.kind === 'remove') index.remove(one.id)
          else if (one.kind === 'update') index.update(one.id, one)
          else
            remembered.set(JSON.stringify(one.query), {
              query: one.query,
              result: index.find({ ...one.query, depend: true }),
            })
          for (const [key, { query, result }] of remembered) {
            if (!result.dependsOn || !index.stillHolds(result.dependsOn)) {
              remembered.delete(key)
              dropped++
              continue
            }
            held++
            const { dependsOn: _, ...then } = result
            const { dependsOn: __, ...now } = index.find(query)
            deepStrictEqual(then, now, key)
          }
        }
      },
    ),
    { numRuns: propertyRuns(2_000) },
  )
  expect(held).toBeGreaterThan(dropped)
})

// Enough documents that the comparison by meaning leaves most of them out, and words from frequent to rare.
const FREQUENT = 'image video text write music voice chat code data design email meeting'.split(' ')
const RARE = 'transcribe invoice podcast recipe logo subtitle translate resume travel fitness contract garden'.split(
  ' ',
)
const rare = fc.constantFrom(...RARE)
const word = fc.oneof({ arbitrary: fc.constantFrom(...FREQUENT), weight: 5 }, { arbitrary: rare, weight: 2 })
// Always as many words, so that the documents are as long on average as before.
const sentence = (count: number) => fc.array(word, { minLength: count, maxLength: count }).map((list) => list.join(' '))
const vectors = parseVectors(readFileSync(new URL('../../src/search/meaning/vectors.bin', import.meta.url)))

it('so is one with partial matches, by words and by meaning, in a catalog of many documents', () => {
  let held = 0
  let dropped = 0
  const texts = fc.tuple(sentence(2), sentence(2), sentence(6))
  fc.assert(
    fc.property(
      fc.array(texts, { minLength: 500, maxLength: 500 }),
      fc.array(fc.tuple(fc.nat(499), texts, fc.constantFrom('put', 'remove', 'turn')), {
        minLength: 10,
        maxLength: 10,
      }),
      fc.array(fc.tuple(word, rare, rare, rare), { minLength: 10, maxLength: 10 }),
      fc.boolean(),
      (first, changes, questions, isByMeaning) => {
        const index = createIndex<string>(isByMeaning ? { vectors } : {})
        const put = (number: number, text: readonly [string, string, string]) =>
          index.put({
            id: `d${number}`,
            text: [...text],
            facets: [],
            popularity: 0,
            recency: number,
            item: text.join(),
          })
        for (const [number, text] of first.entries()) put(number, text)
        const asked = questions.map(([...words]) => {
          const query = { q: words.join(' '), partial: true, offset: 0, limit: 100 }
          return { query, result: index.find({ ...query, depend: true }) }
        })
        for (const [number, text, kind] of changes) {
          const [name, tagline, description] = first[number]!
          if (kind === 'remove') index.remove(`d${number}`)
          // With the same words in other fields the document counts differently, and the words are as rare as before.
          else put(number, kind === 'turn' ? [name, description, tagline] : text)
          for (const one of asked) {
            const { dependsOn, ...now } = index.find({ ...one.query, depend: true })
            if (one.result.dependsOn && index.stillHolds(one.result.dependsOn)) {
              held++
              const { dependsOn: _, ...then } = one.result
              deepStrictEqual(then, now, one.query.q)
            } else {
              dropped++
              one.result = { ...now, dependsOn }
            }
          }
        }
      },
    ),
    { numRuns: propertyRuns(80), endOnFailure: true },
  )
  expect(held).toBeGreaterThan(dropped / 4)
})

it('a result is compared with the size at its last comparison, not with that at its first', () => {
  const index = createIndex<number>({})
  const put = (number: number, text: string, facets: string[] = []) =>
    index.put({ id: `d${number}`, text: [text, '', ''], facets, popularity: 0, recency: number, item: number })
  // With 1,036 of 20,000 documents the word is as rare as with 1,037 of 20,001, and rarer than with 1,037 of 20,000.
  for (let number = 0; number < 20_000; number++)
    put(number, number < 1_036 ? 'podcast' : number < 4_000 ? 'logo' : number < 19_999 ? 'garden' : 'invoice')
  const query = { q: 'podcast logo garden', none: ['adult'], partial: true, offset: 0, limit: 20 }
  const { dependsOn } = index.find({ ...query, depend: true })
  expect(index.stillHolds(dependsOn!)).toBe(true)
  put(20_000, 'podcast', ['adult'])
  const kept = index.stillHolds(dependsOn!)
  index.remove('d19999')
  expect([kept, index.stillHolds(dependsOn!)]).toEqual([true, false])
})

it('of more longer terms than one question takes, a removed one lets in another, so the result is asked anew', () => {
  const index = createIndex<number>({})
  const put = (number: number, text: string) =>
    index.put({ id: `d${number}`, text: [text, '', ''], facets: [], popularity: 0, recency: number, item: number })
  const TERMS = MOST_INEXACT + 1
  for (let number = 0; number < TERMS; number++) put(number, `co${number}`)
  // The most used terms are taken first; this one is used as seldom as most of the others.
  for (let number = 0; number < TERMS - 1; number++) put(TERMS + number, `co${number}`)
  const query = { q: 'co', offset: 0, limit: 20, order: 'default' as const }
  const { dependsOn, total } = index.find({ ...query, depend: true })
  expect(dependsOn && index.stillHolds(dependsOn)).toBeTruthy()
  for (const number of [5, TERMS + 5]) index.remove(`d${number}`)
  const isHeld = dependsOn !== undefined && index.stillHolds(dependsOn)
  const now = index.find(query).total
  expect({ total: isHeld ? total : now, isHeld }).toEqual({ total: now, isHeld: false })
})
