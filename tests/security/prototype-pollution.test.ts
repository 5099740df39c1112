// `__proto__` and `constructor.prototype` wherever a client can send a name. The service runs in this process, so the test would see a
// change of the prototype of all objects.
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { operatorOperations, restOperations } from '../../src/features.ts'
import { createBrowser, formIn, PASSWORD, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { call, message, rpc } from '../harness/mcp.ts'
import { request, sendRaw } from '../harness/raw.ts'
import { ADMIN_TOKEN, type Reply } from '../harness/service.ts'
import { newTool } from '../harness/submissions.ts'
import { newSupportPartner, thread } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
  await service.load(FIXTURE)
})

afterEach(() => {
  for (const prototype of [Object.prototype, Array.prototype, String.prototype, Function.prototype]) {
    expect(Object.hasOwn(prototype, 'polluted')).toBe(false)
    expect(Object.keys(prototype)).toEqual([])
  }
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
})

/** Forms that a parser may accept: plain, escaped, nested, inside an array. */
const POISONS = [
  '"__proto__":{"polluted":true}',
  '"\\u005f\\u005fproto__":{"polluted":true}',
  '"__pr\\u006fto__":{"polluted":true}',
  '"constructor":{"prototype":{"polluted":true}}',
  '"constructor":{"proto\\u0074ype":{"polluted":true}}',
  '"a":{"__proto__":{"polluted":true}}',
  '"a":[{"b":{"__proto__":{"polluted":true}}}]',
  '"__proto__":null',
  '"__proto__":"x"',
]
const NAMES = [
  '__proto__',
  '__proto__[polluted]',
  '__proto__.polluted',
  'constructor[prototype][polluted]',
  'constructor.prototype.polluted',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
]

describe('JSON bodies', () => {
  const withBody = [
    ...restOperations.map((operation) => ({ base: '/api/v1', ...operation })),
    ...operatorOperations.map((operation) => ({ base: '/api/admin', ...operation })),
  ].filter(({ body, lines }) => body && !lines)

  test.each(withBody.map(({ name }) => name))('%s accepts no prototype keys', async (name) => {
    const operation = withBody.find((one) => one.name === name)!
    const { key: partner } = await client()
    for (const poison of POISONS) {
      const reply = await service.fetch(operation.base + operation.path.replace(/:\w+/g, 'no-such-thing'), {
        method: operation.method,
        key: operation.base === '/api/admin' ? ADMIN_TOKEN : partner,
        body: `{${poison}}`,
      })
      expect([400, 404], `${poison}: ${reply.status}`).toContain(reply.status)
    }
  })

  test('a valid body with one of them is refused, and nothing is stored', async () => {
    const { key: partner, id } = await client()
    const whole = JSON.stringify(newTool({ website: 'https://poisoned.example.com' }))
    for (const poison of POISONS.slice(0, 7)) {
      const body = `${whole.slice(0, -1)},${poison}}`
      const reply = await service.rest('/submit-ai-tool', { method: 'POST', key: partner, body })
      expect([poison, reply.status]).toEqual([poison, 400])
    }
    expect((await service.admin('GET', `/submissions?client=${id}`)).body.data).toEqual([])
  })

  test('metadata never stores prototype keys', async () => {
    const { key: partner } = await client()
    for (const poison of POISONS) {
      const body = `{"question":"How?","metadata":{"kept":1,${poison}}}`
      const reply = await service.rest('/support/ask', { method: 'POST', key: partner, body })
      expect([200, 400]).toContain(reply.status)
      if (reply.status === 400) continue
      const { metadata } = await thread(service, reply.body.data.id)
      expect(Object.keys(metadata)).toContain('kept')
      expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype)
      expect(metadata.polluted).toBeUndefined()
    }
  })
})

