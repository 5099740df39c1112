// GET /support/conversations and GET /support/conversations/:id
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFailure } from '../harness/shapes.ts'
import {
  ask,
  asked,
  dataOf,
  HUMAN_FIELDS,
  HYBRID_FIELDS,
  HYBRID_LIST_FIELDS,
  inParallel,
  keysOf,
  list,
  NOT_FOUND,
  newSupportPartner,
  read,
  reply,
  type SupportPartner,
} from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let partner: SupportPartner
let human: SupportPartner
let otherPartner: SupportPartner
/** Oldest first; every third conversation is answered, every second has an externalId. */
const ids: string[] = []
const service = useService()
beforeAll(async () => {
  partner = await newSupportPartner(service)
  human = await newSupportPartner(service, 'human')
  otherPartner = await newSupportPartner(service)
  for (let i = 0; i < 12; i++) {
    const externalId = i % 2 === 0 ? `thread-${i}` : undefined
    const { id } = await asked(service, partner.key, {
      question: `Question ${i}`,
      externalId,
      customer: { name: 'Ada' },
    })
    if (i % 3 === 0) await reply(service, id, `Reply ${i}`)
    ids.push(id)
  }
})

const found = async (query: Record<string, string> = {}, { key } = partner): Promise<any[]> =>
  dataOf(await list(service, key, query))
const idsOf = async (query: Record<string, string> = {}, of = partner) => (await found(query, of)).map(({ id }) => id)
const newestFirst = () => [...ids].reverse()

describe('200: the list', () => {
  test('is newest first, without a pagination object and without messages', async () => {
    const { body } = await list(service, partner.key)
    expect(keysOf(body)).toEqual(['data', 'success'])
    expect(body.data.map(({ id }: any) => id)).toEqual(newestFirst())
    for (const item of body.data) expect(keysOf(item)).toEqual(HYBRID_LIST_FIELDS)
    expect(body.data.at(-1)).toEqual({
      id: ids[0],
      status: 'answered',
      externalId: 'thread-0',
      reply: 'Reply 0',
      replySource: 'human',
    })
    expect(body.data.at(-2)).toEqual({
      id: ids[1],
      status: 'pending',
      externalId: null,
      reply: null,
      replySource: null,
    })
  })

  test('is ordered by when a conversation began: a new question does not move it', async () => {
    const before = await idsOf()
    await asked(service, partner.key, { question: 'Again', conversationId: ids[1] })
    expect(await idsOf()).toEqual(before)
  })

  test('human-only: the slim shape', async () => {
    const { id } = await asked(service, human.key, { question: 'q', externalId: 'slim' })
    await asked(service, human.key, 'Another')
    await reply(service, id, 'Here.')
    const data = await found({}, human)
    for (const item of data) expect(keysOf(item)).toEqual(HUMAN_FIELDS)
    expect(data).toEqual([
      { id: expect.any(String), externalId: null, status: 'pending', message: null },
      {
        id,
        externalId: 'slim',
        status: 'answered',
        message: {
          id: expect.any(String),
          role: 'agent',
          source: 'human',
          content: 'Here.',
          createdAt: expect.stringMatching(/Z$/),
        },
      },
    ])
    expect(dataOf(await read(service, human.key, id))).toEqual(data[1])
  })

  test('can be filtered by id, externalId and status, and by several of them', async () => {
    expect(await idsOf({ id: ids[3]! })).toEqual([ids[3]])
    expect(await idsOf({ externalId: 'thread-4' })).toEqual([ids[4]])
    const answered = ids.filter((_, i) => i % 3 === 0).reverse()
    expect(await idsOf({ status: 'answered' })).toEqual(answered)
    expect(await idsOf({ status: 'pending' })).toEqual(newestFirst().filter((id) => !answered.includes(id)))
    expect(await idsOf({ status: 'PENDING', limit: '1' })).toEqual([ids[11]])
    expect(await idsOf({ id: ids[3]!, status: 'answered' })).toEqual([ids[3]])
    expect(await idsOf({ id: ids[3]!, status: 'pending' })).toEqual([])
    expect(await idsOf({ id: ids[4]!, externalId: 'thread-6' })).toEqual([])
    expect(await idsOf({ id: 'unknown' })).toEqual([])
    expect(await idsOf({ externalId: '%' })).toEqual([])
  })

  test('blank filters and unknown parameters count as missing', async () => {
    expect(await idsOf({ id: '', externalId: ' ', status: '', nonsense: 'x' })).toEqual(newestFirst())
  })

  test.each(['0', '-5', 'abc', '2.7', '', '1e-3'])('limit=%s falls back to 20', async (limit) => {
    expect(await idsOf({ limit })).toEqual(newestFirst())
  })

  test('limit and page cut the list into pages that do not overlap', async () => {
    const pages = [
      await idsOf({ limit: '5' }),
      await idsOf({ limit: '5', page: '2' }),
      await idsOf({ limit: '5', page: '3' }),
    ]
    expect(pages.map(({ length }) => length)).toEqual([5, 5, 2])
    expect(pages.flat()).toEqual(newestFirst())
    expect(await idsOf({ limit: '5', page: '4' })).toEqual([])
    for (const page of ['0', '-1', 'abc']) expect(await idsOf({ limit: '5', page })).toEqual(pages[0])
    expect(await idsOf({ page: '1e30' })).toEqual([])
  })

  test('has 20 entries by default and at most 100', async () => {
    const many = await newSupportPartner(service)
    await inParallel(103, (i) => ask(service, many.key, { question: `Question ${i}` }))
    expect(await found({}, many)).toHaveLength(20)
    for (const limit of ['100', '101', '1000', '1e300']) expect(await found({ limit }, many)).toHaveLength(100)
    const all = [...(await idsOf({ limit: '100' }, many)), ...(await idsOf({ limit: '100', page: '2' }, many))]
    expect(new Set(all).size).toBe(103)
  })

  test('is empty for a partner that never asked', async () => {
    expect(await found({}, otherPartner)).toEqual([])
  })
})

