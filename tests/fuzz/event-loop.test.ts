// Whatever text a client sends, the service goes on for all others: no text blocks its event loop for more than 50 ms. Every input that
// takes text gets its worst texts, at the maximum size. The service runs in its own process, and a case above the limit is tried again: the
// best of three counts, because the machine has other work too.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { QUERY_NAMES } from '../../src/surfaces/pages/site/routes.ts'
import { createBrowser, PASSWORD } from '../harness/browser.ts'
import { type StandInModel, sendAnswer, standInModel } from '../harness/language-model.ts'
import { call, message } from '../harness/mcp.ts'
import { until } from '../harness/process.ts'
import { type ProductSite, productSite } from '../harness/product-site.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { newTool, SUBMISSION_CATALOG, TEXT_FIELDS } from '../harness/submissions.ts'
import { startWatched, type WatchedService } from '../harness/watched-service.ts'
import { worstTexts } from '../harness/worst-texts.ts'

const LONGEST_MS = 50
const WORST = worstTexts()
/** For cases that take a second each. */
const FEW = worstTexts(3)
/** The maximum of a JSON body or a form, less the bytes around the text. */
const BODY = 250 * 1024
/** The maximum of all headers in Node, less the other headers. */
const HEADERS = 15 * 1024

let service: WatchedService
let model: StandInModel
let site: ProductSite
let receiver: Receiver
let hostileAnswer = ''
let partner: { id: string; key: string }
let key: string
let admin: ReturnType<typeof createBrowser>
let token: string

beforeAll(async () => {
  model = await standInModel()
  site = await productSite({})
  receiver = await startReceiver({ '/hook': (response) => response.end(hostileAnswer) })
  service = await startWatched({
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'small',
    ENRICHMENT_RETRY_SECONDS: '1',
  })
  const lines = SUBMISSION_CATALOG.map((line) => JSON.stringify(line)).join('\n')
  await service.fetch('/api/admin/import', {
    method: 'POST',
    key: ADMIN_TOKEN,
    type: 'application/x-ndjson',
    body: lines,
  })
  partner = (
    await service.admin('POST', '/partners', {
      name: 'Partner',
      support: 'hybrid',
      webhookUrl: `${receiver.origin}/hook`,
    })
  ).body.data
  await service.admin('PUT', `/partners/${partner.id}/knowledge`, {
    articles: [{ title: 'Refunds', body: 'A refund is paid within 14 days.' }],
  })
  key = (await service.admin('POST', '/keys', { email: 'reader@example.com', plan: 'premium' })).body.data.key
  admin = createBrowser(service)
  await admin.submit('/sign-up', '/sign-up', { email: 'admin@example.com', password: PASSWORD })
  const { data: users } = (await service.admin('GET', '/users')).body
  const own = users.find(({ email }: { email: string }) => email === 'admin@example.com')
  await service.admin('PATCH', `/users/${own.id}`, { role: 'admin', partner: partner.id })
  token = /name="token" value="([^"]+)"/.exec((await admin.open('/dashboard')).text)![1]!
})
afterAll(async () => {
  await service.close()
  await Promise.all([model.close(), site.close(), receiver.close()])
})

/** Every case that blocks the event loop for too long, with its time. Answers of 5xx count as well. */
async function tooLong(cases: readonly (readonly [name: string, send: () => Promise<unknown>])[]): Promise<string[]> {
  const found: string[] = []
  await service.longestStop()
  for (const [name, send] of cases) {
    let best = Number.POSITIVE_INFINITY
    for (let time = 0; time < 3 && best > LONGEST_MS; time++) {
      const reply = (await send()) as { status?: number } | undefined
      best = Math.min(best, await service.longestStop())
      if ((reply?.status ?? 0) >= 500) found.push(`${name}: ${reply!.status}`)
    }
    if (best > LONGEST_MS) found.push(`${name}: ${Math.round(best)} ms`)
  }
  return found
}

const worst = (size: number, send: (text: string) => Promise<unknown>) =>
  WORST.map(({ name, text }) => [name, () => send(text(size))] as const)

const post = (path: string, body: unknown, held = partner.key) =>
  service.fetch(path, { method: 'POST', key: held, body })

/** JSON of at most so many bytes. */
function fitted(value: (size: number) => unknown, bytes = BODY): string {
  for (let size = bytes; ; size = Math.floor(size * 0.7)) {
    const text = JSON.stringify(value(size))
    if (Buffer.byteLength(text) <= bytes + 4_096) return text
  }
}
const json = (value: (text: string) => unknown) =>
  WORST.map(({ name, text }) => [name, fitted((size) => value(text(size)))] as const)

