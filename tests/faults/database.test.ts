// Two real processes while the database is unreachable, hangs, is slow or restarts. Run by `npm run test:faults`.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Pair, startPair } from '../harness/pair.ts'
import { restartPostgres, startPostgres, stopPostgres } from '../harness/postgres-control.ts'
import { type ServiceProcess, until } from '../harness/process.ts'
import { keepReading, longest, percentile, type TimedReply, timedRequest } from '../harness/timed-requests.ts'
import { use } from '../harness/use.ts'

const pair = use(startPair)

const all = <T>(work: (proxy: Pair['proxies'][number]) => T) => Promise.all(pair.proxies.map(work))
const everyWrite = () =>
  pair.services.flatMap((service) => Object.entries(pair.writes).map(([what, write]) => ({ what, service, write })))
const send = async () => Promise.all(everyWrite().map(({ service, write }) => write(service)))
const burst = (service: ServiceProcess) =>
  Promise.all(
    Object.entries(pair.writes).flatMap(([what, write]) =>
      Array.from({ length: what === 'sign in' ? 4 : 8 }, () => write(service)),
    ),
  )

const worked = ({ status }: TimedReply) => (status >= 200 && status < 300) || status === 303
const answerOf = (reply: TimedReply) => ({
  status: reply.status,
  body: reply.body,
  waits: Number(reply.headers.get('retry-after')) > 0,
})
const REFUSED = {
  status: 503,
  body: { success: false, error: expect.stringContaining('Try again'), code: 'unavailable' },
  waits: true,
}

/** Sends every write to both processes until all work again, and returns how long that took. */
async function recovery(): Promise<number> {
  const begun = performance.now()
  await Promise.all(
    everyWrite().map(async ({ what, service, write }) => {
      for (;;) {
        const reply = await write(service)
        if (worked(reply)) return
        expect([what, reply.status]).toEqual([what, 503])
        if (performance.now() - begun > 10_000) throw new Error(`${what} does not work again`)
        await sleep(20)
      }
    }),
  )
  return performance.now() - begun
}

/** Each process sees the changes of the other, and the background work is done. */
async function expectConsistent(): Promise<void> {
  const [a, b] = pair.services
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    const { id, key } = await pair.newKey(from)
    expect((await timedRequest(to, '/api/v1/tools', { key })).status).toBe(200)
    await pair.writes['put a listing']!(from)
    const slug = pair.acknowledged.listings.at(-1)!
    await until(async () => (await timedRequest(to, `/api/v1/tools/${slug}`, { key })).status === 200, 1_000)
    await timedRequest(from, `/api/admin/keys/${id}`, { method: 'DELETE' })
    await until(async () => (await timedRequest(to, '/api/v1/tools', { key })).status === 401, 1_000)
  }
}

/** Every acknowledged write is there, on both processes; every refused write is there completely or not at all. */
async function expectNothingLost(): Promise<void> {
  const { acknowledged, partner } = pair
  for (const service of pair.services) {
    const status = async (path: string, key: string) => (await timedRequest(service, `/api/v1${path}`, { key })).status
    const found = await Promise.all([
      ...acknowledged.listings.map((slug) => status(`/tools/${slug}`, pair.key)),
      ...acknowledged.keys.map((key) => status('/tags', key)),
      ...acknowledged.conversations.map((id) => status(`/support/conversations/${id}`, partner.key)),
      ...acknowledged.submissions.map((id) => status(`/ai-tools/status?id=${id}`, partner.key)),
    ])
    expect(new Set(found)).toEqual(new Set([200]))
  }
  const rows = await pair.query<Record<'website' | 'state', string> & Record<'parts', number>>(`
    select t.website, s.state, (select count(*) from submission_details d where d.submission_id = s.id)
      + (select count(*) from audit where subject = 'submission:' || s.id and action = 'submission.create')
      + (select count(*) from enrichments e where e.tool_id = t.id)
      + (select count(*) from jobs.job j where j.data->>'toolId' = t.id) as parts
    from tools t left join submissions s on s.tool_id = t.id where t.website in ('${pair.websites.join("','")}')`)
  expect(rows.filter(({ parts }) => Number(parts) !== 4)).toEqual([])
  expect(new Set(rows.map(({ website }) => website)).size).toBe(rows.length)
  const done = await pair.query<{ state: string; events: string }>(`
    select s.state, (select count(*) from webhook_deliveries w where w.body::json->'tool'->>'id' = s.tool_id) as events
    from submissions s where tool_id in ('${acknowledged.done.join("','")}')`)
  expect(done.filter(({ state, events }) => state !== 'DONE' || Number(events) !== 1)).toEqual([])
}

