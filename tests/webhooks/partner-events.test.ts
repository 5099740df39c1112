// What partners choose for their webhooks: a new secret with an overlap, test events, and further events.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { checkSignatures } from '../../src/features/webhooks/delivery/signature.rules.ts'
import { audited } from '../harness/audit.ts'
import {
  type Delivery,
  deliveriesOf,
  markDone,
  outcomesOf,
  submitTool,
  type WebhookPartner,
} from '../harness/done-work.ts'
import { until } from '../harness/process.ts'
import { type ReceivedRequest, startReceiver } from '../harness/receiver.ts'
import { expectFailure } from '../harness/shapes.ts'
import { newTool, SUBMISSION_CATALOG, submit } from '../harness/submissions.ts'
import { inParallel } from '../harness/support.ts'
import { use, useService } from '../harness/use.ts'

const receiver = use(() =>
  startReceiver({
    '/500': (response) => response.writeHead(500).end('broken'),
    '/held': (response) => void held.then(() => response.end('late')),
  }),
)
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.1/32' })
beforeAll(() => service.load(SUBMISSION_CATALOG))

const { promise: held, resolve: release } = Promise.withResolvers<void>()

let serial = 0
const partnerAt = async (
  path = `/hook-${++serial}`,
  events: string[] = [],
): Promise<WebhookPartner & { path: string }> => {
  const partner = (await service.newPartner({ webhookUrl: receiver.origin + path })) as WebhookPartner
  if (events.length > 0) await service.admin('PATCH', `/partners/${partner.id}`, { events })
  return { ...partner, path }
}
const rotate = async (partner: { id: string }, body?: object) =>
  (await service.admin('POST', `/partners/${partner.id}/rotate-secret`, body)).body.data
const ping = (partner: { id: string }) => service.admin('POST', `/partners/${partner.id}/test-event`)
const checked = (secret: string, { headers, body }: ReceivedRequest) =>
  checkSignatures(secret, headers as Record<string, string>, body)
const bodyOf = ({ body }: ReceivedRequest) => JSON.parse(body.toString())

describe('after a rotation of the secret', () => {
  const SIGNED = { catalog: 'right', standard: 'right' }
  const REFUSED = { catalog: 'wrong', standard: 'wrong' }

  test('webhook-signature has both secrets for the overlap, X-Catalog-Signature the new one', async () => {
    const partner = await partnerAt()
    const before = Date.now()
    const { webhookSecret, previousValidUntil } = await rotate(partner)
    expect(Math.abs(Date.parse(previousValidUntil) - before - 24 * 3600_000)).toBeLessThan(60_000)
    await ping(partner)
    const [arrival] = receiver.at(partner.path)
    expect(arrival!.headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/)
    expect(checked(webhookSecret, arrival!)).toEqual(SIGNED)
    expect(checked(partner.webhookSecret, arrival!)).toEqual({ catalog: 'wrong', standard: 'right' })
  })

  test('with overlapHours 0, after the overlap, and after a second rotation the earlier secret signs nothing', async () => {
    const partner = await partnerAt()
    expect(await rotate(partner, { overlapHours: 0 })).toMatchObject({ previousValidUntil: null })
    const second = await rotate(partner, { overlapHours: 168 })
    const third = await rotate(partner, { overlapHours: 1 })
    await ping(partner)
    const [first] = receiver.at(partner.path)
    expect(checked(partner.webhookSecret, first!)).toEqual(REFUSED)
    expect(checked(second.webhookSecret, first!)).toEqual({ catalog: 'wrong', standard: 'right' })
    expect(checked(third.webhookSecret, first!)).toEqual(SIGNED)
    await service.sql(
      `update partners set previous_valid_until = now() - interval '1 second' where id = '${partner.id}'`,
    )
    const [delivery] = await deliveriesOf(service, partner)
    await service.admin('POST', `/webhooks/${delivery!.id}/resend`)
    await outcomesOf(service, partner, 2)
    const [, later] = receiver.at(partner.path)
    expect(later!.headers['webhook-signature']).toMatch(/^v1,\S+$/)
    expect(checked(second.webhookSecret, later!)).toEqual(REFUSED)
    expect(checked(third.webhookSecret, later!)).toEqual(SIGNED)
  })

  test('overlapHours must be a whole number from 0 to 168, and nothing is changed otherwise', async () => {
    const partner = await partnerAt()
    for (const overlapHours of [-1, 169, 1.5, '24', null, 1e30]) {
      const reply = await service.admin('POST', `/partners/${partner.id}/rotate-secret`, { overlapHours })
      expect([overlapHours, reply.status, expectFailure(reply.body)]).toEqual([
        overlapHours,
        400,
        expect.stringContaining('overlapHours'),
      ])
    }
    await ping(partner)
    expect(checked(partner.webhookSecret, receiver.at(partner.path)[0]!)).toEqual(SIGNED)
  })

  test('no secret is in the audit log, the log or a list', async () => {
    const partner = await partnerAt()
    const { webhookSecret } = await rotate(partner)
    const seen = [
      (await service.admin('GET', '/audit?limit=1000')).text,
      (await service.admin('GET', '/partners')).text,
      (await service.admin('GET', `/partners/${partner.id}`)).text,
      JSON.stringify(service.logged),
    ].join('\n')
    for (const secret of [partner.webhookSecret, webhookSecret]) expect(seen).not.toContain(secret.slice(6))
  })
})

