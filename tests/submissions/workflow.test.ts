// Working on a submission: the operator's queue, states, directories. Done is in workflow-done.test.ts.
import { beforeAll, describe, expect, test } from 'vitest'
import { queue, SUBMISSION_CATALOG, statusOf, submitted } from '../harness/submissions.ts'
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

describe('GET /submissions', () => {
  test('an item has exactly the fields of the contract', async () => {
    const tool = await submitted(service, partner.key, { paymentType: 'pro' })
    const [item] = await queue(service)
    const { name } = (await service.admin('GET', '/partners')).body.data.find((one: any) => one.id === partner.id)
    expect(item).toEqual({
      id: expect.any(String),
      toolId: tool.id,
      clientId: partner.id,
      state: 'IN_QUEUE',
      paymentType: 'pro',
      assignee: null,
      notes: '',
      internalNotes: '',
      kind: 'web',
      language: 'en',
      plan: null,
      tool: { id: tool.id, slug: tool.slug, name: tool.name, website: tool.website },
      client: { id: partner.id, name },
      submittedCount: 0,
      targetDirectoriesCount: 60,
      flaggedFields: [],
      version: 1,
      createdAt: tool.createdAt,
      updatedAt: tool.createdAt,
    })
  })

  test('the list is newest first, filtered by state and partner, in pages', async () => {
    const own = await service.newPartner()
    const made: any[] = []
    for (const paymentType of ['starter', undefined, 'pro', 'premium']) made.push(await work({ paymentType }, own))
    await change(made[2].id, { state: 'REVIEW' })
    const ids = async (filter: Record<string, string> = {}) =>
      (await queue(service, { client: own.id, ...filter })).map(({ id }) => id)
    const newest = made.map(({ id }) => id).reverse()
    expect(await ids()).toEqual(newest)
    expect(await ids({ state: 'IN_QUEUE' })).toEqual([made[3].id, made[0].id])
    expect(await ids({ state: 'review' })).toEqual([made[2].id])
    expect(await ids({ state: 'WAITING' })).toEqual([made[1].id])
    expect(await ids({ state: 'DONE' })).toEqual([])
    expect([...(await ids({ limit: '3' })), ...(await ids({ limit: '3', page: '2' }))]).toEqual(newest)
    expect(await queue(service, { client: 'nobody' })).toEqual([])
    expect((await queue(service, { state: 'REVIEW' })).map(({ id }) => id)).toContain(made[2].id)
    expect(await refused(service.admin('GET', '/submissions?state=x'))).toContain('state must be one of')
  })
})

describe('PATCH /submissions/:id', () => {
  test('a submission can go from any working state to any other, forwards or back', async () => {
    const { id } = await work()
    await change(id, { assignee: 'op@example.com' })
    for (const from of WORKING)
      for (const to of WORKING) {
        expect((await change(id, { state: from })).body.data.state).toBe(from)
        expect((await change(id, { state: to })).body.data).toMatchObject({ state: to, assignee: 'op@example.com' })
      }
  })

  test('ASSIGNED needs an assignee', async () => {
    const { id } = await work()
    for (const body of [
      { state: 'ASSIGNED' },
      { state: 'ASSIGNED', assignee: null },
      { state: 'ASSIGNED', assignee: '  ' },
    ])
      expect(await refused(change(id, body))).toContain('assignee')
    expect((await change(id, { state: 'ASSIGNED', assignee: ' op@example.com ' })).body.data).toMatchObject({
      state: 'ASSIGNED',
      assignee: 'op@example.com',
    })
    await refused(change(id, { assignee: null }))
    expect((await change(id, { state: 'REVIEW', assignee: null })).body.data).toMatchObject({
      state: 'REVIEW',
      assignee: null,
    })
  })

  test('fields that are not given stay as they were', async () => {
    const { id } = await work()
    await change(id, { state: 'ASSIGNED', assignee: 'op@example.com', notes: 'First' })
    const before = await itemOf(id)
    const { data } = (await change(id, { notes: 'Second' })).body
    expect(data).toEqual({ ...before, notes: 'Second', version: before.version + 1, updatedAt: data.updatedAt })
    expect(await itemOf(id)).toEqual(data)
  })

  test('internalNotes are for operators: the partner sees neither them nor when they were written', async () => {
    const { id, toolId } = await work()
    const before = (await statusOf(service, partner.key, { id: toolId })).text
    const note = 'Refused by two directories.'
    const reply = await change(id, { internalNotes: note })
    expect(reply.body.data).toMatchObject({ notes: '', internalNotes: note })
    expect((await service.admin('GET', `/submissions/${id}`)).body.data.internalNotes).toBe(note)
    expect((await statusOf(service, partner.key, { id: toolId })).text).toBe(before)
    await change(id, { notes: 'For you.' })
    expect((await itemOf(id)).internalNotes).toBe(note)
    await done(id)
    const status = await statusOf(service, partner.key, { id: toolId })
    expect(status.body.data.summary.notes).toBe('For you.')
    const [{ body: sent }] = await service.sql(
      `select body from webhook_deliveries where partner_id = '${partner.id}' order by created_at desc limit 1`,
    )
    expect(sent).toContain('For you.')
    for (const text of [status.text, sent]) expect(text).not.toContain(note)
    expect(await refused(change(id, { internalNotes: 'x'.repeat(10_001) }))).toContain('internalNotes')
  })

  test('a waiting submission becomes IN_QUEUE when its package is set, and has no state before', async () => {
    const { id, tool } = await work({})
    for (const state of WORKING)
      expect(await refused(change(id, { state, assignee: 'op@example.com' }))).toContain('paymentType')
    expect((await change(id, { paymentType: 'pro' })).body.data).toMatchObject({
      state: 'IN_QUEUE',
      paymentType: 'pro',
      targetDirectoriesCount: 60,
    })
    expect((await statusOf(service, partner.key, { id: tool.id })).body.data).toMatchObject({
      tool: { paymentStatus: 'PRO', paymentLabel: 'Pro (60+ directories)' },
      submissionState: 'IN_QUEUE',
    })
    // Changing the package later does not change the state.
    await change(id, { state: 'REVIEW' })
    expect((await change(id, { paymentType: 'premium' })).body.data).toMatchObject({
      state: 'REVIEW',
      paymentType: 'premium',
    })
  })

  test.each([
    { state: 'WAITING' },
    { state: null },
    { paymentType: 'gold' },
    { notes: 7 },
    { notes: 'x\0' },
    { assignee: 'x'.repeat(255) },
    { notes: 'x'.repeat(10_001) },
  ])('%j is a 400', async (body) => {
    const { id } = await work()
    await refused(change(id, body))
  })
})

