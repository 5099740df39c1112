// @module-tag once
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { passagesOf } from '../../src/features/support/knowledge/retrieval.rules.ts'
import { lettersReadBy, shuffledLetters } from '../harness/letters-read.ts'
import { knowledgeOfArticles } from '../harness/support.ts'
import { withDuration } from '../harness/with-duration.ts'

const LONG = 700
const sentence = (n: number) => `This is sentence number ${n} of a paragraph that goes on for a while.`
const paragraph = (count: number, from = 0) => Array.from({ length: count }, (_, i) => sentence(from + i)).join(' ')
const words = (text: string) => text.match(/\S+/g) ?? []

describe('passages are', () => {
  test('the paragraphs, when those are neither short nor long', () => {
    const paragraphs = [paragraph(2), paragraph(3, 10), paragraph(1, 20)]
    expect(passagesOf(paragraphs.join('\n\n'))).toEqual(paragraphs)
    expect(passagesOf(paragraphs.join('\r\n\r\n'))).toEqual(paragraphs)
    expect(passagesOf(`\n\n \n${paragraphs.join('\n \t\n\n\n')}\n\n`)).toEqual(paragraphs)
  })

  test('short paragraphs, such as headings, together with the next one', () => {
    expect(passagesOf(`# Refunds\n\n${paragraph(1)}\n\n## Time\n\n- one\n\n${paragraph(1, 5)}`)).toEqual([
      `# Refunds\n${sentence(0)}`,
      `## Time\n- one\n${sentence(5)}`,
    ])
  })

  test('the whole of a short article', () => {
    expect(passagesOf('Yes.')).toEqual(['Yes.'])
    expect(passagesOf(`${paragraph(1)}\n\nThe end.`)).toEqual([sentence(0), 'The end.'])
  })

  test('none for a blank article', () => {
    for (const body of ['', ' ', '\n\n\n', '\t \r\n \r\n']) expect(passagesOf(body)).toEqual([])
  })

  test('pieces of a long paragraph, split between sentences', () => {
    const pieces = passagesOf(paragraph(40))
    expect(pieces.length).toBeGreaterThan(3)
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(LONG + 1)
      expect(piece).toMatch(/^This is sentence.*while\.$/s)
    }
    expect(pieces.join(' ')).toBe(paragraph(40))
  })

  test('pieces of a long list, split between lines', () => {
    const lines = Array.from({ length: 60 }, (_, i) => `- item ${i} of a list without any full stop`)
    const pieces = passagesOf(lines.join('\n'))
    expect(pieces.length).toBeGreaterThan(1)
    expect(words(pieces.join(' '))).toEqual(words(lines.join('\n')))
  })

  test('pieces of a text without a full stop, split between words', () => {
    const text = Array.from({ length: 600 }, (_, i) => `word${i}`).join(' ')
    const pieces = passagesOf(text)
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(LONG + 1)
    expect(words(pieces.join(' '))).toEqual(words(text))
  })

  test('never halves of a character, even of one endless word', () => {
    const pieces = passagesOf('🦉'.repeat(5_000))
    expect(pieces.length).toBeGreaterThan(3)
    for (const piece of pieces) expect(piece.isWellFormed() && [...piece].length <= LONG).toBe(true)
    expect(pieces.join('')).toBe('🦉'.repeat(5_000))
  })
})

describe('for any article', () => {
  const token = fc.oneof(
    { weight: 6, arbitrary: fc.stringMatching(/^[a-z0-9#*-]{1,12}$/) },
    { weight: 2, arbitrary: fc.constantFrom('.', '! ', '? ', '\n', '\n\n', '\r\n\r\n', '\t', '  ', '\n \n') },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
  )
  const article = fc
    .tuple(fc.array(token, { maxLength: 700, size: 'max' }), fc.constantFrom(' ', '. ', '\n', ''))
    .map(([tokens, glue]) => tokens.join(glue))

  test('the passages together have all of its text, in order, and no passage is too long', () => {
    const squeezed = (text: string) => text.replace(/\s+/g, '')
    fc.assert(
      fc.property(article, (body) => {
        const passages = passagesOf(body)
        expect(squeezed(passages.join(''))).toBe(squeezed(body))
        for (const passage of passages) {
          expect(passage.trim()).not.toBe('')
          expect([...passage].length).toBeLessThanOrEqual(LONG + 60)
        }
        if ([...body.trim()].length > LONG + 60) expect(passages.length).toBeGreaterThan(1)
      }),
      { numRuns: 100 },
    )
  })

  test('no word that is shorter than a passage is lost or cut', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z0-9]{1,20}$/), { maxLength: 900, size: 'max' }), (tokens) => {
        expect(words(passagesOf(tokens.join(' ')).join(' '))).toEqual(tokens)
      }),
      { numRuns: 50 },
    )
  })
})

test('the largest article is split quickly', async () => {
  for (const body of [
    '\n'.repeat(20_000),
    ' \n'.repeat(10_000),
    '. '.repeat(10_000),
    'a\n\n'.repeat(6_666),
    `x${' '.repeat(19_999)}`,
  ]) {
    const [, ms] = await withDuration(async () => passagesOf(body))
    expect(ms).toBeLessThan(250)
  }
})

describe('words of a question', () => {
  const knowledgeOf = (terms: readonly string[]) =>
    knowledgeOfArticles(
      Array.from({ length: Math.ceil(terms.length / 1_500) }, (_, at) => {
        const body = terms.slice(at * 1_500, (at + 1) * 1_500).join(' ')
        return { id: `${at}`, title: `Article ${at}`, body }
      }),
    )
  test('are corrected where an article has a similar one, the most common of them', () => {
    const found = knowledgeOf(['zabcdefghi', 'zabcdefgih', 'zabcdefgih']).find('Where is zabcdefgxx?')
    expect(found.map(({ passage }) => passage.text)).toEqual(['zabcdefghi zabcdefgih zabcdefgih'])
  })

  test('are compared with a limited number of words of the articles, whatever these are', () => {
    const words = shuffledLetters('bcdfghjkl', 3_000).map((rest) => `a${rest}`)
    const question = `${shuffledLetters('bcdfghjkm', 60).join(' a')}?`
    const few = knowledgeOf(words.slice(0, 300))
    const many = knowledgeOf(words)
    const expected = lettersReadBy(() => few.find(question))
    expect(expected).toBeGreaterThan(100_000)
    expect(lettersReadBy(() => many.find(question))).toBeLessThan(3 * expected)
  })
})
