// Parallel calls: one thread stays one thread, and a retry stays one message.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import {
  ask,
  asked,
  inbox,
  inParallel,
  newSupportPartner,
  reply,
  type SupportPartner,
  thread,
} from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let partners: SupportPartner[]
const service = useService()
beforeAll(async () => {
  partners = [await newSupportPartner(service), await newSupportPartner(service, 'human')]
})

const MANY = 30
const statuses = (replies: { status: number }[]) => [...new Set(replies.map(({ status }) => status))]

describe('30 questions at once', () => {
  test('with one externalId make one conversation that has them all', async () => {
    for (const { id: partnerId, key } of partners) {
      const externalId = `parallel-${partnerId}`
      const before = (await inbox(service, { client: partnerId })).length
      const replies = await inParallel(MANY, (i) => ask(service, key, { question: `Question ${i}`, externalId }))
      expect(statuses(replies)).toEqual([200])
      expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1)
      expect(await inbox(service, { client: partnerId })).toHaveLength(before + 1)
      const { messages } = await thread(service, replies[0]!.body.data.id)
      const contents = messages.map(({ content }: any) => content)
      expect(contents.sort()).toEqual(Array.from({ length: MANY }, (_, i) => `Question ${i}`).sort())
    }
  })

  test('with the crossed names of two conversations are all refused, and no call waits for another', async () => {
    const { key } = partners[0]!
    const a = (await ask(service, key, { question: 'First', externalId: 'crossed-a' })).body.data.id
    const b = (await ask(service, key, { question: 'First', externalId: 'crossed-b' })).body.data.id
    const replies = await inParallel(2 * MANY, (i) =>
      ask(service, key, {
        question: 'Crossed',
        ...(i % 2 ? { conversationId: a, externalId: 'crossed-b' } : { conversationId: b, externalId: 'crossed-a' }),
      }),
    )
    expect(statuses(replies)).toEqual([400])
    for (const id of [a, b]) expect((await thread(service, id)).messages).toHaveLength(1)
  })

  test('with one conversationId are all stored, in a stable order', async () => {
    const { key } = partners[0]!
    const { id } = await asked(service, key, 'First')
    const replies = await inParallel(MANY, (i) =>
      ask(service, key, { question: `Question ${i}`, conversationId: id, metadata: { [`name${i}`]: i } }),
    )
    expect(statuses(replies)).toEqual([200])
    const { messages, metadata } = await thread(service, id)
    expect(messages).toHaveLength(MANY + 1)
    const at = messages.map(({ createdAt }: any) => createdAt)
    expect(at).toEqual([...at].sort())
    // No update was lost: each call merged its metadata into that of the others.
    expect(Object.keys(metadata)).toHaveLength(MANY)
  })

  test('that link different names to one conversation: one name is linked, the other calls are refused', async () => {
    const { key } = partners[0]!
    const { id } = await asked(service, key, 'Unnamed')
    const replies = await inParallel(10, (i) =>
      ask(service, key, { question: 'q', conversationId: id, externalId: `rival-${i}` }),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
    const { externalId, messageCount } = await thread(service, id)
    expect([externalId, messageCount]).toEqual([replies.find(({ status }) => status === 200)!.body.data.externalId, 2])
  })

  test('that link one name to different conversations: one conversation gets it', async () => {
    const { key } = partners[0]!
    const conversations = await inParallel(8, () => asked(service, key, 'Unnamed'))
    const replies = await inParallel(8, (i) =>
      ask(service, key, { question: 'q', conversationId: conversations[i].id, externalId: 'one-name' }),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)])
  })

  test('beside replies of an administrator lose nothing', async () => {
    const { key } = partners[0]!
    const { id } = await asked(service, key, 'First')
    const done = await inParallel(20, (i) =>
      i % 2 ? reply(service, id, `Reply ${i}`) : ask(service, key, { question: `Question ${i}`, conversationId: id }),
    )
    expect(statuses(done)).toEqual([200])
    const { messages, status } = await thread(service, id)
    expect(messages).toHaveLength(21)
    expect(status).toBe(messages.at(-1).role === 'customer' ? 'pending' : 'answered')
  })
})

