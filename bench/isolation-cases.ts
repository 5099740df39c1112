// The most expensive request of each route that we know. One client sends it again and again while other clients read.
import { generateKey } from '../src/features/keys/rules.ts'
import { randomFrom, vocabulary } from './catalog.ts'
import { submissionOf } from './traffic.ts'

/** The keys, session and addresses of the client that floods the service. */
export interface FloodClient {
  host: string
  key: string
  partner: string
  /** Cookie header of a signed-in user who is no administrator. */
  cookie: string
  slug: string
  directory: string
  picture: string
  script: string
}

export interface IsolationCase {
  name: string
  /** Whether the flood goes to another server on this machine. That shows how much of the slowdown comes from sharing the processors. */
  toOtherServer?: boolean
  requests(client: FloodClient): string[]
}

const VARIANTS = 300

const httpRequest = (
  method: string,
  path: string,
  { host }: FloodClient,
  headers: string[] = [],
  body?: string,
): string =>
  [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...headers,
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`]),
    '',
    body ?? '',
  ].join('\r\n')

const variants = (make: (serial: number) => string): string[] => {
  // Large requests have fewer variants, because their cost is their length.
  const count = make(0).length > 20_000 ? 10 : VARIANTS
  return Array.from({ length: count }, (_, i) => make(i))
}
const withKey = ({ key }: FloodClient) => [`Authorization: Bearer ${key}`]
const asPartner = ({ partner }: FloodClient) => [`Authorization: Bearer ${partner}`, 'Content-Type: application/json']
const BROWSER = ['Accept: text/html', 'Accept-Encoding: gzip', 'User-Agent: Mozilla/5.0 (X11; Linux x86_64)']
const formHeaders = ({ host }: FloodClient) => [
  ...BROWSER,
  `Origin: http://${host}`,
  'Sec-Fetch-Site: same-origin',
  'Content-Type: application/x-www-form-urlencoded',
]
const JSON_BODY = ['Content-Type: application/json', 'Accept: application/json, text/event-stream']

const getCase = (
  name: string,
  path: (client: FloodClient, serial: number) => string,
  headers: (client: FloodClient) => string[],
): IsolationCase => ({
  name,
  requests: (client) => variants((i) => httpRequest('GET', path(client, i), client, headers(client))),
})
const postCase = (
  name: string,
  path: string,
  body: (serial: number, client: FloodClient) => string,
  headers: (client: FloodClient) => string[],
): IsolationCase => ({
  name,
  requests: (client) => variants((i) => httpRequest('POST', path, client, headers(client), body(i, client))),
})

/** A search of the maximum length made of misspelt words of the catalog and short prefixes that match many words; each serial gives another. */
function hardSearch(serial: number): string {
  const random = randomFrom(serial + 77)
  let q = ''
  while (q.length < 480) {
    const word = vocabulary[Math.floor(random() * 2_000)]!
    const at = Math.floor(random() * word.length)
    q += random() < 0.3 ? `${word.slice(0, 2)} ` : `${word.slice(0, at)}q${word.slice(at)} `
  }
  return encodeURIComponent(q.trim().slice(0, 490))
}

const rpc = (method: string, params?: object, id: number | null = 1) => ({
  jsonrpc: '2.0',
  ...(id === null ? {} : { id }),
  method,
  params,
})
const batch = (size: number, message: (i: number) => object) =>
  JSON.stringify(Array.from({ length: size }, (_, i) => ({ ...message(i), id: i + 1 })))
const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'flood', version: '1' } }
const mcpCase = (name: string, body: (serial: number) => string): IsolationCase =>
  postCase(name, '/mcp', body, (client) => [...withKey(client), ...JSON_BODY])

/** Just below the largest body that the service reads. */
const LARGE = 250 * 1024

