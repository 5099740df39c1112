// @module-tag once
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFresh, isFromCatalog } from '../../examples/verify-webhook.ts'
import { answerProblem, answerText } from '../../src/features/webhooks/delivery/deliver.ts'
import {
  catalogSignature,
  checkSignatures,
  eventHeaders,
  standardSignature,
} from '../../src/features/webhooks/delivery/signature.rules.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const AT = new Date('2026-03-01T09:30:00.999Z')

describe('signatures', () => {
  test('match the example of Standard Webhooks', () => {
    expect(standardSignature(SECRET, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', '{"test": 2432232314}')).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })

  test('match the specification: hex HMAC-SHA256 of the body with the whole secret', () => {
    // printf %s '{"a":1}' | openssl dgst -sha256 -hmac whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
    const hex = createHmac('sha256', Buffer.from(SECRET)).update(Buffer.from('{"a":1}')).digest('hex')
    expect(catalogSignature(SECRET, '{"a":1}')).toBe(`sha256=${hex}`)
  })

  test('the headers of an event, and no other', () => {
    const headers = eventHeaders({ id: 'msg_1', event: 'support.replied', body: '{}', secret: SECRET, at: AT })
    expect(headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'Catalog-Webhook/1.0',
      'x-catalog-event': 'support.replied',
      'x-catalog-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1772357400',
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    })
  })

  test('receivers accept any signed body and refuse any changed one', () => {
    const text = fc.string({ unit: 'binary' }).filter((one) => one.isWellFormed())
    fc.assert(
      fc.property(text, fc.uint8Array({ minLength: 24, maxLength: 24 }), (body, key) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`
        const bytes = Buffer.from(body)
        const headers = eventHeaders({ id: 'msg_1', event: 'e', body, secret, at: AT })
        expect(checkSignatures(secret, headers, bytes)).toEqual({ catalog: 'right', standard: 'right' })
        expect(isFromCatalog(bytes, headers['x-catalog-signature'], secret)).toBe(true)
        expect(isFresh(bytes, headers, secret, AT.getTime())).toBe(true)
        for (const [other, by] of [
          [Buffer.concat([bytes, Buffer.from(' ')]), secret],
          [bytes, `${secret.slice(0, -2)}${secret.endsWith('AA') ? 'BB' : 'AA'}`],
        ] as const) {
          expect(checkSignatures(by, headers, other)).toEqual({ catalog: 'wrong', standard: 'wrong' })
          expect(isFromCatalog(other, headers['x-catalog-signature'], by)).toBe(false)
          expect(isFresh(other, headers, by, AT.getTime())).toBe(false)
        }
      }),
    )
  })

  test('missing, malformed and old signatures are refused', () => {
    const body = Buffer.from('{}')
    const headers = eventHeaders({ id: 'msg_1', event: 'e', body: '{}', secret: SECRET, at: AT })
    expect(checkSignatures(SECRET, {}, body)).toEqual({ catalog: 'missing', standard: 'missing' })
    const signature = headers['x-catalog-signature']!
    for (const given of ['', 'sha256=', signature.slice(0, -1), `${signature}0`, 'sha256=é'])
      expect([
        checkSignatures(SECRET, { 'x-catalog-signature': given }, body).catalog,
        isFromCatalog(body, given, SECRET),
      ]).toEqual(['wrong', false])
    expect(isFromCatalog(body, undefined, SECRET)).toBe(false)
    for (const seconds of [-301, 301]) expect(isFresh(body, headers, SECRET, AT.getTime() + seconds * 1000)).toBe(false)
    expect(isFresh(body, { ...headers, 'webhook-timestamp': 'now' }, SECRET, AT.getTime())).toBe(false)
    const two = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }
    expect(isFresh(body, two, SECRET, AT.getTime())).toBe(true)
    expect(checkSignatures(SECRET, two, body).standard).toBe('right')
  })
})

describe('answers', () => {
  test('2xx acknowledges, every other status does not', () => {
    for (const status of [200, 201, 202, 204, 299]) expect(answerProblem(status)).toBeNull()
    for (const status of [301, 302, 308]) expect(answerProblem(status)).toMatch(/redirects are not followed\.$/)
    for (const status of [400, 404, 410, 500, 503])
      expect(answerProblem(status)).toBe(`The receiver answered ${status}.`)
  })

  test('are stored as text of at most 500 bytes: whole characters, no NUL, no terminal control characters', () => {
    expect(answerText(Buffer.from('a\0b\x1b[2Jc\r\n\td\x85'))).toBe('a\ufffdb\ufffd[2Jc\r\n\td\ufffd')
    expect(answerText(Buffer.from('x'.repeat(600)))).toHaveLength(500)
    expect(answerText(Buffer.from('😀'.repeat(200)))).toBe('😀'.repeat(125))
    expect(answerText(Buffer.from(`a${'😀'.repeat(200)}`))).toBe(`a${'😀'.repeat(124)}`)
    expect(answerText(Buffer.from([0xff, 0xfe, 0x41, 0xed, 0xa0, 0x80]))).toMatch(/^\ufffd\ufffdA\ufffd+$/)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => {
        const text = answerText(bytes)
        expect(text.isWellFormed() && !text.includes('\0') && text.length <= 500).toBe(true)
      }),
    )
  })
})
