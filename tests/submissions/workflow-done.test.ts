// Marking a submission Done, the audit log, and listings that can no longer be deleted.
import { beforeAll, describe, expect, test } from 'vitest'
import { audited, expectAudited } from '../harness/audit.ts'
import { deliveries, SUBMISSION_CATALOG, statusOf, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'
import { createWorkflow, refused, WORKING } from '../harness/workflow.ts'

let partner: { id: string; key: string }
const HOOK = { webhookUrl: 'http://127.0.0.1:9/hook' }
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  partner = await service.newPartner(HOOK)
})

const { work, change, done, record, itemOf } = createWorkflow(
  () => service,
  () => partner,
)

describe('POST /submissions/:id/done', () => {
  test.each(WORKING)('from %s: DONE, final, and one event', async (state) => {
    const own = await service.newPartner(HOOK)
    const { id } = await work({ paymentType: 'starter' }, own)
    await change(id, { state, assignee: 'op@example.com' })
    const reply = await done(id, { notes: 'All entered.' })
    expect([reply.status, reply.body.data.state, reply.body.data.notes]).toEqual([200, 'DONE', 'All entered.'])
    for (const next of WORKING) expect(await refused(change(id, { state: next }))).toContain('final')
    await refused(change(id, { paymentType: 'premium' }))
    expect(await deliveries(service, own.id)).toMatchObject([
      { event: 'directory_submissions.completed', clientId: own.id },
    ])
  })

  test('a second Done changes nothing and sends nothing, by POST or PATCH', async () => {
    const own = await service.newPartner(HOOK)
    const { id } = await work({ paymentType: 'starter' }, own)
    await done(id, { notes: 'First' })
    const before = await itemOf(id, own)
    const rows = await audited(service, async () => {
      expect((await done(id, { notes: 'Second' })).status).toBe(200)
      expect((await change(id, { state: 'DONE' })).status).toBe(200)
      expect((await change(id, { state: 'DONE', notes: 'Third' })).status).toBe(200)
    })
    expect(rows).toEqual([])
    expect(await itemOf(id, own)).toEqual(before)
    expect(await deliveries(service, own.id)).toHaveLength(1)
  })

  test('PATCH with state DONE is Done too', async () => {
    const own = await service.newPartner(HOOK)
    const { id } = await work({}, own)
    expect((await change(id, { state: 'DONE', paymentType: 'pro', notes: 'At once' })).body.data).toMatchObject({
      state: 'DONE',
      notes: 'At once',
    })
    expect(await deliveries(service, own.id)).toHaveLength(1)
  })

  test('what was recorded after Done can be undone; what the partner was told cannot', async () => {
    const { id } = await work()
    const undo = (slug: string) => service.admin('POST', `/submissions/${id}/directories/${slug}/undo`)
    await record(id, 'peak', { isSubmitted: true })
    await done(id)
    expect(await refused(undo('peak'))).toBe(
      'The work is Done, and the partner was told what was entered. Only later records can be undone.',
    )
    await record(id, 'alpha-board', { isSubmitted: true })
    expect((await undo('alpha-board')).body.data).toEqual({ slug: 'alpha-board', row: null })
    await record(id, 'peak', { isSubmitted: true, listingUrl: 'https://peak.example.org/late' })
    expect((await undo('peak')).body.data.row).toMatchObject({ isSubmitted: true, listingUrl: null })
  })

  test('a submission without a package is a 400 and changes nothing', async () => {
    const own = await service.newPartner(HOOK)
    const { id } = await work({}, own)
    const before = await itemOf(id, own)
    expect(await refused(done(id, { notes: 'x' }))).toContain('paymentType')
    await refused(change(id, { state: 'DONE', notes: 'x' }))
    expect(await itemOf(id, own)).toEqual(before)
    expect(await deliveries(service, own.id)).toEqual([])
  })

  test('without a webhook URL nothing is sent', async () => {
    const own = await service.newPartner()
    const { id } = await work({ paymentType: 'starter' }, own)
    expect((await done(id)).body.data.state).toBe('DONE')
    expect(await deliveries(service, own.id)).toEqual([])
  })

  test('ten administrators at once give one event and one audit row', async () => {
    const own = await service.newPartner(HOOK)
    const { id } = await work({ paymentType: 'starter' }, own)
    const rows = await audited(service, async () => {
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) => (i % 2 ? done(id) : change(id, { state: 'DONE' }))),
      )
      expect(replies.map(({ status, body }) => [status, body.data.state])).toEqual(Array(10).fill([200, 'DONE']))
    })
    expect(rows.filter(({ action }) => action === 'submission.done')).toHaveLength(1)
    expect(await deliveries(service, own.id)).toHaveLength(1)
  })
})

describe('the audit log has every change, with its actor and time', () => {
  test('a submission by a partner', async () => {
    const [row, ...more] = await audited(service, () => submitted(service, partner.key, { tags: ['audited-tag'] }))
    expect(more).toEqual([])
    expect(row).toMatchObject({ action: 'submission.create', actor: `key ...${partner.key.slice(-4)}` })
  })

  test('the work on a submission', async () => {
    const { id } = await work()
    const subject = `submission:${id}`
    await expectAudited(service, 'submission.change', subject, () => change(id, { state: 'REVIEW' }))
    await expectAudited(service, 'submission.directory', subject, () => record(id, 'peak', { isSubmitted: true }))
    await expectAudited(service, 'submission.done', subject, () => done(id))
  })

  test('no row for a refused request', async () => {
    const { id } = await work({})
    const rows = await audited(service, async () => {
      await done(id)
      await change(id, { state: 'REVIEW' })
      await record(id, 'no-such', { isSubmitted: true })
    })
    expect(rows).toEqual([])
  })
})

describe('deleting a listing that has submissions', () => {
  test('is a 400 that says to unpublish it instead', async () => {
    const { id, tool } = await work()
    await record(id, 'beta-board', { isSubmitted: true })
    for (const path of [`/tools/${tool.slug}`, '/directories/beta-board']) {
      const error = await refused(service.admin('DELETE', path))
      expect(error).toContain('has submissions')
      expect(error).toContain('published=false')
    }
    expect((await statusOf(service, partner.key, { id: tool.id })).status).toBe(200)
    await service.settled()
    expect((await service.rest(`/tools/${tool.slug}`)).status).toBe(200)
  })

  test('a listing without submissions is deleted', async () => {
    await service.admin('PUT', '/directories/short-lived', { name: 'Short' })
    expect((await service.admin('DELETE', '/directories/short-lived')).status).toBe(200)
  })
})