/** Bodies that are large by the number of their parts. */
const many = (item: string, bytes = BODY): string =>
  `[${Array(Math.floor(bytes / (item.length + 1)))
    .fill(item)
    .join(',')}]`
const manyNames = (value: string, bytes = BODY): string => {
  const count = Math.floor(bytes / (value.length + 11))
  return `{${Array.from({ length: count }, (_, i) => `"n${i}":${value}`).join(',')}}`
}
const SHAPES: Record<string, string> = {
  'empty texts': many('""'),
  'short texts': many('"x"'),
  nulls: many('null'),
  numbers: many('1'),
  'empty lists': many('[]'),
  'empty objects': many('{}'),
  'half questions': many('{"question":"q"}'),
  addresses: many('"https://x.example/a"'),
  'wrong addresses': many('"ü"'),
  'many names': manyNames('"x"'),
  'many addresses by name': manyNames('"https://x.example"'),
  'many objects by name': manyNames('{}'),
  'thirty levels': '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[['.replaceAll('[', '{"a":[') + many('1', BODY / 2) + ']}'.repeat(30),
}

describe('a submission', () => {
  const submit = (body: string) => post('/api/v1/submit-ai-tool', body)
  test.each(TEXT_FIELDS)('submitting the worst %s', async (field) => {
    expect(
      await tooLong(json((text) => newTool({ [field]: text })).map(([name, body]) => [name, () => submit(body)])),
    ).toEqual([])
  })
  test.each(['tags', 'screenshots', 'socials', 'features', 'faq', 'unknown'])(
    'with the worst texts in %s',
    async (field) => {
      const wrapped: Record<string, (text: string) => unknown> = {
        socials: (text) => ({ [text.slice(0, 100)]: text }),
        features: (text) => ({ [text]: 'x' }),
        faq: (text) => [{ question: text, answer: text.slice(0, 100) }],
        unknown: (text) => ({ [text.slice(0, 1_000)]: text }),
      }
      const cases = json((text) => newTool({ [field]: wrapped[field]?.(text) ?? [text] })).map(
        ([name, body]) => [name, () => submit(body)] as const,
      )
      const shapes = Object.entries(SHAPES).map(([name, shape]) => {
        const body = JSON.stringify(newTool({ [field]: 0 })).replace(`"${field}":0`, `"${field}":${shape}`)
        return [name, () => submit(body)] as const
      })
      expect(await tooLong([...cases, ...shapes])).toEqual([])
    },
  )
  test('is looked up by the worst URL', async () => {
    const status = (text: string) =>
      service.fetch(`/api/v1/ai-tools/status?website=${encodeURIComponent(text).slice(0, HEADERS)}`, {
        key: partner.key,
      })
    const plain = (text: string) => service.fetch(`/api/v1/ai-tools/status?website=${text}`, { key: partner.key })
    expect(
      await tooLong([
        ...worst(HEADERS / 3, status),
        ['slashes', () => plain(`https://x.example/${'/'.repeat(HEADERS)}x`)],
        ['dots', () => plain(`https://x.example${'.'.repeat(HEADERS)}/x`)],
      ]),
    ).toEqual([])
  })
})

