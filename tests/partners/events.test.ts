// GET /events: every event of the last 30 days, in order, once.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { startReceiver } from '../harness/receiver.ts'
import { newSandboxPartner } from '../harness/sandbox.ts'
import { SUBMISSION_CATALOG } from '../harness/submissions.ts'
import { use, useService } from '../harness/use.ts'
import { createWorkflow } from '../harness/workflow.ts'

const receiver = use(startReceiver)
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
let partner: { id: string; key: string }
const workflow = createWorkflow(
  () => service,
  () => partner,
)
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  partner = await service.newPartner()
})

const events = async (query: Record<string, string | number> = {}, key = partner.key) => {
  const reply = await service.rest(
    `/events?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`,
    {
      key,
    },
  )
  expect(reply.status, reply.text).toBe(200)
  return reply.body as { success: true; data: any[]; next: string }
}

/** Finishes a new submission and returns its slug. */
async function finish(of = partner): Promise<string> {
  const { id, tool } = await workflow.work({ paymentType: 'starter' }, of)
  expect((await workflow.done(id)).status).toBe(200)
  return tool.slug
}

const slugs = (data: any[]) => data.map(({ body }) => body.tool.slug)

describe('GET /events', () => {
  test('has every event in its order, also without a webhook address, and a cursor to go on with', async () => {
    const before = await events()
    expect(before).toEqual({ success: true, data: [], next: expect.stringMatching(/^[\w-]+$/) })
    const made = [await finish(), await finish(), await finish()]
    const { data, next } = await events({ after: before.next })
    expect(slugs(data)).toEqual(made)
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^msg_/),
      event: 'directory_submissions.completed',
      occurredAt: data[0].body.occurredAt,
      body: expect.objectContaining({ event: 'directory_submissions.completed', submissions: [] }),
    })
    expect((await events({ after: next })).data).toEqual([])
    const first = await events({ limit: 2 })
    expect(slugs(first.data)).toEqual(made.slice(0, 2))
    expect(slugs((await events({ after: first.next, limit: 2 })).data)).toEqual(made.slice(2))
    expect(slugs((await events({ limit: 10_000 })).data)).toEqual(made)
  })

  test('has 100 at once unless asked for more, and at most 500', async () => {
    const own = await service.newPartner()
    await finish(own)
    await service.sql(
      `insert into partner_events (partner_id, test, position, id, event, body, created_at)
       select '${own.id}', false, n, 'msg_' || n, 'test.ping', '{"event":"test.ping"}', now() from generate_series(2, 601) n`,
    )
    await service.sql(`update event_feeds set last = 601 where partner_id = '${own.id}'`)
    const counts = [
      await events({}, own.key),
      await events({ limit: 101 }, own.key),
      await events({ limit: 1e6 }, own.key),
    ]
    expect(counts.map(({ data }) => data.length)).toEqual([100, 101, 500])
    expect((await events({ after: counts[2]!.next, limit: 500 }, own.key)).data).toHaveLength(101)
  })

  test('has the id and the body of the delivery, whether it arrived or not', async () => {
    const own = await service.newPartner({ webhookUrl: `${receiver.origin}/events` })
    const slug = await finish(own)
    const [event] = (await events({}, own.key)).data
    await expect.poll(() => receiver.at('/events')).toHaveLength(1)
    const [arrival] = receiver.at('/events')
    expect(arrival!.headers['webhook-id']).toBe(event.id)
    expect(JSON.parse(arrival!.body.toString())).toEqual(event.body)
    expect(event.body.tool.slug).toBe(slug)
    const ping = await service.rest('/webhook/test', { method: 'POST', key: own.key })
    expect(ping.body.data.state).toBe('delivered')
    expect((await events({}, own.key)).data.map(({ event }) => event)).toEqual([
      'directory_submissions.completed',
      'test.ping',
    ])
  })

  test('has events on request from when the partner chose them', async () => {
    const own = await service.newPartner()
    await finish(own)
    const set = await service.rest('/webhook', {
      method: 'PUT',
      key: own.key,
      body: { url: null, events: ['submission.progress'] },
    })
    expect(set.body.data).toEqual({ url: null, events: ['submission.progress'] })
    await finish(own)
    expect((await events({}, own.key)).data.map(({ event }) => event)).toEqual([
      'directory_submissions.completed',
      'directory_submissions.completed',
      'submission.progress',
    ])
  })

  test('keeps partners and sandboxes apart', async () => {
    const own = await newSandboxPartner(service)
    expect((await events({}, own.key)).data).toEqual([])
    await finish(own)
    expect((await events({}, own.testKey)).data).toEqual([])
    const { next } = await events({}, own.key)
    for (const key of [own.testKey, partner.key]) {
      const reply = await service.rest(`/events?after=${next}`, { key })
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_cursor'])
    }
  })

  test.each(['x', 'AAAA', randomBytes(40).toString('base64url'), '9'.repeat(90)])(
    'a cursor that is not ours is a 400 that says so: %s',
    async (after) => {
      const reply = await service.rest(`/events?after=${after}`, { key: partner.key })
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_cursor'])
      expect(reply.body.error).toContain('cursor')
      expect(reply.body.fields).toEqual([{ field: 'after', problem: expect.stringContaining('is not one that') }])
    },
  )

  test('a cursor that is too old is a 400 that says so; without one the oldest that are kept come', async () => {
    const own = await service.newPartner()
    const { next: oldest } = await events({}, own.key)
    await finish(own)
    const { next: second } = await events({}, own.key)
    const kept = await finish(own)
    await service.sql(
      `update partner_events set created_at = now() - interval '31 days' where partner_id = '${own.id}' and position = 1`,
    )
    const { removeOldPartnerEvents } = await import('../../src/features/webhooks/events.queries.ts')
    expect(await removeOldPartnerEvents(new Date(Date.now() - 30 * 86_400_000), 1000)(service.context().db, 10)).toBe(1)
    const reply = await service.rest(`/events?after=${oldest}`, { key: own.key })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_cursor'])
    expect(reply.body.error).toContain('too old')
    expect(slugs((await events({ after: second }, own.key)).data)).toEqual([kept])
    expect(slugs((await events({}, own.key)).data)).toEqual([kept])
  })

  test('needs a partner key', async () => {
    expect((await service.rest('/events')).status).toBe(403)
  })
})