export const CASES: readonly IsolationCase[] = [
  {
    ...getCase(
      '(another service on this machine)',
      () => '/healthz',
      () => [],
    ),
    toOtherServer: true,
  },
  // Catalog reads.
  getCase(
    'GET /tools, hardest search',
    (_, i) => `/api/v1/tools?limit=100&includeAdult=true&q=${hardSearch(i)}`,
    withKey,
  ),
  getCase('GET /tools/top', (_, i) => `/api/v1/tools/top?limit=100&includeAdult=true&anew=${i}`, withKey),
  getCase('GET /tools/{slug}', ({ slug }, i) => `/api/v1/tools/${slug}?anew=${i}`, withKey),
  getCase('GET /categories, search', (_, i) => `/api/v1/categories?limit=500&q=${hardSearch(i)}`, withKey),
  getCase('GET /tags, search', (_, i) => `/api/v1/tags?limit=500&q=${hardSearch(i)}`, withKey),
  getCase('GET /directories, hardest search', (_, i) => `/api/v1/directories?limit=100&q=${hardSearch(i)}`, withKey),
  getCase('GET /directories/{slug}', ({ directory }, i) => `/api/v1/directories/${directory}?anew=${i}`, withKey),
  getCase('GET /directory-categories', (_, i) => `/api/v1/directory-categories?anew=${i}`, withKey),
  // Partner endpoints.
  postCase(
    'POST /submit-ai-tool, largest',
    '/api/v1/submit-ai-tool',
    (i) => JSON.stringify({ ...submissionOf(i), description: 'word '.repeat(LARGE / 5 - 200) }),
    asPartner,
  ),
  postCase(
    'POST /submit-ai-tool, all wrong',
    '/api/v1/submit-ai-tool',
    () => JSON.stringify({ tags: Array.from({ length: 30_000 }, (_, i) => i) }),
    asPartner,
  ),
  postCase(
    'POST /support/ask, largest',
    '/api/v1/support/ask',
    (i) =>
      JSON.stringify({
        question: `${i} how do I `.repeat(250),
        metadata: { text: 'x'.repeat(60_000) },
        externalId: `thread-${i}`,
      }),
    asPartner,
  ),
  getCase('GET /ai-tools/status', (_, i) => `/api/v1/ai-tools/status?slug=nothing-${i}`, asPartner),
  getCase('GET /support/conversations', () => '/api/v1/support/conversations?limit=100', asPartner),
  postCase(
    'POST /submit-ai-tool, catalog key',
    '/api/v1/submit-ai-tool',
    () => 'x'.repeat(LARGE),
    (client) => [...withKey(client), 'Content-Type: application/json'],
  ),
  // MCP.
  mcpCase('MCP 50 tools/list', () => batch(50, () => rpc('tools/list'))),
  mcpCase('MCP tools/list', () => JSON.stringify(rpc('tools/list'))),
  mcpCase('MCP initialize', () => JSON.stringify(rpc('initialize', INITIALIZE))),
  mcpCase('MCP 10 unknown methods', () => batch(10, () => rpc('no/such'))),
  mcpCase('MCP 10 tools/call, hardest search', (serial) =>
    batch(10, (i) =>
      rpc('tools/call', {
        name: 'search_tools',
        arguments: { limit: 100, q: decodeURIComponent(hardSearch(serial * 10 + i)) },
      }),
    ),
  ),
  mcpCase('MCP 1 call and 9 pings', () =>
    batch(10, (i) => (i === 0 ? rpc('tools/call', { name: 'list_tags', arguments: {} }) : rpc('ping'))),
  ),
  mcpCase('MCP largest unreadable body', () => `[${'{"jsonrpc":"2.0","method":"ping","id":1},'.repeat(LARGE / 42)}`),
  mcpCase('MCP largest batch', () => `[${'{"jsonrpc":"2.0","method":"ping","id":1},'.repeat(LARGE / 42)}{}]`),
  getCase('MCP GET', () => '/mcp', withKey),
  // Without a key, with an invented key, with a wrong token.
  getCase(
    'GET / (discovery)',
    () => '/api/v1/',
    () => [],
  ),
  getCase(
    'GET /openapi.json',
    () => '/api/v1/openapi.json',
    () => [],
  ),
  getCase(
    'no key',
    () => '/api/v1/tools',
    () => [],
  ),
  {
    name: 'made-up keys',
    requests: (client) =>
      variants(() => httpRequest('GET', '/api/v1/tags', client, [`X-API-Key: ${generateKey('catalog')}`])),
  },
  {
    name: 'made-up keys, MCP',
    requests: (client) =>
      variants(() => httpRequest('POST', '/mcp', client, [`X-API-Key: ${generateKey('catalog')}`, ...JSON_BODY], '{}')),
  },
  {
    name: 'guessed operator tokens',
    requests: (client) =>
      variants(() =>
        httpRequest('GET', '/api/admin/users', client, [`Authorization: Bearer ${generateKey('catalog')}`]),
      ),
  },
  getCase(
    'another host',
    () => '/api/v1/tools',
    ({ host: _ }) => ['X-Forwarded-Host: evil.example'],
  ),
  {
    name: 'preflight',
    requests: (client) =>
      variants(() =>
        httpRequest('OPTIONS', '/api/v1/tools', client, [
          'Origin: https://evil.example',
          'Access-Control-Request-Method: GET',
        ]),
      ),
  },
  // Pages.
  getCase(
    'page /',
    () => '/',
    () => BROWSER,
  ),
  getCase(
    'page /tools, hardest search',
    (_, i) => `/tools?q=${hardSearch(i)}`,
    () => BROWSER,
  ),
  getCase(
    'page /tools/{slug}, made anew',
    ({ slug }, i) => `/tools/${slug}?anew=${i}`,
    () => BROWSER,
  ),
  getCase(
    'page /tags',
    (_, i) => `/tags?anew=${i}`,
    () => BROWSER,
  ),
  getCase(
    'page /directories, hardest search',
    (_, i) => `/directories?q=${hardSearch(i)}`,
    () => BROWSER,
  ),
  getCase(
    'page /docs',
    (_, i) => `/docs?anew=${i}`,
    () => BROWSER,
  ),
  getCase(
    'page /developers',
    (_, i) => `/developers?anew=${i}`,
    () => BROWSER,
  ),
  getCase(
    '/sitemap.xml',
    () => '/sitemap.xml',
    () => BROWSER,
  ),
  getCase(
    '/sitemaps/1.xml',
    () => '/sitemaps/1.xml',
    () => BROWSER,
  ),
  getCase(
    '/llms.txt',
    () => '/llms.txt',
    () => BROWSER,
  ),
  getCase(
    '/tools/{slug}/visit',
    ({ slug }) => `/tools/${slug}/visit`,
    () => BROWSER,
  ),
  getCase(
    '/media, a large picture',
    ({ picture }) => picture,
    () => BROWSER,
  ),
  getCase(
    '/media, unknown pictures',
    (_, i) => `/media/${i.toString(16).padStart(40, '0')}.webp`,
    () => BROWSER,
  ),
  getCase(
    '/assets, the script',
    ({ script }) => script,
    () => [],
  ),
  getCase(
    '/healthz',
    () => '/healthz',
    () => [],
  ),
  getCase(
    '/readyz',
    () => '/readyz',
    () => [],
  ),
  getCase(
    '/metrics through a proxy',
    () => '/metrics',
    () => ['X-Forwarded-For: 198.51.100.7'],
  ),
  // Accounts.
  getCase(
    'page /sign-in',
    () => '/sign-in',
    () => BROWSER,
  ),
  postCase(
    'POST /sign-in',
    '/sign-in',
    (i) => `email=user${i}%40example.com&password=wrong+password+${i}`,
    formHeaders,
  ),
  postCase(
    'POST /sign-in, largest',
    '/sign-in',
    (i) => `email=user${i}%40example.com&password=${'x'.repeat(LARGE)}`,
    formHeaders,
  ),
  postCase(
    'POST /sign-up',
    '/sign-up',
    (i) => `email=flood${i}%40example.com&password=some+password+${i}`,
    formHeaders,
  ),
  postCase(
    'POST /link',
    '/link',
    (i) => `link=${'x'.repeat(43)}&email=a%40example.com&password=some+password+${i}`,
    formHeaders,
  ),
  getCase(
    'GET /link',
    (_, i) => `/link?token=${'x'.repeat(40)}${i}`,
    () => BROWSER,
  ),
  getCase(
    'page /dashboard, signed in',
    () => '/dashboard',
    ({ cookie }) => [...BROWSER, `Cookie: ${cookie}`],
  ),
  getCase(
    'page /dashboard, forged session',
    () => '/dashboard',
    ({ cookie }) => [...BROWSER, `Cookie: ${cookie.slice(0, -12)}AAAAAAAAAAA%3D`],
  ),
  getCase(
    'page /admin, signed in',
    () => '/admin',
    ({ cookie }) => [...BROWSER, `Cookie: ${cookie}`],
  ),
  getCase(
    'operator API, signed in',
    () => '/api/admin/users',
    ({ cookie }) => [`Cookie: ${cookie}`],
  ),
  // Unknown addresses and methods, and requests that are not HTTP.
  getCase(
    'unknown page',
    (_, i) => `/no/such/page/${i}`,
    () => BROWSER,
  ),
  getCase('unknown API path', (_, i) => `/api/v1/no-such/${i}`, withKey),
  getCase('undecodable address', (_, i) => `/api/v1/tools/%ZZ${i}`, withKey),
  {
    name: 'wrong method',
    requests: (client) => variants(() => httpRequest('BREW', '/api/v1/tools', client, withKey(client))),
  },
  getCase(
    'many headers',
    () => '/api/v1/tools',
    (client) => [...withKey(client), ...Array.from({ length: 900 }, (_, i) => `X-${i}: ${i}`)],
  ),
  getCase(
    'headers too large',
    () => '/api/v1/tools',
    () => [`X-Long: ${'a'.repeat(20_000)}`],
  ),
  { name: 'no HTTP', requests: () => ['nonsense\r\n\r\n'] },
  postCase('POST /api/v1/tools, a body', '/api/v1/tools', () => 'x'.repeat(LARGE), withKey),
]
