// Whether clients of version 1.1 notice this version: sends the requests of such clients to both, on the same data, and prints how the
// answers differ.
//   node bench/replay.ts FOLDER       a checkout of the tag v1.1.0 with its packages
// The bodies must be the same but for `code` and `fields` of errors; the differences that are meant are named in MEANT. Exit code 1 for others.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ADMIN_TOKEN, endAll, folder, type Server, startServer } from './processes.ts'

const [earlier] = process.argv.slice(2)
if (!earlier) throw new Error('Name the folder of a checkout of version 1.1: node bench/replay.ts FOLDER')
const MAIN = join(earlier, 'src/main.ts')
// Both hand out the same addresses.
const SETTINGS = { PUBLIC_URL: 'https://catalog.example.com', LINK_CHECKS: 'off', MIRROR_PICTURES: 'off' }

interface Sent {
  method?: string
  path: string
  key?: string | null
  body?: unknown
  headers?: Record<string, string>
}
interface Received {
  status: number
  type: string
  body: unknown
}

async function send({ origin }: Pick<Server, 'origin'>, { method, path, key, body, headers }: Sent): Promise<Received> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(origin + path, {
    method: method ?? (text === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(text === undefined ? {} : { body: text }),
  })
  const answer = await response.text()
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, type, body: type.includes('json') && answer ? JSON.parse(answer) : answer }
}

async function must(server: Server, method: string, path: string, body?: unknown): Promise<any> {
  const { status, body: answer } = await send(server, {
    ...{ method, path: `/api/admin${path}`, key: ADMIN_TOKEN },
    ...(body === undefined ? {} : { body }),
  })
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
  return (answer as { data: unknown }).data
}

const product = (name: string, more: object = {}) => ({
  ...{ name, website: `https://${name.toLowerCase().replaceAll(' ', '-')}.example.com`, tagline: 'Does one thing' },
  ...{ description: 'Does one thing well.', category: 'writing', pricing: 'FREE', founderName: 'Ada Example' },
  ...{ founderEmail: 'ada@example.com', tags: ['api'], features: {}, faq: [], ...more },
})

interface Keys {
  catalog: string
  partner: string
  test: string
}

/** Keys, a partner with work behind it, and an article, made with version 1.1. */
async function fill(server: Server): Promise<Keys> {
  const { key: catalog } = await must(server, 'POST', '/keys', { email: 'reader@example.com', plan: 'premium' })
  const partner = await must(server, 'POST', '/partners', { name: 'Launch', support: 'hybrid' })
  const { key: test } = await must(server, 'POST', `/partners/${partner.id}/keys`, { test: true })
  await must(server, 'PUT', '/knowledge', {
    articles: [{ title: 'Paying', body: 'You can pay by bank transfer or by credit card. Invoices come by mail.' }],
  })
  // Version 1.1 is ready before the demo catalog of its first start is there.
  while ((await must(server, 'GET', '/directories?q=betalist')).length === 0) await sleep(200)
  const body = product('Old Friend', { paymentType: 'starter' })
  const { status, body: answer } = await send(server, { path: '/api/v1/submit-ai-tool', key: partner.key, body })
  if (status !== 201) throw new Error(`submit: ${status} ${JSON.stringify(answer)}`)
  const [{ id }] = await must(server, 'GET', '/submissions')
  await must(server, 'PUT', `/submissions/${id}/directories/betalist`, {
    ...{ isSubmitted: true, listingUrl: 'https://betalist.com/startups/old-friend' },
  })
  await must(server, 'POST', `/submissions/${id}/done`, { notes: 'All done.' })
  return { catalog, partner: partner.key, test }
}

const QUESTIONS = [
  ...['', 'writing', 'image generator', 'meeting notes', 'gramarly', 'code review', 'zzzz', 'C++', 'a'],
  ...['transcribe audio', 'Übersetzer', 'grammarly', 'video', 'email assistant', "what's new", '"exact words"'],
]
const PAGES = ['', 'limit=3', 'limit=3&page=2', 'limit=abc', 'limit=1000', 'page=0', 'page=9999', 'limit=-1']
const FIELDS = 'fields=name,website'

