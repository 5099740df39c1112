// @module-tag once
// Measures the built-in search on questions that were held back while it was tuned, prints the figures and checks their bounds.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { knowledgeOfArticles } from '../harness/support.ts'
import { withDuration } from '../harness/with-duration.ts'

interface Question {
  question: string
  /** A text of the passage that answers the question; null when no passage does. */
  answer: string | null
}

const load = (name: string) => JSON.parse(readFileSync(new URL(`./knowledge/${name}.json`, import.meta.url), 'utf8'))
const articles = (load('articles') as { title: string; body: string }[]).map((article, i) => ({
  id: `a${i}`,
  ...article,
}))
const knowledge = knowledgeOfArticles(articles)
const SETS: Record<string, Question[]> = Object.fromEntries(
  ['ordinary-questions', 'questions'].flatMap((name) =>
    ['tuning', 'held'].map((set) => [`${name} ${set}`, load(name)[set]]),
  ),
)

function measured(name: string) {
  const questions = SETS[name]!
  const answerable = questions.filter(({ answer }) => answer !== null)
  const unanswerable = questions.filter(({ answer }) => answer === null)
  const given = answerable.map(({ question, answer }) => ({ answer: answer!, text: knowledge.answer(question)?.text }))
  const right = given.filter(({ answer, text }) => text?.includes(answer)).length
  const wrong = given.filter(({ answer, text }) => text !== undefined && !text.includes(answer)).length
  const answered = unanswerable.filter(({ question }) => knowledge.answer(question) !== null).length
  const percent = (part: number, whole: number) => `${String(Math.round((100 * part) / whole)).padStart(3)} %`
  console.log(
    `${name.padEnd(26)} answerable ${answerable.length}: right passage ${String(right).padStart(2)} (${percent(right, answerable.length)}), wrong passage ${String(wrong).padStart(2)};` +
      ` unanswerable ${unanswerable.length}: answered ${String(answered).padStart(2)} (${percent(answered, unanswerable.length)})`,
  )
  return { right: right / answerable.length, answered: answered / unanswerable.length }
}

describe('of the questions that were held back', () => {
  test('ordinary ones: at least 70 % get the right passage, at most 5 % of those without an answer get one', () => {
    const { right, answered } = measured('ordinary-questions held')
    expect(right).toBeGreaterThanOrEqual(0.7)
    expect(answered).toBeLessThanOrEqual(0.05)
  })

  test('hard ones, mostly in other words: at most 5 % of those without an answer get one', () => {
    expect(measured('questions held').answered).toBeLessThanOrEqual(0.05)
  })

  test('the sets are complete: every answer is in an article, and no question was used for tuning too', () => {
    const all = articles.map(({ body }) => body).join('\n')
    for (const { answer } of Object.values(SETS).flat()) if (answer !== null) expect(all).toContain(answer)
    const texts = Object.values(SETS).map((set) => set.map(({ question }) => question.toLowerCase()))
    expect(new Set(texts.flat()).size).toBe(texts.flat().length)
    expect(texts.map((set) => set.length)).toEqual([60, 60, 50, 60])
  })
})

test('of the questions that were used for tuning, for comparison', () => {
  for (const name of ['ordinary-questions tuning', 'questions tuning'])
    expect(measured(name).answered).toBeLessThanOrEqual(0.05)
})

describe('an answer', () => {
  test('is a passage of one article, or two that follow each other, never a whole long article', () => {
    for (const { question } of Object.values(SETS).flat()) {
      const passage = knowledge.answer(question)
      if (!passage) continue
      const { body, title } = articles.find(({ id }) => id === passage.articleId)!
      expect(passage.title).toBe(title)
      expect(body).toContain(passage.text)
      expect(passage.text.length).toBeLessThan(body.length)
    }
  })

  test('is the same every time, in any order of the articles', () => {
    const reversed = knowledgeOfArticles([...articles].reverse())
    for (const { question } of SETS['ordinary-questions held']!) {
      expect(knowledge.answer(question)).toEqual(knowledge.answer(question))
      expect(reversed.answer(question)).toEqual(knowledge.answer(question))
    }
  })

  test('is found despite a typing mistake', () => {
    expect(knowledge.answer('How do I reqest a refnd?')?.text).toContain('click Request refund')
  })

  test.each([
    '',
    ' ',
    '?',
    '!!!',
    '🦉',
    'the of and',
    'a',
    '日本語',
    '\u0000',
    '__proto__',
    'constructor',
    'toString hasOwnProperty',
  ])('does not exist for %j', (question) => {
    expect(knowledge.answer(question)).toBeNull()
  })

  test('does not exist without articles', () => {
    expect(knowledgeOfArticles([]).answer('How do I request a refund?')).toBeNull()
    expect(knowledgeOfArticles([]).find('How do I request a refund?')).toEqual([])
    expect(knowledgeOfArticles([{ id: 'x', title: '…', body: '… !' }]).answer('How do I request a refund?')).toBeNull()
  })
})

describe('search results', () => {
  test('are ordered best first, each with the share of the question that it covers', () => {
    const found = knowledge.find('How do I request a refund?')
    expect(found[0]!.passage.title).toContain('Refund')
    for (const { coverage } of found) expect(coverage >= 0 && coverage <= 1).toBe(true)
  })
})

describe('a hostile question takes no longer than a second against 900 KB of articles', () => {
  // All words are different, so that the vocabulary is as large as it can be.
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const word = (n: number) =>
    Array.from({ length: 8 }, (_, i) => letters[(n >> (i * 3)) % 26] ?? 'a').join('') + (n % 97)
  const body = (from: number) => Array.from({ length: 1_800 }, (_, i) => word(from + i * 7)).join(' ')
  const large = Array.from({ length: 46 }, (_, i) => ({
    id: `l${i}`,
    title: `Article ${word(i)}`,
    body: body(i * 20_011),
  }))
  const size = large.reduce((sum, { body }) => sum + body.length, 0)
  const big = knowledgeOfArticles(large)

  test.each([
    ['unknown words', Array.from({ length: 500 }, (_, i) => `q${word(i * 13)}x`).join(' ')],
    ['misspelt words', Array.from({ length: 450 }, (_, i) => `${word(i * 7).slice(0, -1)}z`).join(' ')],
    ['one long word', 'x'.repeat(4_000)],
    ['many sentences', 'is it? '.repeat(570)],
    ['many beginnings', 'and, but so also ok hi '.repeat(170)],
    ['how many', 'how many how much how long '.repeat(148)],
    ['quotes and brackets', '"({['.repeat(1_000)],
    ['white space', `a${' \n'.repeat(1_999)}?`],
    ['marks', 'a\u0301'.repeat(2_000)],
    ['known words', Array.from({ length: 400 }, (_, i) => word(i * 7)).join(' ')],
  ])('%s', async (_, question) => {
    expect(size).toBeGreaterThan(750_000)
    const text = question.slice(0, 4_000)
    const [, ms] = await withDuration(async () => big.answer(text))
    expect(ms).toBeLessThan(1_000)
  })
})
