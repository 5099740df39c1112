// @module-tag once
// The sentence of a listing that shows why a question found it.
import { expect, test } from 'vitest'
import { quoteOf } from '../../src/features/catalog/site/quote.rules.ts'

test('is the sentence with the most words of the question', () => {
  expect(quoteOf('It writes. It reads mail and writes notes! It sleeps.', new Set(['mail', 'notes']))).toBe(
    'It reads mail and writes notes!',
  )
})

test('is one sentence in Chinese and Japanese, too, which have no space after it', () => {
  const text = `${'生成视频内容的工具。'.repeat(200)}图像编辑！其他`
  expect(quoteOf(text, new Set(['图', '像']))).toBe('图像编辑！')
})

test('is empty when no sentence has one of the words', () => {
  expect(quoteOf('It writes. It reads.', new Set(['mail']))).toBe('')
})

test('begins a little before the word when a sentence without blanks is long', () => {
  const quote = quoteOf(`${'生成视频内容的工具'.repeat(20)}Slack集成 end here`, new Set(['slack']))
  expect(quote).toMatch(/^….{50}Slack集成 end here$/)
})
