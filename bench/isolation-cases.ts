// The request of each route that costs the service most, as far as we know; what is sent again and again by one caller while others read.
import { generateKey } from '../src/features/keys/rules.ts'
import { randomFrom, vocabulary } from './catalog.ts'
import { submissionOf } from './traffic.ts'

/** What a case may use: everything in it belongs to the one caller. */
export interface Arsenal {
  host: string
  key: string
  partner: string
  /** Cookie header of a user who is signed in and no administrator. */
  cookie: string
  slug: string
  directory: string
  picture: string
  script: string
}

export interface Case {
  name: string
  /** Sent to a bare server beside this one: what of the slowness comes from sharing the machine's processors. */
  elsewhere?: boolean
  requests(arsenal: Arsenal): string[]
}

const VARIANTS = 300

const http = (method: string, path: string, { host }: Arsenal, headers: string[] = [], body?: string): string =>
  [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...headers,
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`]),
    '',
    body ?? '',
  ].join('\r\n')

const many = (make: (serial: number) => string): string[] => {
  // Large ones are fewer: what they cost is their length.
  const count = make(0).length > 20_000 ? 10 : VARIANTS
  return Array.from({ length: count }, (_, i) => make(i))
}
const withKey = ({ key }: Arsenal) => [`Authorization: Bearer ${key}`]
const asPartner = ({ partner }: Arsenal) => [`Authorization: Bearer ${partner}`, 'Content-Type: application/json']
const BROWSER = ['Accept: text/html', 'Accept-Encoding: gzip', 'User-Agent: Mozilla/5.0 (X11; Linux x86_64)']
const form = ({ host }: Arsenal) => [
  ...BROWSER,
  `Origin: http://${host}`,
  'Sec-Fetch-Site: same-origin',
  'Content-Type: application/x-www-form-urlencoded',
]
const JSON_BODY = ['Content-Type: application/json', 'Accept: application/json, text/event-stream']

const get = (
  name: string,
  path: (arsenal: Arsenal, serial: number) => string,
  headers: (arsenal: Arsenal) => string[],
): Case => ({
  name,
  requests: (arsenal) => many((i) => http('GET', path(arsenal, i), arsenal, headers(arsenal))),
})
const post = (
  name: string,
  path: string,
  body: (serial: number, arsenal: Arsenal) => string,
  headers: (arsenal: Arsenal) => string[],
): Case => ({
  name,
  requests: (arsenal) => many((i) => http('POST', path, arsenal, headers(arsenal), body(i, arsenal))),
})

/** As long as a search may be, of words that are nearly ones of the catalog and the beginnings of many; never the same twice. */
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
const CLIENT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'flood', version: '1' } }
const mcp = (name: string, body: (serial: number) => string): Case =>
  post(name, '/mcp', body, (arsenal) => [...withKey(arsenal), ...JSON_BODY])

/** Just under the largest body that is read. */
const LARGE = 250 * 1024

