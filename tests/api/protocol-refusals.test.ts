// @module-tag once
// What HTTP itself makes the service refuse has the envelope, a sentence that says what to do, and rate-limit headers, like every answer.
import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { exchange, type RawReply, sendRaw, statusesIn } from '../harness/raw.ts'
import { ADMIN_TOKEN, freePort, recordingLog } from '../harness/service.ts'
import { copyTemplate } from '../harness/template.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const RATES = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
const expectRefusal = ({ status, headers, text }: RawReply, expected: number, words: RegExp) => {
  const body = JSON.parse(text)
  expect([status, Object.keys(body), body.success]).toEqual([expected, ['success', 'error', 'code'], false])
  expect(body.error).toMatch(words)
  for (const name of RATES) expect([name, headers.get(name)]).toEqual([name, expect.stringMatching(/^\d+$/)])
}
const host = () => new URL(service.origin).host

describe.each(['/api/v1/', '/mcp', '/api/admin/keys', '/'])('%s', (path) => {
  test('HTTP/1.1 without a Host header is a 400 that says which header to send', async () => {
    const reply = await sendRaw(service.origin, `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`)
    expectRefusal(reply, 400, /^The Host header is missing\. Send one, such as "Host: 127\.0\.0\.1:\d+"\.$/)
  })

  test('an Expect header that asks for something unknown is a 417', async () => {
    const head = `GET ${path} HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\nExpect: 200-ok\r\n\r\n`
    expectRefusal(await sendRaw(service.origin, head), 417, /the header Expect.*without it/)
  })
})

test('100-continue works, and HTTP/1.0 needs no Host header', async () => {
  const received = await exchange(
    service.origin,
    `GET /api/v1/ HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n`,
    2_000,
  )
  expect(statusesIn(received)).toEqual([100, 200])
  expect((await sendRaw(service.origin, 'GET /api/v1/ HTTP/1.0\r\n\r\n')).status).toBe(200)
})

test.each([
  ['a request line that is none', 'HELLO\r\n\r\n', 400, /cannot be read as an HTTP\/1\.1 request\. Check/],
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n', 400, /cannot be read/],
  [
    'two lengths of a body',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
    /length of the body/,
  ],
  [
    'headers of 20 KiB',
    `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    /at most 16 KiB together/,
  ],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 405, /CONNECT is not allowed here/],
])('%s is refused with the envelope', async (_, bytes, status, words) => {
  expectRefusal(await sendRaw(service.origin, bytes), status, words)
})

describe('before the service is started', () => {
  test('a write and an unknown key get a 503 with rate-limit headers', async () => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const dataDir = temporaryFolder('not-started')
    await copyTemplate(dataDir)
    const config = readConfig({
      PORT: String(port),
      PUBLIC_URL: origin,
      DATA_DIR: dataDir,
      ADMIN_TOKEN,
      SEED: 'none',
      DRAIN_SECONDS: '0',
    })
    const app = await createApp(config, recordingLog([]), 'server')
    try {
      await app.server.listen({ host: '127.0.0.1', port })
      const key = { authorization: `Bearer ${(await service.newKey()).key}` }
      const json = { 'content-type': 'application/json' }
      for (const [method, path, headers] of [
        ['POST', '/api/v1/submit-ai-tool', { ...key, ...json }],
        ['PUT', '/api/admin/tags/x', { authorization: `Bearer ${ADMIN_TOKEN}`, ...json }],
        ['GET', '/api/v1/tools', key],
        ['GET', '/api/admin/keys', key],
      ] as [string, string, Record<string, string>][]) {
        const reply = await fetch(origin + path, { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) })
        expect([path, reply.status]).toEqual([path, 503])
        for (const name of RATES)
          expect([path, reply.headers.get(name)]).toEqual([path, expect.stringMatching(/^\d+$/)])
        expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
        await reply.text()
      }
    } finally {
      await app.close()
    }
  })
})
