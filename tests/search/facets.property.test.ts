// The counts of facets against a count of the results, one result for each facet.
// @module-tag slow
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CountedFacet,
  createIndex,
  type NumberRange,
  type SearchDocument,
  type SearchQuery,
} from '../../src/search/index.ts'
import { propertyRuns } from '../harness/property-runs.ts'
import { type DefaultKey, referenceFind } from './reference.ts'

const WORDS = (
  'story stories write writer image images imags video vidoe edit editor chat gpt chatgpt notes meeting podcast clips ' +
  'the for with need tool help translate translation s'
).split(' ')
const GROUPS = ['category', 'tag', 'pricing'] as const
const LABELS = GROUPS.map((group) => ['a', 'b', 'c', 'd'].map((value) => `${group}:${value}`))

const phrase = (maxLength: number) => fc.array(fc.constantFrom(...WORDS), { maxLength }).map((list) => list.join(' '))
const facets = fc
  .tuple(
    fc.option(fc.constantFrom(...LABELS[0]!)),
    fc.subarray(LABELS[1]!),
    fc.constantFrom(...LABELS[2]!),
    fc.boolean(),
  )
  .map(([category, tags, pricing, adult]) => [category ?? [], tags, pricing, adult ? 'adult' : []].flat())
const documents = fc.array(
  fc.record({ text: fc.tuple(phrase(3), phrase(4), phrase(6)), facets: fc.oneof(facets, fc.constant<string[]>([])) }),
  { maxLength: 40 },
)
const chosen = fc.tuple(
  ...LABELS.map((labels) => fc.option(fc.subarray([...labels, 'unknown'], { maxLength: 2 }), { nil: undefined })),
)
const question = fc.record({
  q: fc.option(
    fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((list) => list.join(' ')),
    { nil: undefined },
  ),
  none: fc.constantFrom<string[]>([], ['adult']),
  ranges: fc.constantFrom<NumberRange[]>([], [], [{ of: 'first-number', least: 1 }]),
  prefer: fc.constantFrom<string[]>([], ['tag:a']),
  lenient: fc.boolean(),
  partial: fc.constantFrom(true, true, true, false),
})

const toDocuments = (list: { text: [string, string, string]; facets: string[] }[]): SearchDocument<string[]>[] =>
  list.map(({ text, facets }, number) => ({
    id: `d${number}`,
    text,
    facets,
    popularity: number % 3,
    recency: number % 7,
    numbers: [number % 2],
    item: facets,
  }))

/** One search for each facet, with the choices of the others, and a count of its labels. */
function countOneByOne(
  all: readonly SearchDocument<string[]>[],
  query: Omit<SearchQuery, 'offset' | 'limit'>,
  given: readonly CountedFacet[],
): number[][] {
  return given.map((facet) => {
    const any = given
      .filter((other) => other !== facet)
      .flatMap(({ chosen = [] }) => (chosen.length > 0 ? [chosen] : []))
    const { items } = referenceFind(all, { ...query, any, offset: 0, limit: 1000 }, byId)
    return facet.labels.map((label) => items.filter((labels) => labels.includes(label)).length)
  })
}

const byId: DefaultKey<string[]> = ({ id }) => [0, id]

describe('the counts of facets', () => {
  it('are those of the results with the choices of all other facets, also after changes', () => {
    let withPartial = 0
    fc.assert(
      fc.property(documents, fc.nat(), chosen, question, (list, removed, choices, query) => {
        const all = toDocuments(list)
        const index = createIndex<string[]>({ defaultKey: byId })
        for (const document of all) index.put(document)
        const given = LABELS.map((labels, at) => ({ labels: [...labels, 'never:used'], chosen: choices[at] }))
        expect(index.countFacets(query, given)).toEqual(countOneByOne(all, query, given))
        const { full, total } = index.find({ ...query, offset: 0, limit: 1 })
        if (full < total) withPartial++
        const gone = all[removed % Math.max(1, all.length)]
        if (!gone) return
        index.remove(gone.id)
        const left = all.filter((document) => document !== gone)
        expect(index.countFacets(query, given)).toEqual(countOneByOne(left, query, given))
      }),
      { numRuns: propertyRuns(1800) },
    )
    expect(withPartial).toBeGreaterThan(100)
  }, 120_000)

  it('of full matches are the totals of a search with that label', () => {
    fc.assert(
      fc.property(documents, chosen, question, (list, choices, query) => {
        const index = createIndex<string[]>()
        for (const document of toDocuments(list)) index.put(document)
        const given = LABELS.map((labels, at) => ({ labels, chosen: choices[at] }))
        const counts = index.countFacets({ ...query, partial: false }, given)
        for (const [at, { labels }] of given.entries()) {
          const any = choices.filter((choice, other) => other !== at && choice?.length).map((choice) => choice!)
          for (const [place, label] of labels.entries()) {
            const { total } = index.find({ ...query, partial: false, any, all: [label], offset: 0, limit: 0 })
            expect(counts[at]![place]).toBe(total)
          }
        }
      }),
      { numRuns: propertyRuns(120) },
    )
  }, 60_000)

  it('are those of the partial matches that are among the best by a nearness that the caller gives', () => {
    const index = createIndex<string[]>()
    const list = Array.from({ length: 3000 }, (_, i) => ({
      text: [`n${i}`, i % 20 === 0 ? 'podcast' : 'x', ''] as [string, string, string],
      facets: [i < 1500 ? 'pricing:a' : 'pricing:b'],
    }))
    for (const document of toDocuments(list)) index.put(document)
    const given = [{ labels: ['pricing:a', 'pricing:b'] }]
    for (const sign of [1, -1]) {
      const query = { q: 'podcast clips', partial: true, nearness: (id: string) => (sign * Number(id.slice(1))) / 3000 }
      const { items, full, total } = index.find({ ...query, offset: 0, limit: 1000 })
      expect([full, total]).toEqual([0, 100])
      const counts = given[0]!.labels.map((label) => items.filter((labels) => labels.includes(label)).length)
      expect(index.countFacets(query, given)).toEqual([counts])
      expect(counts).toEqual(sign === 1 ? [25, 75] : [75, 25])
    }
  })
})
