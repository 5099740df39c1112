// A partner's own submissions: the list of them, and a package that is chosen by sending the tool again.
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { expectFailure } from '../harness/shapes.ts'
import { newTool, queue, SUBMISSION_CATALOG, statusOf, submit, submitted } from '../harness/submissions.ts'
import { inParallel } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(SUBMISSION_CATALOG))

const list = (key: string | null, query = '') => service.rest(`/ai-tools${query}`, { key })
const names = async (key: string, query = '') =>
  (await list(key, query)).body.data.map(({ name }: { name: string }) => name)

describe('GET /ai-tools', () => {
  test('lists the own submissions newest first, each as in the answer to submit without created', async () => {
    const { key } = await service.newPartner()
    expect((await list(key)).body).toEqual({ success: true, data: [] })
    const made = [
      await submitted(service, key, { name: 'First', tags: ['api', 'open-source'], paymentType: 'pro' }),
      await submitted(service, key, { name: 'Second', category: 'image-making', tags: [] }),
    ]
    const reply = await list(key)
    const expected = made.map(({ created: _, ...shown }) => shown).reverse()
    expect([reply.status, reply.body]).toEqual([200, { success: true, data: expected }])
    expect(reply.headers.get('x-ratelimit-limit')).toBe('60000')
  })

  test('is limited to a state, WAITING being those without a package; another state is a 400', async () => {
    const { id, key } = await service.newPartner()
    for (const [name, paymentType] of [['Queued', 'starter'], ['Waiting'], ['Worked', 'pro']])
      await submitted(service, key, { name, paymentType })
    const worked = (await queue(service, { client: id })).find(({ tool }) => tool.name === 'Worked')
    await service.admin('PATCH', `/submissions/${worked.id}`, { state: 'REVIEW' })
    expect(await names(key, '?state=WAITING')).toEqual(['Waiting'])
    expect(await names(key, '?state=IN_QUEUE')).toEqual(['Queued'])
    expect(await names(key, '?state=review')).toEqual(['Worked'])
    expect(await names(key, '?state=DONE')).toEqual([])
    const wrong = await list(key, '?state=ALL')
    expect([wrong.status, expectFailure(wrong.body)]).toEqual([
      400,
      expect.stringContaining('IN_QUEUE, ASSIGNED, IN_PROGRESS, REVIEW, DONE, WAITING'),
    ])
  })

  test('has pages of 20, at most 100, that never overlap', async () => {
    const { key } = await service.newPartner()
    for (let i = 0; i < 23; i++) await submitted(service, key, { name: `Tool ${i}` })
    const all = Array.from({ length: 23 }, (_, i) => `Tool ${22 - i}`)
    expect(await names(key)).toEqual(all.slice(0, 20))
    expect(await names(key, '?page=2')).toEqual(all.slice(20))
    expect(await names(key, '?limit=1000')).toEqual(all)
    expect(await names(key, '?limit=5&page=3')).toEqual(all.slice(10, 15))
    expect(await names(key, '?page=1e30')).toEqual([])
  })

  test('shows nothing of another partner, also of a tool that both submitted, and needs a partner key', async () => {
    const [one, two] = [await service.newPartner(), await service.newPartner()]
    const website = 'https://of-both.example.com'
    await submitted(service, one.key, { name: 'Of both', website, paymentType: 'premium' })
    await submitted(service, one.key, { name: 'Only of one' })
    await submitted(service, two.key, { website })
    expect((await list(two.key)).body.data).toMatchObject([
      { name: 'Of both', paymentStatus: 'WAITING', submissionState: null },
    ])
    for (const query of [`?client=${one.id}`, `?clientId=${one.id}`, `?partner_id=${one.id}`])
      expect(await names(two.key, query)).toEqual(['Of both'])
    expect((await list(null)).status).toBe(401)
    expect((await list((await service.newKey()).key)).status).toBe(403)
  })
})

describe('a tool that is sent again with a package', () => {
  test('gets it where none was chosen before, and the work begins', async () => {
    const { id, key } = await service.newPartner()
    const body = newTool({ name: 'Later' })
    const first = (await submit(service, key, body)).body.data
    expect(first).toMatchObject({ paymentStatus: 'WAITING', submissionState: null })
    let again = await submit(service, key, body)
    expect(again.body.data).toEqual({ ...first, created: false })
    const rows = await audited(service, async () => {
      again = await submit(service, key, { ...body, name: 'Renamed', tags: ['open-source'], paymentType: 'pro' })
    })
    const started = {
      ...{ ...first, created: false, submissionState: 'IN_QUEUE' },
      ...{ paymentStatus: 'PRO', paymentLabel: 'Pro (60+ directories)', targetDirectoriesCount: 60 },
    }
    expect([again.status, again.body.data]).toEqual([200, started])
    expect(rows).toMatchObject([{ action: 'submission.change', details: { paymentType: 'pro' } }])
    const [item] = await queue(service, { client: id })
    expect(item).toMatchObject({ state: 'IN_QUEUE', paymentType: 'pro', version: 2, tool: { name: 'Later' } })
    expect((await statusOf(service, key, { id: first.id })).body.data.submissionState).toBe('IN_QUEUE')
  })

  test('keeps the package that it has, whoever set it', async () => {
    const { id, key } = await service.newPartner()
    const body = newTool()
    const { id: toolId } = (await submit(service, key, body)).body.data
    await service.admin('PATCH', `/submissions/${toolId}`, { paymentType: 'starter', state: 'IN_PROGRESS' })
    for (const paymentType of ['premium', 'pro']) {
      const { data } = (await submit(service, key, { ...body, paymentType })).body
      expect(data).toMatchObject({ paymentStatus: 'STARTER', submissionState: 'IN_PROGRESS', created: false })
    }
    expect(await queue(service, { client: id })).toMatchObject([{ paymentType: 'starter', state: 'IN_PROGRESS' }])
  })

  test('gets one package when several are sent at the same time', async () => {
    const { id, key } = await service.newPartner()
    const body = newTool()
    await submit(service, key, body)
    const packages = ['starter', 'pro', 'premium']
    const replies = await inParallel(9, (i) => submit(service, key, { ...body, paymentType: packages[i % 3] }))
    const [{ paymentType, version }] = await queue(service, { client: id })
    expect(version).toBe(2)
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.data.paymentStatus}`))).toEqual(
      new Set([`200 ${paymentType.toUpperCase()}`]),
    )
  })

  test('of one partner does not set the package of another', async () => {
    const [one, two] = [await service.newPartner(), await service.newPartner()]
    const body = newTool()
    await submit(service, one.key, body)
    await submit(service, two.key, body)
    await submit(service, two.key, { ...body, paymentType: 'pro' })
    expect((await list(one.key)).body.data).toMatchObject([{ paymentStatus: 'WAITING', submissionState: null }])
  })

  test('with an Idempotency-Key of an earlier request gets the answer of then, marked as replayed', async () => {
    const { key } = await service.newPartner()
    const body = newTool()
    const keyed = (more: object) =>
      submit(service, key, { ...body, ...more }, { headers: { 'idempotency-key': 'order-1' } })
    const first = await keyed({})
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect((await submit(service, key, { ...body, paymentType: 'pro' })).body.data.paymentStatus).toBe('PRO')
    const again = await keyed({})
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([201, first.text, 'true'])
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    const other = await keyed({ paymentType: 'pro' })
    expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([400, null])
  })
})