describe(':id', () => {
  test('is the id of the submission, or id or slug of its tool when it has one submission only', async () => {
    const { id, tool } = await work()
    for (const reference of [id, tool.id, tool.slug])
      expect((await change(reference, { notes: reference })).body.data).toMatchObject({ id, notes: reference })
  })

  test('of a tool with several submissions is a 400 that says so; the submission’s own id works', async () => {
    const website = 'https://several.example.com'
    const other = await service.newPartner()
    const [first, second] = [await work({ website, paymentType: 'pro' }), await work({ website }, other)]
    for (const reference of [first.tool.id, first.tool.slug])
      for (const answering of [
        change(reference, {}),
        done(reference),
        record(reference, 'peak', { isSubmitted: true }),
      ])
        expect(await refused(answering)).toMatch(/Several .*its own id/)
    expect((await change(second.id, { notes: 'Mine' })).body.data.id).toBe(second.id)
    expect((await itemOf(first.id)).notes).toBe('')
  })

  test('that is unknown is a 404', async () => {
    for (const reference of ['unknown', 'peak', '%25'])
      for (const answering of [
        change(reference, {}),
        done(reference),
        record(reference, 'peak', { isSubmitted: true }),
      ])
        expect(await refused(answering, 404)).toBe('Submission not found.')
    await refused(done('%00'))
  })
})

