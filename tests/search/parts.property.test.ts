// @module-tag slow
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createIndex, words } from '../../src/search/index.ts'
import { createSimilarity } from '../../src/search/partial/question-similarity.ts'
import { createBestSelection, sortRange } from '../../src/search/results/best-scored.ts'
import { NumberLists } from '../../src/search/stored/number-lists.ts'
import { createOrder } from '../../src/search/stored/orders.ts'
import type { Vocabulary } from '../../src/search/terms/vocabulary.ts'
import { letterMask, maskDifference, withinTypos } from '../../src/search/words/typos.ts'
import { lettersReadBy, shuffledLetters } from '../harness/letters-read.ts'
import { distance } from './reference.ts'

describe('the parts of the search', () => {
  it('count typos like the full table, and the letter mask never hides a match', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 9 })
    fc.assert(
      fc.property(text, text, fc.constantFrom(0, 1, 2, 3), (a, b, limit) => {
        expect(withinTypos(a, b, limit)).toBe(distance(a, b) <= limit)
        if (distance(a, b) <= limit) {
          expect(maskDifference(letterMask(a), letterMask(b))).toBeLessThanOrEqual(2 * limit)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('tell words of the same letters apart by a few of them', () => {
    const words = shuffledLetters('abcdefghij', 2_000)
    const [first = ''] = words
    const compare = () => words.filter((word) => withinTypos(first, word, 2))
    expect(compare().length).toBeLessThan(20)
    expect(lettersReadBy(compare) / words.length).toBeLessThan(20)
  })

  it('keep lists of numbers like arrays, over several pages and after a restore', () => {
    const change = fc.record({
      list: fc.nat(40),
      // The longest lists have a page of their own, and many together need several.
      values: fc.integer({ min: 1, max: 60_000 }).map((count) => Array.from({ length: count }, (_, at) => at * 2)),
      kind: fc.constantFrom('insert', 'push', 'clear', 'remove', 'restore'),
    })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
        let lists = new NumberLists()
        const expected = new Map<number, number[]>()
        for (const { list, values, kind } of changes) {
          const known = expected.get(list) ?? []
          if (kind === 'clear') {
            lists.clear(list)
            expected.set(list, [])
          } else if (kind === 'push') {
            // Behind the others, because the other changes want an ascending list.
            const added = values.map((value) => value + (known.at(-1) ?? 0) + 1)
            for (const value of added) lists.push(list, value)
            expected.set(list, [...known, ...added])
          } else if (kind === 'insert') {
            const added = values.slice(-50).map((value) => value + 1)
            for (const value of added) lists.insert(list, value)
            expected.set(
              list,
              [...known, ...added].sort((a, b) => a - b),
            )
          } else if (kind === 'remove') {
            for (const value of known.slice(0, 30)) lists.remove(list, value)
            expected.set(list, known.slice(30))
          } else {
            const saved = Object.entries(lists.save()).map(([name, part]) => [name, part.slice()])
            lists = new NumberLists()
            lists.restore(Object.fromEntries(saved))
          }
        }
        for (const [list, numbers] of expected) expect(lists.valuesOf(list)).toEqual(Uint32Array.from(numbers))
      }),
      { numRuns: 60 },
    )
  })

  it('sort any range as a full sort does', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(), { minLength: 100, maxLength: 400 }),
        fc.nat(400),
        fc.nat(400),
        (list, one, other) => {
          const [from, to] = [Math.min(one, other, list.length), Math.min(Math.max(one, other), list.length)]
          const numbers = Float64Array.from([...list, -1, -1])
          sortRange(numbers, list.length, from, to)
          expect([...numbers.subarray(from, to)]).toEqual(list.toSorted((a, b) => a - b).slice(from, to))
          expect([...numbers.subarray(list.length)]).toEqual([-1, -1])
        },
      ),
      { numRuns: 300 },
    )
  })

  it('choose the documents of a page from any number as a full sort does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(9), { minLength: 1, maxLength: 6000 }),
        fc.nat(1200),
        fc.nat(400),
        fc.constantFrom<(one: number) => number>(
          (document) => document,
          (document) => -document,
          (document) => Math.sin(document),
        ),
        (scores, offset, limit, place) => {
          const byPlace = Uint32Array.from(scores.keys()).sort((one, other) => place(one) - place(other))
          const order = createOrder((one, other) => place(one) - place(other))
          order.insertAll([...byPlace])
          const best = [...byPlace].sort((one, other) => scores[other]! - scores[one]! || place(one) - place(other))
          const [from, to] = [Math.min(offset, scores.length - 1), Math.min(offset + limit + 1, scores.length)]
          const scored = { documents: Uint32Array.from(scores.keys()), score: Int32Array.from(scores) }
          expect(createBestSelection(order)(scored, scores.length, from, to)).toEqual(best.slice(from, to))
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('the nearest by meaning', () => {
  it('are all within the greatest number of different bits that at most 200 documents have', () => {
    const words = Array.from({ length: 12 }, (_, at) => `w${at}`)
    fc.assert(
      fc.property(
        fc.constantFrom(1, 5, 32, 40, 128, 992),
        fc.array(fc.array(fc.nat(12), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 700 }),
        fc.array(fc.nat(11), { minLength: 1, maxLength: 2 }),
        fc.nat(),
        (dimensions, documents, asked, seed) => {
          const rows = Int8Array.from(
            { length: words.length * dimensions },
            (_, at) => (Math.imul(at + seed, 2654435761) >>> 24) - 128,
          )
          const vectors = {
            ...{ dimensions, rows, scales: new Float32Array(words.length).fill(0.01) },
            rowOf: (word: string) => (words.includes(word) ? words.indexOf(word) : undefined),
            isWord: () => true,
          }
          const termsOf = new NumberLists()
          const vocabulary = { textOf: (term: number) => words[term] ?? 'none' } as Vocabulary
          const similarity = createSimilarity(vectors, { vocabulary, termsOf })
          // Vectors are kept in pages of 4,096 documents: these documents are on both sides of the end of a page.
          const first = 4_096 - 350
          for (const [at, terms] of documents.entries()) {
            for (const term of terms) termsOf.push(first + at, term * 4)
            similarity.add(first + at)
          }
          if (!similarity.setQuery(asked.map((at) => words[at]!))) return
          const stage = Int16Array.from({ length: first + documents.length }, (_, at) => (at % 7 === 0 ? -1 : 0))
          const found = similarity.nearest({ stage, least: 0, capacity: first + documents.length })

          const saved = similarity.save() as Record<string, Int8Array | undefined>
          const numbersOf = (list: string) => [0, 1].flatMap((page) => [...(saved[`${page}.${list}`] ?? [])])
          const [kept, hasVector] = [numbersOf('kept'), numbersOf('hasVector')]
          const sum = new Float64Array(dimensions)
          for (const word of asked)
            for (let at = 0; at < dimensions; at++) sum[at]! += 0.01 * rows[word * dimensions + at]!
          const distanceOf = (document: number) =>
            sum.reduce((bits, value, at) => bits + Number(value > 0 !== kept[document * dimensions + at]! > 0), 0)
          const candidates = documents.map((_, at) => first + at).filter((at) => stage[at] === 0 && hasVector[at])
          const distances = candidates.map(distanceOf)
          let limit = -1
          while (limit < dimensions && distances.filter((distance) => distance <= limit + 1).length <= 200) limit++
          expect(found).toEqual(candidates.filter((at) => distanceOf(at) <= limit))
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('any text', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fc.nat(0xffff), { maxLength: 60 }).map((units) => String.fromCharCode(...units)),
    fc.constantFrom('\0', '\ud800', '\udc00\ud800', "'", 'ΣΑΣ', 'ŉ', 'İ', '한국어', '\u0301', '👩‍👩‍👧', '𠮷野家'),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: 'binary', minLength: 2000, maxLength: 2000 }),
    fc.constantFrom('x'.repeat(2000), 'é'.repeat(2000), 'a '.repeat(1000), '絵'.repeat(2000)),
  )

  it('is split into words without case, and splitting those again changes nothing', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const list = words(text)
        expect(words(list.join(' '))).toEqual(list)
        expect(words(text.toLowerCase())).toEqual(list)
      }),
      { numRuns: 1000 },
    )
  })

  it('in plain ASCII is split the same by the fast code and by the general code', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (text) => {
        expect(words(`${text} é`)).toEqual([...words(text), 'e'])
      }),
      { numRuns: 500 },
    )
  })

  it('can be put, searched and removed', () => {
    fc.assert(
      fc.property(anything, anything, anything, (strong, weak, q) => {
        const index = createIndex<number>()
        index.put({ id: 'one', text: [strong, '', weak], facets: [q], popularity: 0, recency: 0, item: 1 })
        index.find({ q, offset: 0, limit: 10 })
        index.find({ q: strong, all: [q], offset: 0, limit: 10 })
        const itself = index.find({ q: weak, offset: 0, limit: 10 })
        expect(itself.total).toBe(weak.trim() === '' || words(weak).length > 0 ? 1 : 0)
        expect(index.remove('one')).toBe(true)
        expect(index.find({ q: strong, offset: 0, limit: 10 })).toEqual({ items: [], total: 0, full: 0 })
      }),
      { numRuns: 600 },
    )
  })
})
