// One of two processes is cut off from the database: the changes it missed, what many faults in a row leave behind, and a process that
// starts during faults. Run by `npm run test:faults`.
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../src/platform/database/postgres.ts'
import { silentLog } from '../../src/platform/log.ts'
import type { FaultProxy } from '../harness/fault-proxy.ts'
import { startPair } from '../harness/pair.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { createDatabase } from '../harness/service.ts'
import { keepReading, longest, type TimedReply, timedRequest } from '../harness/timed-requests.ts'
import { use } from '../harness/use.ts'

let a: ServiceProcess
let b: ServiceProcess
let proxy: FaultProxy
// Garbage is collected every second, so that the measured memory is memory in use.
const pair = use(() =>
  startPair({ NODE_OPTIONS: '--expose-gc --import=data:text/javascript,setInterval(gc,1000).unref()' }),
)
beforeAll(async () => {
  a = pair.services[0]
  b = pair.services[1]
  proxy = pair.proxies[0]
})

const read = (service: ServiceProcess, key: string, path = '/tools') => timedRequest(service, `/api/v1${path}`, { key })
const admin = async (method: string, path: string, body?: object) => {
  const reply = await timedRequest(b, `/api/admin${path}`, { method, body })
  expect([path, reply.status]).toEqual([path, reply.status === 201 ? 201 : 200])
  return reply.body.data
}
const name = () => `one-${Math.random().toString(36).slice(2)}`

/** Creates one row of every kind that a process keeps in memory; `unknownChanges` lists the changes that a process does not know yet. */
async function prepare() {
  const slugs = { old: name(), new: name(), gone: name(), tag: name() }
  for (const slug of [slugs.old, slugs.gone]) await admin('PUT', `/tools/${slug}`, { name: 'Before' })
  const users = await Promise.all(
    ['banned', 'premium', 'revoked', 'other'].map(async (what) => {
      const email = `${what}-${name()}@example.com`
      const { id, key } = await admin('POST', '/keys', { email })
      const user = (await admin('GET', '/users?limit=1000')).find((one: { email: string }) => one.email === email)
      return { what, id, key, userId: user.id as string }
    }),
  )
  const user = (what: string) => users.find((one) => one.what === what)!
  const partner = await admin('POST', '/partners', { name: name() })
  const isOld = async () =>
    (await Promise.all(users.map(({ key }) => read(a, key)))).every(({ status }) => status === 200) &&
    (await read(a, partner.key, `/tools/${slugs.gone}`)).status === 200
  await until(isOld, 5_000)
  return {
    async change() {
      await admin('PUT', `/tools/${slugs.old}`, { name: 'After' })
      await admin('PUT', `/tools/${slugs.new}`, { name: 'New' })
      await admin('DELETE', `/tools/${slugs.gone}`)
      await admin('PUT', `/tags/${slugs.tag}`, { name: 'New' })
      await admin('DELETE', `/keys/${user('revoked').id}`)
      await admin('PATCH', `/users/${user('premium').userId}`, { plan: 'premium' })
      await admin('PATCH', `/users/${user('banned').userId}`, { banned: true })
      await admin('PATCH', `/partners/${partner.id}`, { banned: true })
    },
    async unknownChanges(): Promise<string[]> {
      const key = user('other').key
      const status = async (who: string, path?: string) => (await read(a, who, path)).status
      const isKnown = {
        'a changed listing': (await read(a, key, `/tools/${slugs.old}`)).body.data?.name === 'After',
        'a new listing': (await status(key, `/tools/${slugs.new}`)) === 200,
        'a deleted listing': (await status(key, `/tools/${slugs.gone}`)) === 404,
        'a new tag': (await read(a, key, `/tags?q=New`)).body.data?.some((tag: any) => tag.slug === slugs.tag),
        'a revoked key': (await status(user('revoked').key)) === 401,
        'another plan':
          Number((await read(a, user('premium').key)).headers.get('x-ratelimit-limit')) >
          Number((await read(a, key)).headers.get('x-ratelimit-limit')),
        'a banned user': (await status(user('banned').key)) === 401,
        'a banned partner': (await status(partner.key)) === 401,
      }
      return Object.entries(isKnown).flatMap(([what, isSo]) => (isSo ? [] : [what]))
    },
  }
}

describe('a process that was cut off knows the changes of the other process within 5 s after the connection is restored', () => {
  const faults: [string, () => unknown, number, number?][] = [
    ['connections were refused', () => proxy.cut(), 3_000],
    ['connections hung', () => proxy.stall(), 4_000],
    ['connections hung, too briefly to be noticed', () => proxy.stall(), 300],
    ['connections were reset', () => proxy.reset(), 0],
    ['connections died silently', () => proxy.lose(), 0],
    ['every answer took 3 s longer', () => proxy.slow(1_500), 4_000],
    ['connections were refused, and more was changed than is read one by one', () => proxy.cut(), 0, 3_000],
  ]
  test.each(faults)('%s', async (what, begin, lastsMs, more = 0) => {
    const { change, unknownChanges } = await prepare()
    await begin()
    await Promise.all([change(), sleep(lastsMs)])
    await pair.query(
      `insert into changes (topic, ids) select 'webhooks', array['none'] from generate_series(1, ${more})`,
    )
    await proxy.restore()
    const begun = performance.now()
    let left = await unknownChanges()
    while (left.length > 0 && performance.now() - begun < 10_000) left = await unknownChanges()
    const tookMs = Math.round(performance.now() - begun)
    console.log(`${what}: all is known ${tookMs} ms after`)
    expect(left).toEqual([])
    expect(tookMs).toBeLessThan(5_000)
  })
})

