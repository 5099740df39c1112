// Texts that make patterns and searches with backtracking slow: they are answered as soon as any other text.
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, PASSWORD } from '../harness/browser.ts'
import { newTool, SUBMISSION_CATALOG, TEXT_FIELDS } from '../harness/submissions.ts'
import { newSupportPartner } from '../harness/support.ts'
import { useService } from '../harness/use.ts'
import { withDuration } from '../harness/with-duration.ts'

let key: string
let partner: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
  partner = (await newSupportPartner(service, 'hybrid')).key
  await service.load(SUBMISSION_CATALOG)
  const words = ['quick', 'brown', 'foxes', 'jump', 'over', 'lazy', 'dogs', 'while', 'writing', 'long', 'letters']
  await service.load(
    Array.from({ length: 1_000 }, (_, i) => ({
      kind: 'tool',
      slug: `tool-${i}`,
      name: `Tool ${i} ${words[i % words.length]}`,
      description: Array.from({ length: 30 }, (_, j) => words[(i * 7 + j * j) % words.length]).join(' '),
    })),
  )
})

describe('long texts', () => {
  /** Texts that make patterns backtrack. */
  const HOSTILE: [string, string][] = [
    ['dots', `a@${'.'.repeat(100_000)}@`],
    ['a nearly valid e-mail address', `${'a.'.repeat(50_000)}@`],
    ['at signs', '@'.repeat(100_000)],
    ['spaces', `a${' '.repeat(100_000)}b`],
    ['letters', `${'a'.repeat(100_000)}!`],
    ['slashes', `https://x.example/${'/'.repeat(100_000)}`],
    ['hyphens', `${'-'.repeat(100_000)}x`],
    ['percent signs', 'https://x.example/%'.padEnd(100_000, '%')],
    ['quotes and brackets', '<a href="'.repeat(10_000)],
    ['combining marks', `e${'\u0301'.repeat(50_000)}`],
    ['line breaks', `\r\n${'\n'.repeat(100_000)}x`],
  ]

  test.each(HOSTILE)('%s in every field of a submission: 400 or 201 within a second', async (_case, text) => {
    for (const field of [...TEXT_FIELDS, 'tags', 'socials', 'faq']) {
      const value =
        field === 'tags'
          ? [text]
          : field === 'socials'
            ? { x: text }
            : field === 'faq'
              ? [{ question: text, answer: text.slice(0, 100) }]
              : text
      const [reply, ms] = await withDuration(() =>
        service.rest('/submit-ai-tool', { method: 'POST', key: partner, body: newTool({ [field]: value }) }),
      )
      expect([201, 400, 413], `${field}: ${reply.status}`).toContain(reply.status)
      expect(ms, field).toBeLessThan(1_000)
    }
  })

  test.each(HOSTILE)('%s as an e-mail address, a password or a next page: refused in seconds', async (_case, text) => {
    for (const fields of [
      { email: text, password: PASSWORD },
      { email: 'a@example.com', password: text },
      { email: 'a@example.com', password: PASSWORD, next: text },
    ] as Record<string, string>[]) {
      const [reply, ms] = await withDuration(() => createBrowser(service).post('/sign-in', fields))
      expect([400, 413]).toContain(reply.status)
      // When the address is valid, a password is hashed, which is slow on purpose.
      expect(ms).toBeLessThan(5_000)
    }
  })

  test.each(HOSTILE)('%s in a question and its customer: 200 or 400 within a second', async (_case, text) => {
    for (const body of [
      { question: text.slice(0, 4_000) },
      { question: text },
      { question: 'How?', customer: { name: text, email: text } },
      { question: 'How?', externalId: text },
      { question: 'How?', metadata: { text: text.slice(0, 8_000) } },
    ]) {
      const [reply, ms] = await withDuration(() => service.rest('/support/ask', { method: 'POST', key: partner, body }))
      expect([200, 400, 413]).toContain(reply.status)
      expect(ms).toBeLessThan(1_000)
    }
  })

  test('words that were made to be hard to search for cost no more than fifty ordinary searches', async () => {
    const search = (q: string) => withDuration(() => service.rest(`/tools?q=${encodeURIComponent(q)}`, { key }))
    const usual: number[] = []
    for (let i = 0; i < 20; i++) usual.push((await search(`foxes jump ${i}`))[1])
    const normal = usual.sort((a, b) => a - b)[10]!
    for (const q of [
      'a'.repeat(2_000),
      'a '.repeat(1_000),
      '(a+)+$'.repeat(300),
      '.*'.repeat(900),
      '%'.repeat(600),
      'foxes '.repeat(300),
      Array.from({ length: 400 }, (_, i) => `w${i}`).join(' '),
      Array.from({ length: 300 }, (_, i) => 'jumqing'.slice(0, 3 + (i % 5))).join(' '),
      'fxoes jmup oevr lzay dgos wihle wrtiing lnog lteters '.repeat(20),
      'ﷺ'.repeat(200),
      '\u0301'.repeat(300),
    ]) {
      const [reply, ms] = await search(q)
      expect([200, 400, 431], q.slice(0, 20)).toContain(reply.status)
      expect(ms, q.slice(0, 20)).toBeLessThan(Math.max(250, 50 * normal))
    }
  })
})

test('none of these requests caused an error of the service', () => {
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
})