describe('an operator', () => {
  const put = (path: string, body: string) =>
    service.fetch(`/api/admin${path}`, { method: 'PUT', key: ADMIN_TOKEN, body })
  test.each(['name', 'description', 'website', 'founderEmail', 'createdAt', 'category', 'video', 'pricing'])(
    'writes a listing submitting the worst %s',
    async (field) => {
      expect(
        await tooLong(
          json((text) => ({ name: 'x', [field]: text })).map(([name, body]) => [name, () => put('/tools/worst', body)]),
        ),
      ).toEqual([])
    },
  )
  test.each(['screenshots', 'socials', 'features', 'faqs', 'tags'])(
    'writes a listing with the worst %s',
    async (field) => {
      const shapes = Object.entries(SHAPES).map(
        ([name, shape]) => [name, () => put('/tools/worst', `{"name":"x","${field}":${shape}}`)] as const,
      )
      expect(await tooLong(shapes)).toEqual([])
    },
  )
  test('stores the worst articles', async () => {
    const articles = (text: string) => ({
      articles: Array.from({ length: 12 }, (_, i) => ({
        title: `T${i}`,
        body: text.slice(i * 20_000, (i + 1) * 20_000) || 'x',
      })),
    })
    const path = `/partners/${partner.id}/knowledge`
    const cases = json(articles).map(
      ([name, body]) =>
        [
          name,
          async () => {
            await put(path, body)
            return post('/api/v1/support/ask', { question: 'When is a refund paid?' })
          },
        ] as const,
    )
    expect(await tooLong(cases)).toEqual([])
    await service.admin('PUT', path, { articles: [{ title: 'Refunds', body: 'A refund is paid within 14 days.' }] })
  })
  test('imports the worst lines', async () => {
    const send = (body: string) =>
      service.fetch('/api/admin/import?skipInvalid=true', {
        method: 'POST',
        key: ADMIN_TOKEN,
        type: 'application/x-ndjson',
        body,
      })
    const lines = Object.entries(SHAPES).map(
      ([name, shape]) =>
        [name, () => send(`{"kind":"tool","slug":"worst","name":"x","screenshots":${shape}}\n`)] as const,
    )
    expect(
      await tooLong([
        ...json((text) => ({ kind: 'tool', slug: 'worst', name: 'x', description: text, website: text })).map(
          ([name, line]) => [name, () => send(`${line}\n`)] as const,
        ),
        ...lines,
        ['empty lines', () => send('\n'.repeat(BODY))],
        ['lines of nothing', () => send('{}\n'.repeat(BODY / 3))],
        ['lines that are no JSON', () => send('x\n'.repeat(BODY / 2))],
        [
          'many small ones',
          () => send(Array.from({ length: 4_000 }, (_, i) => `{"kind":"tag","slug":"t${i}","name":"T"}\n`).join('')),
        ],
      ]),
    ).toEqual([])
  })
})

test('an operator imports the worst cells of a table', async () => {
  const send = (text: string) =>
    service.fetch('/api/admin/import/table?kind=tool&skipInvalid=true&unknownTerms=create&format=json', {
      method: 'POST',
      key: ADMIN_TOKEN,
      body: [{ name: 'x', slug: 'worst', category: text, tags: text }],
    })
  expect(await tooLong(worst(40_000, send))).toEqual([])
})

describe('support', () => {
  const ask = (body: string) => post('/api/v1/support/ask', body)
  test.each(['question', 'externalId', 'conversationId', 'name', 'email', 'metadata'])(
    'the worst text as %s',
    async (field) => {
      const wrapped: Record<string, (text: string) => object> = {
        name: (text) => ({ question: 'How?', customer: { name: text } }),
        email: (text) => ({ question: 'How?', customer: { email: text } }),
        metadata: (text) => ({ question: 'How?', metadata: { [text.slice(0, 500)]: text } }),
      }
      const body = wrapped[field] ?? ((text: string) => ({ question: 'How?', [field]: text }))
      expect(await tooLong(json(body).map(([name, text]) => [name, () => ask(text)]))).toEqual([])
    },
  )
  test('takes questions of the maximum length, and metadata of every shape', async () => {
    expect(
      await tooLong([
        ...worst(3_900, (text) => ask(JSON.stringify({ question: text }))),
        ...Object.entries(SHAPES).map(
          ([name, shape]) => [name, () => ask(`{"question":"How?","metadata":{"a":${shape}}}`)] as const,
        ),
      ]),
    ).toEqual([])
  })
})