const reads = (): string[] => [
  ...['/', '/tools/top', '/tools/top?category=writing', '/tools/top?limit=2', '/tools/grammarly', '/tools/none'],
  ...QUESTIONS.map((q) => `/tools?q=${encodeURIComponent(q)}`),
  ...QUESTIONS.map((q) => `/directories?q=${encodeURIComponent(q)}`),
  ...PAGES.flatMap((page) => [`/tools?${page}`, `/directories?${page}`, `/categories?${page}`, `/tags?${page}`]),
  ...['category=writing', 'category=Writing', 'tag=grammar', 'pricing=FREE', 'pricing=cheap', 'featured=true'].map(
    (filter) => `/tools?${filter}`,
  ),
  ...['category=none', 'category=startups', 'cost=Free', 'cost=x'].map((filter) => `/directories?${filter}`),
  ...[`/tools?q=video&${FIELDS}`, `/directories?${FIELDS}`, '/tools?fields=nothing', `/tools/grammarly?${FIELDS}`],
  ...['/categories?q=wri', '/tags?q=gra', '/directory-categories', '/directories/betalist', '/directories/none'],
]

const rpc = (method: string, params?: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })
const CALLS: [string, object][] = [
  ['search_tools', { q: 'meeting notes', limit: 2 }],
  ['search_tools', { query: 'x' }],
  ['search_tools', { pricing: 'cheap' }],
  ['search_tools', { q: 123, limit: 'abc', fields: 'name' }],
  ['get_top_tools', { limit: 2 }],
  ['get_tool', { slug: 'grammarly' }],
  ['get_tool', { slug: 'none' }],
  ['get_tool', {}],
  ['list_categories', {}],
  ['list_tags', { q: 'gra' }],
  ['search_directories', { q: 'startup', limit: 2 }],
  ['get_directory', { slug: 'betalist' }],
  ['list_directory_categories', {}],
  ['no_such_tool', {}],
]
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
const client = { capabilities: {}, clientInfo: { name: 'replay', version: '1' } }
const messages = (): unknown[] => [
  ...REVISIONS.map((protocolVersion) => rpc('initialize', { protocolVersion, ...client })),
  ...CALLS.map(([name, given]) => rpc('tools/call', { name, arguments: given })),
  ...[rpc('tools/list'), rpc('ping'), rpc('no/method'), '{', '[]', { jsonrpc: '1.0', id: 1, method: 'ping' }],
  [rpc('tools/call', { name: 'list_tags', arguments: {} }, 1), rpc('ping', undefined, 2)],
]

/** In order: later ones depend on what earlier ones stored. `data` is that of the answer before. */
const partnerCalls = ({ partner: key, test }: Keys): (Sent | ((data: any) => Sent))[] => {
  const submit = (body: unknown, more: Partial<Sent> = {}): Sent => ({
    ...{ path: '/api/v1/submit-ai-tool', key, body, ...more },
  })
  const status = (query: string): Sent => ({ path: `/api/v1/ai-tools/status?${query}`, key })
  const ask = (body: unknown, more: Partial<Sent> = {}): Sent => ({
    ...{ path: '/api/v1/support/ask', key, body, ...more },
  })
  const once = { headers: { 'idempotency-key': 'order-1' } }
  return [
    submit(product('New One', { paymentType: 'pro' })),
    ({ id }) => status(`id=${id}`),
    submit(product('New One', { paymentType: 'pro' })),
    submit(product('Waiting One')),
    submit(product('Waiting One', { paymentType: 'premium' })),
    submit(product('Once', { tags: ['api', 'Brand New'] }), once),
    submit(product('Once', { tags: ['api', 'Brand New'] }), once),
    submit(product('Another'), once),
    submit(product('Rich', { features: { Fast: 'Very' }, faq: [{ question: 'Why?', answer: 'So.' }] })),
    submit({}),
    submit({ ...product('Wrong'), pricing: 'cheap', category: 'none', website: 'x', founderEmail: 'no' }),
    submit(product('Wrong', { faq: [{ question: ' ', answer: 'x' }] })),
    submit('{'),
    submit('x', { headers: { 'content-type': 'text/plain' } }),
    submit(product('Tested', { paymentType: 'starter' }), { key: test }),
    ...['', 'slug=old-friend', 'website=https://www.old-friend.example.com/', 'slug=none', 'slug=a&id=b'].map(status),
    ...['', '?state=DONE', '?state=WAITING', '?state=x', '?limit=1'].map((query) => ({
      ...{ path: `/api/v1/ai-tools${query}`, key },
    })),
    ask({ question: 'Can I pay by bank transfer?', externalId: 'ticket-1' }),
    ({ id }) => ask({ question: 'And by card?', conversationId: id }),
    ask({ question: 'Where is the moon?', customer: { name: 'Ada', email: 'ada@example.com' }, metadata: { a: 'b' } }),
    ({ id }) => ({ path: `/api/v1/support/conversations/${id}`, key }),
    ask({ question: 'Once?' }, { headers: { 'idempotency-key': 'ask-1' } }),
    ask({ question: 'Once?' }, { headers: { 'idempotency-key': 'ask-1' } }),
    ...[{}, { question: ' ' }, { question: 'x', conversationId: 'none' }].map((body) => ask(body)),
    { path: '/api/v1/support/conversations', key },
    { path: '/api/v1/support/conversations?externalId=ticket-1', key },
    { path: '/api/v1/support/conversations/none', key },
  ]
}

