// Export and deletion of a person in a large database: every statement is short, so that none passes the time limit and others are served
// meanwhile.
// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { asked, newSupportPartner } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

const ROWS = 300_000
const THEIRS = 150
const PIECE = 30_000
const EMAIL = 'needle@example.com'

const service = useService()
beforeAll(async () => {
  const partner = await newSupportPartner(service)
  await service.admin('PUT', '/tools/large', { name: 'Large', website: 'https://large.example.com', published: false })
  const { id } = await asked(service, partner.key, 'A first question?')
  /** In pieces, because a statement has a time limit. */
  const fill = async (count: number, statement: (series: string) => string) => {
    for (let from = 1; from <= count; from += PIECE)
      await service.sql(statement(`generate_series(${from}, ${Math.min(count, from + PIECE - 1)}) n`))
  }
  // A row like that of the table, many times, with other values.
  const copy = (table: string, where: string, count: number, values: string) =>
    fill(
      count,
      (series) => `insert into ${table} select r.* from ${table} t, ${series},
      lateral jsonb_populate_record(t, ${values}) r where ${where}`,
    )
  const address = `case when n % ${ROWS / THEIRS} = 0 then 'Needle@Example.com' else 'p' || n || '@example.com' end`
  const body = `'{"event":"support.replied","occurredAt":"2026-01-01T00:00:00.000Z","conversation":{"id":"c' || ((n - 1) % ${ROWS / 2} + 1) || '","reply":"' || repeat(md5(n::text), 30) || '"}}'`
  await copy(
    'tools',
    `t.slug = 'large'`,
    ROWS,
    `jsonb_build_object('id', 't' || n, 'slug', 'large-' || n, 'website_key', 'large.example.com/' || n, 'founder_email', ${address})`,
  )
  await copy(
    'support_conversations',
    `t.id = '${id}'`,
    ROWS / 2,
    `jsonb_build_object('id', 'c' || n, 'external_id', 'e' || n, 'customer', jsonb_build_object('email', ${address}))`,
  )
  await fill(
    ROWS,
    (series) => `insert into support_messages (id, conversation_id, partner_id, role, content, created_at)
    select 'm' || n, 'c' || (n % ${ROWS / 2} + 1), '${partner.id}', 'customer', repeat(md5(n::text), 20), now() from ${series}`,
  )
  await fill(
    ROWS,
    (series) => `insert into webhook_deliveries (id, event_id, partner_id, event, body, state, created_at)
    select 'd' || n, 'e' || n, '${partner.id}', 'support.replied', ${body}, 'delivered', now() - interval '1 day' from ${series}`,
  )
  await fill(
    ROWS,
    (series) => `insert into audit (at, actor, action, subject, details)
    select now(), 'operator', 'tool.change', 'tool:large-' || n, '{"name":"Large"}' from ${series}`,
  )
}, 600_000)

/** The longest time that a statement of the service had taken when it was looked at, and the longest wait of another caller. */
async function watched<T>(work: Promise<T>): Promise<{ result: T; longest: number; slowest: number; ms: number }> {
  const begun = performance.now()
  let [longest, slowest, ended] = [0, 0, false]
  const finished = work.finally(() => (ended = true))
  const look = async () => {
    while (!ended) {
      const [{ ms }] =
        await service.sql(`select coalesce(max(extract(epoch from clock_timestamp() - query_start)), 0)::float8 * 1000 as ms
        from pg_stat_activity where state = 'active' and backend_type = 'client backend' and pid <> pg_backend_pid() and datname = current_database()`)
      longest = Math.max(longest, ms as number)
      await sleep(10)
    }
  }
  const call = async () => {
    while (!ended) {
      const start = performance.now()
      await service.admin('GET', '/partners')
      slowest = Math.max(slowest, performance.now() - start)
      await sleep(10)
    }
  }
  const looking = Promise.all([look(), call()])
  const result = await finished
  await looking
  return { result, longest, slowest, ms: performance.now() - begun }
}

test.each(['export', 'delete'] as const)('%s takes only short statements', { timeout: 600_000 }, async (what) => {
  const { result, longest, slowest, ms } = await watched(service.admin('POST', `/people/${what}`, { email: EMAIL }))
  const figure = (value: number) => `${Math.round(value)} ms`
  console.log(`${what}: ${figure(ms)}, longest statement ${figure(longest)}, slowest other call ${figure(slowest)}`)
  expect(result.status).toBe(200)
  const { sections, removed } = result.body.data
  if (what === 'export')
    expect([sections.founderOf.length, sections.conversations.length]).toEqual([THEIRS, THEIRS / 2])
  else {
    expect(removed).toMatchObject({ founderOf: THEIRS, conversations: THEIRS / 2 })
    expect(await service.sql(`select count(*)::int as count from webhook_deliveries`)).toEqual([
      { count: ROWS - THEIRS },
    ])
  }
  expect(longest).toBeLessThan(5_000)
  expect(slowest).toBeLessThan(5_000)
})
