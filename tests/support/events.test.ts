// support.replied events, sent to a real receiver.
// @module-tag slow
import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkSignatures } from '../../src/features/webhooks/delivery/signature.rules.ts'
import * as work from '../harness/done-work.ts'
import { sendAnswer, standInModel } from '../harness/language-model.ts'
import { letMistakesHappen, until } from '../harness/process.ts'
import { type ReceivedRequest, startReceiver } from '../harness/receiver.ts'
import { startService } from '../harness/service.ts'
import {
  ABOUT_REFUNDS,
  asked,
  dataOf,
  inbox,
  inParallel,
  KNOWLEDGE,
  newSupportPartner,
  putArticles,
  REFUND_PASSAGE,
  read,
  reply,
  type SupportPartner,
  UNRELATED,
} from '../harness/support.ts'
import { use, useService } from '../harness/use.ts'

const receiver = use(() => startReceiver({ '/500': (response) => response.writeHead(500).end('broken') }))
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
beforeAll(() => putArticles(service, null, KNOWLEDGE))

const partnerAt = (
  path: string,
  mode: 'hybrid' | 'human' | 'off' = 'hybrid',
  from = service,
): Promise<SupportPartner> => newSupportPartner(from, mode, { webhookUrl: receiver.origin + path })
const bodyOf = ({ body }: ReceivedRequest) => JSON.parse(body.toString())
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

function expectSigned({ method, headers, body }: ReceivedRequest, secret: string, eventId: string): void {
  expect(method).toBe('POST')
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Catalog-Webhook/1.0',
    'x-catalog-event': 'support.replied',
    'x-catalog-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': eventId,
  })
  expect(checkSignatures(secret, headers as Record<string, string>, body)).toEqual({
    catalog: 'right',
    standard: 'right',
  })
}

describe('support.replied is sent once, signed', () => {
  test('for an AI reply: the conversation has id, status, externalId, reply and replySource', async () => {
    const partner = await partnerAt('/ai')
    const data = await asked(service, partner.key, { question: ABOUT_REFUNDS, externalId: 'event-ai' })
    const [delivery] = await work.outcomesOf(service, partner)
    expect(delivery).toMatchObject({ event: 'support.replied', state: 'delivered', status: 200, clientId: partner.id })
    const [arrival] = receiver.at('/ai')
    expectSigned(arrival!, partner.webhookSecret, delivery!.eventId)
    expect(bodyOf(arrival!)).toEqual({
      event: 'support.replied',
      occurredAt: TIME,
      conversation: {
        id: data.id,
        status: 'answered',
        externalId: 'event-ai',
        reply: REFUND_PASSAGE,
        replySource: 'ai',
      },
    })
    await letMistakesHappen()
    expect(receiver.at('/ai')).toHaveLength(1)
  })

  test('for an administrator’s reply to a hybrid partner', async () => {
    const partner = await partnerAt('/person')
    const { id } = await asked(service, partner.key, UNRELATED)
    await reply(service, id, 'Sunny. 🌞')
    const [delivery] = await work.outcomesOf(service, partner)
    const [arrival] = receiver.at('/person')
    expectSigned(arrival!, partner.webhookSecret, delivery!.eventId)
    expect(bodyOf(arrival!)).toEqual({
      event: 'support.replied',
      occurredAt: TIME,
      conversation: { id, status: 'answered', externalId: null, reply: 'Sunny. 🌞', replySource: 'human' },
    })
    expect(receiver.at('/person')).toHaveLength(1)
  })

  test('for an administrator’s reply to a human-only partner: id, externalId, status and a single message', async () => {
    const partner = await partnerAt('/human', 'human')
    const { id } = await asked(service, partner.key, { question: ABOUT_REFUNDS, externalId: 'event-human' })
    await reply(service, id, 'Five days.')
    const [delivery] = await work.outcomesOf(service, partner)
    const [arrival] = receiver.at('/human')
    expectSigned(arrival!, partner.webhookSecret, delivery!.eventId)
    const { message } = dataOf(await read(service, partner.key, id))
    expect(bodyOf(arrival!)).toEqual({
      event: 'support.replied',
      occurredAt: TIME,
      conversation: {
        id,
        externalId: 'event-human',
        status: 'answered',
        message: { id: expect.any(String), role: 'agent', source: 'human', content: 'Five days.', createdAt: TIME },
      },
    })
    expect(bodyOf(arrival!).conversation.message).toEqual(message)
    expect(receiver.at('/human')).toHaveLength(1)
  })

  test('ten replies at once send one event each, with its own reply', async () => {
    const partner = await partnerAt('/ten')
    const { id } = await asked(service, partner.key, UNRELATED)
    const answers = await inParallel(10, (i) => reply(service, id, `Reply ${i}`))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    await work.outcomesOf(service, partner, 10)
    const arrivals = receiver.at('/ten')
    expect(arrivals.map((arrival) => bodyOf(arrival).conversation.reply).sort()).toEqual(
      Array.from({ length: 10 }, (_, i) => `Reply ${i}`),
    )
    expect(new Set(arrivals.map(({ headers }) => headers['webhook-id'])).size).toBe(10)
  })

  test('a retry of an answered question sends no second event', async () => {
    const partner = await partnerAt('/retry')
    const body = { question: ABOUT_REFUNDS, metadata: { peerPushMessageId: 'event-retry' } }
    await inParallel(5, () => asked(service, partner.key, body))
    await work.outcomesOf(service, partner)
    await asked(service, partner.key, body)
    await letMistakesHappen()
    expect(receiver.at('/retry')).toHaveLength(1)
  })
})