const refusals = ({ catalog, partner }: Keys): Sent[] => [
  { path: '/api/v1/tools' },
  { path: '/api/v1/tools', key: 'aid_wrong' },
  { path: '/api/v1/tools', key: catalog, headers: { 'x-api-key': partner } },
  { path: '/api/v1/none', key: catalog },
  { path: '/api/v1/tools', method: 'DELETE', key: catalog },
  { path: '/api/v1/submit-ai-tool', key: catalog, body: {} },
  { path: '/api/v1/support/ask', key: catalog, body: {} },
  { path: '/api/v1/submit-ai-tool', key: partner, body: 'x'.repeat(300_000) },
  { path: '/mcp', body: rpc('tools/list') },
  { path: '/mcp', method: 'GET', key: catalog },
  { path: '/api/admin/keys', key: catalog },
  { path: '/api/admin/keys' },
]

/** Sends all of it to one version. */
async function record(server: Server, keys: Keys): Promise<{ name: string; received: Received }[]> {
  const all: { name: string; received: Received }[] = []
  const take = async (sent: Sent) => {
    const received = await send(server, sent)
    const text = typeof sent.body === 'string' ? sent.body : JSON.stringify(sent.body ?? '')
    all.push({ name: `${sent.method ?? (sent.body ? 'POST' : 'GET')} ${sent.path} ${text.slice(0, 200)}`, received })
    return (received.body as { data?: unknown } | undefined)?.data
  }
  for (const path of reads()) await take({ path: `/api/v1${path}`, key: keys.catalog })
  for (const body of messages()) await take({ path: '/mcp', key: keys.catalog, body })
  let data: unknown
  for (const call of partnerCalls(keys)) data = await take(typeof call === 'function' ? call(data) : call)
  for (const sent of refusals(keys)) await take(sent)
  return all
}

const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<=\/reports\/)[\w-]+/g
const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
const idsIn = (answers: readonly { received: Received }[]) => new Set(JSON.stringify(answers).match(IDS))

/** What was stored during the run has other ids and times in each version: an id becomes its number in the order of appearance. */
function comparer(isStored: (id: string) => boolean): (value: unknown) => unknown {
  const known = new Map<string, string>()
  return (value) => {
    const text = JSON.stringify(value ?? null).replace(TIMES, 'TIME')
    return JSON.parse(
      text.replace(IDS, (id) => {
        if (isStored(id)) return id
        if (!known.has(id)) known.set(id, `ID ${known.size}`)
        return known.get(id) ?? id
      }),
    )
  }
}

/** A list of things that have names of their own is compared by these names, and the order as a field of its own. */
function byName(list: readonly unknown[]): unknown {
  const nameOf = (one: unknown) => {
    const { slug, operation, name, inputSchema } = Object(one) as Record<string, unknown>
    return slug ?? operation ?? (inputSchema ? name : undefined)
  }
  const names = list.map(nameOf)
  if (names.length === 0 || names.some((name) => typeof name !== 'string')) return list
  return { order: names.join(' '), ...Object.fromEntries(list.map((one, at) => [names[at], one])) }
}

