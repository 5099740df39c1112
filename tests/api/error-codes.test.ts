// Every error of REST and of the operator API has a stable code beside its sentence and, where fields are wrong, which and why.
import { beforeAll, describe, expect, test } from 'vitest'
import { ERROR_CODES, unavailable } from '../../src/kernel/errors.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { STUB_KEY, startStub } from '../harness/stub.ts'
import { newTool, SUBMISSION_CATALOG, submit } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

const service = useService()
let catalogKey: string
let partner: { id: string; key: string }
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  catalogKey = (await service.newKey()).key
  partner = await service.newPartner()
})

describe('the code of an error', () => {
  test.each([
    ['an unknown listing', () => service.rest('/tools/none'), 404, 'not_found'],
    ['an unknown address', () => service.rest('/none'), 404, 'not_found'],
    ['a missing key', () => service.rest('/tools', { key: null }), 401, 'unauthorized'],
    ['a catalog key for partners’ calls', () => submit(service, catalogKey, newTool()), 403, 'forbidden'],
    ['a wrong method', () => service.rest('/tools', { method: 'DELETE' }), 405, 'method_not_allowed'],
    ['a wrong filter', () => service.rest('/tools?pricing=x'), 400, 'invalid_input'],
    ['a body that is no JSON', () => submit(service, partner.key, '{'), 400, 'invalid_input'],
    ['another media type', () => submit(service, partner.key, 'x', { type: 'text/plain' }), 415, 'unsupported_type'],
    ['a body that is too large', () => submit(service, partner.key, 'x'.repeat(300_000)), 413, 'too_large'],
    ['a missing operator token', () => service.fetch('/api/admin/keys'), 401, 'unauthorized'],
    ['a key for the operator’s calls', () => service.fetch('/api/admin/keys', { key: catalogKey }), 403, 'forbidden'],
    ['an unknown key of the operator API', () => service.admin('GET', '/keys/none'), 404, 'not_found'],
    [
      'an outdated version',
      () => service.admin('PUT', '/tags/api?ifVersion=99', { name: 'API' }),
      409,
      'version_conflict',
    ],
  ])('of %s', async (_case, call, status, code) => {
    const reply = await call()
    expect([reply.status, reply.body.success, reply.body.code]).toEqual([status, false, code])
    expect(reply.body.error).toMatch(/\.$/)
    expect(ERROR_CODES).toHaveProperty(code, status)
  })

  test.each([
    ['a fault of the service', new Error('secret'), 500, 'internal'],
    ['a database that does not answer', unavailable(), 503, 'unavailable'],
  ])('of %s', async (_case, error, status, code) => {
    const stub = await startStub({ error })
    const reply = await fetch(`${stub.origin}/api/v1/breaks`, { headers: { 'x-api-key': STUB_KEY } })
    expect([reply.status, await reply.json()]).toEqual([status, { success: false, error: expect.any(String), code }])
    await stub.close()
  })

  test('of a withdrawal that comes too late, and of a call past the limit', async () => {
    const own = await startStub({ budget: { calls: 1, seconds: 60 } })
    const call = () => fetch(`${own.origin}/api/v1/works`, { headers: { 'x-api-key': STUB_KEY } })
    await call()
    const refused = await call()
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([429, 'rate_limited'])
    await own.close()
    const { slug, id } = (await submit(service, partner.key, newTool({ paymentType: 'starter' }))).body.data
    await service.admin('POST', `/submissions/${id}/done`, {})
    const late = await service.rest(`/ai-tools?slug=${slug}`, { method: 'DELETE', key: partner.key })
    expect([late.status, late.body.code]).toEqual([409, 'conflict'])
  })

  test('of an Idempotency-Key that was used with another body', async () => {
    const more = { headers: { 'Idempotency-Key': 'order-1' } }
    expect((await submit(service, partner.key, newTool(), more)).status).toBe(201)
    const reply = await submit(service, partner.key, newTool(), more)
    expect([reply.status, reply.body.code]).toEqual([400, 'idempotency_key_reused'])
  })
})