describe('POST /partners/:id/test-event', () => {
  test('sends a signed test.ping through the queue and answers with its outcome', async () => {
    const partner = await partnerAt()
    let reply!: Awaited<ReturnType<typeof ping>>
    const rows = await audited(service, async () => (reply = await ping(partner)))
    const [delivery] = await deliveriesOf(service, partner)
    expect([reply.status, reply.body.data]).toEqual([
      200,
      { id: delivery!.id, state: 'delivered', status: 200, error: null },
    ])
    expect(delivery).toMatchObject({ event: 'test.ping', state: 'delivered', answer: 'ok' })
    const [arrival] = receiver.at(partner.path)
    expect(checked(partner.webhookSecret, arrival!)).toEqual({ catalog: 'right', standard: 'right' })
    expect(arrival!.headers['x-catalog-event']).toBe('test.ping')
    expect(bodyOf(arrival!)).toEqual({
      ...{ event: 'test.ping', occurredAt: expect.stringMatching(/Z$/), message: 'This is a test event.' },
    })
    expect(rows).toMatchObject([
      { action: 'webhook.test', subject: `partner:${partner.id}`, details: { delivery: delivery!.id } },
    ])
  })

  test('says what went wrong at the receiver', async () => {
    expect((await ping(await partnerAt('/500'))).body.data).toMatchObject({
      ...{ state: 'failed', status: 500, error: 'The receiver answered 500.' },
    })
  })

  test('is a 400 without a webhook URL and a 404 for an unknown partner', async () => {
    const reply = await ping(await service.newPartner())
    expect([reply.status, expectFailure(reply.body)]).toEqual([400, expect.stringContaining('no webhook URL')])
    expect((await ping({ id: 'no-such' })).status).toBe(404)
  })

  test('many at once are one test event: the others get a 429 while it is being sent, and for five seconds', async () => {
    const partner = await partnerAt('/held')
    let refused = 0
    const replies = await inParallel(20, async () => {
      const reply = await ping(partner)
      // The receiver answers the first one only when all others have their answer.
      if (reply.status === 429 && ++refused === 19) release()
      return reply
    })
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(429)])
    const tooSoon = replies.find(({ status }) => status === 429)!
    expect([tooSoon.headers.get('retry-after'), expectFailure(tooSoon.body)]).toEqual([
      '5',
      expect.stringContaining('Try again in 5 seconds'),
    ])
    expect(receiver.at('/held')).toHaveLength(1)
    expect(await deliveriesOf(service, partner)).toHaveLength(1)
    const sentBefore = (seconds: number) =>
      service.sql(
        `update webhook_deliveries set created_at = now() - interval '${seconds} seconds' where partner_id = '${partner.id}'`,
      )
    await sentBefore(0)
    expect((await ping(partner)).status).toBe(429)
    expect((await ping(await partnerAt())).status).toBe(200)
    await sentBefore(6)
    expect((await ping(partner)).status).toBe(200)
  })
})

