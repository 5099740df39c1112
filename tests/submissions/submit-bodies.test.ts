// @module-tag slow
// POST /submit-ai-tool: bodies that no correct client sends. Never a 5xx.
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { request, sendRaw } from '../harness/raw.ts'
import type { RequestOptions } from '../harness/service.ts'
import { expectFailure } from '../harness/shapes.ts'
import { newTool, REQUIRED_FIELDS, refusedSubmission, SUBMISSION_CATALOG, submit } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  key = (await service.newPartner()).key
})

const refused = (body: unknown, more?: RequestOptions) => refusedSubmission(service, key, body, more)
const wrong = (more: Record<string, unknown>) => refused(newTool(more))

describe('400, 413, 415: bodies', () => {
  test.each(['{"name": ', 'nonsense', '', '{"name":"x"}}', '\ufeff'])('unreadable: %j', async (body) => {
    await refused(body)
  })

  test.each(['null', '[]', '"text"', '7', 'true', '[{"name":"x"}]'])('not an object: %s', async (body) => {
    await refused(body)
  })

  test('no body at all', async () => {
    const reply = await service.rest('/submit-ai-tool', { method: 'POST', key })
    expect(reply.status).toBe(400)
    expectFailure(reply.body)
  })

  test('NUL and half surrogate pairs in any field and any name are refused; an unknown field is ignored, whatever it contains', async () => {
    for (const text of ['a\0b', 'a\ud800', '\udfffx']) {
      for (const more of [
        { name: text },
        { tags: [text] },
        { features: { [text]: 'x' } },
        { faq: [{ question: 'q', answer: text }] },
        { slug: text },
      ])
        await wrong(more)
      expect((await submit(service, key, newTool({ unknown: text, [text]: 1 }))).status).toBe(201)
    }
  })

  test('JSON that is nested very deep', async () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    for (const levels of [40, 5_000, 100_000])
      await refused(`{"name":"x","unknown":${deep(levels)},"features":${deep(levels > 50_000 ? 10 : levels)}}`)
  })

  test.each(['{"__proto__":{"name":"x"}}', '{"features":{"__proto__":"x"}}', '{"constructor":{"prototype":{"a":1}}}'])(
    '%s',
    async (body) => {
      await refused(body)
      expect(({} as { name?: string }).name).toBeUndefined()
    },
  )

  test('over 256 KiB: 413', async () => {
    const reply = await submit(service, key, newTool({ description: 'x'.repeat(257 * 1024) }))
    expect(reply.status).toBe(413)
    expectFailure(reply.body)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml'])(
    '%s: 415',
    async (type) => {
      const reply = await submit(service, key, JSON.stringify(newTool()), { type })
      expect(reply.status).toBe(415)
      expectFailure(reply.body)
    },
  )

  test('a body without a media type: 415', async () => {
    const body = JSON.stringify(newTool())
    const reply = await sendRaw(service.origin, request('POST', '/api/v1/submit-ai-tool', [`X-API-Key: ${key}`], body))
    expect(reply.status).toBe(415)
  })
})

test('the answer to any body is a 201, 200 or 400 and never a 5xx', async () => {
  const partner = await service.newPartner()
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(
      '',
      ' ',
      '\0',
      '\ud800',
      '__proto__',
      'https://x.example.com',
      'FREE',
      'writing',
      'a@example.com',
      '%',
      "'; drop table tools; --",
      'ﷺ'.repeat(200),
    ),
  )
  const anything = fc.oneof(text, fc.double(), fc.boolean(), fc.constant(null), fc.jsonValue({ maxDepth: 3 }))
  const names = [
    ...REQUIRED_FIELDS,
    'paymentType',
    'slug',
    'icon',
    'frame',
    'screenshots',
    'video',
    'socials',
    'features',
    'faq',
    'affiliate',
    'affiliateLink',
    'discountCode',
    'location',
    'foundingDate',
    'isCustomer',
    'isLaunched',
  ]
  const list = fc.array(anything, { maxLength: 4 })
  const map = fc.dictionary(text, anything, { maxKeys: 4 })
  const values = fc.dictionary(fc.constantFrom(...names), fc.oneof(anything, list, map), { maxKeys: 3 })
  const whole = values.map((more) => newTool(more))
  const body = fc.oneof({ weight: 4, arbitrary: whole }, values, anything)
  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 10, maxLength: 10 }), async (bodies) => {
      for (const reply of await Promise.all(bodies.map((one) => submit(service, partner.key, JSON.stringify(one))))) {
        expect([200, 201, 400], reply.text).toContain(reply.status)
        if (reply.status === 400) expectFailure(reply.body)
        statuses.add(reply.status)
      }
    }),
    { numRuns: 32 },
  )
  expect([...statuses].sort()).toEqual(expect.arrayContaining([201, 400]))
})
