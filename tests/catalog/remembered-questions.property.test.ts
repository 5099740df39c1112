// @module-tag once
// An answer to a question that is said to hold still is the answer that the question gets now, with what was understood and what is missing.
import { deepStrictEqual } from 'node:assert'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ListingIndex } from '../../src/features/catalog/memory/listing-states.ts'
import { facetConditions, givenIn } from '../../src/features/catalog/questions/conditions.ts'
import { type Asked, askIndex, type Question } from '../../src/features/catalog/questions/question.ts'
import type { Taxonomy } from '../../src/features/catalog/rules.ts'
import { createIndex, parseVectors } from '../../src/search/index.ts'
import { propertyRuns } from '../harness/property-runs.ts'

const vectors = parseVectors(readFileSync(new URL('../../src/search/meaning/vectors.bin', import.meta.url)))
const WORDS =
  'story stories image images chat gpt chatgpt podcast podcasts logo disgn design xisgn writing up follow-up tool free'
const QUESTIONS = `storys,imge,podcst,disgn,free podcast,paid logo,free logo podcst,writing,writing podcast,free writing,not writing podcast,
disgn image,free disgn,chat gpts,chatimage,follow-up,folow-up image,podcast without images,need a free image tool,lgo,free,storis imges`
// Video begins without listings.
const CATEGORIES = ['Writing', 'Images', 'Video']
const bySlug = (names: readonly string[]) =>
  new Map(names.map((name) => [name.toLowerCase(), { slug: name.toLowerCase(), name }]))
const taxonomy = {
  categories: bySlug(CATEGORIES),
  tags: bySlug(['Podcast']),
  directoryCategories: new Map(),
} as unknown as Taxonomy

const phrase = (maxLength: number) =>
  fc.array(fc.constantFrom(...WORDS.split(' ')), { maxLength }).map((words) => words.join(' '))
const ids = Array.from({ length: 14 }, (_, number) => `d${number}`)
const id = fc.constantFrom(...ids)
const document = fc
  .record({
    ...{ id, name: phrase(2), tagline: phrase(2), description: phrase(3) },
    category: fc.oneof({ arbitrary: fc.constantFrom('Writing', 'Images'), weight: 9 }, fc.constant('Video')),
    labels: fc.subarray(['tag:podcast', 'adult', 'last']),
    pricing: fc.constantFrom('FREE', 'FREEMIUM', 'PAID'),
    ...{ popularity: fc.nat(3), recency: fc.nat(3), item: fc.nat() },
  })
  .map(({ name, tagline, description, category, labels, pricing, ...rest }) => ({
    ...rest,
    text: [name, `${tagline}\n${category}`, description] as const,
    facets: [`category:${category.toLowerCase()}`, `pricing:${pricing}`, ...labels],
  }))
const question = fc
  .record({
    q: fc.oneof({ arbitrary: fc.constantFrom(...QUESTIONS.split(/,\s*/)), weight: 3 }, phrase(3)),
    given: fc.record(
      { category: fc.constantFrom(['writing'], ['images']), pricing: fc.constantFrom(['FREE'], ['PAID']) },
      { requiredKeys: [] },
    ),
    ...{ partial: fc.boolean(), offset: fc.constantFrom(0, 0, 1), limit: fc.constantFrom(1, 2, 20) },
  })
  .map(({ given, ...rest }) => ({
    ...rest,
    ...facetConditions(given, { adult: false }),
    given: givenIn(given),
    depend: true,
  }))
const step = fc.oneof(
  { arbitrary: fc.record({ put: document }), weight: 5 },
  { arbitrary: fc.record({ remove: id }), weight: 1 },
  { arbitrary: fc.record({ question }), weight: 5 },
)

it('an answer that still holds is the one that the question gets now', () => {
  let held = 0
  fc.assert(
    fc.property(
      fc.array(document, { maxLength: 14 }),
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.boolean(),
      (first, steps, isByMeaning) => {
        const index = createIndex<number>(isByMeaning ? { vectors } : {})
        const listings = { index, idOf: new Map() } as unknown as ListingIndex
        const ask = (one: Question) => askIndex('tool', listings, taxonomy, one)
        const seen = ({ result: { dependsOn: _, ...result }, understood, missing, respelt }: Asked) => ({
          ...{ result, understood, missing, respelt },
        })
        index.putAll([...new Map(first.map((one) => [one.id, one])).values()], [])
        let remembered: { one: Question; asked: Asked }[] = []
        for (const change of steps) {
          if ('put' in change) index.put(change.put)
          else if ('remove' in change) index.remove(change.remove)
          else remembered.push({ one: change.question, asked: ask(change.question) })
          remembered = remembered.filter(({ asked }) => asked.stillHolds?.())
          held += remembered.length
          for (const { one, asked } of remembered) deepStrictEqual(seen(asked), seen(ask(one)), one.q)
        }
      },
    ),
    { numRuns: propertyRuns(1_600) },
  )
  expect(held).toBeGreaterThan(propertyRuns(1_600))
})