describe('submission.progress', () => {
  const WORK = ['submission.progress']
  const progressAt = (path: string) =>
    receiver.at(path).filter(({ headers }) => headers['x-catalog-event'] === 'submission.progress')

  test('is sent for each new state and each recorded directory, to partners that asked for it', async () => {
    const partner = await partnerAt(undefined, WORK)
    const toolId = await submitTool(service, partner, { name: 'Followed' })
    await service.admin('PATCH', `/submissions/${toolId}`, { internalNotes: 'zqinternal' })
    const entered = { isSubmitted: true, listingUrl: 'https://peak.example.org/followed' }
    const steps: (() => Promise<unknown>)[] = [
      () => service.admin('PATCH', `/submissions/${toolId}`, { assignee: 'Ada', state: 'ASSIGNED', notes: 'Begun.' }),
      () => service.admin('PUT', `/submissions/${toolId}/directories/peak`, entered),
      () => service.admin('POST', `/submissions/${toolId}/directories/peak/undo`),
      () => service.admin('PUT', `/submissions/${toolId}/directories/peak`, entered),
      () => markDone(service, toolId),
    ]
    // One after the other, because deliveries may overtake each other.
    for (const [i, step] of steps.entries()) {
      await step()
      await until(async () => progressAt(partner.path).length === i + 1, 8_000)
    }
    const [assigned, recorded, undone, , done] = progressAt(partner.path).map(bodyOf)
    expect(assigned).toEqual({
      event: 'submission.progress',
      occurredAt: expect.stringMatching(/Z$/),
      tool: {
        ...{ id: toolId, name: 'Followed', slug: 'followed', website: expect.any(String) },
        ...{ paymentStatus: 'STARTER', paymentLabel: 'Starter (30+ directories)', targetDirectoriesCount: 30 },
      },
      submissionState: 'ASSIGNED',
      summary: { submittedCount: 0, recordedSubmissions: 0, notes: 'Begun.' },
    })
    // Recording begins the work, and both are one event.
    expect(recorded).toMatchObject({
      submissionState: 'IN_PROGRESS',
      summary: { submittedCount: 1, recordedSubmissions: 1, notes: 'Begun.' },
      submission: { slug: 'peak', ...entered, submittedBy: 'ADMIN', proofUrl: null },
    })
    expect(Object.keys(recorded.submission)).not.toContain('version')
    expect(undone).toMatchObject({ submissionState: 'IN_PROGRESS', summary: { recordedSubmissions: 0 } })
    expect(undone).not.toHaveProperty('submission')
    expect(done).toMatchObject({ submissionState: 'DONE', summary: { submittedCount: 1 } })
    expect(done).not.toHaveProperty('submission')
    for (const arrival of receiver.at(partner.path)) {
      expect(checked(partner.webhookSecret, arrival)).toEqual({ catalog: 'right', standard: 'right' })
      expect(arrival.body.toString()).not.toMatch(/zqinternal|internalNotes/)
    }
    // The event of the specification is sent as ever.
    await until(async () => (await deliveriesOf(service, partner)).length === 6, 8_000)
    expect((await deliveriesOf(service, partner)).map(({ event }) => event).sort()).toEqual([
      'directory_submissions.completed',
      ...Array(5).fill('submission.progress'),
    ])
  })

  test('is sent when a package starts the work, by an operator or by sending the tool again', async () => {
    const partner = await partnerAt(undefined, WORK)
    const bodies = [newTool(), newTool()]
    const ids = []
    for (const body of bodies) ids.push((await submit(service, partner.key, body)).body.data.id)
    await service.admin('PATCH', `/submissions/${ids[0]}`, { paymentType: 'pro' })
    await submit(service, partner.key, { ...bodies[1], paymentType: 'premium' })
    await outcomesOf(service, partner, 2)
    expect(
      new Set(progressAt(partner.path).map((one) => `${bodyOf(one).tool.id} ${bodyOf(one).tool.paymentStatus}`)),
    ).toEqual(new Set([`${ids[0]} PRO`, `${ids[1]} PREMIUM`]))
  })

  test('is not sent for what is no progress, nor to partners that did not ask or asked for other events', async () => {
    const [asking, silent, other] = [
      await partnerAt(undefined, WORK),
      await partnerAt(),
      await partnerAt(undefined, ['listing.live', 'listing.lost']),
    ]
    for (const partner of [asking, silent, other]) {
      const toolId = await submitTool(service, partner)
      const path = `/submissions/${toolId}`
      for (const change of [
        { notes: 'Only notes.' },
        { internalNotes: 'Only ours.' },
        { assignee: 'Ada' },
        { paymentType: 'pro' },
        { state: 'IN_QUEUE' },
      ])
        expect((await service.admin('PATCH', path, change)).status).toBe(200)
      if (partner === asking) continue
      await service.admin('PATCH', path, { state: 'REVIEW' })
      await service.admin('PUT', `${path}/directories/peak`, { isSubmitted: true })
    }
    for (const partner of [asking, silent, other]) expect(await deliveriesOf(service, partner)).toEqual([])
  })

  test('is stored with the change: a change that fails stores nothing', async () => {
    const partner = await partnerAt(undefined, WORK)
    const toolId = await submitTool(service, partner)
    expect((await service.admin('PATCH', `/submissions/${toolId}`, { state: 'ASSIGNED' })).status).toBe(400)
    await service.sql(
      `create function fail() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
       create trigger fail before insert on webhook_deliveries for each row execute function fail()`,
    )
    try {
      const reply = await service.admin('PATCH', `/submissions/${toolId}`, { state: 'REVIEW' })
      expect(reply.status).toBe(500)
    } finally {
      await service.sql('drop trigger fail on webhook_deliveries; drop function fail')
    }
    const [item] = (await service.admin('GET', `/submissions?client=${partner.id}`)).body.data
    expect([item.state, await deliveriesOf(service, partner)]).toEqual(['IN_QUEUE', []])
  })
})

test('GET /webhooks/:id shows the headers as they were sent', async () => {
  const partner = await partnerAt()
  await ping(partner)
  const [{ id }] = (await deliveriesOf(service, partner)) as [Delivery]
  const { headers } = (await service.admin('GET', `/webhooks/${id}`)).body.data
  const [arrival] = receiver.at(partner.path)
  expect(arrival!.headers).toMatchObject(headers)
  expect(Object.keys(headers)).toHaveLength(7)
})
