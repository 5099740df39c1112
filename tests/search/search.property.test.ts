// @module-tag slow
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  buildIndex,
  createIndex,
  createLoadableIndex,
  type IndexOptions,
  type SearchDocument,
  type SearchIndex,
  type SearchQuery,
} from '../../src/search/index.ts'
import { propertyRuns } from '../harness/property-runs.ts'
import { madeUpVectors } from './made-up-vectors.ts'
import { type DefaultKey, referenceFind, referenceRespelt } from './reference.ts'

// These words are close to one another by design: forms, typos, prefixes, accents, other scripts, function words, numbers.
const VOCABULARY = (
  'story stories storys storie stroy write writes written wrote writing writer child children childs childish person people ' +
  'generate generator generation generatoin genrator generalise image images imags imagine café cafe cafes naïve naive ' +
  "Straße strasse the a for with to and it its what's whats 2024 20245 gpt4 gpt5 s st sto 絵 画像 像を ai ail aim video " +
  'vidoe videos edit editor editing edtior translation translations tranzlation translate chat gpt chatgpt chat-gpt ' +
  'elevenlabs eleven labs text-to-speech node.js nodejs c++ c# .net 3d gpt-4o 3.5 colour color organise organize need tool help site ' +
  'follow-up followup up upload follow e-mail email mail e'
).split(' ')

const word = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...VOCABULARY) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'é', '1', '絵'), minLength: 1, maxLength: 5 }) },
)
const phrase = (maxLength: number) => fc.array(word, { maxLength }).map((list) => list.join(' '))
const FACETS = ['adult', 'kind:a', 'kind:b', 'label:x', 'label:y']
const facet = fc.constantFrom(...FACETS)

const RUNS = propertyRuns(150)

type Item = { id: string; version: number }
const id = fc.constantFrom(...Array.from({ length: 14 }, (_, number) => `d${number}`))
const document = fc
  .record({
    id,
    text: fc.tuple(phrase(3), phrase(4), phrase(6)),
    facets: fc.array(facet, { maxLength: 3 }),
    popularity: fc.nat(3),
    recency: fc.constantFrom(0, 1, 2, 1.7e12),
    numbers: fc.array(fc.constantFrom(-Infinity, -1, 0, 4.5), { maxLength: 2 }),
    version: fc.nat(),
  })
  .map(({ version, ...rest }): SearchDocument<Item> => ({ ...rest, item: { id: rest.id, version } }))

