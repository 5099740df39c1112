// Two services on one PostgreSQL share the walk: every website is looked at once, and each service looks at some of them.
// @module-tag slow
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { planFirstLooks } from '../../src/features/health/worker.ts'
import { until } from '../harness/process.ts'
import { createDatabase, startService, type TestService } from '../harness/service.ts'

const WEBSITES = 24

describe.skipIf(!process.env.TEST_DATABASE_URL)('two processes on one database', () => {
  let one: TestService
  let two: TestService
  let database: Awaited<ReturnType<typeof createDatabase>>
  let port: number
  /** How often the page of each host was asked for. */
  const asked = new Map<string, number>()
  const hostOf = (i: number) => `127.3.7.${i + 1}`
  // Slow enough that one service does not make all looks before the other begins.
  const websites = createServer(async (request, response) => {
    const host = request.socket.localAddress!
    if (request.url === '/robots.txt') return void response.writeHead(404).end()
    asked.set(host, (asked.get(host) ?? 0) + 1)
    await sleep(300)
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Here</h1>')
  })

  beforeAll(async () => {
    await new Promise<void>((resolve) => websites.listen(0, '0.0.0.0', resolve))
    port = (websites.address() as AddressInfo).port
    database = await createDatabase(process.env.TEST_DATABASE_URL!)
    const shared = {
      ...{ DATABASE_URL: database.url, KEY_PEPPER: 'a pepper that both services share, long enough' },
      ...{ HEALTH_CHECKS: 'on', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' },
    }
    one = await startService(shared)
    two = await startService(shared)
  }, 120_000)
  afterAll(async () => {
    await one?.close()
    await two?.close()
    await database?.drop()
    websites.closeAllConnections()
    websites.close()
  })

  test('look at every website once, and both take part', { timeout: 120_000 }, async () => {
    await one.load(
      Array.from({ length: WEBSITES }, (_, i) => ({
        ...{ kind: i % 3 === 0 ? 'directory' : 'tool', slug: `shared-${i}`, name: `Shared ${i}` },
        website: `http://${hostOf(i)}:${port}/`,
      })),
    )
    await planFirstLooks(one.context(), () => false)
    await one.sql('update listing_health set next_at = now()')
    await Promise.all([one.wake(), two.wake()])
    const looked = async () =>
      Number((await one.sql(`select count(*) as n from listing_health where state = 'alive' and claim is null`))[0].n)
    await until(async () => (await looked()) === WEBSITES, 100_000)
    expect([...asked.values()]).toEqual(Array(WEBSITES).fill(1))
    const hosts = Array.from({ length: WEBSITES }, (_, i) => `${hostOf(i)}:${port}`)
    const lookedAtBy = (service: TestService) =>
      hosts.filter((host) => service.context().links.lastAsked.get(host) !== undefined)
    const [byOne, byTwo] = [lookedAtBy(one), lookedAtBy(two)]
    expect(byOne.length).toBeGreaterThan(0)
    expect(byTwo.length).toBeGreaterThan(0)
    expect([...byOne, ...byTwo].sort()).toEqual([...hosts].sort())
  })
})
