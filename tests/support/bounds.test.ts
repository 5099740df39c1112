// The limits of a conversation: its length, what null removes, and numbers that JSON rounds.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { ask, asked, newSupportPartner, reply, type SupportPartner, thread } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let partner: SupportPartner
const service = useService()
beforeAll(async () => {
  partner = await newSupportPartner(service, 'human')
})

const countOf = async (id: string) =>
  (await service.sql(`select count(*)::int as n from support_messages where conversation_id = '${id}'`))[0].n

describe('a conversation has at most 5,000 messages', () => {
  test('the next question is a 400 that says what to do; nothing is stored, and an administrator may still reply', async () => {
    const { id } = await asked(service, partner.key, { question: 'The first', externalId: 'long' })
    await service.sql(`update support_conversations set message_count = 4999 where id = '${id}'`)
    expect((await ask(service, partner.key, { question: 'The last', conversationId: id })).status).toBe(200)
    for (const more of [{ conversationId: id }, { externalId: 'long' }]) {
      const refused = await ask(service, partner.key, { question: 'One too many', ...more })
      expect(refused.status).toBe(400)
      expect(refused.body.error).toMatch(/5,000 messages.*another externalId/)
    }
    expect(await countOf(id)).toBe(2)
    expect((await reply(service, id, 'An answer to the last')).status).toBe(200)
    expect((await ask(service, partner.key, { question: 'Anew', externalId: 'long-2' })).status).toBe(200)
  })
})

describe('null removes a name', () => {
  test('of the metadata and of the customer; other names stay', async () => {
    const { id } = await asked(service, partner.key, {
      question: 'One',
      metadata: { plan: 'pro', seats: 3, nested: { kept: null } },
      customer: { name: 'Ida', email: 'ida@example.com' },
    })
    await asked(service, partner.key, { question: 'Two', conversationId: id, metadata: { plan: null, added: true } })
    expect((await thread(service, id)).metadata).toEqual({ seats: 3, nested: { kept: null }, added: true })
    await asked(service, partner.key, { question: 'Three', conversationId: id, metadata: { never: null } })
    expect((await thread(service, id)).metadata).toEqual({ seats: 3, nested: { kept: null }, added: true })
    expect((await thread(service, id)).customer).toEqual({ name: 'Ida', email: 'ida@example.com' })
  })

  test('and makes room when the metadata is full', async () => {
    const { id } = await asked(service, partner.key, { question: 'One', metadata: { big: 'a'.repeat(16_000) } })
    const more = { question: 'Two', conversationId: id, metadata: { other: 'b'.repeat(1_000) } }
    expect((await ask(service, partner.key, more)).status).toBe(400)
    const emptied = { ...more, metadata: { ...more.metadata, big: null } }
    expect((await ask(service, partner.key, emptied)).status).toBe(200)
    expect((await thread(service, id)).metadata).toEqual(more.metadata)
  })
})

describe('numbers as identifiers', () => {
  const sent = (body: string) => ask(service, partner.key, body)

  test('up to 2^53 are stored as their digits', async () => {
    const { body } = await sent(
      '{"question":"How?","customer":{"id":9007199254740991},"metadata":{"peerPushMessageId":9007199254740991}}',
    )
    expect((await thread(service, body.data.id)).customer).toEqual({ id: '9007199254740991' })
    const again = await sent('{"question":"How?","metadata":{"peerPushMessageId":"9007199254740991"}}')
    expect(again.body.data.id).toBe(body.data.id)
  })

  test.each(['9007199254740992', '9007199254740993', '-9007199254740993', '1e300', '1.5'])(
    'larger ones would be rounded onto another identifier: %s is a 400, and nothing is stored',
    async (number) => {
      const before = (await service.sql('select count(*)::int as n from support_messages'))[0].n
      const customer = await sent(`{"question":"How?","customer":{"id":${number}}}`)
      expect([customer.status, customer.body.error]).toEqual([400, expect.stringContaining('customer.id')])
      const message = await sent(`{"question":"How?","metadata":{"peerPushMessageId":${number}}}`)
      expect([message.status, message.body.error]).toEqual([400, expect.stringContaining('peerPushMessageId')])
      expect((await service.sql('select count(*)::int as n from support_messages'))[0].n).toBe(before)
    },
  )
})
