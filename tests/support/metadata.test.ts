// metadata of POST /support/ask is arbitrary JSON: the service stores it exactly as sent, or refuses it as a whole.
// @module-tag slow
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFailure } from '../harness/shapes.ts'
import { ask, asked, inbox, newSupportPartner, read, type SupportPartner, thread } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let partner: SupportPartner
let random: SupportPartner
let conversationId: string
const service = useService()
beforeAll(async () => {
  partner = await newSupportPartner(service)
  random = await newSupportPartner(service)
  conversationId = (await asked(service, partner.key, { question: 'First', metadata: { plan: 'pro' } })).id
})

/** Sends JSON as text, because JavaScript objects cannot represent all of the cases. */
const send = (metadata: string, more = '', { key } = partner) =>
  ask(service, key, `{"question":"q","metadata":${metadata}${more}}`)
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
const kept = async (metadata: string) => {
  const reply = await send(metadata)
  expect(reply.status, reply.text).toBe(200)
  return (await thread(service, reply.body.data.id)).metadata
}

describe('200: stored as it was sent', () => {
  test.each([
    '{}',
    '{"":""}',
    '{"a":[[],{},null,true,false,0,-1.5e-7,1e308,5e-324,9007199254740993]}',
    '{"ключ":"значение","🦉":"\\u2028"}',
    '{"constructor":1,"toString":"x","hasOwnProperty":null,"length":-1}',
    '{"message":"q","question":"other","customer":{"id":1}}',
    '{"a":"\\\\u0000","b":"\\\\ud800"}',
    nested(8),
  ])('%s', async (metadata) => {
    expect(await kept(metadata)).toEqual(JSON.parse(metadata))
  })

  test('16 KiB', async () => {
    const metadata = { a: 'x'.repeat(16 * 1024 - 8) }
    expect(Buffer.byteLength(JSON.stringify(metadata))).toBe(16 * 1024)
    expect(await kept(JSON.stringify(metadata))).toEqual(metadata)
  })

  test('any random JSON: 200 with the same metadata, or 400', async () => {
    const outcomes = { 200: 0, 400: 0 } as Record<number, number>
    const value = fc.oneof(
      { weight: 4, arbitrary: fc.json({ maxDepth: 4, stringUnit: 'binary' }) },
      { weight: 1, arbitrary: fc.json({ maxDepth: 12 }) },
      {
        weight: 2,
        arbitrary: fc.constantFrom('-0', '1e400', '-1e400', '1e-400', '1E+2', '0.1', '123456789012345678901234567890'),
      },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.string({ unit: 'binary' }), value), { maxLength: 5 }), async (fields) => {
        const metadata = `{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`
        const reply = await send(metadata, '', random)
        outcomes[reply.status] = (outcomes[reply.status] ?? 0) + 1
        if (reply.status === 400) return void expectFailure(reply.body)
        expect(reply.status, metadata).toBe(200)
        const stored = (await thread(service, reply.body.data.id)).metadata
        // What a double cannot hold (-0 in JSON, the last digits) is lost by every JSON parser; nothing else may be.
        const sent = JSON.parse(metadata, (_, item) => (Object.is(item, -0) ? 0 : item))
        expect(stored, metadata).toEqual(sent)
        return undefined
      }),
      { numRuns: 60 },
    )
    expect(outcomes[200]).toBeGreaterThan(10)
    expect(outcomes[400]).toBeGreaterThan(0)
  })
})

describe('400, and nothing is stored', () => {
  const wide = (item: string, count: number) => `{"a":[${Array.from({ length: count }, () => item).join()}]}`
  const CASES: [string, string][] = [
    ['a text', '"text"'],
    ['a list', '[1]'],
    ['an empty list', '[]'],
    ['a number', '5'],
    ['true', 'true'],
    ['9 levels', nested(9)],
    ['9 levels of lists', `{"a":${'['.repeat(8)}${']'.repeat(8)}}`],
    ['1000 levels', nested(1_000)],
    ['20,000 levels', nested(20_000)],
    ['100,000 levels of lists', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['16 KiB and a byte', JSON.stringify({ a: 'x'.repeat(16 * 1024 - 7) })],
    ['200 KB of text', JSON.stringify({ a: 'x'.repeat(200_000) })],
    ['a list of 100,000', wide('0', 100_000)],
    ['a list of 130,000', wide('0', 130_000)],
    ['an object of 20,000 names', `{${Array.from({ length: 20_000 }, (_, i) => `"${i}":0`).join()}}`],
    ['NUL in a value', '{"a":"x\\u0000y"}'],
    ['NUL in a name', '{"x\\u0000y":1}'],
    ['NUL deep inside', '{"a":[{"b":["\\u0000"]}]}'],
    ['half a surrogate pair in a value', '{"a":"x\\ud800y"}'],
    ['half a surrogate pair in a name', '{"x\\udc00y":1}'],
    ['__proto__', '{"__proto__":{"polluted":true}}'],
    ['__proto__ deep inside', '{"a":[{"__proto__":1}]}'],
    ['__proto__ written as an escape', '{"\\u005f_proto__":{"polluted":true}}'],
    ['constructor.prototype', '{"constructor":{"prototype":{"polluted":true}}}'],
    ['a number too large for a double', '{"a":1e400}'],
    ['such a number deep inside', '{"a":[{"b":-1e999}]}'],
    ['a peerPushMessageId that is a list', '{"peerPushMessageId":["m"]}'],
    ['a peerPushMessageId that is true', '{"peerPushMessageId":true}'],
    ['a peerPushMessageId of 256 characters', JSON.stringify({ peerPushMessageId: 'x'.repeat(256) })],
  ]
  test.each(CASES)('%s', async (_, metadata) => {
    const before = await inbox(service, { client: partner.id })
    for (const more of ['', `,"conversationId":"${conversationId}"`]) {
      const reply = await send(metadata, more)
      expect(reply.status, reply.text.slice(0, 300)).toBe(400)
      expectFailure(reply.body)
    }
    expect(await inbox(service, { client: partner.id })).toEqual(before)
    expect((await read(service, partner.key, conversationId)).status).toBe(200)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  test('the problem is named beside the others', async () => {
    const reply = await ask(service, partner.key, `{"metadata":${nested(9)},"externalId":5}`)
    for (const name of ['question', 'externalId', 'metadata']) expect(expectFailure(reply.body)).toContain(name)
  })

  test('metadata that is too large together with the earlier metadata', async () => {
    const { id } = await asked(service, partner.key, { question: 'q', metadata: { a: 'x'.repeat(9_000) } })
    const more = { question: 'more', conversationId: id, metadata: { b: 'y'.repeat(9_000) } }
    const reply = await ask(service, partner.key, more)
    expect([reply.status, expectFailure(reply.body)]).toEqual([400, expect.stringContaining('metadata')])
    expect(await thread(service, id)).toMatchObject({ metadata: { a: 'x'.repeat(9_000) }, messageCount: 1 })
    // It fits when it replaces the earlier value.
    await asked(service, partner.key, { ...more, metadata: { a: 'z'.repeat(12_000) } })
    expect((await thread(service, id)).metadata).toEqual({ a: 'z'.repeat(12_000) })
  })
})

test('none of these requests caused an error of the service', () => {
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
})