interface Difference {
  where: string
  before: unknown
  now: unknown
}

function* differences(before: unknown, now: unknown, where = ''): Generator<Difference> {
  // The text of a tool's result is JSON itself.
  const [a, b] = [before, now].map((one) =>
    typeof one === 'string' && one.startsWith('{') ? parsed(one) : Array.isArray(one) ? byName(one) : one,
  )
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null) {
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)]))
      yield* differences(Reflect.get(a, name), Reflect.get(b, name), `${where}.${name}`)
  } else if (a !== b) yield { where, before: a, now: b }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const asksWords = (request: string) => /[?&]q=[^&\s]|"q":(?!"")/.test(request)

/** Differences that clients of 1.1 were told of, or cannot notice. */
const MEANT: readonly (readonly [why: string, is: (request: string, difference: Difference) => boolean])[] = [
  ['errors have code and fields', (_, { where, before }) => before === undefined && /\.(code|fields)$/.test(where)],
  [
    'a search with words finds and orders otherwise',
    (request, { where, before, now }) =>
      asksWords(request) &&
      (/\.data\.order$|\.pagination\.(total|pages)$|"?catalog\/(match|missing|understood)/.test(where) ||
        (/\.data\.[\w-]+$/.test(where) && (before === undefined || now === undefined))),
  ],
  [
    'the overview has new operations',
    (request, { where }) => /^GET \/api\/v1\/ /.test(request) && /endpoints/.test(where),
  ],
  ['category takes names too', (request) => request.includes('category=Writing')],
  [
    'an answer about a wrong argument names the new ones',
    (request, { where }) => request.includes('"query":') && where.endsWith('.text.error'),
  ],
  [
    'support answers only what an article answers',
    (request, { where }) => request.includes('/support/') && /\.(status|reply|replySource|messages\.\d+)$/.test(where),
  ],
  [
    'a directory on record says who is waited for',
    (request, { where, before }) =>
      request.includes('/ai-tools/status') && before === undefined && /\.(waitingFor|reason|action)$/.test(where),
  ],
  ['the instructions for models say more', (_, { where }) => where.endsWith('.result.instructions')],
  ['the version', (_, { where }) => /\.(version|serverInfo\.version)$/.test(where)],
  ['tools/list has new arguments and hints', (request) => request.includes('"method":"tools/list"')],
]

const short = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 160)

const old = await startServer(join(folder, 'old'), { ...SETTINGS, SEED: 'demo' }, [], MAIN)
const keys = await fill(old)
await old.end()
cpSync(join(folder, 'old'), join(folder, 'new'), { recursive: true })
const before = await startServer(join(folder, 'old'), SETTINGS, [], MAIN)
const recorded = await record(before, keys)
await before.end()
const after = await startServer(join(folder, 'new'), SETTINGS)
const replayed = await record(after, keys)
await endAll()

const meant = new Map<string, number>()
let others = 0
const [idsBefore, idsNow] = [idsIn(recorded), idsIn(replayed)]
const isStored = (id: string) => idsBefore.has(id) && idsNow.has(id)
const [asBefore, asNow] = [comparer(isStored), comparer(isStored)]
for (const [at, { name, received }] of recorded.entries()) {
  const now = replayed[at]?.received
  for (const difference of differences(asBefore(received), asNow(now))) {
    const [why] = MEANT.find(([, is]) => is(name, difference)) ?? []
    if (why) meant.set(why, (meant.get(why) ?? 0) + 1)
    else {
      others++
      console.log(
        `${name.slice(0, 110)}\n  ${difference.where}: ${short(difference.before)} → ${short(difference.now)}`,
      )
    }
  }
}
console.log(`\n${recorded.length} requests.`)
for (const [why, count] of meant) console.log(`${count} differences that are meant: ${why}.`)
console.log(others === 0 ? 'No other difference.' : `${others} OTHER DIFFERENCES.`)
process.exitCode = others === 0 ? 0 : 1
