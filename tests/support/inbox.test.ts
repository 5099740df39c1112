// Operator API: the inbox, replies of administrators, and replies that become articles.
import { beforeAll, describe, expect, test } from 'vitest'
import { expectAudited } from '../harness/audit.ts'
import { expectFailure } from '../harness/shapes.ts'
import {
  ABOUT_REFUNDS,
  articlesOf,
  ask,
  asked,
  dataOf,
  inbox,
  inParallel,
  KNOWLEDGE,
  keysOf,
  newSupportPartner,
  putArticles,
  REFUND_PASSAGE,
  read,
  reply,
  type SupportPartner,
  thread,
  UNRELATED,
} from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let partner: SupportPartner
const service = useService()
beforeAll(async () => {
  partner = await newSupportPartner(service, 'hybrid', { name: 'Inbox Client' })
})

const item = async (id: string) => (await inbox(service, { limit: '1000' })).find((one) => one.id === id)
const toArticle = (id: string, body: object = {}) => service.admin('POST', `/support/conversations/${id}/article`, body)

describe('the inbox', () => {
  const ITEM =
    'client clientId createdAt customer externalId id messageCount metadata question status test unanswered updatedAt version'.split(
      ' ',
    )

  test('lists each conversation with its partner, last question and counts', async () => {
    const { id } = await asked(service, partner.key, {
      question: 'First',
      externalId: 'inbox-1',
      customer: { name: 'Ada' },
      metadata: { plan: 'pro' },
    })
    await asked(service, partner.key, { question: 'Last', conversationId: id })
    const found = await item(id)
    expect(keysOf(found)).toEqual(ITEM)
    expect(found).toEqual({
      id,
      clientId: partner.id,
      client: { id: partner.id, name: 'Inbox Client' },
      status: 'pending',
      externalId: 'inbox-1',
      customer: { name: 'Ada' },
      metadata: { plan: 'pro' },
      question: 'Last',
      messageCount: 2,
      unanswered: 2,
      test: false,
      version: expect.any(Number),
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    })
    const { messages, ...rest } = await thread(service, id)
    expect(rest).toEqual(found)
    expect(messages).toHaveLength(2)
    expect(Date.parse(found.updatedAt)).toBeGreaterThanOrEqual(Date.parse(found.createdAt))
  })

  test('is newest first, with limit, page, status and client', async () => {
    const [a, b] = [await newSupportPartner(service), await newSupportPartner(service, 'human')]
    const ids: string[] = []
    for (const { key } of [a, b, a]) ids.push((await asked(service, key, 'q')).id)
    await reply(service, ids[0]!, 'Done.')
    const idsOf = async (query: Record<string, string>) => (await inbox(service, query)).map(({ id }) => id)
    expect((await idsOf({})).slice(0, 3)).toEqual([...ids].reverse())
    expect(await idsOf({ limit: '1', page: '2' })).toEqual([ids[1]])
    expect(await idsOf({ client: a.id })).toEqual([ids[2], ids[0]])
    expect(await idsOf({ client: a.id, status: 'answered' })).toEqual([ids[0]])
    expect(await idsOf({ client: a.id, status: 'pending' })).toEqual([ids[2]])
    expect(await idsOf({ client: 'unknown' })).toEqual([])
    expect((await service.admin('GET', '/support/conversations?status=open')).status).toBe(400)
  })

  test('unanswered: a reply of an administrator answers everything before it, the AI only its own question', async () => {
    const { id: partnerId, key } = await newSupportPartner(service)
    await putArticles(service, partnerId, KNOWLEDGE)
    const { id } = await asked(service, key, UNRELATED)
    const more = (question: string) => asked(service, key, { question, conversationId: id })
    expect((await item(id)).unanswered).toBe(1)
    await more(ABOUT_REFUNDS)
    expect(await item(id)).toMatchObject({ status: 'answered', unanswered: 1, messageCount: 3 })
    await more(UNRELATED)
    expect(await item(id)).toMatchObject({ status: 'pending', unanswered: 2 })
    await reply(service, id, 'To both.')
    expect(await item(id)).toMatchObject({ status: 'answered', unanswered: 0 })
    await more(UNRELATED)
    expect(await item(id)).toMatchObject({ status: 'pending', unanswered: 1, messageCount: 6 })
  })

  test('404: an unknown conversation', async () => {
    expect((await service.admin('GET', '/support/conversations/unknown')).body).toEqual({
      success: false,
      error: 'Conversation not found.',
      code: 'not_found',
    })
  })
})

