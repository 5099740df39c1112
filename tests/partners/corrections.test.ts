// Partners correct and withdraw what they have submitted.
import { beforeAll, describe, expect, test } from 'vitest'
import { newSandboxPartner } from '../harness/sandbox.ts'
import { newTool, SUBMISSION_CATALOG, statusOf, submit, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'
import { createWorkflow } from '../harness/workflow.ts'

const service = useService({ SANDBOX_STEP_SECONDS: '600' })
let partner: { id: string; key: string }
let other: { id: string; key: string }
const workflow = createWorkflow(
  () => service,
  () => partner,
)
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  partner = await service.newPartner({ name: 'Launch' })
  other = await service.newPartner({ name: 'Other' })
})

const correct = (slug: string, body: unknown, key = partner.key, headers: Record<string, string> = {}) =>
  service.rest(`/ai-tools?slug=${slug}`, { method: 'PATCH', key, body, headers })
const withdraw = (query: string, key = partner.key) => service.rest(`/ai-tools?${query}`, { method: 'DELETE', key })
const listing = async (slug: string) => (await service.admin('GET', `/tools/${slug}`)).body.data
const proposals = async (slug: string, state = 'waiting') =>
  (await service.admin('GET', `/proposals?tool=${slug}&state=${state}`)).body.data
const decide = (id: string, decision: string, reason?: string) =>
  service.admin('POST', `/proposals/${id}`, { decision, reason })

/** An administrator writes the listing anew with these changes. */
async function edit(slug: string, changes: object) {
  const { id: _, version: _v, updatedAt: _u, websiteKey: _w, flaggedFields: _f, ...stored } = await listing(slug)
  const reply = await service.admin('PUT', `/tools/${slug}`, { ...stored, ...changes })
  expect(reply.status, reply.text).toBe(200)
}

