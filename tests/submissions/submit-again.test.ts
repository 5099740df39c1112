// POST /submit-ai-tool again: the same website, other partners, Idempotency-Key.
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFailure } from '../harness/shapes.ts'
import { newTool, queue, SUBMISSION_CATALOG, spellings, statusOf, submit, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  key = (await service.newPartner()).key
})

const send = (more: Record<string, unknown> = {}, as = key) => submit(service, as, newTool(more))
const listing = async (slug: string) => {
  await service.settled()
  return (await service.rest(`/tools/${slug}`)).body.data
}

describe('200: the same website again', () => {
  test('changes nothing and returns the first submission with created: false', async () => {
    const website = 'https://again.example.com/app'
    const first = await submitted(service, key, { website, name: 'First', paymentType: 'starter' })
    const before = await listing(first.slug)
    const audit = (await service.admin('GET', '/audit')).text
    for (const spelling of spellings(website)) {
      const reply = await send({ website: spelling, name: 'Second', tags: ['brand-new'], paymentType: 'premium' })
      expect([reply.status, reply.body]).toEqual([200, { success: true, data: { ...first, created: false } }])
    }
    expect(await listing(first.slug)).toEqual(before)
    expect((await service.rest('/tags?q=brand')).body.data).toEqual([])
    expect((await service.admin('GET', '/audit')).text).toBe(audit)
  })

  test('also when an administrator has given the listing another website', async () => {
    const [website, other] = ['https://moves.example.com', 'https://moved.example.com']
    const first = await submitted(service, key, { website, name: 'Moves' })
    await service.admin('PUT', `/tools/${first.slug}`, { name: 'Moves', website: other })
    for (const either of [website, other]) {
      expect((await statusOf(service, key, { website: either })).body.data.tool.id).toBe(first.id)
      const again = await send({ website: either, name: 'Again' })
      expect([again.status, again.body.data.id, again.body.data.created]).toEqual([200, first.id, false])
    }
  })

  test('another path, port or host is another website', async () => {
    const made = []
    for (const website of [
      'https://differs.example.com',
      'https://differs.example.com/a',
      'https://differs.example.com/A',
      'https://differs.example.com:8443',
      'https://app.differs.example.com',
    ])
      made.push((await submitted(service, key, { website })).id)
    expect(new Set(made).size).toBe(5)
  })
})

describe('201: two partners', () => {
  test('share the listing; each has its own submission, and neither sees the other’s', async () => {
    const [a, b] = [await service.newPartner(), await service.newPartner()]
    const website = 'https://shared.example.com'
    const first = await submitted(service, a.key, { website, name: 'Shared', paymentType: 'premium' })
    const second = (await send({ website: 'http://www.shared.example.com/', name: 'Other Name' }, b.key)).body.data
    expect(second).toMatchObject({ id: first.id, slug: 'shared', name: 'Shared', created: true })
    expect([first.paymentStatus, second.paymentStatus]).toEqual(['PREMIUM', 'WAITING'])
    const of = async (partner: { key: string }) => (await statusOf(service, partner.key, { website })).body.data
    expect(await of(a)).toMatchObject({ tool: { paymentStatus: 'PREMIUM' }, submissionState: 'IN_QUEUE' })
    expect(await of(b)).toMatchObject({ tool: { paymentStatus: 'WAITING' }, submissionState: null })
    expect(await queue(service, { client: a.id })).toHaveLength(1)
    expect(await queue(service, { client: b.id })).toHaveLength(1)
  })

  test('share a listing that an administrator made', async () => {
    await service.admin('PUT', '/tools/house-tool', { name: 'House Tool', website: 'https://house.example.com/' })
    const data = await submitted(service, key, { website: 'http://www.house.example.com' })
    expect(data).toMatchObject({ slug: 'house-tool', name: 'House Tool', category: null, created: true })
  })
})

describe('Idempotency-Key', () => {
  const keyed = (idempotencyKey: string, body: unknown, as = key) =>
    submit(service, as, body, { headers: { 'idempotency-key': idempotencyKey } })

  test('the same key and body give the same answer, with the same status', async () => {
    const body = newTool({ paymentType: 'starter' })
    const first = await keyed('retry-1', body)
    expect(first.status).toBe(201)
    const [{ id }] = (await queue(service)).filter((item) => item.toolId === first.body.data.id) as [{ id: string }]
    await service.admin('PATCH', `/submissions/${id}`, { state: 'REVIEW' })
    const again = await keyed('retry-1', body)
    expect([again.status, again.text]).toEqual([201, first.text])
    // Without the key the second call is a 200.
    expect((await submit(service, key, body)).status).toBe(200)
  })

  test('the same key and another body give a 400, and the first answer stays', async () => {
    const body = newTool()
    const first = await keyed('retry-2', body)
    const other = await keyed('retry-2', { ...body, tagline: 'Another' })
    expect(other.status).toBe(400)
    expect(expectFailure(other.body)).toContain('Idempotency-Key')
    expect((await keyed('retry-2', body)).text).toBe(first.text)
  })

  test('belongs to one partner', async () => {
    const other = (await service.newPartner()).key
    const mine = await keyed('retry-3', newTool())
    const theirs = await keyed('retry-3', newTool(), other)
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect(theirs.body.data.id).not.toBe(mine.body.data.id)
  })

  test('a refused request does not use up the key', async () => {
    const body = newTool()
    expect((await keyed('retry-4', { ...body, name: '' })).status).toBe(400)
    expect((await keyed('retry-4', body)).status).toBe(201)
  })

  test('ten requests at once give one submission and ten equal answers', async () => {
    const partner = await service.newPartner()
    const body = newTool()
    const replies = await Promise.all(Array.from({ length: 10 }, () => keyed('retry-5', body, partner.key)))
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(replies[0]!.status).toBe(201)
    expect(await queue(service, { client: partner.id })).toHaveLength(1)
  })

  test('is kept for 24 hours; afterwards the same key counts as new', async () => {
    const body = newTool()
    await keyed('retry-6', body)
    const age = (hours: string) =>
      service.sql(`update idempotent_answers set created_at = now() - interval '${hours} hours' where key = 'retry-6'`)
    await age('23.9')
    expect((await keyed('retry-6', body)).status).toBe(201)
    expect((await keyed('retry-6', newTool())).status).toBe(400)
    await age('24.1')
    const fresh = newTool()
    const reply = await keyed('retry-6', fresh)
    expect([reply.status, reply.body.data.name]).toEqual([201, fresh.name])
    expect((await keyed('retry-6', fresh)).text).toBe(reply.text)
  })

  test('a key of more than 255 characters is a 400', async () => {
    expect((await keyed('k'.repeat(255), newTool())).status).toBe(201)
    expect((await keyed('k'.repeat(256), newTool())).status).toBe(400)
  })
})