describe('a reply', () => {
  test('makes the conversation answered, and records its author', async () => {
    const { id } = await asked(service, partner.key, 'Who answers?')
    await expectAudited(service, 'support.reply', `conversation:${id}`, async () => {
      const answer = await reply(service, id, '  A person.\n')
      expect(answer.status).toBe(200)
      expect(answer.body.data).toEqual(await thread(service, id))
    })
    const { status, messages } = await thread(service, id)
    expect(status).toBe('answered')
    expect(messages[1]).toEqual({
      id: expect.any(String),
      role: 'assistant',
      source: 'human',
      content: 'A person.',
      author: 'operator',
      passages: null,
      notAnswered: null,
      createdAt: expect.stringMatching(/Z$/),
    })
    expect(dataOf(await read(service, partner.key, id))).toMatchObject({ reply: 'A person.', replySource: 'human' })
    expect((await read(service, partner.key, id)).text).not.toContain('operator')
  })

  test('may have 10,000 characters, and any Unicode', async () => {
    const { id } = await asked(service, partner.key, 'q')
    const content = '🦉'.repeat(10_000)
    expect((await reply(service, id, content)).status).toBe(200)
    expect(dataOf(await read(service, partner.key, id)).reply).toBe(content)
  })

  test.each([
    ['empty', ''],
    ['blank', ' \n\t'],
    ['missing', undefined],
    ['null', null],
    ['a number', 5],
    ['a list', ['x']],
    ['10,001 characters', 'x'.repeat(10_001)],
    ['NUL in it', 'a\0b'],
    ['half a surrogate pair', 'a\ud800b'],
  ])('400: %s', async (_, content) => {
    const { id } = await asked(service, partner.key, 'q')
    const answer = await reply(service, id, content)
    expect(answer.status).toBe(400)
    expect(expectFailure(answer.body)).toContain('content')
    expect(await thread(service, id)).toMatchObject({ status: 'pending', messageCount: 1 })
  })

  test('404: an unknown conversation', async () => {
    expect((await reply(service, 'unknown', 'x')).body).toEqual({
      success: false,
      error: 'Conversation not found.',
      code: 'not_found',
    })
  })

  test('ten replies at once are all stored, in a stable order', async () => {
    const { id } = await asked(service, partner.key, 'q')
    const answers = await inParallel(10, (i) => reply(service, id, `Reply ${i}`))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const { messages } = await thread(service, id)
    const replies = messages.slice(1)
    expect(replies.map(({ content }: any) => content).sort()).toEqual(
      Array.from({ length: 10 }, (_, i) => `Reply ${i}`),
    )
    const at = replies.map(({ createdAt }: any) => Date.parse(createdAt))
    expect(at).toEqual([...at].sort((a, b) => a - b))
    expect((await thread(service, id)).messages).toEqual(messages)
    expect(dataOf(await read(service, partner.key, id)).reply).toBe(replies.at(-1).content)
  })
})

