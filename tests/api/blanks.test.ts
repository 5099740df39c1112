// "Blanks around a value are removed wherever a value is read": bodies, queries, imports, tables, forms, the command line.
import { gzipSync } from 'node:zlib'
import type { TSchema } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { operatorOperations, restOperations } from '../../src/features.ts'
import { readBody, readParameters } from '../../src/kernel/input.ts'
import type { RoutedOperation } from '../../src/kernel/operation.ts'
import { exampleOf } from '../../src/kernel/schema.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let key: string
let partner: { id: string; key: string }
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
  partner = await service.newPartner({ support: 'human' })
  await service.load(FIXTURE)
})

const BLANKS = [' ', '\t', '\n', '\u00a0', '\u3000', '\ufeff', ' \u3000\r\n\t\u00a0'] as const
const around = (value: string, blank: string) => `${blank}${value}${blank}`

const allOperations: readonly RoutedOperation[] = [...restOperations, ...operatorOperations]
const each = (operations: readonly RoutedOperation[]) => operations.map((one) => [one.name, one] as const)

/** The value with blanks around each of its texts and around the names in its maps. */
function blanked(schema: TSchema, value: unknown, blank: string): unknown {
  const { properties, items, additionalProperties, anyOf } = schema as {
    properties?: Record<string, TSchema>
    items?: TSchema
    additionalProperties?: TSchema | boolean
    anyOf?: TSchema[]
  }
  if (typeof value === 'string') return around(value, blank)
  if (typeof value !== 'object' || value === null) return value
  if (anyOf?.[0]) return blanked(anyOf[0], value, blank)
  if (Array.isArray(value)) return value.map((item) => blanked(items ?? {}, item, blank))
  const others = typeof additionalProperties === 'object' ? additionalProperties : null
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const part = properties?.[name] ?? others
      return [properties?.[name] || !others ? name : around(name, blank), part ? blanked(part, item, blank) : item]
    }),
  )
}

/** Parameters in which a blank is a value: the tab between the cells of a table. */
const VERBATIM = ['separator']

describe('for every operation, a value with blanks around it means the same as without', () => {
  test.each(each(allOperations))('%s', (_name, operation) => {
    const { parameters, body, lines, bytes, rawBody } = operation
    const given = exampleOf(parameters) as Record<string, unknown>
    const plain = readParameters(parameters, given)
    for (const blank of BLANKS) {
      const sent = Object.fromEntries(
        Object.entries(given).map(([name, value]) => [
          name,
          value === null || VERBATIM.includes(name) ? value : around(String(value), blank),
        ]),
      )
      expect(readParameters(parameters, sent)).toEqual(plain)
      // Bodies that the operation reads itself are sent over HTTP below.
      if (!body || lines || bytes || rawBody) continue
      const example = exampleOf(body)
      expect(readBody(body, blanked(body, example, blank))).toEqual(readBody(body, example))
    }
  })

  test('the exceptions are these', () => {
    const verbatim = allOperations.flatMap(({ parameters }) =>
      Object.entries(parameters.properties).filter(([, schema]) => (schema as Record<string, unknown>)['x-verbatim']),
    )
    expect([...new Set(verbatim.map(([name]) => name))]).toEqual(VERBATIM)
  })
})