export const CASES: readonly Case[] = [
  {
    ...get(
      '(another service on this machine)',
      () => '/healthz',
      () => [],
    ),
    elsewhere: true,
  },
  // Catalog reads.
  get('GET /tools, hardest search', (_, i) => `/api/v1/tools?limit=100&includeAdult=true&q=${hardSearch(i)}`, withKey),
  get('GET /tools/top', (_, i) => `/api/v1/tools/top?limit=100&includeAdult=true&anew=${i}`, withKey),
  get('GET /tools/{slug}', ({ slug }, i) => `/api/v1/tools/${slug}?anew=${i}`, withKey),
  get('GET /categories, search', (_, i) => `/api/v1/categories?limit=500&q=${hardSearch(i)}`, withKey),
  get('GET /tags, search', (_, i) => `/api/v1/tags?limit=500&q=${hardSearch(i)}`, withKey),
  get('GET /directories, hardest search', (_, i) => `/api/v1/directories?limit=100&q=${hardSearch(i)}`, withKey),
  get('GET /directories/{slug}', ({ directory }, i) => `/api/v1/directories/${directory}?anew=${i}`, withKey),
  get('GET /directory-categories', (_, i) => `/api/v1/directory-categories?anew=${i}`, withKey),
  // Partner endpoints.
  post(
    'POST /submit-ai-tool, largest',
    '/api/v1/submit-ai-tool',
    (i) => JSON.stringify({ ...submissionOf(i), description: 'word '.repeat(LARGE / 5 - 200) }),
    asPartner,
  ),
  post(
    'POST /submit-ai-tool, all wrong',
    '/api/v1/submit-ai-tool',
    () => JSON.stringify({ tags: Array.from({ length: 30_000 }, (_, i) => i) }),
    asPartner,
  ),
  post(
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
  get('GET /ai-tools/status', (_, i) => `/api/v1/ai-tools/status?slug=nothing-${i}`, asPartner),
  get('GET /support/conversations', () => '/api/v1/support/conversations?limit=100', asPartner),
  post(
    'POST /submit-ai-tool, catalog key',
    '/api/v1/submit-ai-tool',
    () => 'x'.repeat(LARGE),
    (arsenal) => [...withKey(arsenal), 'Content-Type: application/json'],
  ),
  // MCP.
  mcp('MCP 50 tools/list', () => batch(50, () => rpc('tools/list'))),
  mcp('MCP tools/list', () => JSON.stringify(rpc('tools/list'))),
  mcp('MCP initialize', () => JSON.stringify(rpc('initialize', CLIENT))),
  mcp('MCP 10 unknown methods', () => batch(10, () => rpc('no/such'))),
  mcp('MCP 10 tools/call, hardest search', (serial) =>
    batch(10, (i) =>
      rpc('tools/call', {
        name: 'search_tools',
        arguments: { limit: 100, q: decodeURIComponent(hardSearch(serial * 10 + i)) },
      }),
    ),
  ),
  mcp('MCP 1 call and 9 pings', () =>
    batch(10, (i) => (i === 0 ? rpc('tools/call', { name: 'list_tags', arguments: {} }) : rpc('ping'))),
  ),
  mcp('MCP largest unreadable body', () => `[${'{"jsonrpc":"2.0","method":"ping","id":1},'.repeat(LARGE / 42)}`),
  mcp('MCP largest batch', () => `[${'{"jsonrpc":"2.0","method":"ping","id":1},'.repeat(LARGE / 42)}{}]`),
  get('MCP GET', () => '/mcp', withKey),
  // Without a key, with a made-up one, with a wrong token.
  get(
    'GET / (discovery)',
    () => '/api/v1/',
    () => [],
  ),
  get(
    'GET /openapi.json',
    () => '/api/v1/openapi.json',
    () => [],
  ),
  get(
    'no key',
    () => '/api/v1/tools',
    () => [],
  ),
  {
    name: 'made-up keys',
    requests: (arsenal) => many(() => http('GET', '/api/v1/tags', arsenal, [`X-API-Key: ${generateKey('catalog')}`])),
  },
  {
    name: 'made-up keys, MCP',
    requests: (arsenal) =>
      many(() => http('POST', '/mcp', arsenal, [`X-API-Key: ${generateKey('catalog')}`, ...JSON_BODY], '{}')),
  },
  {
    name: 'guessed operator tokens',
    requests: (arsenal) =>
      many(() => http('GET', '/api/admin/users', arsenal, [`Authorization: Bearer ${generateKey('catalog')}`])),
  },
  get(
    'another host',
    () => '/api/v1/tools',
    ({ host: _ }) => ['X-Forwarded-Host: evil.example'],
  ),
  {
    name: 'preflight',
    requests: (arsenal) =>
      many(() =>
        http('OPTIONS', '/api/v1/tools', arsenal, [
          'Origin: https://evil.example',
          'Access-Control-Request-Method: GET',
        ]),
      ),
  },
  // Pages.
  get(
    'page /',
    () => '/',
    () => BROWSER,
  ),
  get(
    'page /tools, hardest search',
    (_, i) => `/tools?q=${hardSearch(i)}`,
    () => BROWSER,
  ),
  get(
    'page /tools/{slug}, made anew',
    ({ slug }, i) => `/tools/${slug}?anew=${i}`,
    () => BROWSER,
  ),
  get(
    'page /tags',
    (_, i) => `/tags?anew=${i}`,
    () => BROWSER,
  ),
  get(
    'page /directories, hardest search',
    (_, i) => `/directories?q=${hardSearch(i)}`,
    () => BROWSER,
  ),
  get(
    'page /docs',
    (_, i) => `/docs?anew=${i}`,
    () => BROWSER,
  ),
  get(
    'page /developers',
    (_, i) => `/developers?anew=${i}`,
    () => BROWSER,
  ),
  get(
    '/sitemap.xml',
    () => '/sitemap.xml',
    () => BROWSER,
  ),
  get(
    '/sitemaps/1.xml',
    () => '/sitemaps/1.xml',
    () => BROWSER,
  ),
  get(
    '/llms.txt',
    () => '/llms.txt',
    () => BROWSER,
  ),
  get(
    '/tools/{slug}/visit',
    ({ slug }) => `/tools/${slug}/visit`,
    () => BROWSER,
  ),
  get(
    '/media, a large picture',
    ({ picture }) => picture,
    () => BROWSER,
  ),
  get(
    '/media, unknown pictures',
    (_, i) => `/media/${i.toString(16).padStart(40, '0')}.webp`,
    () => BROWSER,
  ),
  get(
    '/assets, the script',
    ({ script }) => script,
    () => [],
  ),
  get(
    '/healthz',
    () => '/healthz',
    () => [],
  ),
  get(
    '/readyz',
    () => '/readyz',
    () => [],
  ),
  get(
    '/metrics through a proxy',
    () => '/metrics',
    () => ['X-Forwarded-For: 198.51.100.7'],
  ),
  // Accounts.
  get(
    'page /sign-in',
    () => '/sign-in',
    () => BROWSER,
  ),
  post('POST /sign-in', '/sign-in', (i) => `email=user${i}%40example.com&password=wrong+password+${i}`, form),
  post('POST /sign-in, largest', '/sign-in', (i) => `email=user${i}%40example.com&password=${'x'.repeat(LARGE)}`, form),
  post('POST /sign-up', '/sign-up', (i) => `email=flood${i}%40example.com&password=some+password+${i}`, form),
  post('POST /link', '/link', (i) => `link=${'x'.repeat(43)}&email=a%40example.com&password=some+password+${i}`, form),
  get(
    'GET /link',
    (_, i) => `/link?token=${'x'.repeat(40)}${i}`,
    () => BROWSER,
  ),
  get(
    'page /dashboard, signed in',
    () => '/dashboard',
    ({ cookie }) => [...BROWSER, `Cookie: ${cookie}`],
  ),
  get(
    'page /dashboard, forged session',
    () => '/dashboard',
    ({ cookie }) => [...BROWSER, `Cookie: ${cookie.slice(0, -12)}AAAAAAAAAAA%3D`],
  ),
  get(
    'page /admin, signed in',
    () => '/admin',
    ({ cookie }) => [...BROWSER, `Cookie: ${cookie}`],
  ),
  get(
    'operator API, signed in',
    () => '/api/admin/users',
    ({ cookie }) => [`Cookie: ${cookie}`],
  ),
  // What is no address, no method or no HTTP.
  get(
    'unknown page',
    (_, i) => `/no/such/page/${i}`,
    () => BROWSER,
  ),
  get('unknown API path', (_, i) => `/api/v1/no-such/${i}`, withKey),
  get('undecodable address', (_, i) => `/api/v1/tools/%ZZ${i}`, withKey),
  { name: 'wrong method', requests: (arsenal) => many(() => http('BREW', '/api/v1/tools', arsenal, withKey(arsenal))) },
  get(
    'many headers',
    () => '/api/v1/tools',
    (arsenal) => [...withKey(arsenal), ...Array.from({ length: 900 }, (_, i) => `X-${i}: ${i}`)],
  ),
  get(
    'headers too large',
    () => '/api/v1/tools',
    () => [`X-Long: ${'a'.repeat(20_000)}`],
  ),
  { name: 'no HTTP', requests: () => ['nonsense\r\n\r\n'] },
  post('POST /api/v1/tools, a body', '/api/v1/tools', () => 'x'.repeat(LARGE), withKey),
]
