// @module-tag once
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadVectors } from '../../src/features/catalog/word-vectors.ts'
import { createIndex } from '../../src/search/index.ts'
import { parseVectors } from '../../src/search/meaning/vectors.ts'

const { dimensions, rows, scales, rowOf } = loadVectors()

function vectorOf(word: string): number[] {
  const row = rowOf(word)
  if (row === undefined) throw new Error(`no vector for ${word}`)
  return Array.from(rows.subarray(row * dimensions, (row + 1) * dimensions), (value) => value * (scales[row] ?? 0))
}

function cosine(one: string, other: string): number {
  const a = vectorOf(one)
  const b = vectorOf(other)
  const dot = (x: number[], y: number[]) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

const length = (word: string) => Math.hypot(...vectorOf(word))

describe('word vectors', () => {
  it('are one row and one scale per word', () => {
    expect(rows.length).toBe(scales.length * dimensions)
    expect(scales.every((scale) => scale > 0 && Number.isFinite(scale))).toBe(true)
  })

  it('are read once', () => {
    expect(loadVectors()).toBe(loadVectors())
  })

  it.each([
    ['doctor', 'physician', 'guitar'],
    ['movie', 'film', 'tax'],
    ['email', 'mail', 'weather'],
    ['translate', 'language', 'bicycle'],
    ['podcast', 'audio', 'recipe'],
    ['invoice', 'billing', 'planet'],
    ['flight', 'airline', 'grammar'],
    ['stock', 'market', 'poem'],
  ])('put %s nearer to %s than to %s', (word, near, far) => {
    expect(cosine(word, near)).toBeGreaterThan(cosine(word, far) + 0.1)
  })

  it('keep words apart that only share a stem, and know rare forms by their stem', () => {
    expect(cosine('dictation', 'speech')).toBeGreaterThan(cosine('dictator', 'speech') + 0.1)
    expect(rowOf('podcastings')).toBe(rowOf('podcast'))
    expect(rowOf('qqzzxxyy')).toBeUndefined()
  })

  it('give words of asking less weight than words that name a thing', () => {
    for (const asking of ['please', 'recommend', 'suggest', 'need'])
      expect(length(asking)).toBeLessThan(length('invoice') / 1.5)
  })

  it('refuse a file of another kind and a file that is cut off', () => {
    expect(() => parseVectors(Buffer.alloc(40))).toThrow('no file of word vectors')
    const cutOff = Buffer.alloc(40)
    cutOff.write('WVEC')
    cutOff.writeUInt32LE(1, 4)
    cutOff.writeUInt32LE(3, 8)
    cutOff.writeUInt32LE(4, 12)
    expect(() => parseVectors(cutOff)).toThrow('not complete')
  })
})

describe('listings that share no word with the question', () => {
  const index = createIndex<string>({ vectors: loadVectors() })
  for (const line of readFileSync('seeds/demo/tools.ndjson', 'utf8').trim().split('\n')) {
    const { slug, name, tagline, category, description } = JSON.parse(line)
    const text = [name, `${tagline}\n${category}`, description] as const
    index.put({ id: slug, text, facets: [], popularity: 0, recency: 0, item: slug })
  }
  /** The cosines of the hits that are found by meaning alone. */
  const cosinesOf = (q: string) =>
    index
      .explain({ q, partial: true, offset: 0, limit: 100 })
      .documents.filter(({ match, hits }) => match === 'partial' && hits.length === 0)
      .map(({ meaning }) => meaning!.cosine)

  it('are not found for a name of two words that is only vaguely near to them', () => {
    expect(index.find({ q: 'product hunt', partial: true, offset: 0, limit: 100 }).total).toBe(0)
    for (const q of ['hacker news', 'a launch platform', 'logo generator', 'I need stock photos'])
      expect(Math.min(1, ...cosinesOf(q))).toBeGreaterThanOrEqual(0.4)
  })

  it('are found for a sentence, and for one word that no listing has, when they are near', () => {
    for (const q of ['which tool can take notes in my zoom meetings', 'orchestra']) {
      expect(Math.min(...cosinesOf(q))).toBeGreaterThanOrEqual(0.3)
      expect([q, Math.min(...cosinesOf(q)) < 0.4]).toEqual([q, true])
    }
  })
})