describe('forms', () => {
  const form = (path: string, fields: Record<string, string>) =>
    service.fetch(path, {
      method: 'POST',
      type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(fields).toString().slice(0, 256 * 1024),
      headers: {
        origin: service.origin,
        'sec-fetch-site': 'same-origin',
        accept: 'text/html',
        cookie: admin.cookieHeader(),
      },
    })
  test.each(['email', 'password', 'next', 'link'])('signing in submitting the worst %s', async (field) => {
    const send = (path: string) => (text: string) =>
      form(path, { email: 'a@example.com', password: 'x', [field]: text })
    expect(await tooLong([...worst(BODY / 3, send('/sign-in')), ...worst(BODY / 3, send('/link'))])).toEqual([])
  })
  test('of the dashboard and the console', async () => {
    const cases = [
      '/dashboard/keys',
      '/admin/taxonomy/tags',
      '/admin/tools',
      '/admin/knowledge',
      '/admin/partners',
    ].flatMap((path) =>
      worst(BODY / 3, (text) => form(path, { token, name: text, title: text, body: text, q: text, agree: 'true' })).map(
        ([name, send]) => [`${path} ${name}`, send] as const,
      ),
    )
    expect(await tooLong(cases)).toEqual([])
  })
  test('a form with too many fields', async () => {
    const send = (path: string, body: string) =>
      service.fetch(path, {
        method: 'POST',
        type: 'application/x-www-form-urlencoded',
        body,
        headers: {
          origin: service.origin,
          'sec-fetch-site': 'same-origin',
          accept: 'text/html',
          cookie: admin.cookieHeader(),
        },
      })
    await service.admin('PUT', '/tools/formed', { name: 'Formed' })
    const fields = (bytes: number, name: (i: number) => string) => {
      let text = `token=${token}&name=x&do=save`
      for (let i = 0; text.length < bytes; i++) text += `&${name(i)}=`
      return text
    }
    const kinds: [string, (i: number) => string][] = [
      ['short names', (i) => i.toString(36)],
      ['rows', (i) => `features.${i}.name`],
      ['terms', (i) => `tags:t${i}`],
    ]
    expect(
      await tooLong(
        kinds.flatMap(([name, field]) => [
          [`sign-in, ${name}`, () => send('/sign-in', fields(BODY, field))] as const,
          [`a listing, ${name}`, () => send('/admin/tools/formed', fields(BODY, field))] as const,
          [
            `more rows, ${name}`,
            () => send('/admin/tools/formed', fields(BODY, field).replace('do=save', 'do=more+features')),
          ] as const,
        ]),
      ),
    ).toEqual([])
  })
})

describe('MCP', () => {
  const rpc = (body: unknown) => service.fetch('/mcp', { method: 'POST', key, body })
  test('the worst text as an argument, a name, a method and an id', async () => {
    expect(
      await tooLong(
        WORST.flatMap(
          ({ name, text }) =>
            [
              [`q ${name}`, () => rpc(fitted((size) => call('search_tools', { q: text(size) })))],
              [`an unknown argument ${name}`, () => rpc(fitted((size) => call('search_tools', { [text(size)]: 1 })))],
              [`tool ${name}`, () => rpc(fitted((size) => call(text(size))))],
              [`method ${name}`, () => rpc(fitted((size) => message(text(size))))],
            ] as const,
        ),
      ),
    ).toEqual([])
  })
  test('bodies of every shape', async () => {
    expect(
      await tooLong([
        ...Object.entries(SHAPES).map(
          ([name, shape]) =>
            [
              name,
              () =>
                rpc(
                  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{"q":${shape}}}}`,
                ),
            ] as const,
        ),
        ...Object.entries(SHAPES).map(
          ([name, shape]) =>
            [
              `meta ${name}`,
              () =>
                rpc(
                  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tags","arguments":{},"_meta":{"a":${shape}}}}`,
                ),
            ] as const,
        ),
        ...Object.entries(SHAPES).map(([name, shape]) => [`a batch of ${name}`, () => rpc(shape)] as const),
      ]),
    ).toEqual([])
  })
})

