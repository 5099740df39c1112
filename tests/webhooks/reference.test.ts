// The reference of webhooks, in the OpenAPI document and on the site, and the receivers that it shows.
// @module-tag once
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Compile } from 'typebox/compile'
import { beforeAll, describe, expect, test } from 'vitest'
import { OPTIONAL_EVENT_NAMES } from '../../src/features/partners/schema.ts'
import { eventHeaders } from '../../src/features/webhooks/delivery/signature.rules.ts'
import { EVENT_HEADERS, EVENTS } from '../../src/features/webhooks/schema.ts'
import { webhookEvents } from '../../src/features.ts'
import { exampleOf } from '../../src/kernel/schema.ts'
import { expectSound } from '../harness/html.ts'
import { until } from '../harness/process.ts'
import { freePort } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let document: any
const service = useService()
beforeAll(async () => {
  document = (await service.rest('/openapi.json', { key: null })).body
})

test('every event is declared once, and each that partners can ask for is an event', () => {
  const names = webhookEvents.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.toSorted()).toEqual(Object.keys(EVENTS).sort())
  expect(Object.keys(EVENTS)).toEqual(expect.arrayContaining(OPTIONAL_EVENT_NAMES))
})

test('the headers that are sent are the ones that are described', () => {
  const event = { id: 'msg_1', event: 'test.ping', body: '{}', secret: 'whsec_AAAA', at: new Date(0) }
  expect(Object.keys(eventHeaders(event))).not.toContain('x-catalog-mode')
  const described = Object.keys(EVENT_HEADERS).map((name) => name.toLowerCase())
  expect(Object.keys(eventHeaders({ ...event, test: true })).sort()).toEqual(described.sort())
})

describe.each(webhookEvents.map((event) => [event.name, event] as const))('%s', (name, { body }) => {
  test('has an example that its schema allows, and descriptions of every field', () => {
    expect([...Compile(body).Errors(exampleOf(body))]).toEqual([])
    for (const [path, { description }] of fieldsOf(JSON.parse(JSON.stringify(body))))
      expect([path, description]).toEqual([path, expect.stringMatching(/^\S.{3,}[.…]$/s)])
  })

  test('is in the webhooks section of the OpenAPI document with its body and headers', () => {
    const { post } = document.webhooks[name]
    expect(post.parameters.map((one: any) => one.name)).toEqual(
      Object.keys(EVENT_HEADERS).filter((header) => header !== 'Content-Type'),
    )
    const { schema, example } = post.requestBody.content['application/json']
    expect(document.components.schemas[schema.$ref.split('/').at(-1)]).toBeDefined()
    expect(example.event).toBe(name)
    expect([post.security, Object.keys(post.responses)]).toEqual([[], ['200']])
  })
})

test('examples can happen: a lost link is missing, and test.ping goes to those who ask for it', async () => {
  const lost = webhookEvents.find(({ name }) => name === 'listing.lost')!
  expect(exampleOf(lost.body)).toMatchObject({ link: { state: 'missing' } })
  expect(document.webhooks['listing.lost'].post.requestBody.content['application/json'].example.link.state).toBe(
    'missing',
  )
  const row = /<tr>(?:(?!<\/tr>)[\s\S])*#test-ping[\s\S]*?<\/tr>/.exec(
    (await service.fetch('/developers/webhooks')).text,
  )
  expect(row?.[0]).toContain('On request')
})

test('the page has every event, every header and the receivers as they are in the repository', async () => {
  const { status, text } = await service.fetch('/developers/webhooks')
  expect(status).toBe(200)
  await expectSound(text)
  const plain = text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
  for (const { name } of webhookEvents) expect(text).toContain(`id="${name.replaceAll('.', '-')}"`)
  for (const name of Object.keys(EVENT_HEADERS)) expect(text).toContain(`<code>${name}</code>`)
  for (const file of RECEIVERS.map(({ file }) => file)) expect(plain).toContain(source(file))
  expect((await service.fetch('/developers')).text).toContain('href="/developers/webhooks"')
  expect((await service.fetch('/sitemap.xml')).text).toContain('/developers/webhooks')
})

const folder = new URL('../../examples/', import.meta.url).pathname
const source = (file: string) => readFileSync(folder + file, 'utf8')
const RECEIVERS = [
  { file: 'receiver.mjs', program: process.execPath, args: (port: number) => [`${folder}receiver.mjs`, String(port)] },
  { file: 'receiver.py', program: 'python3', args: (port: number) => [`${folder}receiver.py`, String(port)] },
  {
    file: 'receiver.php',
    program: 'php',
    args: (port: number) => ['-S', `127.0.0.1:${port}`, `${folder}receiver.php`],
  },
]
const isInstalled = (program: string): boolean => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.each(RECEIVERS)('$file, as the page shows it,', ({ program, args }) => {
  const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const OLD = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  const BODY = JSON.stringify({ event: 'test.ping', message: 'Grüße 世界' })

  test.skipIf(!isInstalled(program))(
    'accepts what the service signs and nothing else (skipped where the language is not installed)',
    async () => {
      const port = await freePort()
      const child: ChildProcess = spawn(program, args(port), {
        env: { PATH: process.env.PATH, HOME: process.env.HOME, WEBHOOK_SECRET: SECRET },
        stdio: 'ignore',
      })
      try {
        await until(() => isListening(port), 20_000)
        const now = new Date()
        const at = (ms: number) => new Date(now.getTime() + ms)
        const headers = (more: object = {}) =>
          eventHeaders({ id: 'msg_1', event: 'test.ping', body: BODY, secret: SECRET, at: now, ...more })
        const post = async (sent: Record<string, string>, body = BODY) =>
          (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: sent, body })).status
        expect(await post(headers())).toBe(204)
        // The overlap of a rotation, from both sides.
        expect(await post(headers({ previousSecret: OLD }))).toBe(204)
        expect(await post(headers({ secret: OLD, previousSecret: SECRET }))).toBe(204)
        const { 'webhook-signature': _, ...unsigned } = headers()
        const plainKey = createHmac('sha256', SECRET).update(BODY).digest('base64')
        for (const refused of [
          unsigned,
          headers({ secret: OLD }),
          headers({ at: at(-400_000) }),
          headers({ at: at(400_000) }),
          { ...headers(), 'webhook-id': 'msg_2' },
          { ...headers(), 'webhook-timestamp': 'now' },
          { ...headers(), 'webhook-timestamp': '' },
          { ...headers(), 'webhook-signature': '' },
          { ...headers(), 'webhook-signature': `v1,${plainKey}` },
        ])
          expect(await post(refused as Record<string, string>)).toBe(401)
        expect(await post(headers(), `${BODY} `)).toBe(401)
      } finally {
        child.kill('SIGKILL')
      }
    },
  )
})

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

interface Node {
  description?: string
  properties?: Record<string, Node>
  items?: Node
  anyOf?: Node[]
  oneOf?: Node[]
}

function* fieldsOf(schema: Node, path = ''): Generator<[string, Node]> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield [`${path}${name}`, field]
    yield* fieldsOf(field, `${path}${name}.`)
  }
  for (const part of [schema.items ?? [], schema.anyOf ?? [], schema.oneOf ?? []].flat()) yield* fieldsOf(part, path)
}
