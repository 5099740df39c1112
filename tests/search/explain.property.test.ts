// @module-tag slow
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createIndex, type ExplainedDocument, type SearchDocument, words } from '../../src/search/index.ts'
import { propertyRuns } from '../harness/property-runs.ts'
import { madeUpVectors } from './made-up-vectors.ts'

// Forms, typos, longer words, joined words, function words, words of asking, one letter and numbers.
const VOCABULARY = (
  'story stories stroy write written writer child children generate generator genrator image images imagine cafe café the for with ' +
  '2024 gpt4 s st sto ai video vidoe videos edit editor chat gpt chatgpt elevenlabs eleven labs text-to-speech c++ need tool help a b'
).split(' ')
const FACETS = ['adult', 'kind:a', 'kind:b']

const phrase = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...VOCABULARY), { minLength, maxLength }).map((list) => list.join(' '))
const documents = (most: number) =>
  fc
    .array(
      fc.record({
        text: fc.tuple(phrase(0, 3), phrase(0, 4), phrase(0, 8)),
        facets: fc.array(fc.constantFrom(...FACETS), { maxLength: 2 }),
        popularity: fc.nat(3),
        recency: fc.constantFrom(0, 1, 2),
      }),
      { maxLength: most },
    )
    .map((list) => list.map((one, at): SearchDocument<string> => ({ ...one, id: `d${at}`, item: `d${at}` })))
const query = fc.record({
  q: fc.oneof(
    { weight: 4, arbitrary: phrase(1, 3) },
    { weight: 6, arbitrary: phrase(4, 12) },
    { weight: 1, arbitrary: fc.constantFrom('', ' ', '?!', 'the', 'zzzzzz', undefined) },
  ),
  all: fc.array(fc.constantFrom('kind:a', 'kind:b', 'unknown'), { maxLength: 1 }),
  none: fc.array(fc.constantFrom('adult'), { maxLength: 1 }),
  prefer: fc.constantFrom<string[]>([], ['kind:a'], ['kind:b', 'kind:a']),
  lenient: fc.boolean(),
  partial: fc.constantFrom(true, true, true, false),
  order: fc.constantFrom(undefined, undefined, 'default' as const, 'popular-then-newest' as const),
  nearness: fc.constantFrom(undefined, (id: string) =>
    id.endsWith('3') ? undefined : ((Number(id.slice(1)) * 37) % 100) / 100,
  ),
})

const vectors = madeUpVectors(VOCABULARY)

const sumOfParts = ({ hits, wholeName, preferred = 0, meaning, nearness }: ExplainedDocument): number =>
  hits.reduce(
    (sum, { points }) => sum + points,
    wholeName + preferred + (meaning?.points ?? 0) + (nearness?.points ?? 0),
  )

describe.each([
  ['words alone', undefined],
  ['words and meaning', vectors],
])('an explanation of a search by %s', (_, vectors) => {
  const filled = (list: readonly SearchDocument<string>[]) => {
    const index = createIndex<string>({ vectors })
    for (const document of list) index.put(document)
    return index
  }

  it('has the documents of the search, and parts that add up to the scores that order them', () => {
    fc.assert(
      fc.property(documents(14), query, fc.nat(4), fc.constantFrom(1, 3, 100), (list, query, offset, limit) => {
        const index = filled(list)
        const found = index.find({ ...query, offset, limit })
        const explained = index.explain({ ...query, offset, limit })
        const { items, total, full } = explained
        expect({ items, total, full }).toEqual({ items: found.items, total: found.total, full: found.full })
        const isQuestion = words(query.q ?? '').length > 0
        expect(explained.documents).toHaveLength(isQuestion ? found.items.length : 0)
        for (const [at, one] of explained.documents.entries()) {
          expect(one.match).toBe(offset + at < found.full ? 'full' : 'partial')
          expect(sumOfParts(one)).toBe(one.score)
          const before = explained.documents[at - 1]
          if (query.order === undefined && before?.match === one.match)
            expect(before.score).toBeGreaterThanOrEqual(one.score)
        }
      }),
      { numRuns: propertyRuns(150) },
    )
  }, 120_000)

  it('gives every document its place, or the reasons why it has none', () => {
    fc.assert(
      fc.property(documents(14), query, (list, query) => {
        const index = filled(list)
        const search = { ...query, offset: 0, limit: 100 }
        const { items } = index.find(search)
        for (const { id, facets } of list) {
          const named = index.explain(search, id).named!
          const at = items.indexOf(id)
          expect(named.place).toBe(at === -1 ? undefined : at + 1)
          expect(named.reasons.length > 0).toBe(at === -1)
          expect(named.document.match === 'none').toBe(at === -1)
          if (words(query.q ?? '').length > 0 && at !== -1)
            expect(sumOfParts(named.document)).toBe(named.document.score)
          const isFiltered =
            query.all.some((label) => !facets.includes(label)) || query.none.some((label) => facets.includes(label))
          expect(named.reasons.some(({ reason }) => reason === 'filter')).toBe(isFiltered)
          if (named.document.match === 'full') expect(named.lacks).toEqual([])
          if (named.document.match === 'partial') expect(named.lacks).not.toEqual([])
        }
      }),
      { numRuns: propertyRuns(120) },
    )
  }, 120_000)

  it('gives the places of a result that is cut', () => {
    const texts = fc.sample(fc.tuple(phrase(0, 3), phrase(0, 4), phrase(0, 8)), { numRuns: 300, seed: 11 })
    const list = texts.map((text, at): SearchDocument<string> => {
      const id = `d${at}`
      return { id, text, facets: [], popularity: (at * 31) % 7, recency: at % 5, item: id }
    })
    const index = filled(list)
    for (const q of ['story', 'a', 'eleven generators for videos', 'image editor story children zzzzzz chatgpt write'])
      for (const order of [undefined, 'default' as const, 'popular-then-newest' as const]) {
        const search = { q, order, partial: true, offset: 0, limit: 1000 }
        const { items } = index.find(search)
        for (const { id } of list)
          expect(index.explain(search, id).named!.place ?? 0, `${q} ${id}`).toBe(items.indexOf(id) + 1)
      }
  }, 60_000)
})