describe('parameters', () => {
  const QUERY = NAMES.map((name) => `${encodeURIComponent(name)}=polluted`).join('&')

  test.each(restOperations.filter(({ access, tool }) => access === 'catalog' && tool).map(({ name }) => name))(
    '%s answers as if they were absent over REST, and over MCP that it has no such argument',
    async (name) => {
      const { path } = restOperations.find((operation) => operation.name === name)!
      const slug = path.startsWith('/tools') ? 'full-house' : 'launch-list'
      const address = path.replace(':slug', slug)
      const plain = await service.rest(address, { key })
      for (const query of [QUERY, QUERY.replaceAll('%5B', '[').replaceAll('%5D', ']')])
        expect((await service.rest(`${address}?${query}`, { key })).text).toBe(plain.text)
      const input = path.includes(':slug') ? { slug } : {}
      const clean = (await rpc(service, key, call(name, input))).body.result
      for (const poison of POISONS) {
        const text = JSON.stringify(call(name, input))
        const sent = text.replace(/"arguments":\{/, `"arguments":{${poison}${path.includes(':slug') ? ',' : ''}`)
        const { result } = (await rpc(service, key, sent)).body
        // The protocol library drops __proto__ from the arguments.
        const [given] = Object.keys(JSON.parse(`{${poison}}`))
        if (given === '__proto__') expect(result).toEqual(clean)
        else expect(result.content[0].text).toContain(`\`${given}\` is not an argument of ${name}`)
      }
    },
  )

  test('in a JSON-RPC message they name no method, tool or revision', async () => {
    for (const poison of POISONS)
      for (const text of [
        `{"jsonrpc":"2.0","id":1,${poison}}`,
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${poison}}}`,
        `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{${poison}}}}`,
        `{"__proto__":${JSON.stringify(message('tools/list'))}}`,
        `[{"jsonrpc":"2.0","id":1,"method":"__proto__",${poison}}]`,
      ]) {
        const { status, body } = await rpc(service, key, text)
        expect(status).toBeLessThan(500)
        expect(JSON.stringify(body)).not.toContain('polluted')
      }
  })

  test('as names of headers and parts of an address they are ignored', async () => {
    const headers = [
      `X-API-Key: ${key}`,
      ...['__proto__', 'constructor', 'hasOwnProperty'].map((name) => `${name}: polluted`),
    ]
    expect((await sendRaw(service.origin, request('GET', '/api/v1/tags', headers))).status).toBe(200)
    for (const name of ['__proto__', 'constructor', 'prototype', 'toString', '__defineGetter__'])
      for (const place of ['tools', 'directories', 'categories', 'tags', 'no-such', ''])
        for (const base of ['/api/v1', '/api/admin', '', '/admin', '/dashboard', '/media', '/assets']) {
          const path = `${base}/${place}${place && '/'}${name}`
          const reply = await service.fetch(path, { key: base === '/api/admin' ? ADMIN_TOKEN : key })
          expect([path, [303, 404].includes(reply.status)]).toEqual([path, true])
        }
  })
})

describe('lines of an import', () => {
  test.each(['category', 'tag', 'directoryCategory', 'tool', 'directory'])(
    'a %s is refused, or stored without them',
    async (kind) => {
      for (const [i, poison] of POISONS.entries()) {
        const slug = `poison-${i}`
        const body = `{"kind":"${kind}","slug":"${slug}","name":"Poison",${poison}}\n`
        const ask = { method: 'POST', key: ADMIN_TOKEN, type: 'application/x-ndjson', body }
        expect([200, 400]).toContain((await service.fetch('/api/admin/import', ask)).status)
      }
      const { text } = await service.admin('GET', '/export')
      expect(text).not.toContain('polluted')
    },
  )

  test('a feature or a profile of that name is refused', async () => {
    const body = `{"kind":"tool","slug":"mapped","name":"Mapped","features":{"Real":"yes","__proto__":"polluted"},"socials":{"__proto__":"https://x.example"}}\n`
    const ask = { method: 'POST', key: ADMIN_TOKEN, type: 'application/x-ndjson', body }
    const reply = await service.fetch('/api/admin/import', ask)
    expect(reply.status).toBe(400)
    expect(reply.body.error).toContain('A name in features must not be __proto__.')
    expect(reply.body.error).toContain('A name in socials must not be __proto__.')
    expect((await service.rest('/tools/mapped', { key })).status).toBe(404)
  })
})

describe('forms', () => {
  const fields = Object.fromEntries(NAMES.map((name) => [name, 'polluted']))

  test('signing up, making a key and changing a password work as without them', async () => {
    const browser = createBrowser(service)
    const email = 'poisoned@example.com'
    expect((await browser.post('/sign-up', { ...fields, email, password: PASSWORD })).status).toBe(303)
    expect((await browser.submit('/dashboard', '/dashboard/keys', { ...fields, agree: 'true' })).status).toBe(201)
    expect(await userNamed(service, email)).toMatchObject({ role: 'user', plan: 'standard', banned: false })
    expect((await browser.post('/dashboard/keys', { ...fields, agree: 'true' })).status).toBe(403)
  })

  test('a feature cannot get that name in the console', async () => {
    const admin = await signedUpAdmin(service)
    await service.admin('PUT', '/tools/by-form', { name: 'By form' })
    const reply = await admin.submit('/admin/tools/by-form', '/admin/tools/by-form', {
      name: 'By form',
      'features.0.name': '__proto__',
      'features.0.value': 'polluted',
      do: 'save',
    })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('must not be __proto__.')
  })

  test('an inherited token is not accepted', async () => {
    const browser = await signedUp(service)
    const { token } = formIn((await browser.open('/dashboard')).text, '/dashboard/keys')!
    for (const name of ['__proto__[token]', '__proto__.token', 'constructor[prototype][token]', '__proto__'])
      expect((await browser.post('/dashboard/keys', { [name]: token!, agree: 'true' })).status).toBe(403)
  })

  test('multipart forms with a file work as without them', async () => {
    const admin = await signedUpAdmin(service)
    for (const page of ['/admin/import']) {
      const { token } = formIn((await admin.open(page)).text, page)!
      const data = new FormData()
      for (const [name, value] of Object.entries(fields)) data.append(name, value)
      data.append('token', token!)
      data.append('file', new Blob(['{"kind":"tag","slug":"from-file","name":"From file"}\n']), '__proto__')
      const reply = await fetch(service.origin + page, {
        method: 'POST',
        body: data,
        redirect: 'manual',
        headers: { cookie: admin.cookieHeader(), origin: service.origin, accept: 'text/html' },
      })
      expect(reply.status).toBe(303)
    }
    expect((await service.admin('GET', '/export')).text).toContain('from-file')
  })
})

let supported: Promise<{ key: string; id: string }> | undefined
const client = () => (supported ??= newSupportPartner(service, 'human'))

test('no answer of the catalog contains what was sent', async () => {
  const replies: Reply[] = await Promise.all(
    ['/tools?limit=100', '/tags', '/categories', '/directories?limit=100'].map((path) => service.rest(path, { key })),
  )
  for (const { text } of replies) expect(text).not.toContain('polluted')
})