const connections = () =>
  pair.query<{ state: string }>(
    `select state from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
/** Megabytes. */
async function memory(service: ServiceProcess): Promise<number> {
  const { text } = await timedRequest(service, '/metrics')
  const value = (name: string) => Number(new RegExp(`^nodejs_${name} (\\S+)`, 'm').exec(text)![1])
  return Math.round((value('heap_size_used_bytes') + value('external_memory_bytes')) / 1e6)
}

test('twenty faults in a row leave no connection, no transaction and no memory behind', async () => {
  // Loads what a process loads only at its first use.
  for (const write of Object.values(pair.writes)) await Promise.all(pair.services.map(write))
  await sleep(1_500)
  const before = await Promise.all(pair.services.map(memory))
  const readers = keepReading(pair.services, pair.key)
  const writes: TimedReply[] = []
  for (let i = 0; i < 20; i++) {
    const both = pair.proxies
    const sent = pair.services.flatMap((service) =>
      Object.values(pair.writes).flatMap((write) => Array.from({ length: 2 }, () => write(service))),
    )
    await sleep(20 * (i % 4))
    if (i % 4 === 0) await Promise.all(both.map((one) => one.cut()))
    if (i % 4 === 1) for (const one of both) one.stall()
    if (i % 4 === 2) for (const one of both) one.reset()
    if (i % 4 === 3) for (const one of both) one.slow(30)
    await sleep(i % 4 === 1 ? 2_000 : 400)
    await Promise.all(both.map((one) => one.restore()))
    writes.push(...(await Promise.all(sent)))
    await sleep(200)
  }
  const reads = await readers.stop()
  const begun = performance.now()
  await until(
    async () =>
      (await Promise.all(pair.services.map(pair.writes['put a listing']!))).every(({ status }) => status === 200),
    5_000,
  )
  const recoveryMs = Math.round(performance.now() - begun)
  // Each process has ten connections for statements and one that listens, and all of them are still used.
  await until(async () => (await connections()).length <= 2 * 11, 5_000)
  await until(async () => !(await connections()).some(({ state }) => state?.startsWith('idle in transaction')), 5_000)
  const many = await Promise.all(
    pair.services.flatMap((service) => Array.from({ length: 30 }, () => pair.writes['put a listing']!(service))),
  )
  expect(many.filter(({ status }) => status !== 200)).toEqual([])
  await sleep(1_500)
  const after = await Promise.all(pair.services.map(memory))
  const refused = writes.filter(({ status }) => status === 503)
  console.log(
    `20 faults: ${writes.length} writes, ${refused.length} refused, longest refusal ${longest(refused)} ms; ${reads.length} reads, longest ${longest(reads)} ms; recovered ${recoveryMs} ms after; memory ${before.join(' and ')} MB before, ${after.join(' and ')} MB after; ${(await connections()).length} connections`,
  )
  expect(writes.filter(({ status }) => ![200, 201, 303, 503].includes(status))).toEqual([])
  // On a busy machine every answer is late: a read from memory shows by how much.
  expect(longest(refused)).toBeLessThan(2_000 + longest(reads))
  expect(reads.filter(({ status }) => status !== 200)).toEqual([])
  for (const [i, megabytes] of after.entries()) expect(megabytes).toBeLessThan(before[i]! + 20)
  for (const service of pair.services) expect(service.output()).not.toMatch(/unhandled|uncaught/i)
})

test('a process that starts while connections break again and again becomes ready by itself', async () => {
  for (const [what, fault] of [
    ['reset', () => proxy.reset()],
    ['stalled', () => proxy.stall()],
  ] as const) {
    const late = await spawnService(pair.environment(proxy))
    try {
      const end = performance.now() + 3_000
      let running = true
      void late.ended.then(() => (running = false))
      while (running && performance.now() < end) {
        await sleep(Math.random() * 400)
        await fault()
        if (what === 'stalled') await sleep(300).then(() => proxy.restore())
      }
      await proxy.restore()
      await late.ready()
      expect((await timedRequest(late, '/api/v1/tools', { key: pair.key })).status).toBe(200)
      await until(async () => (await timedRequest(late, '/api/admin/users')).status === 200, 5_000)
    } finally {
      await late.kill('SIGTERM')
    }
  }
})

test('the locks of a process that has gone silent are released after ten seconds', async () => {
  const { url, drop } = await createDatabase(process.env.TEST_DATABASE_URL!)
  const store = openPostgres({ connectionString: url }, silentLog)
  try {
    await store.query('create table things (id int primary key, value int); insert into things values (1, 0)')
    const change = 'update things set value = value + 1 where id = 1'
    const abandoned = store.session(async (query) => {
      await query('begin')
      await query(change)
      await sleep(12_000)
      await query('commit')
    })
    const outcome = abandoned.then(
      () => 'committed',
      () => 'ended',
    )
    await sleep(500)
    const begun = performance.now()
    await store.query(change)
    expect(performance.now() - begun).toBeGreaterThan(8_000)
    expect(performance.now() - begun).toBeLessThan(11_500)
    expect(await outcome).toBe('ended')
    expect((await store.query('select value from things')).rows).toEqual([{ value: 1 }])
  } finally {
    await store.close()
    await drop()
  }
})