describe('over HTTP', () => {
  // get_me takes no parameter, and says how many calls are left.
  const reads = restOperations.filter(
    ({ name, access, method }) => access === 'catalog' && method === 'GET' && name !== 'get_me',
  )

  test.each(each(reads))('%s answers the same', async (_name, { path, parameters }) => {
    const address = (blank: string) => {
      const query = new URLSearchParams()
      let filled = path
      for (const [name, value] of Object.entries(exampleOf(parameters) as Record<string, unknown>)) {
        if (value === null) continue
        const text = around(String(value), blank)
        if (filled.includes(`:${name}`)) filled = filled.replace(`:${name}`, encodeURIComponent(text))
        else query.set(name, text)
      }
      return `${filled}?${query}`
    }
    const plain = await service.rest(address(''), { key })
    for (const blank of BLANKS) {
      const { status, body } = await service.rest(address(blank), { key })
      expect([blank, status, body]).toEqual([blank, plain.status, plain.body])
    }
  })

  test('an import takes an address, a slug and a kind with blanks', async () => {
    const line = { kind: ' tool ', slug: '\tgroupify ', name: ' Groupify ', website: ' https://groupify.ai/' }
    const reply = await service.fetch('/api/admin/import', {
      method: 'POST',
      key: ADMIN_TOKEN,
      body: `${JSON.stringify({ ...line, socials: { ' x ': ' https://x.com/g ' } })}\n`,
      type: 'application/x-ndjson',
    })
    expect(reply.body).toMatchObject({ success: true, data: { imported: 1 } })
    const stored = (await service.admin('GET', '/tools/groupify')).body.data
    expect(stored).toMatchObject({
      name: 'Groupify',
      website: 'https://groupify.ai/',
      socials: { x: 'https://x.com/g' },
    })
    const put = await service.admin('PUT', '/tools/%20groupify', { ...line, website: '\u00a0https://groupify.ai/\n' })
    expect([put.status, put.body.data?.website]).toEqual([200, 'https://groupify.ai/'])
  })

  test('a table is read with blanks around headings, cells, and names in map', async () => {
    const post = (body: unknown, query: Record<string, string>) =>
      service.fetch(`/api/admin/import/table?${new URLSearchParams(query)}`, {
        method: 'POST',
        key: ADMIN_TOKEN,
        body,
        type: 'text/csv',
      })
    const csv = await post(' Label , Site \n Acme Blank , https://blank.example.com \n', {
      map: '{" Label ":" name "}',
      kind: ' tool ',
    })
    expect([csv.status, csv.body.data?.imported]).toEqual([200, 1])
    const json = await post('[{" Label ":" Acme Json ","Site ":" https://json.example.com "}]', {
      map: '{"Label":"name"}',
    })
    expect([json.status, json.body.data?.imported]).toEqual([200, 1])
    expect((await service.admin('GET', '/tools/acme-json')).body.data).toMatchObject({
      name: 'Acme Json',
      website: 'https://json.example.com',
    })
    // A tab is a separator.
    const tabs = await post('name,x\twebsite\nTabs, a\thttps://tabs.example.com\n', {
      separator: '\t',
      map: '{"name,x":"name"}',
    })
    expect([tabs.status, tabs.body.data?.imported]).toEqual([200, 1])
  })

  test('operators may write e-mail addresses and webhook addresses with blanks', async () => {
    const issued = await service.admin('POST', '/keys', { email: ' Blank@Example.com ', plan: ' premium ' })
    expect([issued.status, issued.body.data?.owner]).toEqual([201, 'blank@example.com'])
    const url = 'https://hooks.example.com/catalog'
    const made = await service.admin('POST', '/partners', { name: ' Blank ', webhookUrl: ` ${url}\n` })
    expect([made.status, made.body.data]).toMatchObject([201, { name: 'Blank', webhookUrl: url }])
    const changed = await service.admin('PATCH', `/partners/${made.body.data.id}`, { webhookUrl: `\t${url}/2 ` })
    expect([changed.status, changed.body.data]).toMatchObject([200, { webhookUrl: `${url}/2` }])
  })

  test('over MCP, too', async () => {
    const plain = await service.tool('get_tool', { slug: 'groupify' })
    expect(plain.isError).toBe(false)
    expect((await service.tool('get_tool', { slug: ' groupify\u3000' })).text).toBe(plain.text)
  })
})