describe('PATCH /ai-tools', () => {
  test('changes at once what only this client has written', async () => {
    const { slug } = await submitted(service, partner.key)
    const reply = await correct(slug, {
      ...{ tagline: ' A better line ', pricing: 'paid', category: 'Image & Design', tags: ['api', 'Brand new'] },
      ...{ faq: [{ question: 'Why?', answer: 'So.' }], features: { Fast: 'Very' }, foundingDate: '2024' },
    })
    expect([reply.status, reply.body.data.proposed]).toEqual([200, []])
    expect(reply.body.data.applied.sort()).toEqual(
      ['category', 'faq', 'features', 'foundingDate', 'pricing', 'tagline', 'tags'].sort(),
    )
    const shown = (await service.rest(`/tools/${slug}`)).body.data
    expect(shown).toMatchObject({
      ...{ tagline: 'A better line', pricing: 'PAID', features: { Fast: 'Very' } },
      faqs: [{ question: 'Why?', answer: 'So.' }],
    })
    expect(shown.tags.map(({ name }: { name: string }) => name)).toEqual(['API', 'Brand new'])
    const { body } = await service.admin('GET', `/audit?subject=tool:${slug}`)
    expect(body.data[0]).toMatchObject({ action: 'tool.correct', actor: expect.stringContaining('key') })
  })

  test('proposes what an administrator has written, and an administrator accepts or refuses it', async () => {
    const { slug, name } = await submitted(service, partner.key)
    await edit(slug, { tagline: 'By the administrator', description: 'Also' })
    const reply = await correct(slug, { tagline: 'Mine', description: 'Mine too', name: 'New name' })
    expect(reply.body.data).toEqual({ applied: ['name'], proposed: ['tagline', 'description'] })
    expect(await listing(slug)).toMatchObject({ name: 'New name', tagline: 'By the administrator' })
    const waiting = await proposals(slug)
    expect(waiting.find(({ field }: { field: string }) => field === 'tagline')).toMatchObject({
      tool: { slug, name: 'New name' },
      author: { kind: 'partner', id: partner.id, name: 'Launch' },
      ...{ old: 'By the administrator', new: 'Mine', current: 'By the administrator', state: 'waiting' },
    })
    expect(name).not.toBe('New name')
    const [description, tagline] = ['description', 'tagline'].map((field) =>
      waiting.find((one: any) => one.field === field),
    )
    const accepted = await decide(tagline.id, 'accept')
    expect(accepted.body.data).toMatchObject({ state: 'accepted', decidedBy: 'operator' })
    expect((await decide(description.id, 'refuse', 'Too short')).body.data).toMatchObject({ reason: 'Too short' })
    expect(await listing(slug)).toMatchObject({ tagline: 'Mine', description: 'Also' })
    expect((await decide(tagline.id, 'accept')).status).toBe(200)
    expect((await decide(tagline.id, 'refuse')).body.code).toBe('conflict')
    const log = (await service.admin('GET', `/audit?subject=proposal:${tagline.id}`)).body.data
    expect(log.map(({ action }: { action: string }) => action)).toEqual(['proposal.accept'])
    expect((await correct(slug, { tagline: 'Again' })).body.data.proposed).toEqual(['tagline'])
  })

  test('a later proposal replaces the one that waits, and the value of now ends it', async () => {
    const { slug } = await submitted(service, partner.key)
    await edit(slug, { tagline: 'Theirs' })
    await correct(slug, { tagline: 'First' })
    await correct(slug, { tagline: 'Second' })
    expect((await proposals(slug)).map((one: any) => [one.new, one.version])).toEqual([['Second', 2]])
    expect((await correct(slug, { tagline: 'Theirs' })).body.data).toEqual({ applied: ['tagline'], proposed: [] })
    expect(await proposals(slug)).toEqual([])
  })

  test('of a listing that another client or an operator made, everything is a proposal', async () => {
    const { slug, website } = await submitted(service, partner.key)
    await submitted(service, other.key, { website })
    expect((await correct(slug, { tagline: 'x' }, other.key)).body.data).toEqual({ applied: [], proposed: ['tagline'] })
    await service.load([{ kind: 'tool', slug: 'made', name: 'Made', website: 'https://made.example.com' }])
    await submitted(service, partner.key, { website: 'https://made.example.com' })
    expect((await correct('made', { tagline: 'x' })).body.data).toEqual({ applied: [], proposed: ['tagline'] })
  })

  test('takes every field of a submission but these three', async () => {
    const { paths, components } = (await service.rest('/openapi.json')).body
    const fieldsOf = (path: string, method: string): string[] => {
      const { $ref, ...schema } = paths[path][method].requestBody.content['application/json'].schema
      return Object.keys(($ref ? components.schemas[$ref.split('/').at(-1)] : schema).properties)
    }
    expect(fieldsOf('/ai-tools', 'patch').sort()).toEqual(
      fieldsOf('/submit-ai-tool', 'post')
        .filter((field) => !['website', 'slug', 'paymentType'].includes(field))
        .sort(),
    )
  })

  test('takes neither website, slug nor package, and says what is wrong with other fields', async () => {
    const { slug, website } = await submitted(service, partner.key)
    const none = await correct(slug, { website: 'https://x.example.com', slug: 'x', paymentType: 'pro' })
    expect([none.status, none.body.code]).toEqual([400, 'invalid_input'])
    const wrong = await correct(slug, { pricing: 'cheap', category: 'none', website: 'https://x.example.com' })
    expect(wrong.body.fields.map(({ field }: { field: string }) => field)).toEqual(['pricing', 'category'])
    expect(await listing(slug)).toMatchObject({ website })
  })

  test('finds only the client’s own tools, by exactly one of id, slug and website', async () => {
    const { id, slug, website } = await submitted(service, partner.key)
    const by = (query: object) =>
      service.rest(`/ai-tools?${new URLSearchParams(query as Record<string, string>)}`, {
        ...{ method: 'PATCH', key: partner.key, body: { location: 'Lisbon' } },
      })
    for (const query of [{ id }, { slug }, { website }]) expect((await by(query)).status).toBe(200)
    for (const query of [{}, { id, slug }]) expect((await by(query)).status).toBe(400)
    expect((await correct(slug, { location: 'x' }, other.key)).status).toBe(404)
    expect((await correct('none', { location: 'x' })).status).toBe(404)
  })

  test('with an Idempotency-Key answers a repeated request without doing it again', async () => {
    const { slug } = await submitted(service, partner.key)
    const headers = { 'Idempotency-Key': `correct-${slug}` }
    const first = await correct(slug, { tagline: 'One' }, partner.key, headers)
    await correct(slug, { tagline: 'Two' })
    const again = await correct(slug, { tagline: 'One' }, partner.key, headers)
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
    expect(await listing(slug)).toMatchObject({ tagline: 'Two' })
    expect((await correct(slug, { tagline: 'Three' }, partner.key, headers)).body.code).toBe('idempotency_key_reused')
  })
})

