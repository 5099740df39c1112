// The limit of agents of administrators, and the audit log of their calls that no tool saw; of those past the limit, one in each window.
// @module-tag slow
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { call, message } from '../harness/mcp.ts'
import * as oauth from '../harness/oauth.ts'
import { ADMIN_TOKEN, createDatabase, startService, type TestService } from '../harness/service.ts'

// A fifth of the limits: 48 calls a minute for an agent.
const LIMITS = { RATE_LIMIT_SCALE: '0.2' }
const CALLS = 48

const send = (service: TestService, key: string, body: unknown) =>
  service.fetch('/mcp/operator', { method: 'POST', key, body })
const unknown = (calls: number) => Array.from({ length: calls }, () => call('none'))
const batches = [10, 10, 10, 10, 8]

async function refused(service: TestService) {
  const entries: any[] = (await service.admin('GET', '/audit?action=agent.refused&limit=1000')).body.data
  return Object.groupBy(entries, ({ details }) => details.why)
}

/** The token of a program that an administrator lets work as an operator. */
async function allowedProgram(service: TestService, admin: Browser & { email: string }): Promise<string> {
  const clientId = await oauth.registered(service)
  const proof = oauth.newProof()
  const resource = `${service.origin}/mcp/operator`
  const path = oauth.authorizePath(service, clientId, proof, { scope: 'operator', resource })
  const code = oauth.locationOf(await oauth.decide(admin, path, 'allow', { operator: 'true' })).searchParams.get('code')
  const asked = { browser: admin, clientId, proof, code: code ?? '', redirectUri: oauth.REDIRECT }
  return (await oauth.exchange(service, oauth.codeForm(asked))).body.access_token
}

test('the first call past the limit is a 429 with one entry for each agent, and so is a batch', async () => {
  const service = await startService(LIMITS)
  const admin = await signedUpAdmin(service)
  const agents = [
    { key: await allowedProgram(service, admin), actor: `${admin.email} via Test Agent` },
    { key: ADMIN_TOKEN, actor: expect.stringMatching(/^operator via /) },
  ]
  for (const [at, { key, actor }] of agents.entries()) {
    for (const calls of batches) expect((await send(service, key, unknown(calls))).status).toBe(200)
    expect((await refused(service))['unknown tool']).toHaveLength(CALLS * (at + 1))
    for (const body of [call('get_overview'), call('get_overview'), unknown(2)]) {
      const { status, headers } = await send(service, key, body)
      expect([status, headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
      const past = (await refused(service))['past the limit']!
      expect(past).toHaveLength(at + 1)
      expect(past[0]).toMatchObject({ actor, subject: 'agent-tool:get_overview' })
    }
  }
  await service.close()
})

test('the operator token has the limit of an agent at this address alone, and its headers say so', async () => {
  const service = await startService(LIMITS)
  const { status, headers } = await send(service, ADMIN_TOKEN, call('get_overview'))
  expect(status).toBe(200)
  expect(headers.get('x-ratelimit-limit')).toBe(String(CALLS))
  expect(headers.get('x-ratelimit-remaining')).toBe(String(CALLS - 1))
  expect(headers.get('ratelimit-policy')).toBe(`"mcp";q=${CALLS};w=60`)
  expect(headers.get('ratelimit')).toMatch(/^"mcp";r=47;t=\d+$/)
  for (const calls of [10, 10, 10, 10, 7]) await send(service, ADMIN_TOKEN, unknown(calls))
  const past = await send(service, ADMIN_TOKEN, call('get_overview'))
  expect([past.status, past.body.error.code]).toEqual([429, 429])
  expect(past.headers.get('ratelimit')).toMatch(/^"mcp";r=0;t=\d+$/)
  // What costs no call has a ceiling of its own, and the operator API has none.
  expect((await send(service, ADMIN_TOKEN, message('tools/list'))).status).toBe(200)
  expect((await service.admin('GET', '/overview')).status).toBe(200)
  await service.close()
})

test('a name that no tool has is noted as its letters, at most a hundred of them', async () => {
  const service = await startService()
  await send(service, ADMIN_TOKEN, call(`no\0 such${'x'.repeat(200)}`))
  const [{ subject }] = (await refused(service))['unknown tool'] as any
  expect(subject).toMatch(/^agent-tool:no\?\?suchx{92}$/)
  await service.close()
})

const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env

test.skipIf(!TEST_DATABASE_URL || !TEST_REDIS_URL)(
  'two processes on one Redis count an agent together and note its flood once',
  async () => {
    const database = await createDatabase(TEST_DATABASE_URL!)
    const redis = new URL(TEST_REDIS_URL!)
    redis.pathname = '/14'
    const client = new Redis(redis.href)
    await client.flushdb()
    client.disconnect()
    const shared = {
      ...LIMITS,
      DATABASE_URL: database.url,
      REDIS_URL: redis.href,
      KEY_PEPPER: 'one pepper for both of these processes',
    }
    const pair = [await startService(shared), await startService(shared)]
    const through = (at: number, body: unknown) => send(pair[at % 2]!, ADMIN_TOKEN, body)
    const answers = await Promise.all(Array.from({ length: 2 * CALLS }, (_, at) => through(at, call('get_overview'))))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(CALLS)
    expect(statuses.filter((status) => status === 429)).toHaveLength(CALLS)
    for (const at of [0, 1]) expect((await through(at, unknown(10))).status).toBe(429)
    expect((await refused(pair[0]!))['past the limit']).toHaveLength(1)
    for (const one of pair) await one.close()
    await database.drop()
  },
)