describe('a reply becomes an article', () => {
  const QUESTION = 'Can I get a discount for a charity?'
  const ANSWER = 'Charities get a discount of 40 percent on every plan: write to us with your registration number.'

  const answered = async (partner: SupportPartner, question = QUESTION, content = ANSWER) => {
    const { id } = await asked(service, partner.key, question)
    await reply(service, id, content)
    return id
  }

  test('in one step, with the question as its title, and the next customer gets an answer from it', async () => {
    const partner = await newSupportPartner(service)
    await putArticles(service, partner.id, KNOWLEDGE)
    const id = await answered(partner)
    let article: any
    await expectAudited(service, 'knowledge.add', `partner:${partner.id}`, async () => {
      article = dataOf(await toArticle(id))
    })
    expect(article).toEqual({
      id: expect.any(String),
      title: QUESTION,
      body: ANSWER,
      version: 1,
      createdAt: expect.any(String),
    })
    expect((await articlesOf(service, partner.id)).at(-1)).toEqual(article)
    const next = await asked(service, partner.key, 'Is there a discount for charities?')
    expect(next).toMatchObject({ status: 'answered', reply: ANSWER, replySource: 'ai' })
    expect((await thread(service, next.id)).messages[1].passages[0].articleId).toBe(article.id)
  })

  test('belongs to the partner alone, unless the scope is all', async () => {
    const [partner, otherPartner] = [await newSupportPartner(service), await newSupportPartner(service)]
    const id = await answered(partner)
    dataOf(await toArticle(id))
    expect(await articlesOf(service, null)).toEqual([])
    expect((await asked(service, otherPartner.key, QUESTION)).status).toBe('pending')
    const article = dataOf(await toArticle(id, { scope: 'all', title: 'Charities' }))
    expect(article.title).toBe('Charities')
    expect(await articlesOf(service, null)).toEqual([article])
    expect((await asked(service, otherPartner.key, QUESTION)).reply).toBe(ANSWER)
    await putArticles(service, null, [])
  })

  test('from the administrator’s last reply, or the one that messageId names, with the question it answered as the title', async () => {
    const partner = await newSupportPartner(service)
    const id = await answered(partner, 'First question?', 'First reply.')
    await asked(service, partner.key, { question: 'Second question?', conversationId: id })
    await reply(service, id, 'Second reply.')
    expect(dataOf(await toArticle(id))).toMatchObject({ title: 'Second question?', body: 'Second reply.' })
    const { messages } = await thread(service, id)
    expect(dataOf(await toArticle(id, { messageId: messages[1].id }))).toMatchObject({
      title: 'First question?',
      body: 'First reply.',
    })
    // A customer's message is no reply.
    for (const messageId of [messages[0].id, 'unknown']) expect((await toArticle(id, { messageId })).status).toBe(404)
  })

  test('a question that is too long for a title is cut', async () => {
    const partner = await newSupportPartner(service)
    const id = await answered(partner, `Why 🦉\n\n${'so long '.repeat(60)}?`)
    const { title } = dataOf(await toArticle(id))
    expect([...title]).toHaveLength(200)
    expect(title).toMatch(/^Why 🦉 so long .*…$/)
  })

  test('400: no reply yet, or only an AI reply', async () => {
    const partner = await newSupportPartner(service)
    await putArticles(service, partner.id, KNOWLEDGE)
    for (const [question, status] of [
      [UNRELATED, 'pending'],
      [ABOUT_REFUNDS, 'answered'],
    ] as const) {
      const data = await asked(service, partner.key, question)
      expect([data.status, data.reply]).toEqual([status, status === 'answered' ? REFUND_PASSAGE : null])
      const answer = await toArticle(data.id)
      expect([answer.status, expectFailure(answer.body)]).toEqual([400, expect.stringMatching(/no person/i)])
    }
    expect(await articlesOf(service, partner.id)).toHaveLength(2)
  })

  test('400: a wrong scope, a blank or long title', async () => {
    const id = await answered(await newSupportPartner(service))
    for (const body of [{ scope: 'everybody' }, { title: ' ' }, { title: 'x'.repeat(201) }, { messageId: 5 }])
      expect((await toArticle(id, body)).status).toBe(400)
  })

  test('404: an unknown conversation', async () => {
    expect((await toArticle('unknown')).status).toBe(404)
  })
})

test('ask, reply and read again in parallel: no call fails', async () => {
  const { key } = await newSupportPartner(service)
  const replies = await inParallel(10, async (i) => {
    const { id } = await asked(service, key, `Question ${i}`)
    await reply(service, id, `Reply ${i}`)
    expect(dataOf(await read(service, key, id)).reply).toBe(`Reply ${i}`)
    return ask(service, key, { question: 'Again', conversationId: id })
  })
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
})