/** Waiting events are delivered, and new submissions are enriched. */
async function expectJobsDone(): Promise<void> {
  for (const service of pair.services) await pair.writes['submit a tool']!(service)
  const mine = pair.acknowledged.submissions.slice(-2)
  const open = () =>
    pair.query(`select tool_id from enrichments where state = 'pending' and tool_id in ('${mine.join("','")}')
      union all select event_id from webhook_deliveries where state = 'pending'`)
  await until(async () => (await open()).length === 0, 5_000)
}

interface Fault {
  begin(): unknown
  end(): unknown
  lastsMs: number
  /** Nothing that needs the database can work during the fault. */
  refusesAll?: boolean
  /** Sends only one write of each kind at a time. */
  quiet?: boolean
}

/** Checks everything that must hold during and after a fault. */
async function expectRecovery(name: string, { begin, end, lastsMs, refusesAll, quiet }: Fault): Promise<void> {
  const readers = keepReading(pair.services, pair.key)
  const replies: TimedReply[] = []
  const begun = performance.now()
  await begin()
  // Sends requests when the fault begins, while the service notices it, and when the service knows about it.
  do {
    replies.push(...(await send()))
    if (!quiet) replies.push(...(await Promise.all(pair.services.map(burst))).flat())
    await sleep(200)
  } while (performance.now() - begun < lastsMs)
  await end()
  const recoveryMs = await recovery()
  await expectConsistent()
  await expectJobsDone()
  const reads = await readers.stop()

  const refused = replies.filter((reply) => !worked(reply))
  console.log(
    `${name}: ${replies.length} writes, ${refused.length} refused, longest refusal ${longest(refused)} ms, longest write ${longest(replies)} ms; recovered ${Math.round(recoveryMs)} ms after; ${reads.length} reads, p99 ${percentile(reads, 0.99)} ms, longest ${longest(reads)} ms`,
  )
  expect(refused.map(answerOf)).toEqual(refused.map(() => REFUSED))
  expect(longest(refused)).toBeLessThan(2_000)
  if (refusesAll) expect(refused.length).toBe(replies.length)
  else expect(longest(replies)).toBeLessThan(15_000)
  expect(recoveryMs).toBeLessThan(5_000)
  expect(reads.filter(({ status }) => status !== 200)).toEqual([])
  expect(longest(reads)).toBeLessThan(2_000)
  await expectNothingLost()
  for (const service of pair.services) expect(service.output()).not.toMatch(/unhandled|uncaught/i)
}

const restore = () => all((proxy) => proxy.restore())
const nothing = () => {}

describe('while the database is unreachable reads go on, writes get a 503 within 2 s, and everything works again within 5 s', () => {
  test('connections are refused', () =>
    expectRecovery('cut', { begin: () => all((proxy) => proxy.cut()), end: restore, lastsMs: 4_000, refusesAll: true }))

  test('connections hang', () =>
    expectRecovery('stalled', {
      begin: () => all((proxy) => proxy.stall()),
      end: restore,
      lastsMs: 6_000,
      refusesAll: true,
    }))

  test('the database is stopped for ten seconds', () =>
    expectRecovery('stopped', { begin: stopPostgres, end: startPostgres, lastsMs: 10_000, refusesAll: true }))
})

describe('while the database is unreliable reads go on, and writes work or get a 503 within 2 s', () => {
  test('connections are reset again and again', async () => {
    let timer: NodeJS.Timeout | undefined
    const begin = () => {
      timer = setInterval(() => all((proxy) => proxy.reset()), 150)
    }
    await expectRecovery('reset', { begin, end: () => clearInterval(timer), lastsMs: 3_000, quiet: true })
  })

  test('connections die silently', () =>
    expectRecovery('lost', { begin: () => all((proxy) => proxy.lose()), end: nothing, lastsMs: 1_000 }))

  test('the database crashes and starts again', async () => {
    let restarted: Promise<void> | undefined
    const begin = () => {
      restarted = restartPostgres()
    }
    await expectRecovery('restarted', { begin, end: () => restarted, lastsMs: 1_000 })
  })

  test('every answer takes 100 ms longer', () =>
    expectRecovery('slow', { begin: () => all((proxy) => proxy.slow(50)), end: restore, lastsMs: 4_000, quiet: true }))

  test('every answer takes 3 s longer', () =>
    expectRecovery('very slow', { begin: () => all((proxy) => proxy.slow(1_500)), end: restore, lastsMs: 6_000 }))
})
