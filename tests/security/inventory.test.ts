// The service serves exactly the addresses it declares: no forgotten, old or hidden one.
import { beforeAll, expect, test } from 'vitest'
import { operatorOperations, restOperations } from '../../src/features.ts'
import { INTERNAL_DETAILS } from '../harness/internal-details.ts'
import { request, sendRaw } from '../harness/raw.ts'
import { type ServedRoute, servedRoutes } from '../harness/routes.ts'
import { ADMIN_TOKEN, type RequestOptions } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let served: ServedRoute[]
let key: string
const service = useService()
beforeAll(async () => {
  served = await servedRoutes({
    GITHUB_CLIENT_ID: 'x',
    GITHUB_CLIENT_SECRET: 'y',
    STRIPE_SECRET_KEY: 'sk_test_x',
    STRIPE_WEBHOOK_SECRET: 'whsec_x',
    STRIPE_PRICE_ID: 'price_x',
  })
  key = (await service.newKey()).key
})

test('health and readiness are one word each, the same for every client', async () => {
  for (const ask of [{}, { key }, { key: ADMIN_TOKEN }]) {
    expect((await service.fetch('/healthz', ask)).body).toEqual({ success: true, data: { status: 'ok' } })
    expect((await service.fetch('/readyz', ask)).body).toEqual({ success: true, data: { status: 'ready' } })
  }
})

test.each([
  ...[
    '/.env',
    '/.git/config',
    '/.git/HEAD',
    '/.well-known/security',
    '/.DS_Store',
    '/package.json',
    '/src/main.ts',
    '/node_modules',
  ],
  ...[
    '/debug',
    '/debug/pprof',
    '/actuator/env',
    '/server-status',
    '/console',
    '/phpinfo.php',
    '/graphql',
    '/swagger',
    '/trace',
  ],
  ...[
    '/api',
    '/api/v0/tools',
    '/api/v2/tools',
    '/api/internal',
    '/api/v1/admin/keys',
    '/api/v1/keys',
    '/v1/tools',
    '/api/account',
  ],
  ...[
    '/admin-token',
    '/key-pepper',
    '/data/admin-token',
    '/media/admin-token',
    '/media/..%2fkey-pepper',
    '/media/%2e%2e/database',
  ],
  ...[
    '/assets/../../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%00',
    '/sign-in/new',
    '/sign-in/failed',
    '/sign-in/get-session',
  ],
  ...[
    '/sign-in/sign-up/email',
    '/sign-in/list-sessions',
    '/sign-in/ok',
    '/sign-in/error',
    '/sign-in/reference',
    '/api/auth/session',
  ],
])('nothing is served at %s', async (path) => {
  for (const ask of [{}, { key }, { method: 'POST', body: {} }]) {
    const reply = await service.fetch(path, ask as RequestOptions)
    expect([404, 405]).toContain(reply.status)
    expect(reply.text).not.toMatch(INTERNAL_DETAILS)
  }
  const raw = await sendRaw(service.origin, request('GET', path))
  expect(raw.status).toBe(404)
})

test('every served address is an operation, a page or one of the few named here', () => {
  const PAGES = [
    ...[
      '/',
      '/search',
      '/search/suggestions',
      '/tools',
      '/tools/:slug',
      '/tools/:slug/visit',
      '/tools/:slug/alternatives',
      '/badges/:file',
      '/tools/:slug/claim',
      '/tools/:slug/report',
      '/directories/:slug/report',
      '/tools/:slug/claim/check',
      '/submit/new',
      '/submit/:id',
      '/categories',
      '/categories/:slug',
      '/tags',
      '/tags/:slug',
    ],
    ...[
      '/directories',
      '/directories/:slug',
      '/plan',
      '/plan.csv',
      '/plan.ics',
      '/client.tgz',
      '/site.webmanifest',
      '/icon.svg',
      '/apple-touch-icon.png',
      '/developers',
      '/developers/webhooks',
      '/docs',
      '/docs/:slug',
      '/docs/catalog.postman_collection.json',
      '/policy',
      '/submit',
      '/submit/help',
      '/pricing',
      '/about',
      '/contact',
      '/privacy',
      '/terms',
      '/compare',
      '/collections',
      '/collections/:slug',
      '/shortlist',
      '/feeds/tools.xml',
      '/feeds/directories.xml',
      '/feeds/categories/:slug',
      '/robots.txt',
      '/llms.txt',
      '/.well-known/security.txt',
      '/sitemap.xml',
    ],
    ...[
      '/reports/:token',
      '/sitemaps/:slug',
      '/sign-in',
      '/sign-up',
      '/link',
      '/signed-in',
      '/sign-in/callback/github',
      '/oauth/authorize',
    ],
    ...[
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource/mcp/research',
      '/.well-known/oauth-protected-resource/mcp/operator',
      '/.well-known/oauth-authorization-server',
    ],
  ].map((path) => `GET ${path}`)
  const FORMS = [
    ...['/sign-in', '/sign-up', '/sign-out', '/link', '/sign-in/github', '/oauth/authorize'],
    ...['/submit/new', '/submit/:id', '/submit/:id/discard'],
    ...['/tools/:slug/claim', '/tools/:slug/claim/check', '/tools/:slug/claim/end'],
    ...['/tools/:slug/report', '/directories/:slug/report'],
  ].map((path) => `POST ${path}`)
  const OTHERS = [
    'GET /healthz',
    'GET /readyz',
    'GET /metrics',
    'GET /media/:name',
    'GET /share/tools/:name',
    'GET /share/directories/:name',
    'GET /share/site.png',
    'GET /assets/accent/:file',
    'POST /mcp',
    'POST /api/stripe/webhook',
    'POST /oauth/register',
    'POST /oauth/token',
    'POST /oauth/revoke',
    'POST /mcp/research',
    'POST /mcp/operator',
    'GET /.well-known/mcp/catalog.json',
    'GET /.well-known/ai-catalog.json',
    'GET /.well-known/api-catalog',
    'GET /.well-known/agent-skills/index.json',
    'GET /.well-known/agent-skills/launch-a-product/SKILL.md',
    'GET /mcp/server-card',
    'GET /mcp/research/server-card',
    'GET /api/v1',
    'GET /api/v1/openapi.json',
    'GET /api/admin/openapi.json',
  ]
  const operations = [
    ...restOperations.map(({ method, path }) => `${method} /api/v1${path}`),
    ...operatorOperations.map(({ method, path }) => `${method} /api/admin${path}`),
  ]
  const known = new Set([...PAGES, ...FORMS, ...OTHERS, ...operations])
  const undeclared = served
    .map(({ method, path }) => `${method} ${path}`)
    .filter((address) => !known.has(address))
    // Both are guarded as a whole; function-level.test.ts requests each of their addresses without the right to open it.
    .filter((address) => !/^(GET|POST) \/(admin|dashboard)(\/|$)/.test(address))
    .filter(
      (address) =>
        !/^GET \/assets\/(icon|style|area|script|console|docs|plan|figtree|bricolage-grotesque|geist-mono)\.[\w-]{16}\.(svg|css|js|woff2)$/.test(
          address,
        ),
    )
  expect(undeclared).toEqual([])
  const asked = new Set(served.map(({ method, path }) => `${method} ${path}`))
  expect([...known].filter((address) => !asked.has(address))).toEqual([])
})