describe('a text without a visible character is blank', () => {
  const INVISIBLE = ['\u200b', '\u2060\u200d', '\u3164', ' \u200b\n', '\u2800']
  const website = 'https://invisible.example.com'
  const ask = (body: object) => service.rest('/support/ask', { method: 'POST', key: partner.key, body })

  test.each(INVISIBLE)('%j is a 400 wherever a text is required', async (text) => {
    const article = { title: text, body: text }
    const tries: [method: string, path: string, body: object][] = [
      ['PUT', '/tools/invisible', { name: text, website }],
      ['PUT', '/categories/invisible', { name: text }],
      ['POST', '/partners', { name: text }],
      ['PUT', '/knowledge', { articles: [article] }],
      ['PUT', '/site', { name: text }],
    ]
    for (const [method, path, body] of tries)
      expect([path, (await service.admin(method, path, body)).status]).toEqual([path, 400])
    expect((await ask({ question: text })).status).toBe(400)
    expect((await ask({ message: text })).status).toBe(400)
  })

  test.each(['', ...INVISIBLE])('%j is a 400 in every list', async (text) => {
    const submitted = await service.rest('/submit-ai-tool', {
      method: 'POST',
      key: partner.key,
      body: {
        name: 'Listless',
        website: 'https://listless.example.com',
        category: 'writing',
        pricing: 'FREE',
        tagline: 'A tool',
        description: 'A tool that is long enough to be described in a sentence or two, for the sake of the test.',
        tags: [text],
      },
    })
    expect([submitted.status, submitted.body.error]).toEqual([
      400,
      expect.stringContaining('tags.0 must not be blank.'),
    ])
    const lists = ['screenshots', 'tags']
    for (const list of lists) {
      const reply = await service.admin('PUT', '/tools/listless', { name: 'Listless', website, [list]: ['a', text] })
      expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(`${list}.1 must not be blank.`)])
    }
    const events = await service.admin('PATCH', `/partners/${partner.id}`, { events: [text] })
    expect(events.status).toBe(400)
  })
})

describe('question and message', () => {
  const ask = (body: object) => service.rest('/support/ask', { method: 'POST', key: partner.key, body })

  test('are one field: equal texts are one question, different ones a 400 that says so', async () => {
    expect((await ask({ question: 'Is it free?', message: ' Is it free?' })).status).toBe(200)
    const reply = await ask({ question: 'Is it free?', message: 'Is it good?' })
    expect([reply.status, reply.body.error]).toEqual([
      400,
      'message must be left out, or be the same as question, which is its other name.',
    ])
  })
})

describe('a compressed body is a 415 that says what is accepted', () => {
  const send = async (path: string, type: string, bearer: string | null, encoding = 'gzip') => {
    const response = await fetch(service.origin + path, {
      method: 'POST',
      headers: {
        'content-type': type,
        'content-encoding': encoding,
        accept: 'text/html, application/json',
        origin: service.origin,
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      },
      body: gzipSync('{}'),
      redirect: 'manual',
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const SAID = 'Send the body as it is, without compression and without a Content-Encoding header.'

  test.each([
    ['/api/v1/submit-ai-tool', 'application/json'],
    ['/api/admin/keys', 'application/json'],
    ['/api/admin/import', 'application/x-ndjson'],
    ['/api/admin/import/table', 'text/csv'],
    ['/api/admin/media', 'image/png'],
  ])('%s', async (path, type) => {
    const bearer = path.startsWith('/api/v1') ? partner.key : ADMIN_TOKEN
    for (const encoding of ['gzip', 'br', 'GZIP', 'gzip, identity']) {
      const reply = await send(path, type, bearer, encoding)
      expect([reply.status, JSON.parse(reply.text)]).toEqual([
        415,
        { success: false, error: SAID, code: 'unsupported_type' },
      ])
      expect(reply.headers.get('accept-encoding')).toBe('identity')
    }
  })

  test('over MCP as an error of JSON-RPC', async () => {
    const reply = await send('/mcp', 'application/json', key)
    expect([reply.status, JSON.parse(reply.text)]).toEqual([
      415,
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: SAID } },
    ])
  })

  test('of OAuth in its own form, of pages as a page', async () => {
    const form = 'application/x-www-form-urlencoded'
    const token = await send('/oauth/token', form, null)
    expect([token.status, JSON.parse(token.text)]).toEqual([415, { error: 'invalid_request', error_description: SAID }])
    const page = await send('/sign-in', form, null)
    expect([page.status, page.headers.get('content-type')]).toEqual([415, 'text/html; charset=utf-8'])
  })

  test('identity is as none, and a key that is not known is a 401 first', async () => {
    const plain = await service.fetch('/api/admin/keys', {
      method: 'POST',
      key: ADMIN_TOKEN,
      headers: { 'content-encoding': 'identity' },
      body: { email: 'identity@example.com' },
    })
    expect(plain.status).toBe(201)
    expect((await send('/api/v1/submit-ai-tool', 'application/json', 'aid_wrong')).status).toBe(401)
  })
})