describe('PUT /submissions/:id/directories/:slug', () => {
  test('creates the row or replaces it: an omitted field is empty afterwards', async () => {
    const { id, updatedAt } = await work()
    const made = (await record(id, 'peak', { isSubmitted: false })).body.data
    expect(made).toEqual({
      name: 'Peak',
      slug: 'peak',
      url: 'https://peak.example.org',
      listingUrl: null,
      domainRating: 95,
      isSubmitted: false,
      // The row is not submitted, so it has no submitter.
      submittedBy: null,
      submittedAt: null,
      proofUrl: null,
      ...{ waitingFor: 'us', reason: 'to-enter', action: 'Enter the product into Peak.', isReasonGiven: false },
      version: 1,
    })
    const given = {
      listingUrl: 'https://peak.example.org/x',
      proofUrl: `${service.origin}/media/proof.webp`,
      submittedBy: 'OWNER',
      submittedAt: '2026-01-02T03:04:05.000Z',
    }
    expect((await record(id, 'peak', { isSubmitted: true, ...given })).body.data).toEqual({
      ...made,
      isSubmitted: true,
      ...given,
      // An address that is recorded is believed until a look contradicts it.
      ...{ waitingFor: null, reason: null, action: null },
      version: 2,
    })
    const again = (await record(id, 'peak', { isSubmitted: true })).body.data
    expect(again).toMatchObject({ listingUrl: null, proofUrl: null, submittedBy: 'ADMIN', version: 3 })
    // Only the time stays: the product was entered once.
    expect(again.submittedAt).toBe(given.submittedAt)
    await record(id, 'peak', { isSubmitted: true, ...given })
    expect((await record(id, 'peak', { isSubmitted: false })).body.data).toEqual({ ...made, version: 5 })
    const item = await itemOf(id)
    expect(item.submittedCount).toBe(0)
    expect(Date.parse(item.updatedAt)).toBeGreaterThan(Date.parse(updatedAt))
  })

  test.each([
    { isSubmitted: true },
    { isSubmitted: true, listingUrl: 'https://peak.example.org/x', submittedBy: 'OWNER' },
    { isSubmitted: true, submittedAt: null },
    { isSubmitted: false, listingUrl: 'https://peak.example.org/planned' },
  ])('%j sent again changes nothing, and neither does the row as it is read', async (body) => {
    const { id } = await work()
    const made = (await record(id, 'peak', body)).body.data
    expect((await record(id, 'peak', body)).body.data).toEqual(made)
    const again = await record(id, 'peak', made)
    expect(again.status).toBe(200)
    expect(again.body.data).toEqual(made)
  })

  test('a time in the future is refused; five minutes are left for clocks', async () => {
    const { id } = await work()
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
    for (const submittedAt of ['2099-01-01T00:00:00Z', inMinutes(6)])
      expect(await refused(record(id, 'peak', { isSubmitted: true, submittedAt }))).toBe(
        'submittedAt must not be in the future. Leave it out for now.',
      )
    expect((await record(id, 'peak', { isSubmitted: true, submittedAt: inMinutes(4) })).status).toBe(200)
    // One that an older version took may stay while another field is corrected.
    await service.sql(`update submission_rows set submitted_at = '2099-01-01T00:00:00Z' where submission_id = '${id}'`)
    const old = { isSubmitted: true, submittedAt: '2099-01-01T00:00:00.000Z' }
    const listingUrl = 'https://peak.example.org/x'
    expect((await record(id, 'peak', { ...old, listingUrl })).body.data).toMatchObject({ ...old, listingUrl })
  })

  test('submittedAt is the current time unless given, and stays when the record is corrected', async () => {
    const { id } = await work()
    const { submittedAt } = (await record(id, 'peak', { isSubmitted: true })).body.data
    expect(Math.abs(Date.now() - Date.parse(submittedAt))).toBeLessThan(30_000)
    const corrected = { isSubmitted: true, listingUrl: 'https://peak.example.org/x' }
    expect((await record(id, 'peak', corrected)).body.data).toMatchObject({ ...corrected, submittedAt })
    await record(id, 'peak', { isSubmitted: false })
    const entered = (await record(id, 'peak', corrected)).body.data
    expect(Date.parse(entered.submittedAt)).toBeGreaterThan(Date.parse(submittedAt))
  })

  test('the caller who records the first directory is the assignee, if there is none', async () => {
    const [planned, taken, entered] = [await work(), await work(), await work()]
    await record(planned.id, 'peak', { isSubmitted: false })
    expect(await itemOf(planned.id)).toMatchObject({ state: 'IN_QUEUE', assignee: null })
    await record(planned.id, 'peak', { isSubmitted: true })
    expect(await itemOf(planned.id)).toMatchObject({ state: 'IN_PROGRESS', assignee: 'operator' })
    const [entry] = (await service.admin('GET', '/audit?action=submission.change&limit=1')).body.data
    expect(entry.details).toEqual({ state: 'IN_PROGRESS', assignee: 'operator' })

    await change(taken.id, { assignee: 'op@example.com' })
    await record(taken.id, 'peak', { isSubmitted: true })
    expect(await itemOf(taken.id)).toMatchObject({ state: 'IN_PROGRESS', assignee: 'op@example.com' })

    await change(entered.id, { state: 'REVIEW' })
    await record(entered.id, 'peak', { isSubmitted: true })
    expect(await itemOf(entered.id)).toMatchObject({ state: 'REVIEW', assignee: null })
  })

  test('an unknown directory is a 404', async () => {
    const { id } = await work()
    expect(await refused(record(id, 'no-such', { isSubmitted: true }), 404)).toBe('Directory not found.')
  })

  test.each([
    {},
    { isSubmitted: 'yes' },
    { isSubmitted: true, submittedBy: 'ME' },
    { isSubmitted: true, submittedAt: 'yesterday' },
    { isSubmitted: true, submittedAt: '2026-02-30T00:00:00Z' },
    { isSubmitted: true, submittedAt: '2026-12-31T23:59:60Z' },
    { isSubmitted: true, submittedAt: '0000-01-01T00:00:00Z' },
    { isSubmitted: true, submittedAt: '9999-12-31T23:59:59-12:00' },
    { isSubmitted: true, listingUrl: 'javascript:alert(1)' },
    { isSubmitted: true, listingUrl: 'http://10.0.0.1/' },
    { isSubmitted: true, proofUrl: 'https://user:pass@example.com' },
  ])('%j is a 400', async (body) => {
    const { id } = await work()
    await refused(record(id, 'peak', body))
  })
})
