// POST /support/ask: what it stores and answers. Other files: access, answers, inbox, knowledge, limits, list, metadata, parallel.
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFailure } from '../harness/shapes.ts'
import {
  ask,
  asked,
  dataOf,
  HUMAN_FIELDS,
  HYBRID_FIELDS,
  inbox,
  keysOf,
  NOT_FOUND,
  newSupportPartner,
  read,
  reply,
  type SupportPartner,
  thread,
} from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let hybrid: SupportPartner
let human: SupportPartner
let other: SupportPartner
const service = useService()
beforeAll(async () => {
  hybrid = await newSupportPartner(service)
  human = await newSupportPartner(service, 'human')
  other = await newSupportPartner(service)
})

const get = async ({ key }: SupportPartner, id: string) => dataOf(await read(service, key, id))
const expect400 = async (body: unknown, ...fields: string[]) => {
  const count = (await inbox(service, { client: hybrid.id, limit: '1000' })).length
  const answer = await ask(service, hybrid.key, body)
  expect(answer.status, answer.text).toBe(400)
  const error = expectFailure(answer.body)
  for (const field of fields) expect(error).toContain(field)
  expect(await inbox(service, { client: hybrid.id, limit: '1000' })).toHaveLength(count)
  return error
}

describe('200', () => {
  test('hybrid: data has exactly id, status, externalId, reply, replySource and messages', async () => {
    const answer = await ask(service, hybrid.key, { question: 'How long?', externalId: 'shape-hybrid' })
    expect(answer.status).toBe(200)
    expect(keysOf(answer.body.data)).toEqual(HYBRID_FIELDS)
    expect(answer.body).toEqual({
      success: true,
      data: {
        id: expect.any(String),
        status: 'pending',
        externalId: 'shape-hybrid',
        reply: null,
        replySource: null,
        messages: [{ role: 'customer', content: 'How long?' }],
      },
    })
    expect(await get(hybrid, answer.body.data.id)).toEqual(answer.body.data)
  })

  test('human-only: a slim data with exactly id, externalId, status and message, which is null until an administrator replies', async () => {
    const answer = await ask(service, human.key, {
      question: 'How long?',
      externalId: 'shape-human',
      customer: { name: 'Ada' },
    })
    expect(answer.status).toBe(200)
    expect(keysOf(answer.body.data)).toEqual(HUMAN_FIELDS)
    expect(answer.body).toEqual({
      success: true,
      data: { id: expect.any(String), externalId: 'shape-human', status: 'pending', message: null },
    })
    const { id } = answer.body.data
    expect(await get(human, id)).toEqual(answer.body.data)
    await reply(service, id, 'Three days.')
    expect(await get(human, id)).toEqual({
      id,
      externalId: 'shape-human',
      status: 'answered',
      message: {
        id: expect.any(String),
        role: 'agent',
        source: 'human',
        content: 'Three days.',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    })
  })

  test.each(['authorization', 'x-api-key'])('the key may be sent as %s', async (header) => {
    const headers = { [header]: header === 'authorization' ? `Bearer ${hybrid.key}` : hybrid.key }
    expect((await ask(service, null, { question: 'By header' }, { headers })).status).toBe(200)
  })

  test('message is an alias of question, also when question is blank or null', async () => {
    const contentOf = async (body: Record<string, unknown>) =>
      (await asked(service, hybrid.key, body)).messages[0].content
    expect(await contentOf({ message: 'By alias' })).toBe('By alias')
    expect(await contentOf({ question: 'By both', message: 'By both' })).toBe('By both')
    expect(await contentOf({ question: '  ', message: 'By alias' })).toBe('By alias')
    expect(await contentOf({ question: null, message: 'By alias' })).toBe('By alias')
  })

  test('the question is trimmed and may then have 4000 code points; an emoji is one', async () => {
    const question = '🦉'.repeat(4000)
    const { id, messages } = await asked(service, hybrid.key, `  ${question}\n\t `)
    expect(messages[0].content).toBe(question)
    expect((await thread(service, id)).messages[0].content).toBe(question)
    expect((await ask(service, hybrid.key, { question: 'x'.repeat(4000) })).status).toBe(200)
  })

  test('any Unicode is returned as it was sent', async () => {
    const question = 'Grüße 世界 👩🏽‍🚀 \u202eabc\u202c \u2028 "quoted" \\ </script> \u{10ffff} \t\n ﷽ \u00ad\ufeff!'
    const { id } = await asked(service, hybrid.key, question)
    expect((await get(hybrid, id)).messages[0].content).toBe(question)
  })

  test('null and blank fields count as missing', async () => {
    for (const nothing of [null, '', '  \n']) {
      const body = { conversationId: nothing, externalId: nothing, customer: null, metadata: null, message: nothing }
      const { id, externalId } = await asked(service, hybrid.key, { question: 'Empty', ...body })
      expect(externalId).toBeNull()
      expect(await thread(service, id)).toMatchObject({ customer: null, metadata: null, messageCount: 1 })
    }
    const { id } = await asked(service, hybrid.key, {
      question: 'Empty',
      customer: { name: ' ', email: null, id: '' },
    })
    expect((await thread(service, id)).customer ?? {}).toEqual({})
  })

  test('unknown fields are ignored, also those that only the service may write', async () => {
    const more = { id: 'mine', status: 'answered', reply: 'mine', partnerId: other.id, source: 'human', nonsense: [1] }
    const data = await asked(service, hybrid.key, { question: 'Unknown fields', ...more })
    expect(data).toMatchObject({ status: 'pending', reply: null })
    expect(data.id).not.toBe('mine')
    expect((await thread(service, data.id)).clientId).toBe(hybrid.id)
  })
})

describe('200: the thread', () => {
  test('the same conversationId continues the conversation', async () => {
    const { id } = await asked(service, hybrid.key, 'First')
    const second = await asked(service, hybrid.key, { question: 'Second', conversationId: id })
    expect(second.id).toBe(id)
    expect(second.messages.map(({ content }: any) => content)).toEqual(['First', 'Second'])
  })

  test('the same externalId continues the conversation, for human-only partners too', async () => {
    for (const partner of [hybrid, human]) {
      const { id } = await asked(service, partner.key, { question: 'First', externalId: ' ticket-1 ' })
      const second = await asked(service, partner.key, { question: 'Second', externalId: 'ticket-1' })
      expect([second.id, second.externalId]).toEqual([id, 'ticket-1'])
      expect((await thread(service, id)).messages.map(({ content }: any) => content)).toEqual(['First', 'Second'])
    }
  })

  test('a question without either id starts a conversation', async () => {
    const { id } = await asked(service, hybrid.key, 'Alone')
    expect((await asked(service, hybrid.key, 'Alone')).id).not.toBe(id)
  })

  test('both ids may be given when they name one conversation', async () => {
    const { id } = await asked(service, hybrid.key, { question: 'First', externalId: 'both-same' })
    const body = { question: 'Second', conversationId: id, externalId: 'both-same' }
    expect((await asked(service, hybrid.key, body)).id).toBe(id)
  })

  test('a new externalId is linked to a conversation that has none', async () => {
    const { id } = await asked(service, hybrid.key, 'Unnamed')
    const named = await asked(service, hybrid.key, {
      question: 'Named',
      conversationId: id,
      externalId: 'linked-later',
    })
    expect([named.id, named.externalId]).toEqual([id, 'linked-later'])
    expect((await asked(service, hybrid.key, { question: 'By it', externalId: 'linked-later' })).id).toBe(id)
    expect((await get(hybrid, id)).externalId).toBe('linked-later')
  })

  test('the same externalId of two partners names two conversations', async () => {
    const mine = await asked(service, hybrid.key, { question: 'Mine', externalId: 'same-name' })
    const theirs = await asked(service, other.key, { question: 'Theirs', externalId: 'same-name' })
    expect(theirs.id).not.toBe(mine.id)
    expect(theirs.messages).toEqual([{ role: 'customer', content: 'Theirs' }])
  })

  test('externalId is compared exactly, up to 255 characters', async () => {
    const { id } = await asked(service, hybrid.key, { question: 'q', externalId: 'Case' })
    expect((await asked(service, hybrid.key, { question: 'q', externalId: 'case' })).id).not.toBe(id)
    const long = '🦉'.repeat(255)
    expect((await asked(service, hybrid.key, { question: 'q', externalId: long })).externalId).toBe(long)
  })

  test('pending → answered → pending again: the reply is null while a question waits', async () => {
    const { id } = await asked(service, hybrid.key, { question: 'First?', externalId: 'again' })
    await reply(service, id, 'First.')
    expect(await get(hybrid, id)).toEqual({
      id,
      status: 'answered',
      externalId: 'again',
      reply: 'First.',
      replySource: 'human',
      messages: [
        { role: 'customer', content: 'First?' },
        { role: 'assistant', content: 'First.', source: 'human' },
      ],
    })
    const second = await asked(service, hybrid.key, { question: 'Second?', externalId: 'again' })
    expect(second).toMatchObject({ id, status: 'pending', reply: null, replySource: null })
    expect(second.messages).toHaveLength(3)
    await reply(service, id, 'Second.')
    expect(await get(hybrid, id)).toMatchObject({ status: 'answered', reply: 'Second.', replySource: 'human' })
  })

  test('human-only: pending, answered, pending', async () => {
    const { id } = await asked(service, human.key, 'First?')
    await reply(service, id, 'First.')
    const second = await asked(service, human.key, { question: 'Second?', conversationId: id })
    expect(second).toEqual({ id, externalId: null, status: 'pending', message: null })
    await reply(service, id, 'Second.')
    expect((await get(human, id)).message.content).toBe('Second.')
  })

  test('a long thread shows its last 200 messages to the partner and all of them to the operator', async () => {
    const { id } = await asked(service, hybrid.key, 'Number 0')
    await service.sql(`insert into support_messages (id, conversation_id, partner_id, role, content, created_at)
      select 'long-' || n, '${id}', '${hybrid.id}', 'customer', 'Number ' || n, now() from generate_series(1, 210) n`)
    const { messages } = await get(hybrid, id)
    expect([messages.length, messages[0].content, messages.at(-1).content]).toEqual([200, 'Number 11', 'Number 210'])
    expect((await thread(service, id)).messages).toHaveLength(211)
  })
})

describe('200: customer and metadata', () => {
  test('are stored with the conversation and shown to the operator, not to the partner', async () => {
    const customer = { name: ' Ada ', email: 'ada@customer.example', id: 'c-17' }
    const metadata = { plan: 'pro', deep: { list: [1, null, 'x', { y: true }] }, ' spaced ': ' kept ' }
    const answer = await ask(service, hybrid.key, { question: 'Who am I?', customer, metadata })
    expect(answer.text).not.toMatch(/ada@customer|c-17|spaced/)
    const { id } = answer.body.data
    const conversation = await thread(service, id)
    expect(conversation.customer).toEqual({ name: 'Ada', email: 'ada@customer.example', id: 'c-17' })
    expect(conversation.metadata).toEqual(metadata)
    const [item] = await inbox(service, { client: hybrid.id, limit: '1' })
    expect(item).toMatchObject({ id, customer: conversation.customer, metadata })
    expect((await read(service, hybrid.key, id)).text).not.toMatch(/ada@customer|c-17|spaced/)
  })

  test('later values replace earlier ones of the same name; the rest stays', async () => {
    const first = { customer: { name: 'Ada', email: 'a@one.example' }, metadata: { plan: 'free', seats: 1 } }
    const { id } = await asked(service, hybrid.key, { question: 'q', ...first })
    const second = { customer: { email: 'a@two.example', id: 'c-1' }, metadata: { plan: 'pro', theme: { dark: true } } }
    await asked(service, hybrid.key, { question: 'q', conversationId: id, ...second })
    await asked(service, hybrid.key, { question: 'q', conversationId: id })
    expect(await thread(service, id)).toMatchObject({
      customer: { name: 'Ada', email: 'a@two.example', id: 'c-1' },
      metadata: { plan: 'pro', seats: 1, theme: { dark: true } },
    })
  })

  test('a customer’s id may be a number', async () => {
    const { id } = await asked(service, hybrid.key, { question: 'q', customer: { id: 4711 } })
    expect((await thread(service, id)).customer).toEqual({ id: '4711' })
  })

  test('only name, email and id of a customer are stored', async () => {
    const customer = { name: 'Ada', password: 'secret' }
    const { id } = await asked(service, hybrid.key, { question: 'q', customer })
    expect((await thread(service, id)).customer).toEqual({ name: 'Ada' })
  })
})

describe('400', () => {
  test.each([{}, { question: '' }, { question: ' \n\t\u00a0' }, { question: null }, { message: ' ' }, { text: 'q' }])(
    'the question is missing or blank: %j',
    async (body) => {
      await expect400(body, 'question')
    },
  )

  test.each([5, true, ['q'], { text: 'q' }])('the question is no text: %j', async (question) => {
    await expect400({ question }, 'question')
    await expect400({ message: question }, 'question')
  })

  test('the question has more than 4000 characters', async () => {
    await expect400({ question: 'x'.repeat(4001) }, 'question', '4000')
    await expect400({ message: '🦉'.repeat(4001) }, 'question', '4000')
  })

  test('every problem is named at once', async () => {
    const body = {
      question: 'x'.repeat(4001),
      conversationId: 5,
      externalId: 'x'.repeat(256),
      customer: { name: 7, email: 'x'.repeat(255), id: {} },
      metadata: { peerPushMessageId: [] },
    }
    await expect400(
      body,
      'question',
      'conversationId',
      'externalId',
      'customer.name',
      'customer.email',
      'customer.id',
      'metadata.peerPushMessageId',
    )
  })

  test.each(['text', 5, [1], [[]]])('customer is no object: %j', async (customer) => {
    await expect400({ question: 'q', customer }, 'customer')
  })

  test.each(['[]', '"text"', '5', 'null', '{', '', '{"question":"q"} x'])('the body is no object: %s', async (body) => {
    await expect400(body)
  })

  test('conversationId and externalId belong to different conversations', async () => {
    const a = await asked(service, hybrid.key, { question: 'A', externalId: 'different-a' })
    const b = await asked(service, hybrid.key, { question: 'B', externalId: 'different-b' })
    const unnamed = await asked(service, hybrid.key, 'Unnamed')
    for (const [conversationId, externalId] of [
      [a.id, 'different-b'],
      [a.id, 'different-new'],
      [unnamed.id, 'different-a'],
    ])
      await expect400({ question: 'Which?', conversationId, externalId }, 'conversationId', 'externalId')
    // An externalId that was never used belongs to no conversation.
    const reply = await ask(service, hybrid.key, { question: 'Which?', conversationId: a.id, externalId: 'never-used' })
    expect(reply.body.error).toBe(
      'The conversation of conversationId has another externalId already, and keeps it. Leave externalId out, or send the one it has.',
    )
    for (const { id } of [a, b, unnamed]) expect((await get(hybrid, id)).messages).toHaveLength(1)
  })

  test('NUL and half surrogate pairs, in every field', async () => {
    for (const bad of ['a\0b', 'a\ud800b'])
      for (const body of [
        { question: bad },
        { message: bad },
        { question: 'q', conversationId: bad },
        { question: 'q', externalId: bad },
        { question: 'q', customer: { name: bad } },
      ])
        await expect400(body)
  })
})

describe('404', () => {
  test('an unknown conversationId and another partner’s give the same bytes', async () => {
    const { id } = await asked(service, other.key, { question: 'Theirs', externalId: 'not-found' })
    const count = (await inbox(service, { client: hybrid.id, limit: '1000' })).length
    for (const conversationId of [id, 'unknown', id.toUpperCase(), "' or 1=1 --", '🦉']) {
      const answer = await ask(service, hybrid.key, { question: 'Mine?', conversationId })
      expect([answer.status, answer.text]).toEqual([404, NOT_FOUND])
      const single = await read(service, hybrid.key, conversationId)
      expect([single.status, single.text]).toEqual([404, NOT_FOUND])
    }
    expect((await thread(service, id)).messages).toHaveLength(1)
    expect(await inbox(service, { client: hybrid.id, limit: '1000' })).toHaveLength(count)
  })

  test('also when the partner’s own externalId is given', async () => {
    const { id } = await asked(service, other.key, 'Theirs')
    const body = { question: 'q', conversationId: id, externalId: 'mine-and-theirs' }
    expect((await ask(service, hybrid.key, body)).text).toBe(NOT_FOUND)
    expect((await thread(service, id)).externalId).toBeNull()
  })
})

test('415 and 413 as for every endpoint', async () => {
  expect((await ask(service, hybrid.key, 'question=q', { type: 'application/x-www-form-urlencoded' })).status).toBe(415)
  expect((await ask(service, hybrid.key, { question: 'q', padding: 'x'.repeat(300_000) })).status).toBe(413)
})