test('events of transactions that end in another order than they began are read once and in one order', async () => {
  const own = await service.newPartner()
  const seen: string[] = []
  let cursor: string | undefined
  let isOver = false
  const reading = (async () => {
    for (let isLast = false; !isLast; ) {
      isLast = isOver
      const { data, next } = await events(cursor ? { after: cursor, limit: 2 } : { limit: 2 }, own.key)
      seen.push(...data.map(({ id }) => id))
      cursor = next
      if (data.length > 0) isLast = false
    }
  })()
  const made = await Promise.all(Array.from({ length: 12 }, () => workflow.work({ paymentType: 'starter' }, own)))
  await Promise.all(made.map(({ id }) => workflow.done(id)))
  isOver = true
  await reading
  const all = (await events({}, own.key)).data.map(({ id }) => id)
  expect(all).toHaveLength(12)
  expect(seen).toEqual(all)
})

// Only PostgreSQL has a second connection.
test.runIf(process.env.TEST_DATABASE_URL)('an event waits for the commit of the one before it', async () => {
  const own = await service.newPartner()
  const [{ name }] = await service.sql('select current_database() as name')
  const url = new URL(process.env.TEST_DATABASE_URL!)
  url.pathname = `/${name}`
  const slow = new pg.Client(url.href)
  await slow.connect()
  await finish(own)
  await slow.query('begin')
  await slow.query(
    `with feed as (update event_feeds set last = last + 1 where partner_id = '${own.id}' returning last)
     insert into partner_events select '${own.id}', false, feed.last, 'msg_slow', 'test.ping', '{"event":"test.ping"}', now() from feed`,
  )
  const finishing = finish(own)
  const { data, next } = await events({}, own.key)
  expect(data).toHaveLength(1)
  await slow.query('commit')
  await slow.end()
  await finishing
  expect((await events({ after: next }, own.key)).data.map(({ id }) => id)).toEqual(['msg_slow', expect.any(String)])
})