describe('nothing is stored or sent', () => {
  const expectNothing = async (partner: SupportPartner, path?: string) => {
    await letMistakesHappen()
    expect(await work.deliveriesOf(service, partner)).toEqual([])
    if (path) expect(receiver.at(path)).toEqual([])
  }

  test('without a webhook URL, also when one is set later', async () => {
    const partner = await newSupportPartner(service)
    await asked(service, partner.key, ABOUT_REFUNDS)
    const { id } = await asked(service, partner.key, UNRELATED)
    await reply(service, id, 'x')
    await service.admin('PATCH', `/partners/${partner.id}`, { webhookUrl: `${receiver.origin}/later` })
    await expectNothing(partner, '/later')
  })

  test('when support is off', async () => {
    const partner = await partnerAt('/off')
    const { id } = await asked(service, partner.key, UNRELATED)
    await service.admin('PATCH', `/partners/${partner.id}`, { support: 'off' })
    expect((await reply(service, id, 'This is not sent.')).status).toBe(200)
    await expectNothing(partner, '/off')
  })

  test('for a pending question, and for a refused reply', async () => {
    const partner = await partnerAt('/pending')
    const { id } = await asked(service, partner.key, UNRELATED)
    expect((await reply(service, id, ' ')).status).toBe(400)
    await expectNothing(partner, '/pending')
  })
})

test('a broken receiver undoes nothing, and the event is not sent again', async () => {
  const partner = await partnerAt('/500')
  const { id } = await asked(service, partner.key, UNRELATED)
  expect((await reply(service, id, 'Kept.')).status).toBe(200)
  const [delivery] = await work.outcomesOf(service, partner)
  expect(delivery).toMatchObject({ state: 'failed', status: 500 })
  expect(dataOf(await read(service, partner.key, id))).toMatchObject({ status: 'answered', reply: 'Kept.' })
  await letMistakesHappen()
  expect(receiver.at('/500')).toHaveLength(1)
})

describe('while the language model works', () => {
  const model = use(standInModel)
  const thinking = use(() =>
    startService({
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      LLM_BASE_URL: model.url,
      LLM_MODEL: 'small',
      LLM_TIMEOUT_SECONDS: '10',
    }),
  )
  beforeAll(() => putArticles(thinking, null, KNOWLEDGE))

  /** Asks a question, runs `work` while the model has not answered yet, then lets it answer. */
  async function whileModelWorks(partner: SupportPartner, work: (id: string) => Promise<unknown>) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = model.requests.length
    model.answer = async (response, { material }) => {
      const { number } = material.passages.find(({ text }: any) => text === REFUND_PASSAGE)
      await promise
      sendAnswer(response, { canAnswer: true, answer: REFUND_PASSAGE, sources: [number] })
    }
    const asking = asked(thinking, partner.key, { question: ABOUT_REFUNDS, externalId: `thinking-${partner.id}` })
    await until(() => model.requests.length > before, 5_000)
    const [{ id }] = (await inbox(thinking, { client: partner.id, limit: '1' })) as [any]
    model.answer = { canAnswer: false }
    await work(id)
    resolve()
    return asking
  }

  test('when an administrator replies first, only that reply is sent', async () => {
    const partner = await partnerAt('/faster', 'hybrid', thinking)
    await whileModelWorks(partner, (id) => reply(thinking, id, 'I was faster.'))
    await work.outcomesOf(thinking, partner)
    await letMistakesHappen()
    expect(receiver.at('/faster').map((arrival) => bodyOf(arrival).conversation.reply)).toEqual(['I was faster.'])
  })

  test('an answer to the first question while a second waits: the event says pending', async () => {
    const partner = await partnerAt('/waits', 'hybrid', thinking)
    await whileModelWorks(partner, (id) => asked(thinking, partner.key, { question: UNRELATED, conversationId: id }))
    await work.outcomesOf(thinking, partner)
    expect(receiver.at('/waits').map((arrival) => bodyOf(arrival).conversation)).toMatchObject([
      { status: 'pending', reply: REFUND_PASSAGE, replySource: 'ai' },
    ])
  })

  test('when support is switched off before the answer, nothing is sent', async () => {
    const partner = await partnerAt('/switched', 'hybrid', thinking)
    await whileModelWorks(partner, () => thinking.admin('PATCH', `/partners/${partner.id}`, { support: 'off' })).catch(
      () => null,
    )
    await letMistakesHappen()
    expect(receiver.at('/switched')).toEqual([])
  })

  test('a partner that becomes human-only before the answer gets no AI reply', async () => {
    const partner = await partnerAt('/human-now', 'hybrid', thinking)
    const data = await whileModelWorks(partner, () =>
      thinking.admin('PATCH', `/partners/${partner.id}`, { support: 'human' }),
    )
    expect(JSON.stringify(data)).not.toContain(REFUND_PASSAGE)
    await letMistakesHappen()
    expect(receiver.at('/human-now').map(bodyOf)).toEqual([])
  })
})

test('the log contains no text of customers, no replies and no secrets', () => {
  const all = JSON.stringify(service.logged)
  expect(all).not.toMatch(/whsec_|sha256=|Sunny|Five days|occurredAt/)
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
})