describe('the fields of an error', () => {
  test('are the parameters that are wrong', async () => {
    const { body } = await service.rest('/tools?pricing=x&featured=maybe')
    expect(body).toEqual({
      success: false,
      error: 'pricing must be one of FREE, FREEMIUM, PAID. featured must be true, false, 1 or 0.',
      code: 'invalid_input',
      fields: [
        { field: 'pricing', problem: 'must be one of FREE, FREEMIUM, PAID.' },
        { field: 'featured', problem: 'must be true, false, 1 or 0.' },
      ],
    })
  })

  test('are paths in the body', async () => {
    const faq = [
      { question: 'Why?', answer: 'So.' },
      { question: 'How?', answer: ' ' },
    ]
    const { body } = await submit(service, partner.key, newTool({ name: undefined, faq, features: { ' ': 'x' } }))
    expect(body.fields).toEqual([
      { field: 'name', problem: 'is required.' },
      { field: 'features', problem: 'A name in it must not be blank.' },
      { field: 'faq.1.answer', problem: 'must not be blank.' },
    ])
    for (const { field } of body.fields) expect(body.error).toContain(field)
  })

  test('are named by the operator API too, also for values that no schema can check', async () => {
    const wrong = { name: '', webhookUrl: 'http://10.0.0.1/' }
    const { body } = await service.admin('POST', '/partners', wrong)
    expect(body.fields.map(({ field }: { field: string }) => field)).toEqual(['name', 'webhookUrl'])
  })

  const table = (map: object | string) =>
    service.fetch(
      `/api/admin/import/table?map=${encodeURIComponent(typeof map === 'string' ? map : JSON.stringify(map))}`,
      {
        method: 'POST',
        key: ADMIN_TOKEN,
        body: 'Name,Title\nA,B\n',
        type: 'text/csv',
      },
    )
  const own = (method: string, query: string, body?: object) =>
    service.rest(`/ai-tools${query}`, { method, key: partner.key, body })
  const ask = (body: Record<string, unknown>) =>
    service.rest('/support/ask', { method: 'POST', key: supported.key, body })
  const submission = async (more: Record<string, unknown> = {}): Promise<string> =>
    (await submit(service, partner.key, newTool(more))).body.data.id
  let supported: { id: string; key: string }
  beforeAll(async () => {
    supported = await service.newPartner({ support: 'human' })
  })

  test.each<[string, () => Promise<any>, string[]]>([
    [
      'none of id, slug, website',
      () => service.rest('/ai-tools/status', { key: partner.key }),
      ['id', 'slug', 'website'],
    ],
    ['several of them', () => own('PATCH', '?id=1&slug=a', { tagline: 'x' }), ['id', 'slug', 'website']],
    ['several of them to withdraw', () => own('DELETE', '?id=1&slug=a'), ['id', 'slug', 'website']],
    ['a sort of the other kind', () => service.admin('GET', '/search?kind=tool&q=x&sort=price'), ['sort']],
    ['a filter of the other kind', () => service.admin('GET', '/search?kind=tool&q=x&maxPrice=1'), ['maxPrice']],
    ['a listing that is not explained', () => service.admin('GET', '/search?kind=tool&q=x&listing=a'), ['listing']],
    ['a map that is no object', () => table('x'), ['map']],
    ['a map of a column that is not there', () => table({ Other: 'name' }), ['map']],
    ['a map to a field that is not there', () => table({ Name: 'other' }), ['map']],
    ['a map of two columns to one field', () => table({ Name: 'name', Title: 'name' }), ['map']],
    ['a map without a name', () => table({ Name: null, Title: null }), ['map']],
    [
      'partners of a user that differ',
      () => service.admin('PATCH', '/users/none', { partner: partner.id, partnerId: null }),
      ['partner', 'partnerId'],
    ],
    [
      'a change of health without a change',
      () => service.admin('PATCH', '/tools/none/health', {}),
      ['decision', 'successor'],
    ],
    [
      'a change of many without a change',
      async () => service.admin('POST', '/submissions/bulk', { submissions: [{ id: await submission() }] }),
      ['state', 'assignee', 'paymentType'],
    ],
    [
      'a state before the package is set',
      async () => service.admin('PATCH', `/submissions/${await submission()}`, { state: 'REVIEW' }),
      ['state'],
    ],
    [
      'a state that needs an assignee',
      async () =>
        service.admin('PATCH', `/submissions/${await submission({ paymentType: 'pro' })}`, { state: 'ASSIGNED' }),
      ['assignee'],
    ],
    [
      'names of two conversations',
      async () => {
        const { body } = await ask({ question: 'One?', externalId: 'one' })
        await ask({ question: 'Two?', externalId: 'two' })
        return ask({ question: 'Which?', conversationId: body.data.id, externalId: 'two' })
      },
      ['conversationId', 'externalId'],
    ],
  ])('are those that do not fit each other: %s', async (_case, call, fields) => {
    const { status, body } = await call()
    expect([status, body.error, body.fields?.map(({ field }: any) => field)]).toEqual([400, expect.any(String), fields])
    for (const { problem } of body.fields) expect(problem).toBe(body.error)
  })

  test('are absent where no field is wrong', async () => {
    expect((await service.rest('/tools/none')).body).not.toHaveProperty('fields')
    expect((await service.fetch('/api/admin/tools/none', { key: ADMIN_TOKEN })).body).not.toHaveProperty('fields')
  })
})
