// A service with data in every table, and everything that a client can read from it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceProcess } from './process.ts'

/** Creates listings, keys, partners, submissions, conversations and events. Returns keys that must go on working. */
export async function fillService(
  service: ServiceProcess,
  listings: number,
): Promise<{ key: string; partner: string }> {
  const callOrThrow = async (path: string, method: string, body: unknown, token?: string) => {
    const reply = await service.call(path, { method, body, ...(token ? { token } : {}) })
    if (reply.status > 201) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body.data
  }
  await importLines(service, lines(listings))
  const { key } = await callOrThrow('/api/admin/keys', 'POST', {
    email: 'ada@example.com',
    plan: 'premium',
    name: "Ada's \\ key",
  })
  const revoked = await callOrThrow('/api/admin/keys', 'POST', { email: 'bob@example.com' })
  await callOrThrow(`/api/admin/keys/${revoked.id}`, 'DELETE', undefined)
  const partner = await callOrThrow('/api/admin/partners', 'POST', {
    name: 'Launch "Platform"',
    contactEmail: 'team@example.com',
    // Nothing listens at this port: the event is tried once and recorded as failed.
    webhookUrl: 'http://127.0.0.1:9/hook',
    support: 'hybrid',
  })
  await callOrThrow('/api/admin/knowledge', 'PUT', {
    articles: [{ title: 'Refunds', body: 'Refunds take 5 days.\n\nÜber „alles“.' }],
  })
  for (let i = 0; i < 5; i++) {
    const { id } = await callOrThrow(
      '/api/v1/submit-ai-tool',
      'POST',
      {
        name: `Product ${i}`,
        website: `https://product-${i}.example.com`,
        tagline: 'Does one thing',
        description: 'Does one thing well.\tWith a tab, a "quote", a \\ and 🦝.',
        category: 'writing',
        pricing: 'FREE',
        founderName: 'Ada Example',
        founderEmail: 'ada@example.com',
        tags: ['api', `fresh-${i}`],
        paymentType: 'starter',
      },
      partner.key,
    )
    await callOrThrow(`/api/admin/submissions/${id}/directories/board-1`, 'PUT', {
      isSubmitted: true,
      listingUrl: 'https://board-1.example.org/x',
    })
    if (i < 2) await callOrThrow(`/api/admin/submissions/${id}/done`, 'POST', { notes: 'All {done}, NULL and "" too.' })
  }
  for (const question of ['How long does a refund take?', 'What is the weather?'])
    await callOrThrow(
      '/api/v1/support/ask',
      'POST',
      { message: question, externalId: question, metadata: { peerPushMessageId: question } },
      partner.key,
    )
  const [conversation] = (await service.call('/api/admin/support/conversations')).body.data
  await callOrThrow(`/api/admin/support/conversations/${conversation.id}/reply`, 'POST', {
    content: 'A person says: NULL.',
  })
  return { key, partner: partner.key }
}

const nasty = ['', 'NULL', '\\N', '{a,"b"}', "it's", 'line\nbreak', '\u2028', 'é\u0301', '🦝', '\\', '"', '\t', ' x ']

function* lines(listings: number): Generator<object> {
  yield { kind: 'category', slug: 'writing', name: 'Writing' }
  for (const slug of ['api', 'null', 'open-source']) yield { kind: 'tag', slug, name: slug }
  yield { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' }
  for (let i = 0; i < listings; i++) {
    const odd = nasty[i % nasty.length]!
    if (i % 20 === 0) {
      const slug = `board-${i / 20}`
      yield {
        kind: 'directory',
        slug,
        name: `Board ${odd}${i}`,
        website: `https://${slug}.example.org`,
        domainRating: (i % 300) / 7,
        categories: ['saas'],
        features: [odd],
        deal: null,
      }
      continue
    }
    yield {
      kind: 'tool',
      slug: `tool-${i}`,
      name: `Tool ${odd}${i}`,
      tagline: odd,
      description: `${odd} ${'text '.repeat(20)}${odd}`,
      website: `https://tool-${i}.example.com`,
      category: i % 3 ? 'writing' : null,
      tags: i % 2 ? ['api', 'null'] : [],
      rating: (i % 15) / 3,
      opens: i * 700_001,
      discountCode: odd,
      founderEmail: `founder${i}@example.com`,
      faqs: [{ question: odd, answer: odd }],
      features: { [`k ${odd}`]: odd },
      published: i % 11 !== 0,
    }
  }
}

async function importLines(service: ServiceProcess, entries: Iterable<object>): Promise<void> {
  const body = [...entries].map((line) => `${JSON.stringify(line)}\n`).join('')
  const response = await fetch(`${service.origin}/api/admin/import`, {
    method: 'POST',
    headers: { authorization: 'Bearer test-operator-token', 'content-type': 'application/x-ndjson' },
    body,
  })
  if (response.status !== 200) throw new Error((await response.text()).slice(0, 500))
}

const LISTS = [
  'keys',
  'partners',
  'users',
  'submissions',
  'support/conversations',
  'webhooks',
  'enrichments',
  'audit',
  'knowledge',
]

/** Calls are counted in memory and written every three seconds. */
const USAGE_WRITTEN_MS = 4_000

/** Everything that the operator API shows, and the whole export, after the use of keys was written. */
export async function operatorView(
  service: ServiceProcess,
): Promise<{ exported: string; lists: Record<string, unknown> }> {
  await sleep(USAGE_WRITTEN_MS)
  const headers = { authorization: 'Bearer test-operator-token' }
  const exported = await (await fetch(`${service.origin}/api/admin/export`, { headers })).text()
  const lists: Record<string, unknown> = {}
  for (const name of LISTS) lists[name] = (await service.call(`/api/admin/${name}?limit=1000`)).body
  for (const { id } of (lists['support/conversations'] as any).data)
    lists[id] = (await service.call(`/api/admin/support/conversations/${id}`)).body
  return { exported, lists }
}