describe('DELETE /ai-tools', () => {
  test('withdraws a submission that waits, hides the listing that it made, and says the same again', async () => {
    for (const more of [{}, { paymentType: 'starter' }]) {
      const { id, slug, website } = await submitted(service, partner.key, more)
      for (const query of [`slug=${slug}`, `id=${id}`, `website=${website}`]) {
        const reply = await withdraw(query)
        expect([reply.status, reply.body.data]).toEqual([200, { withdrawn: true }])
      }
      expect((await service.rest(`/tools/${slug}`)).status).toBe(404)
      expect(await listing(slug)).toMatchObject({ published: false, hiddenReason: 'withdrawn' })
      expect((await statusOf(service, partner.key, { id })).status).toBe(404)
      expect((await submit(service, partner.key, newTool({ website }))).body.data.created).toBe(true)
    }
  })

  test('leaves a listing that another client has submitted too, or made', async () => {
    const { slug, website } = await submitted(service, partner.key)
    await submitted(service, other.key, { website })
    expect((await withdraw(`slug=${slug}`)).status).toBe(200)
    expect((await service.rest(`/tools/${slug}`)).status).toBe(200)
    expect((await withdraw(`slug=${slug}`, other.key)).status).toBe(200)
    expect((await service.rest(`/tools/${slug}`)).status).toBe(200)
  })

  test('is a 409 when the work has begun or a directory is recorded', async () => {
    const recorded = await workflow.work()
    await workflow.record(recorded.id, 'peak', { isSubmitted: false })
    const works = [recorded]
    for (const state of ['ASSIGNED', 'IN_PROGRESS', 'REVIEW', 'DONE']) {
      const begun = await workflow.work()
      await workflow.change(begun.id, { state, assignee: 'op@example.com' })
      works.push(begun)
    }
    for (const { tool } of works) {
      const reply = await withdraw(`slug=${tool.slug}`)
      expect([reply.status, reply.body.code]).toEqual([409, 'conflict'])
      expect((await service.rest(`/tools/${tool.slug}`)).status).toBe(200)
    }
  })

  test('is charged as a read; a correction is charged like a submission', async () => {
    const { slug } = await submitted(service, partner.key)
    const charged = ({ headers }: { headers: Headers }) => headers.get('ratelimit')?.split(';')[0]
    expect(charged(await correct(slug, { tagline: 'x' }))).toBe('"submit"')
    expect(charged(await withdraw(`slug=${slug}`))).toBe('"rest"')
  })

  test('is a 404 for an unknown tool and for one of another client', async () => {
    const { slug } = await submitted(service, partner.key)
    expect((await withdraw(`slug=${slug}`, other.key)).status).toBe(404)
    expect((await withdraw('slug=none')).status).toBe(404)
    await withdraw(`slug=${slug}`)
    expect((await withdraw(`slug=${slug}`, other.key)).status).toBe(404)
  })
})

test('test keys correct and withdraw only what is in their sandbox', async () => {
  const own = await newSandboxPartner(service)
  const live = await submitted(service, own.key)
  const tested = await submitted(service, own.testKey, { paymentType: 'starter' })
  for (const [key, slug] of [
    [own.testKey, live.slug],
    [own.key, tested.slug],
  ] as const) {
    expect((await correct(slug, { name: 'x' }, key)).status).toBe(404)
    expect((await withdraw(`slug=${slug}`, key)).status).toBe(404)
  }
  const reply = await correct(tested.slug, { name: 'Renamed', tagline: 'x' }, own.testKey)
  expect(reply.body.data).toEqual({ applied: ['name', 'tagline'], proposed: [] })
  expect((await statusOf(service, own.testKey, { slug: tested.slug })).body.data.tool.name).toBe('Renamed')
  for (let i = 0; i < 2; i++)
    expect((await withdraw(`slug=${tested.slug}`, own.testKey)).body.data).toEqual({ withdrawn: true })
  expect((await statusOf(service, own.testKey, { slug: tested.slug })).status).toBe(404)
  expect((await service.rest(`/tools/${live.slug}`)).status).toBe(200)
})