describe('200: one conversation', () => {
  test('has the same shape as the answer to ask', async () => {
    const data = dataOf(await read(service, partner.key, ids[0]!))
    expect(keysOf(data)).toEqual(HYBRID_FIELDS)
    expect(data.messages).toEqual([
      { role: 'customer', content: 'Question 0' },
      { role: 'assistant', content: 'Reply 0', source: 'human' },
    ])
  })
})

test('304 while nothing changes; a reply gives a new answer at once', async () => {
  const { id } = await asked(service, partner.key, { question: 'Polled', externalId: 'polled' })
  for (const path of [`/${id}`, '?externalId=polled']) {
    const poll = (headers: Record<string, string> = {}) =>
      service.rest(`/support/conversations${path}`, { key: partner.key, headers })
    const headers = { 'if-none-match': (await poll()).headers.get('etag')! }
    expect([(await poll(headers)).status, (await poll(headers)).text]).toEqual([304, ''])
    await reply(service, id, `Reply to ${path}`)
    const changed = await poll(headers)
    expect([changed.status, changed.text]).toEqual([200, expect.stringContaining(`Reply to ${path}`)])
  }
})

describe('400', () => {
  test.each(['open', 'done', 'pending,answered', 'null'])(
    'status=%s: the error lists the allowed values',
    async (status) => {
      const answer = await list(service, partner.key, { status })
      expect(answer.status).toBe(400)
      for (const word of ['status', 'pending', 'answered']) expect(expectFailure(answer.body)).toContain(word)
    },
  )

  test.each(['id=a&id=b', 'id=a%00b', 'externalId=%00'])('%s', async (query) => {
    const answer = await service.rest(`/support/conversations?${query}`, { key: partner.key })
    expect(answer.status).toBe(400)
    expectFailure(answer.body)
  })
})

describe('another partner’s conversations', () => {
  test('are not found by any filter; each is the 404 of an unknown one', async () => {
    for (const [i, id] of ids.entries()) {
      expect(await found({ id }, otherPartner)).toEqual([])
      expect(await found({ externalId: `thread-${i}` }, otherPartner)).toEqual([])
      const answer = await read(service, otherPartner.key, id)
      expect([answer.status, answer.text]).toEqual([404, NOT_FOUND])
    }
    const unknown = await read(service, otherPartner.key, 'unknown')
    expect([unknown.status, unknown.text]).toEqual([404, NOT_FOUND])
    expect(await found({ status: 'answered' }, otherPartner)).toEqual([])
  })
})
