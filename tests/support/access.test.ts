// Who may use support: partner keys with support enabled.
import { describe, expect, test } from 'vitest'
import { expectFailure } from '../harness/shapes.ts'
import { ask, asked, inbox, list, newSupportPartner, read, reply, thread } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

const service = useService()

/** Sends a request to each of the three endpoints. */
const everywhere = (key: string | null, headers: Record<string, string> = {}, id = 'x') => [
  ask(service, key, { question: 'May I?' }, { headers }),
  service.rest('/support/conversations', { key, headers }),
  service.rest(`/support/conversations/${id}`, { key, headers }),
]
const statuses = async (calls: Promise<{ status: number }>[]) => (await Promise.all(calls)).map(({ status }) => status)
const turn = (id: string, support: string) => service.admin('PATCH', `/partners/${id}`, { support })

describe('401', () => {
  test.each([
    ['no key', {}],
    ['an unknown key', { authorization: 'Bearer aid_p_unknown' }],
    ['two keys that differ', { authorization: 'Bearer aid_p_a', 'x-api-key': 'aid_p_b' }],
    ['another scheme', { authorization: 'Basic aid_p_a' }],
  ] as [string, Record<string, string>][])('%s', async (_, headers) => {
    for (const answer of await Promise.all(everywhere(null, headers))) {
      expect(answer.status).toBe(401)
      expectFailure(answer.body)
    }
  })

  test('the key of a banned partner, at once', async () => {
    const { id, key } = await newSupportPartner(service)
    await asked(service, key, 'Before')
    await service.admin('PATCH', `/partners/${id}`, { banned: true })
    expect(await statuses(everywhere(key))).toEqual([401, 401, 401])
  })
})

describe('403', () => {
  test.each(['authorization', 'x-api-key'])('a catalog key, sent as %s', async (header) => {
    for (const plan of ['standard', 'premium'] as const) {
      const { key } = await service.newKey(plan)
      const headers = { [header]: header === 'authorization' ? `Bearer ${key}` : key }
      for (const answer of await Promise.all(everywhere(null, headers))) {
        expect(answer.status).toBe(403)
        expect(expectFailure(answer.body)).toContain('partner')
      }
    }
  })

  test('a partner with support off, which is the default', async () => {
    for (const options of [{}, { support: 'off' }]) {
      const { id, key } = await service.newPartner(options)
      for (const answer of await Promise.all(everywhere(key))) {
        expect(answer.status).toBe(403)
        expect(expectFailure(answer.body)).toMatch(/support is not enabled/i)
      }
      expect(await inbox(service, { client: id })).toEqual([])
    }
  })

  test('comes before 400 and 404', async () => {
    const { key } = await newSupportPartner(service, 'off')
    expect((await ask(service, key, {})).status).toBe(403)
    expect((await ask(service, key, '{')).status).toBe(403)
    expect((await ask(service, key, { question: 'q', conversationId: 'unknown' })).status).toBe(403)
    expect((await list(service, key, { status: 'nonsense' })).status).toBe(403)
  })

  test('the operator token is no partner key', async () => {
    expect(await statuses(everywhere('test-operator-token'))).toEqual([401, 401, 401])
  })

  test('partner and catalog keys cannot use the operator’s endpoints', async () => {
    const keys = [(await newSupportPartner(service)).key, (await service.newKey()).key]
    for (const key of keys)
      for (const [method, path] of [
        ['GET', '/support/conversations'],
        ['GET', '/support/conversations/x'],
        ['POST', '/support/conversations/x/reply'],
        ['POST', '/support/conversations/x/article'],
        ['PUT', '/knowledge'],
        ['GET', '/knowledge/search?q=x'],
      ])
        expect(
          (await service.fetch(`/api/admin${path}`, { method, key, body: method === 'GET' ? undefined : {} })).status,
        ).toBe(403)
  })
})

describe('switching at runtime', () => {
  test('off applies to the next request; on again works and finds the earlier conversations', async () => {
    const { id: partnerId, key } = await newSupportPartner(service)
    const { id } = await asked(service, key, { question: 'Before', externalId: 'switched' })
    for (const mode of ['hybrid', 'human']) {
      await turn(partnerId, 'off')
      expect(await statuses(everywhere(key, {}, id))).toEqual([403, 403, 403])
      await turn(partnerId, mode)
      expect((await read(service, key, id)).body.data).toMatchObject({ id, externalId: 'switched', status: 'pending' })
    }
    expect((await thread(service, id)).messageCount).toBe(1)
  })

  test('a reply that was written while support was off is shown when it is on again', async () => {
    const { id: partnerId, key } = await newSupportPartner(service)
    const { id } = await asked(service, key, 'Waiting')
    await turn(partnerId, 'off')
    expect((await reply(service, id, 'Meanwhile.')).status).toBe(200)
    await turn(partnerId, 'hybrid')
    expect((await read(service, key, id)).body.data).toMatchObject({ status: 'answered', reply: 'Meanwhile.' })
  })

  test('from hybrid to human-only the shape changes at once, also of existing conversations', async () => {
    const { id: partnerId, key } = await newSupportPartner(service)
    const { id } = await asked(service, key, 'Which shape?')
    await reply(service, id, 'This one.')
    await turn(partnerId, 'human')
    expect(Object.keys((await read(service, key, id)).body.data).sort()).toEqual([
      'externalId',
      'id',
      'message',
      'status',
    ])
    await turn(partnerId, 'hybrid')
    expect((await read(service, key, id)).body.data).toMatchObject({ reply: 'This one.', replySource: 'human' })
  })
})
