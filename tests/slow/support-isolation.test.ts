// "A conversation belongs to one client": a differential test. Whatever one client asks about the other's conversations is answered as
// if they did not exist, and what it is told of its own does not change by what the other does.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import {
  ask,
  asked,
  type Client,
  KNOWLEDGE,
  list,
  must,
  NOT_FOUND,
  newClient,
  read,
  reply,
  teach,
  thread,
} from '../support/support.ts'

interface Side extends Client {
  conversations: { id: string; externalId: string }[]
  /** Stands in everything that is this side's. */
  mark: string
}

let service: TestService
let sides: [Side, Side]
beforeAll(async () => {
  service = await startService()
  sides = [await newSide('zqalpha'), await newSide('zqbravo')]
})
afterAll(() => service.close())

async function newSide(mark: string): Promise<Side> {
  const client = await newClient(service, 'hybrid', { name: `Client ${mark}` })
  await teach(service, client.id, [
    ...KNOWLEDGE,
    { title: mark, body: `The ${mark} product is purple and sold by ${mark} in dozens.` },
  ])
  const conversations = []
  for (let i = 0; i < 6; i++) {
    // The last one has the same name on both sides.
    const externalId = i === 5 ? 'both-have-it' : `${mark}-${i}`
    const metadata = { mark, peerPushMessageId: `message-${i}` }
    const { id } = await asked(service, client.key, {
      question: `${mark} ${i}`,
      externalId,
      customer: { name: mark },
      metadata,
    })
    if (i % 2 === 0) await reply(service, id, `${mark} reply`)
    conversations.push({ id, externalId })
  }
  return { ...client, conversations, mark }
}

const call = fc.record({
  asker: fc.constantFrom(0, 1),
  ofOwn: fc.boolean(),
  number: fc.nat({ max: 5 }),
  by: fc.constantFrom('one', 'list by id', 'list by externalId', 'list by both', 'ask', 'list'),
  status: fc.constantFrom('', 'pending', 'answered'),
})

test('a few hundred calls: not one foreign byte, and identical 404s', async () => {
  let foreign = 0
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 10, maxLength: 10 }), async (calls) => {
      await Promise.all(
        calls.map(async ({ asker, ofOwn, number, by, status }) => {
          const self = sides[asker as 0 | 1]
          const other = sides[asker === 0 ? 1 : 0]
          const { id, externalId } = (ofOwn ? self : other).conversations[number]!
          const answer =
            by === 'one'
              ? await read(service, self.key, id)
              : by === 'ask' && !ofOwn
                ? await ask(service, self.key, { question: 'Mine?', conversationId: id })
                : await list(service, self.key, {
                    status,
                    id: /id|both/.test(by) ? id : '',
                    externalId: /externalId|both/.test(by) ? externalId : '',
                  })
          expect(answer.text).not.toContain(other.mark)
          for (const theirs of other.conversations) expect(answer.text).not.toContain(theirs.id)
          if (ofOwn) return expect(answer.status).toBe(200)
          foreign++
          if (by === 'one' || by === 'ask') return expect([answer.status, answer.text]).toEqual([404, NOT_FOUND])
          expect(answer.status).toBe(200)
          if (by !== 'list' && externalId !== 'both-have-it') expect(answer.body.data).toEqual([])
          return undefined
        }),
      )
    }),
    { numRuns: 30 },
  )
  expect(foreign).toBeGreaterThan(50)
})

test('what a client is told of its own does not change by what the other does', async () => {
  const [self, other] = sides
  const answers = async () => [
    (await list(service, self.key)).text,
    ...(await Promise.all(self.conversations.map(async ({ id }) => (await read(service, self.key, id)).text))),
  ]
  const before = await answers()
  await asked(service, other.key, { question: 'Again', externalId: 'both-have-it' })
  await asked(service, other.key, { question: 'Again', metadata: { peerPushMessageId: 'message-0' } })
  await reply(service, other.conversations[5]!.id, 'Theirs')
  await teach(service, other.id, [])
  await service.admin('PATCH', `/partners/${other.id}`, { support: 'human' })
  await service.admin('PATCH', `/partners/${other.id}`, { support: 'hybrid' })
  expect(await answers()).toEqual(before)
})

test('the same name, the same message name: each side has its own', async () => {
  const [self, other] = sides
  for (const { key, conversations, mark } of sides) {
    const last = conversations[5]!
    expect(must(await list(service, key, { externalId: 'both-have-it' })).map(({ id }: any) => id)).toEqual([last.id])
    const retried = await asked(service, key, { question: 'Retried', metadata: { peerPushMessageId: 'message-5' } })
    expect(retried.id).toBe(last.id)
    expect((await thread(service, last.id)).customer).toEqual({ name: mark })
  }
  expect(self.conversations[5]!.id).not.toBe(other.conversations[5]!.id)
})

test('answers are never made from the other’s knowledge', async () => {
  const [self, other] = sides
  await teach(service, other.id, [
    ...KNOWLEDGE,
    { title: other.mark, body: `The ${other.mark} product is purple and sold in dozens.` },
  ])
  const question = 'Is the product purple and sold in dozens?'
  for (const [side, stranger] of [
    [self, other],
    [other, self],
  ] as const) {
    const answer = await ask(service, side.key, { question })
    expect(answer.body.data.reply).toContain(side.mark)
    expect(answer.text).not.toContain(stranger.mark)
  }
})
