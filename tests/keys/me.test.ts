import { beforeAll, describe, expect, test } from 'vitest'
import { newTestKey } from '../harness/sandbox.ts'
import { useService } from '../harness/use.ts'

const service = useService({ RATE_LIMIT_SCALE: '1' })
const me = (key: string | null) => service.rest('/me', { key })

const MINUTE = (bucket: string, calls: number, remaining = calls) => ({ bucket, calls, seconds: 60, remaining })

describe('GET /me', () => {
  let partner: { id: string; key: string }
  beforeAll(async () => {
    partner = await service.newPartner({ name: 'Launch', support: 'human' })
    await service.admin('PATCH', `/partners/${partner.id}`, { events: ['listing.live'] })
  })

  test('says what a catalog key is and what is left of its limits, and is charged as a read', async () => {
    const { key } = await service.newKey('standard')
    const { status, body } = await me(key)
    expect(status).toBe(200)
    expect(body.data).toEqual({
      kind: 'catalog',
      plan: 'standard',
      last4: key.slice(-4),
      createdAt: expect.stringMatching(/Z$/),
      endsAt: null,
      limits: [MINUTE('rest', 10, 9), MINUTE('mcp', 30)],
      partner: null,
    })
    await service.tool('list_tags', {}, key)
    expect((await me(key)).body.data.limits).toEqual([MINUTE('rest', 10, 8), MINUTE('mcp', 30, 29)])
  })

  test('says what a partner key is, and a test key', async () => {
    const own = {
      plan: 'premium',
      createdAt: expect.stringMatching(/Z$/),
      endsAt: null,
      limits: [MINUTE('rest', 60, 59), MINUTE('mcp', 120), MINUTE('submit', 20), MINUTE('support', 60)],
      partner: { id: partner.id, name: 'Launch', support: 'human', webhookUrl: null, events: ['listing.live'] },
    }
    expect((await me(partner.key)).body.data).toEqual({ kind: 'partner', last4: partner.key.slice(-4), ...own })
    const testKey = await newTestKey(service, partner.id)
    expect((await me(testKey)).body.data).toEqual({ kind: 'test', last4: testKey.slice(-4), ...own })
  })

  test('says when a key that another one replaced will end', async () => {
    const { id, key } = await service.newKey()
    const { body } = await service.admin('POST', `/keys/${id}/rotate`, { overlapHours: 2 })
    expect((await me(key)).body.data.endsAt).toBe(body.data.previousValidUntil)
  })

  test('needs a key', async () => {
    expect((await me(null)).status).toBe(401)
  })
})

describe('RateLimit-Policy and RateLimit', () => {
  const headersOf = ({ headers }: { headers: Headers }) => [headers.get('ratelimit-policy'), headers.get('ratelimit')]

  test('name the bucket that was charged, beside the X-RateLimit headers', async () => {
    const { key } = await service.newKey('standard')
    const reply = await service.rest('/tags', { key })
    expect(headersOf(reply)).toEqual(['"rest";q=10;w=60', expect.stringMatching(/^"rest";r=9;t=(60|59)$/)])
    expect(reply.headers.get('x-ratelimit-remaining')).toBe('9')
    expect(reply.headers.get('access-control-expose-headers')).toContain('RateLimit-Policy, RateLimit')
    const tool = await service.tool('list_tags', {}, key)
    expect(headersOf(tool)).toEqual(['"mcp";q=30;w=60', expect.stringMatching(/^"mcp";r=29;t=\d+$/)])
  })

  test('are on errors and on answers without a key', async () => {
    const { key } = await service.newPartner()
    const refused = await service.rest('/submit-ai-tool', { key, method: 'POST', body: {} })
    expect([refused.status, ...headersOf(refused)]).toEqual([
      400,
      '"submit";q=20;w=60',
      expect.stringMatching(/^"submit";r=19;t=\d+$/),
    ])
    const [policy, state] = headersOf(await service.rest('/tags', { key: null }))
    expect(policy).toBe('"rest";q=60;w=60')
    expect(state).toMatch(/^"rest";r=\d+;t=\d+$/)
  })

  test('say after a 429 how long to wait, as Retry-After does', async () => {
    const { key } = await service.newKey('standard')
    for (let i = 0; i < 10; i++) await service.rest('/tags', { key })
    const reply = await service.rest('/tags', { key })
    expect(reply.body.code).toBe('rate_limited')
    expect([reply.status, headersOf(reply)[1]]).toEqual([429, `"rest";r=0;t=${reply.headers.get('retry-after')}`])
  })
})
