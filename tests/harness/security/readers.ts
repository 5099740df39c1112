// Everything that a reader can request, including all names that an attacker might guess.
import { operatorOperations, restOperations } from '../../../src/features.ts'
import { addressOf } from '../both-transports.ts'
import type { Browser } from '../browser.ts'
import { call, rpc } from '../mcp.ts'
import { filledPath } from '../routes.ts'
import type { TestService } from '../service.ts'
import { newTool, RANKED_DIRECTORIES, submit } from '../submissions.ts'
import { crawl, type ReadText, readTextOf } from './crawl.ts'
import type { TwoPartners } from './two-partners.ts'

/** The identifiers of the first partner's data, as an attacker might guess them. */
const guesses = (partners: TwoPartners) => {
  const { one, tool, submissionId, conversationId, deliveryId, articleId } = partners
  return {
    ids: [
      one.partnerId,
      one.userId,
      one.keyId,
      one.grantId,
      submissionId,
      conversationId,
      deliveryId,
      articleId,
      'zqthread',
      'zqpeer',
    ],
    tool,
  }
}

/** Every operation that a key may try, over REST and MCP. */
export async function readsOf(service: TestService, partners: TwoPartners, key: string | null): Promise<ReadText[]> {
  const answers: ReadText[] = []
  const { ids, tool } = guesses(partners)
  const inputs: Record<string, unknown>[] = [
    ...[{}, { limit: 100 }, { q: 'canary' }, { q: 'zq' }, { category: 'writing', tag: 'fresh' }, { status: 'pending' }],
    ...[
      { slug: tool.slug },
      { slug: 'zqhidden' },
      { website: tool.website },
      { externalId: 'zqthread' },
      { pricing: 'zq' },
    ],
    ...RANKED_DIRECTORIES.map(({ slug }) => ({ slug })),
    ...[tool.id, ...ids].map((id) => ({ id, slug: id })),
    ...[tool.id, ...ids].map((id) => ({ id })),
  ]
  for (const operation of restOperations.filter(({ method }) => method === 'GET'))
    for (const input of inputs) {
      const path = addressOf(operation, input)
      answers.push(readTextOf(path, await service.rest(path, { key })))
      if (!operation.tool) continue
      answers.push(
        readTextOf(`${operation.name} ${JSON.stringify(input)}`, await rpc(service, key, call(operation.name, input))),
      )
    }
  const bodies = [
    { question: 'Is it purple and sold in dozens?' },
    { question: 'x', conversationId: partners.conversationId },
    {},
    'zq{',
  ]
  for (const body of bodies)
    answers.push(readTextOf('ask', await service.rest('/support/ask', { key, method: 'POST', body })))
  const sent = [newTool({ website: tool.website }), newTool({ founderEmail: 'x', category: 'no' }), {}, '{"name":']
  const headers = { 'idempotency-key': 'zqidempotency' }
  for (const body of sent) answers.push(readTextOf('submit', await submit(service, key, body, { headers })))
  for (const operation of operatorOperations)
    answers.push(
      readTextOf(
        operation.path,
        await service.fetch(`/api/admin${filled(partners, operation.path)}`, { key, method: operation.method }),
      ),
    )
  return answers
}

/** A path of the operator API with the identifiers of the first partner's data. */
export const filled = (partners: TwoPartners, path: string): string => {
  const { one, tool, submissionId, conversationId, deliveryId, articleId } = partners
  const known = {
    keys: one.keyId,
    grants: one.grantId,
    apps: one.grantId,
    users: one.userId,
    partners: one.partnerId,
    submissions: submissionId,
    conversations: conversationId,
    support: conversationId,
  }
  const things = {
    webhooks: deliveryId,
    enrichments: tool.id,
    knowledge: articleId,
    tools: tool.slug,
    directories: 'peak',
    plan: 'peak',
    kit: 'peak',
    views: 'mine',
    collections: 'zqcollection',
    'saved-replies': 'hello',
    categories: 'writing',
    tags: 'api',
    'directory-categories': 'none',
    openings: '1',
    reviews: 'zqproduct',
    owners: 'zqclaimid',
    'visitor-reports': 'zqreport',
    orders: 'zqorderid',
    proposals: 'zqproposal',
    products: tool.slug,
  }
  return filledPath(path, { ...known, ...things })
}

export const PUBLIC = [
  '/',
  '/tools',
  '/directories',
  '/categories',
  '/tags',
  '/docs',
  '/docs/submit_ai_tool',
  '/collections',
  '/shortlist?tools=zqhidden&directories=zqhidden',
  '/search/suggestions?q=tool',
  '/robots.txt',
  '/sitemap.xml',
  '/sitemaps/1.xml',
  '/llms.txt',
  '/metrics',
  '/healthz',
  '/readyz',
  '/api/v1/',
  '/api/v1/openapi.json',
  '/tools/zqhidden',
  '/directories/zqhidden',
  '/no-such-page',
  '/sign-in',
  '/sign-up',
  '/link?token=x',
  '/dashboard',
  '/admin',
  '/mcp',
  '/%zz',
]

export const guessedPages = (partners: TwoPartners) =>
  guesses(partners).ids.flatMap((id) => [
    `/dashboard/keys/${id}/revoke`,
    `/dashboard/usage?key=${id}`,
    `/dashboard/partner/support/${id}`,
    `/dashboard/partner/webhooks/${id}`,
    `/admin/users/${id}`,
    `/admin/partners/${id}`,
  ])
/** Every page of a user's dashboard. */
export const pagesOf = (partners: TwoPartners, browser: Browser) =>
  crawl(browser.open, [
    '/dashboard',
    '/dashboard/usage',
    '/dashboard/account',
    '/dashboard/partner',
    '/dashboard/partner/support',
    '/dashboard/partner/webhooks',
    '/dashboard/partner/secret',
    `/dashboard/partner/submissions/${partners.tool.slug}`,
    `/dashboard/products/${partners.tool.slug}`,
    ...guessedPages(partners),
  ])