describe('addresses and headers', () => {
  const PARAMETERS = ['q', 'category', 'tag', 'pricing', 'page', 'limit', 'featured']
  test.each(PARAMETERS)('the worst text as %s of a search', async (parameter) => {
    const search = (path: string) => (text: string) =>
      service.fetch(`${path}?${parameter}=${encodeURIComponent(text.toWellFormed()).slice(0, HEADERS)}`, { key })
    expect(
      await tooLong([...worst(HEADERS / 3, search('/api/v1/tools')), ...worst(HEADERS / 3, search('/tools'))]),
    ).toEqual([])
  })
  const OF_PAGES = Object.entries(QUERY_NAMES).flatMap(([path, names]) =>
    path.includes(':') || path === '/tools' ? [] : names.map((name) => [name, path] as const),
  )
  test.each(OF_PAGES)('the worst text as %s of the page %s', async (parameter, path) => {
    const open = (text: string) =>
      service.fetch(`${path}?${parameter}=${encodeURIComponent(text.toWellFormed()).slice(0, HEADERS)}`)
    expect(await tooLong(worst(HEADERS / 3, open))).toEqual([])
  })
  test('searches of the maximum length', async () => {
    const search = (text: string) =>
      service.fetch(`/api/v1/tools?q=${encodeURIComponent(text.toWellFormed())}`, { key })
    expect(await tooLong(worst(490, search))).toEqual([])
  })
  test('paths', async () => {
    const open = (base: string) => (text: string) =>
      service.fetch(`${base}${encodeURIComponent(text.toWellFormed()).slice(0, HEADERS)}`, {
        key,
        headers: { accept: 'text/html' },
      })
    const bases = ['/', '/tools/', '/api/v1/tools/', '/api/v1/', '/media/', '/tags/', '/sitemaps/']
    expect(
      await tooLong(
        bases.flatMap((base) =>
          worst(HEADERS / 3, open(base)).map(([name, send]) => [`${base} ${name}`, send] as const),
        ),
      ),
    ).toEqual([])
  })
  const NAMES = [
    ...[
      'user-agent',
      'cookie',
      'accept',
      'accept-encoding',
      'accept-language',
      'if-none-match',
      'authorization',
      'x-api-key',
    ],
    ...[
      'origin',
      'referer',
      'x-forwarded-for',
      'idempotency-key',
      'mcp-protocol-version',
      'sec-fetch-site',
      'content-type',
    ],
  ]
  test.each(NAMES)('the worst text as %s', async (name) => {
    const visible = (text: string) => text.replace(/[^\x21-\x7e ]/g, 'x').trim() || 'x'
    const send = (path: string, method: string) => (text: string) =>
      service.fetch(path, {
        method,
        headers: { [name]: visible(text) },
        ...(method === 'POST' ? { body: '{}', ...(name === 'content-type' ? { type: visible(text) } : {}) } : {}),
      })
    expect(
      await tooLong([
        ...worst(HEADERS, send('/tools', 'GET')),
        ...worst(HEADERS, send('/api/v1/tools', 'GET')),
        ...worst(HEADERS, send('/mcp', 'POST')),
        ...worst(HEADERS, send('/dashboard', 'GET')),
      ]),
    ).toEqual([])
  })
})

/** Submits a tool and waits until enrichment has tried it. */
let serial = 0
async function enriched(page: string | ((path: string) => void), more: object = {}): Promise<void> {
  const path = `/page-${++serial}`
  if (typeof page === 'string') site.routes[path] = page
  else page(path)
  const reply = await post('/api/v1/submit-ai-tool', newTool({ website: site.url + path, ...more }))
  const { id } = reply.body.data
  // Until enrichment has ended, or the first attempt has and the next has begun.
  await until(async () => {
    const { data } = (await service.admin('GET', '/enrichments?limit=5')).body
    const row = data.find(({ toolId }: { toolId: string }) => toolId === id)
    return row === undefined || row.state !== 'pending' || row.attempts > 1
  }, 30_000)
}

describe('product sites', () => {
  const SIZE = 256 * 1024
  test('the worst pages', async () => {
    const cases = FEW.map(({ name, text }) => [name, () => enriched(`<title>T</title><body>${text(SIZE)}`)] as const)
    const linked = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`
    expect(
      await tooLong([
        ...cases,
        ['features', () => enriched(linked({ '@type': 'Product', featureList: '<style>'.repeat(SIZE / 7) }))],
        [
          'markup in answers',
          () =>
            enriched(
              linked({
                '@type': 'FAQPage',
                mainEntity: { name: '<a'.repeat(SIZE / 8), acceptedAnswer: { text: '<style>'.repeat(SIZE / 16) } },
              }),
            ),
        ],
        ['an icon in the page', () => enriched(`<link rel="icon" href="data:image/png;base64,${'A'.repeat(SIZE)}">`)],
        ['a thousand icons', () => enriched('<link rel="icon" href="/i.png" sizes="1x1">'.repeat(1_000))],
        ['levels', () => enriched('<div>'.repeat(SIZE / 5))],
      ]),
    ).toEqual([])
  }, 600_000)
  test('the worst headers and pictures', async () => {
    const header = (name: string, value: string) =>
      enriched((path) => {
        site.routes[path] = (_request, response) =>
          response.writeHead(name === 'location' ? 302 : 200, { [name]: value }).end('x')
      })
    const icon = (bytes: Buffer) =>
      enriched((path) => {
        site.routes[path] = `<link rel="icon" href="${path}.ico">`
        site.routes[`${path}.ico`] = bytes
      })
    expect(
      await tooLong([
        ['a type', () => header('content-type', `text/html; ${'charset '.repeat(1_500)}`)],
        ['a place', () => header('location', `https://${'a.'.repeat(6_000)}`)],
        ...[
          'GIF89a',
          '\x89PNG\r\n\x1a\n',
          'RIFF',
          '\xff\xd8\xff',
          '\0\0\x01\0',
          'ID3',
          '<?xml',
          '<svg',
          'PK\x03\x04',
          '\x00\x00\x00\x20ftypavif',
          'II*\0',
          'OggS',
        ].map(
          (start) =>
            [
              JSON.stringify(start),
              () => icon(Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(SIZE, start, 'latin1')])),
            ] as const,
        ),
      ]),
    ).toEqual([])
  }, 600_000)
  test('the worst listings, from which the service makes what the site lacks', async () => {
    const cases = FEW.map(
      ({ name, text }) =>
        [
          name,
          () =>
            enriched('<h1>Nothing</h1>', {
              description: `x${text(19_000).slice(0, 19_990).toWellFormed().replaceAll('\u0001', '')}`,
              tagline: text(150).replaceAll('\u0001', '').trim().slice(0, 199).toWellFormed() || 'x',
              tags: [],
            }).catch(() => {}),
        ] as const,
    )
    model.answer = { canAnswer: false }
    expect(await tooLong(cases)).toEqual([])
  }, 600_000)
})

