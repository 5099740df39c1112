// Guessed keys and operator tokens: every guess is charged to its address, and past its budget the service looks up no more keys for it.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { generateKey, hashKey } from '../../src/features/keys/rules.ts'
import { call, rpc } from '../harness/mcp.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let known: { id: string; key: string }
// Counted in memory: the service passes over a Redis that answers late on a busy machine, which another test covers.
const service = useService({ RATE_LIMIT_SCALE: '1', TRUST_PROXY: '127.0.0.1/32', REDIS_URL: '' })
beforeAll(async () => {
  known = await service.newKey()
})

let address = 0
const newAddress = () => `198.51.100.${++address}`
const ask = (key: string, from: string, path = '/api/v1/tags') =>
  service.fetch(path, { key, headers: { 'x-forwarded-for': from } })
const status = async (key: string, from: string, path?: string) => (await ask(key, from, path)).status
const spend = (from: string, path?: string) =>
  Promise.all(Array.from({ length: 65 }, () => ask(generateKey('catalog'), from, path)))

/** Makes a valid key that this process does not know yet, like one that another process has just made: only a look-up finds it. */
async function keyMadeElsewhere(): Promise<string> {
  const key = generateKey('catalog')
  const hash = hashKey(readFileSync(join(service.dataDir, 'key-pepper'), 'utf8').trim(), key)
  await service.sql(
    `insert into keys (id, hash, last4, user_id, plan, policy_version, policy_agreed_at, created_at)
     select '${randomUUID()}', '${hash}', '${key.slice(-4)}', user_id, plan, policy_version, policy_agreed_at, created_at
     from keys where id = '${known.id}'`,
  )
  return key
}

describe('made-up keys', () => {
  test('every guess is a 401 with the headers of the address, also when its budget is spent', async () => {
    const from = newAddress()
    const replies = await spend(from)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]))
    const last = await ask(generateKey('catalog'), from)
    expect([last.status, last.headers.get('x-ratelimit-limit'), last.headers.get('x-ratelimit-remaining')]).toEqual([
      401,
      '60',
      '0',
    ])
  })

  test('a key that another process made is found until the budget of the address is spent; then it is not looked up', async () => {
    const from = newAddress()
    expect(await status(await keyMadeElsewhere(), from)).toBe(200)
    await spend(from)
    const key = await keyMadeElsewhere()
    for (const path of ['/api/v1/tags', '/api/v1/tools', '/api/admin/users'])
      expect(await status(key, from, path)).toBe(401)
    expect(
      (
        await rpc(
          {
            fetch: (path, more) =>
              service.fetch(path, { ...more, headers: { ...more?.headers, 'x-forwarded-for': from } }),
          },
          key,
          call('list_tags'),
        )
      ).status,
    ).toBe(401)
    // Once found for another address, the key is cached and works from this address too.
    expect(await status(key, newAddress())).toBe(200)
    expect(await status(key, from)).toBe(200)
  })

  test('known keys go on working from an address whose budget is spent', async () => {
    const from = newAddress()
    await spend(from)
    expect(await status(known.key, from)).toBe(200)
    const { key: partner } = await service.newPartner()
    expect(await status(partner, from, '/api/v1/ai-tools/status?slug=none')).toBe(404)
    // This process made the key, so it is cached at once.
    expect(await status((await service.newKey()).key, from)).toBe(200)
  })

  test('a hundred guesses at once get no more look-ups than the budget allows', async () => {
    const from = newAddress()
    const keys: string[] = []
    for (let i = 0; i < 100; i++) keys.push(await keyMadeElsewhere())
    const replies = await Promise.all(keys.map((key) => status(key, from)))
    expect(replies.filter((one) => one === 200).length).toBeLessThanOrEqual(60)
    expect(replies.filter((one) => one === 401).length).toBeGreaterThanOrEqual(40)
  })

  test('page views and guesses are charged to one budget', async () => {
    const from = newAddress()
    for (let i = 0; i < 60; i++) await service.fetch('/api/v1/', { headers: { 'x-forwarded-for': from } })
    expect(await status(await keyMadeElsewhere(), from)).toBe(401)
  })
})

describe('guessed operator tokens', () => {
  test('every guess is a 401 and charged to the address; past its budget nothing is looked up, and the log says so once', async () => {
    const from = newAddress()
    const before = service.logged.length
    const statuses: number[] = []
    for (let i = 0; i < 70; i++) statuses.push(await status(`guess-number-${i}-of-many`, from, '/api/admin/users'))
    expect(new Set(statuses)).toEqual(new Set([401]))
    const last = await ask('another-wrong-token', from, '/api/admin/users')
    expect([last.status, last.headers.get('x-ratelimit-remaining')]).toEqual([401, '0'])
    // A catalog key is no operator token: 403 when it is known; past the budget an unknown key is not looked up.
    expect(await status(known.key, from, '/api/admin/users')).toBe(403)
    expect(await status(await keyMadeElsewhere(), from, '/api/admin/users')).toBe(401)
    const warnings = service.logged.slice(before).filter(({ level }) => level === 'warn')
    expect(warnings).toMatchObject([{ address: from, message: expect.stringContaining('wrong operator tokens') }])
    expect(JSON.stringify(warnings)).not.toContain('guess-number')
  })

  test('the right token works from an address whose budget another client has spent', async () => {
    const from = newAddress()
    await spend(from, '/api/admin/users')
    expect(await status(ADMIN_TOKEN, from, '/api/admin/users')).toBe(200)
  })
})