describe('a repeated metadata.peerPushMessageId', () => {
  test.each([true, false])(
    '30 retries at once store one message and one conversation (externalId: %s)',
    async (named) => {
      for (const { id: partnerId, key } of partners) {
        const before = (await inbox(service, { client: partnerId })).length
        const body = {
          question: 'Only once',
          ...(named ? { externalId: `retried-${partnerId}` } : {}),
          metadata: { peerPushMessageId: `at-once-${named}`, plan: 'pro' },
        }
        const replies = await inParallel(MANY, () => ask(service, key, body))
        expect(statuses(replies)).toEqual([200])
        const found = new Set(replies.map(({ body }) => body.data.id))
        expect(found.size).toBe(1)
        expect(await inbox(service, { client: partnerId })).toHaveLength(before + 1)
        expect(await thread(service, [...found][0]!)).toMatchObject({ messageCount: 1, question: 'Only once' })
      }
    },
  )

  test('adds nothing and changes nothing: the conversation is returned as it is', async () => {
    const { key } = partners[0]!
    const body = { question: 'Once', metadata: { peerPushMessageId: 'm-1', plan: 'free' }, customer: { name: 'Ada' } }
    const { id } = await asked(service, key, body)
    await reply(service, id, 'Answered.')
    const before = await thread(service, id)
    const again = await asked(service, key, {
      ...body,
      question: 'Other words',
      externalId: 'other-thread',
      metadata: { peerPushMessageId: ' m-1 ', plan: 'pro' },
      customer: { name: 'Eve' },
    })
    expect(again).toMatchObject({ id, status: 'answered', reply: 'Answered.', externalId: null })
    expect(await thread(service, id)).toEqual(before)
    expect((await asked(service, key, { question: 'q', externalId: 'other-thread' })).id).not.toBe(id)
  })

  test('may be a number or its digits; null and blank count as missing', async () => {
    const { key } = partners[0]!
    const { id } = await asked(service, key, { question: 'q', metadata: { peerPushMessageId: 77 } })
    expect((await asked(service, key, { question: 'q', metadata: { peerPushMessageId: '77' } })).id).toBe(id)
    for (const peerPushMessageId of [null, '', '  ']) {
      const first = await asked(service, key, { question: 'q', metadata: { peerPushMessageId } })
      expect((await asked(service, key, { question: 'q', metadata: { peerPushMessageId } })).id).not.toBe(first.id)
    }
  })

  test('another id in the same conversation adds a message', async () => {
    const { key } = partners[1]!
    const { id } = await asked(service, key, { question: 'One', metadata: { peerPushMessageId: 'next-1' } })
    await asked(service, key, { question: 'Two', conversationId: id, metadata: { peerPushMessageId: 'next-2' } })
    await asked(service, key, { question: 'Two', conversationId: id, metadata: { peerPushMessageId: 'next-2' } })
    expect((await thread(service, id)).messages.map(({ content }: any) => content)).toEqual(['One', 'Two'])
  })

  test('of another partner is a different message', async () => {
    const body = { question: 'Mine', metadata: { peerPushMessageId: 'shared-name' } }
    const [a, b] = await Promise.all(partners.map(({ key }) => asked(service, key, body)))
    expect(a.id).not.toBe(b.id)
    for (const { id } of [a, b]) expect((await thread(service, id)).messageCount).toBe(1)
  })

  test('of a refused call was not stored: its retry is the first', async () => {
    const { key } = partners[0]!
    const metadata = { peerPushMessageId: 'refused-first' }
    expect((await ask(service, key, { metadata })).status).toBe(400)
    expect((await ask(service, key, { question: 'q', conversationId: 'unknown', metadata })).status).toBe(404)
    const { messages } = await asked(service, key, { question: 'Now right', metadata })
    expect(messages).toEqual([{ role: 'customer', content: 'Now right' }])
  })
})

test('none of these requests caused an error of the service', () => {
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
})