describe('a language model', () => {
  const SIZE = 250 * 1024
  const answers = (text: string): [string, unknown][] => [
    ['an answer', { features: {}, faq: [{ question: 'Q?', answer: text }] }],
    ['a name', { features: { [text]: text.slice(0, 100) }, faq: [] }],
  ]
  test('the worst answers to a request for features and questions', async () => {
    const cases = FEW.flatMap(({ name, text }) =>
      answers(text(SIZE / 2)).map(
        ([kind, answer]) =>
          [
            `${kind}: ${name}`,
            async () => {
              model.answer = JSON.stringify(answer)
              await enriched('<h1>Nothing</h1>')
            },
          ] as const,
      ),
    )
    const shapes = Object.entries(SHAPES).map(
      ([name, shape]) =>
        [
          name,
          async () => {
            model.answer = `{"features":${shape.slice(0, 0)}${manyNames('"x"', SIZE / 3)},"faq":${shape.length < SIZE ? shape : '[]'}}`
            await enriched('<h1>Nothing</h1>')
          },
        ] as const,
    )
    const raw = ['```', '```json\n', ' ', '[', '{"a":', '"', '\\'].map(
      (piece) =>
        [
          `content of ${JSON.stringify(piece)}`,
          async () => {
            model.answer = piece.repeat(SIZE / 3 / piece.length)
            await enriched('<h1>Nothing</h1>')
          },
        ] as const,
    )
    expect(await tooLong([...cases, ...shapes, ...raw])).toEqual([])
  }, 900_000)
  test('the worst answers to a customer’s question', async () => {
    const cases = WORST.map(
      ({ name, text }) =>
        [
          name,
          () => {
            model.answer = { canAnswer: true, answer: text(3_990), sources: [1] }
            return post('/api/v1/support/ask', { question: 'When is a refund paid?' })
          },
        ] as const,
    )
    const long = WORST.map(
      ({ name, text }) =>
        [
          `long ${name}`,
          () => {
            model.answer = (response) =>
              sendAnswer(response, { canAnswer: true, answer: text(SIZE / 3), sources: Array(20_000).fill('1') })
            return post('/api/v1/support/ask', { question: 'When is a refund paid?' })
          },
        ] as const,
    )
    expect(await tooLong([...cases, ...long])).toEqual([])
  }, 300_000)
})

test('the worst answers of webhook receivers', async () => {
  let done = 0
  const deliver = (text: string) => async () => {
    hostileAnswer = text
    const tool = (await post('/api/v1/submit-ai-tool', newTool({ paymentType: 'starter', features: {}, faq: [] }))).body
      .data
    await service.admin('POST', `/submissions/${tool.id}/done`, {})
    done++
    await until(async () => {
      const { data } = (await service.admin('GET', `/webhooks?client=${partner.id}&limit=1000`)).body
      const own = data.filter(({ event }: { event: string }) => event === 'directory_submissions.completed')
      return (
        own.length >= done && own.every(({ state }: { state: string }) => state !== 'pending' && state !== 'unknown')
      )
    }, 20_000)
  }
  expect(await tooLong(FEW.map(({ name, text }) => [name, deliver(text(256 * 1024))]))).toEqual([])
}, 300_000)