type Operation =
  | { kind: 'put'; document: SearchDocument<Item> }
  | { kind: 'remove'; id: string }
  | { kind: 'update'; id: string; popularity: number; version: number }
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: document.map((document): Operation => ({ kind: 'put', document })) },
  { weight: 1, arbitrary: id.map((id): Operation => ({ kind: 'remove', id })) },
  {
    weight: 1,
    arbitrary: fc
      .record({ id, popularity: fc.nat(3), version: fc.nat() })
      .map((change): Operation => ({ kind: 'update', ...change })),
  },
)
const NUMBER_ORDERS = ['first-number', 'second-number'] as const
const query = fc.record({
  q: fc.option(
    fc.oneof(
      { weight: 6, arbitrary: fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => list.join(' ')) },
      { weight: 4, arbitrary: fc.array(word, { minLength: 4, maxLength: 12 }).map((list) => list.join(' ')) },
      { weight: 1, arbitrary: fc.constantFrom('', '  ', '?!', '\0', 'the', 'the a', 'STORY, stories') },
    ),
    { nil: undefined, freq: 8 },
  ),
  all: fc.option(fc.array(fc.oneof(facet, fc.constant('unknown')), { maxLength: 2 }), { nil: undefined }),
  any: fc.option(
    fc.array(fc.array(fc.oneof(facet, fc.constant('unknown')), { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
    { nil: undefined },
  ),
  none: fc.option(fc.array(facet, { maxLength: 2 }), { nil: undefined }),
  ranges: fc.option(
    fc.array(
      fc.record(
        {
          of: fc.constantFrom('default-number' as const, ...NUMBER_ORDERS),
          least: fc.constantFrom(-1, 0, 1),
          most: fc.constantFrom(0, 4.5),
          below: fc.constantFrom(0, 4.5),
        },
        { requiredKeys: ['of'] },
      ),
      { maxLength: 2 },
    ),
    { nil: undefined, freq: 2 },
  ),
  prefer: fc.option(fc.uniqueArray(fc.oneof(facet, fc.constant('unknown')), { maxLength: 3 }), { nil: undefined }),
  lenient: fc.constantFrom(true, false, undefined),
  partial: fc.constantFrom(true, true, false, undefined),
  order: fc.constantFrom<SearchQuery['order']>(undefined, 'default', 'popular-then-newest', ...NUMBER_ORDERS),
  offset: fc.oneof(fc.constant(0), fc.nat(6), fc.constant(1e15)),
  limit: fc.constantFrom(0, 1, 2, 5, 20, 100),
})

const vectors = madeUpVectors(VOCABULARY)

const byName: DefaultKey<Item> = ({ text, recency }) => [recency > 0 ? recency : -Infinity, text[0]]

function applyTo(documents: Map<string, SearchDocument<Item>>, operation: Operation): void {
  if (operation.kind === 'put') documents.set(operation.document.id, operation.document)
  if (operation.kind === 'remove') documents.delete(operation.id)
  const known = operation.kind === 'update' && documents.get(operation.id)
  if (operation.kind !== 'update' || !known) return
  const { popularity, version } = operation
  documents.set(known.id, { ...known, popularity, item: { id: known.id, version } })
}

/** Another index with the same content, made from what the index stores. */
function restored(index: SearchIndex<Item>, options: IndexOptions<Item>): SearchIndex<Item> {
  const { saved, items } = index.save()
  const copies = Object.entries(saved).map(([name, list]) => [name, list.slice()])
  const { index: other, restore } = createLoadableIndex<Item>(options)
  for (const _ of restore(Object.fromEntries(copies), [...items]));
  return other
}

describe('the index agrees with the reference', () => {
  it.each([
    ['by recency', undefined, undefined],
    ['by a key, with meaning', byName, vectors],
  ])(
    'after any changes and for any query, also when it was stored and read again; default order %s',
    (_, defaultKey, vectors) => {
      fc.assert(
        fc.property(
          fc.array(
            fc.record({
              changes: fc.array(operation, { maxLength: 12 }),
              queries: fc.array(query, { maxLength: 4 }),
              isRestored: fc.boolean(),
            }),
            {
              minLength: 1,
              maxLength: 4,
            },
          ),
          (rounds) => {
            let index = createIndex<Item>({ defaultKey, vectors, numberOrders: NUMBER_ORDERS })
            const documents = new Map<string, SearchDocument<Item>>()
            for (const { changes, queries, isRestored } of rounds) {
              if (isRestored) index = restored(index, { defaultKey, vectors, numberOrders: NUMBER_ORDERS })
              for (const change of changes) {
                const known = change.kind !== 'put' && documents.has(change.id)
                applyTo(documents, change)
                if (change.kind === 'put') index.put(change.document)
                if (change.kind === 'remove') expect(index.remove(change.id)).toBe(known)
                if (change.kind === 'update') {
                  const { id, popularity, version } = change
                  expect(index.update(id, { popularity, item: { id, version } })).toBe(known)
                }
              }
              expect(index.size).toBe(documents.size)
              for (const { id, item } of documents.values()) expect(index.get(id)).toEqual(item)
              expect([...index.items()].map(({ id }) => id).sort()).toEqual([...documents.keys()].sort())
              for (const query of queries) {
                const all = [...documents.values()]
                expect(index.find(query)).toEqual(referenceFind(all, query, defaultKey, vectors))
                for (const isBold of [true, false])
                  expect(index.respelt(query.q ?? '', isBold)).toBe(
                    referenceRespelt(all, query.q ?? '', isBold, vectors),
                  )
              }
            }
          },
        ),
        { numRuns: RUNS },
      )
    },
    120_000,
  )

  it('when it was built at once, and when it is changed afterwards', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(document, { maxLength: 20 }),
        fc.array(operation, { maxLength: 5 }),
        fc.array(query, { minLength: 1, maxLength: 4 }),
        async (initial, changes, queries) => {
          const documents = new Map(initial.map((document) => [document.id, document]))
          const index = await buildIndex([initial], { numberOrders: NUMBER_ORDERS })
          const agree = () => {
            for (const query of queries)
              expect(index.find(query)).toEqual(referenceFind([...documents.values()], query))
          }
          agree()
          for (const change of changes) {
            applyTo(documents, change)
            if (change.kind === 'put') index.put(change.document)
            if (change.kind === 'remove') index.remove(change.id)
            const current = change.kind === 'update' && documents.get(change.id)
            if (current) index.update(current.id, current)
          }
          agree()
        },
      ),
      { numRuns: RUNS },
    )
  }, 120_000)

  it('for a few thousand documents, where sorting and merging happen in parts', async () => {
    const texts = fc.sample(fc.tuple(phrase(2), phrase(2), phrase(2)), { numRuns: 3000, seed: 7 })
    const documents = texts.map(
      (text, number): SearchDocument<Item> => ({
        id: `d${number}`,
        text,
        facets: FACETS.filter((_, facet) => (number * 7919) % (facet + 3) === 0),
        popularity: (number * 31) % 17,
        recency: (number * 17) % 101,
        item: { id: `d${number}`, version: 0 },
      }),
    )
    const index = await buildIndex([documents])
    for (const query of [
      { offset: 1000, limit: 50 },
      { order: 'popular-then-newest' as const, none: ['adult'], offset: 1500, limit: 100 },
      { q: 's', offset: 0, limit: 3000 },
      { q: 'image', none: ['adult'], all: ['kind:a'], offset: 3, limit: 20 },
    ]) {
      expect(index.find(query)).toEqual(referenceFind(documents, query))
    }
  }, 30_000)
})

describe('result pages', () => {
  it('are disjoint and together complete', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(document, { selector: ({ id }) => id, maxLength: 14 }),
        query,
        fc.integer({ min: 1, max: 5 }),
        (documents, query, limit) => {
          const index = createIndex<Item>()
          for (const document of documents) index.put(document)
          const whole = index.find({ ...query, offset: 0, limit: 100 })
          const pages: Item[] = []
          for (let offset = 0; offset < whole.total; offset += limit) {
            const page = index.find({ ...query, offset, limit })
            expect(page.total).toBe(whole.total)
            pages.push(...page.items)
          }
          expect(pages).toEqual(whole.items)
          expect(new Set(pages).size).toBe(whole.total)
        },
      ),
      { numRuns: 500 },
    )
  })
})
