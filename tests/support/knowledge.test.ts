// Operator API: product knowledge of one partner and for all partners.
// @module-tag slow
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { audited, expectAudited } from '../harness/audit.ts'
import { startService, type TestService } from '../harness/service.ts'
import { expectFailure } from '../harness/shapes.ts'
import {
  ABOUT_INVOICES,
  ABOUT_REFUNDS,
  ARRIVAL,
  articlesOf,
  asked,
  type Client,
  INVOICES,
  KNOWLEDGE,
  keysOf,
  must,
  newClient,
  PDF,
  REFUNDS,
  teach,
  times,
} from '../harness/support.ts'

let service: TestService
let client: Client
let other: Client
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())
beforeEach(async () => {
  await teach(service, null, [])
  client = await newClient(service)
  other = await newClient(service)
})

const scopes = (): [string | null, string, string][] => [
  [client.id, `/partners/${client.id}/knowledge`, `partner:${client.id}`],
  [null, '/knowledge', 'knowledge'],
]
const textOf = ({ title, body }: any) => ({ title, body })
const replyTo = async ({ key }: Client, question: string) => (await asked(service, key, question)).reply
const passageAbout = (title: string, sentence: string) => ({ title, body: sentence })

describe('200', () => {
  test('PUT replaces all articles, GET returns them in their order: of a partner and for all', async () => {
    for (const [, path] of scopes()) {
      expect((await service.admin('GET', path)).body).toEqual({
        success: true,
        data: { articles: [], version: 0 },
      })
      const { articles } = must(await service.admin('PUT', path, { articles: KNOWLEDGE }))
      expect(articles.map(textOf)).toEqual(KNOWLEDGE)
      for (const article of articles) expect(keysOf(article)).toEqual(['body', 'createdAt', 'id', 'title', 'version'])
      expect(must(await service.admin('GET', path)).articles).toEqual(articles)
      const reversed = must(await service.admin('PUT', path, { articles: [...KNOWLEDGE].reverse() })).articles
      expect(reversed).toEqual([...articles].reverse())
      expect(must(await service.admin('PUT', path, { articles: [] })).articles).toEqual([])
    }
  })

  test('an edited article keeps its id and its position, and the next question is answered from the new text', async () => {
    const [refunds] = await teach(service, client.id, KNOWLEDGE)
    expect(await replyTo(client, ABOUT_REFUNDS)).toContain(ARRIVAL)
    const text = { title: REFUNDS.title, body: 'A refund arrives on the bank statement after nine days.' }
    const edited = must(await service.admin('PUT', `/knowledge/${refunds.id}`, text))
    expect(edited).toEqual({ ...refunds, ...text, version: refunds.version + 1 })
    expect((await articlesOf(service, client.id))[0]).toEqual(edited)
    expect(await replyTo(client, ABOUT_REFUNDS)).toBe(text.body)
  })

  test('replacing keeps the ids of unchanged articles; a changed article gets a new id', async () => {
    const [refunds, invoices] = await teach(service, client.id, KNOWLEDGE)
    const added = { title: 'New', body: 'Something else.' }
    const changed = { ...INVOICES, body: 'Other words.' }
    const after = await teach(service, client.id, [added, changed, REFUNDS])
    expect(after.map(textOf)).toEqual([added, changed, REFUNDS])
    expect(after[2]).toEqual(refunds)
    expect(after.map(({ id }) => id)).not.toContain(invoices.id)
    // The same text twice is two articles.
    const twice = await teach(service, client.id, [REFUNDS, REFUNDS])
    expect(new Set(twice.map(({ id }) => id)).size).toBe(2)
    expect(twice.map(({ id }) => id)).toContain(refunds.id)
  })

  test('POST adds an article at the end, DELETE removes one', async () => {
    for (const [scope, path] of scopes()) {
      const [refunds] = await teach(service, scope, [REFUNDS])
      const added = must(await service.admin('POST', path, INVOICES))
      expect(keysOf(added)).toEqual(['body', 'createdAt', 'id', 'title', 'version'])
      expect(await articlesOf(service, scope)).toEqual([refunds, added])
      expect(must(await service.admin('DELETE', `/knowledge/${refunds.id}`))).toEqual(refunds)
      expect(await articlesOf(service, scope)).toEqual([added])
    }
  })

  test('a partner’s articles and those for all do not affect each other', async () => {
    await teach(service, client.id, [REFUNDS])
    await teach(service, null, [INVOICES])
    await teach(service, other.id, [])
    expect((await articlesOf(service, client.id)).map(textOf)).toEqual([REFUNDS])
    expect((await articlesOf(service, null)).map(textOf)).toEqual([INVOICES])
  })

  test('the maximum is accepted: 500 articles, 20,000 characters a body, 200 a title', async () => {
    const small = Array.from({ length: 500 }, (_, i) => ({ title: `Article ${i}`, body: `Text ${i}.` }))
    expect(await teach(service, client.id, small)).toHaveLength(500)
    const [large] = await teach(service, client.id, [{ title: '🦉'.repeat(200), body: '🦉'.repeat(20_000) }])
    expect(large.body).toHaveLength(40_000)
  })

  test('articles added at once are all stored, each with its own position', async () => {
    const replies = await times(12, (i) =>
      service.admin('POST', `/partners/${client.id}/knowledge`, { title: `Article ${i}`, body: 'Text.' }),
    )
    const order = (await articlesOf(service, client.id)).map(({ id }) => id)
    expect([...order].sort()).toEqual(replies.map((reply) => must(reply).id).sort())
    expect((await articlesOf(service, client.id)).map(({ id }) => id)).toEqual(order)
  })

  test('replacing at once leaves one complete version', async () => {
    const versions = Array.from({ length: 6 }, (_, v) => [0, 1, 2].map((i) => ({ title: `V${v}`, body: `Text ${i}.` })))
    await Promise.all(versions.map((articles) => teach(service, client.id, articles)))
    const left = (await articlesOf(service, client.id)).map(textOf)
    expect(versions).toContainEqual(left)
  })
})

describe('400', () => {
  const article = { title: 'Title', body: 'Body' }
  const CASES: [string, unknown, string[]][] = [
    ['no articles', {}, ['articles']],
    ['articles that are no list', { articles: article }, ['articles']],
    ['501 articles', { articles: Array(501).fill(article) }, ['articles']],
    ['an article that is no object', { articles: ['text'] }, ['articles.0']],
    ['a blank title', { articles: [article, { ...article, title: ' \n' }] }, ['articles.1.title']],
    ['a missing title and body', { articles: [{}] }, ['title', 'body']],
    ['a blank body', { articles: [{ ...article, body: '  ' }] }, ['articles.0.body']],
    ['a title of 201 characters', { articles: [{ ...article, title: 'x'.repeat(201) }] }, ['articles.0.title', '200']],
    [
      'a body of 20,001 characters',
      { articles: [{ ...article, body: 'x'.repeat(20_001) }] },
      ['articles.0.body', '20000'],
    ],
    ['NUL', { articles: [{ ...article, body: 'a\0b' }] }, ['body']],
    ['several at once', { articles: [{ title: '', body: 5 }] }, ['articles.0.title', 'articles.0.body']],
  ]
  test.each(CASES)('PUT: %s', async (_, body, names) => {
    for (const [scope, path] of scopes()) {
      const before = await teach(service, scope, [REFUNDS])
      const rows = await audited(service, async () => {
        const reply = await service.admin('PUT', path, body)
        expect(reply.status).toBe(400)
        for (const name of names) expect(expectFailure(reply.body)).toContain(name)
      })
      expect(rows).toEqual([])
      expect(await articlesOf(service, scope)).toEqual(before)
    }
  })

  test.each([
    [{}, ['title', 'body']],
    [{ title: ' ', body: 'x'.repeat(20_001) }, ['title', 'body']],
  ] as [object, string[]][])('POST: %o', async (body, names) => {
    for (const [, path] of scopes()) {
      const reply = await service.admin('POST', path, body)
      expect(reply.status).toBe(400)
      for (const name of names) expect(expectFailure(reply.body)).toContain(name)
    }
  })

  test('POST: one more than 500', async () => {
    await teach(service, client.id, Array(500).fill(article))
    const another = { ...article, title: 'Another' }
    const reply = await service.admin('POST', `/partners/${client.id}/knowledge`, another)
    expect([reply.status, expectFailure(reply.body)]).toEqual([400, expect.stringContaining('500')])
    expect(await articlesOf(service, client.id)).toHaveLength(500)
  })

  test('POST: more than a million characters together', async () => {
    await service.sql(`insert into support_articles (id, partner_id, position, title, body, created_at)
      select '${client.id}-' || n, '${client.id}', n, 'T', repeat('x', 19999), now() from generate_series(1, 50) n`)
    const reply = await service.admin('POST', `/partners/${client.id}/knowledge`, article)
    expect([reply.status, expectFailure(reply.body)]).toEqual([400, expect.stringContaining('1,000,000')])
    expect(await articlesOf(service, client.id)).toHaveLength(50)
    await service.sql(`delete from support_articles where id = '${client.id}-1'`)
    expect((await service.admin('POST', `/partners/${client.id}/knowledge`, article)).status).toBe(200)
  })
})

test('413: a body over 256 KiB, as for every endpoint, and the articles stay', async () => {
  const before = await teach(service, client.id, KNOWLEDGE)
  const articles = Array.from({ length: 14 }, (_, i) => ({ title: `T${i}`, body: 'x'.repeat(20_000) }))
  expect((await service.admin('PUT', `/partners/${client.id}/knowledge`, { articles })).status).toBe(413)
  expect(await articlesOf(service, client.id)).toEqual(before)
})

describe('404', () => {
  test('an unknown partner', async () => {
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { articles: [REFUNDS] }],
      ['POST', REFUNDS],
    ] as const) {
      const reply = await service.admin(method, '/partners/unknown/knowledge', body)
      expect([reply.status, expectFailure(reply.body)]).toEqual([404, 'Partner not found.'])
    }
    expect((await service.admin('GET', '/knowledge/search?q=refund&client=unknown')).status).toBe(404)
  })

  test('an unknown article, also a deleted one', async () => {
    const [{ id }] = (await teach(service, null, [REFUNDS])) as [any]
    await service.admin('DELETE', `/knowledge/${id}`)
    for (const gone of [id, 'unknown'])
      expect((await service.admin('DELETE', `/knowledge/${gone}`)).body).toEqual({
        success: false,
        error: 'Article not found.',
      })
  })
})

describe('the audit log', () => {
  test('has the full text of what every version added and removed, and no row for a version that changes nothing', async () => {
    for (const [scope, path, subject] of scopes()) {
      const versions = [KNOWLEDGE, KNOWLEDGE, [INVOICES], []]
      const rows = await audited(service, async () => {
        for (const articles of versions) await teach(service, scope, articles)
      })
      const others = KNOWLEDGE.filter(({ title }) => title !== INVOICES.title)
      expect(rows.map(({ action, subject }) => [action, subject])).toEqual(
        Array(3).fill(['knowledge.replace', subject]),
      )
      expect(rows.map(({ details }) => details)).toMatchObject([
        { added: KNOWLEDGE, removed: [], articles: KNOWLEDGE.length },
        { added: [], removed: others, articles: 1 },
        { added: [], removed: [INVOICES], articles: 0 },
      ])
      await expectAudited(service, 'knowledge.add', subject, () => service.admin('POST', path, REFUNDS))
      const [added] = (await articlesOf(service, scope)) as [any]
      const [row] = await audited(service, () => service.admin('DELETE', `/knowledge/${added.id}`))
      expect(row).toMatchObject({
        action: 'knowledge.delete',
        subject,
        details: { article: { ...REFUNDS, id: added.id } },
      })
    }
  })
})

describe('the articles that answers are made from', () => {
  test('the next question uses a change', async () => {
    expect(await replyTo(client, ABOUT_REFUNDS)).toBeNull()
    await teach(service, client.id, KNOWLEDGE)
    expect(await replyTo(client, ABOUT_REFUNDS)).toBe(ARRIVAL)
    const changed = ARRIVAL.replace('5 business days', '9 business days')
    await teach(service, client.id, [passageAbout('Refunds', changed), INVOICES])
    expect(await replyTo(client, ABOUT_REFUNDS)).toBe(changed)
    const [refunds] = (await articlesOf(service, client.id)) as [any]
    await service.admin('DELETE', `/knowledge/${refunds.id}`)
    expect(await replyTo(client, ABOUT_REFUNDS)).toBeNull()
    await service.admin('POST', `/partners/${client.id}/knowledge`, REFUNDS)
    expect(await replyTo(client, ABOUT_REFUNDS)).toBe(ARRIVAL)
  })

  test('one partner’s articles are never used for another partner’s customers', async () => {
    await teach(service, client.id, KNOWLEDGE)
    expect(await replyTo(client, ABOUT_REFUNDS)).toBe(ARRIVAL)
    expect(await replyTo(other, ABOUT_REFUNDS)).toBeNull()
    await teach(service, other.id, [passageAbout('Refunds', ARRIVAL.replace('5', '77')), INVOICES])
    expect(await replyTo(other, ABOUT_REFUNDS)).toContain('77 business days')
    expect(await replyTo(client, ABOUT_REFUNDS)).toBe(ARRIVAL)
  })

  test('articles for all are used for both, beside their own', async () => {
    await teach(service, null, [REFUNDS])
    await teach(service, client.id, [INVOICES])
    for (const { key } of [client, other])
      expect(await asked(service, key, ABOUT_REFUNDS)).toMatchObject({ status: 'answered', reply: ARRIVAL })
    expect(await replyTo(client, ABOUT_INVOICES)).toBe(PDF)
    expect(await replyTo(other, ABOUT_INVOICES)).toBeNull()
    await teach(service, null, [])
    expect(await replyTo(other, ABOUT_REFUNDS)).toBeNull()
  })
})

describe('GET /knowledge/search', () => {
  const search = async (q: string, more: Record<string, string> = {}): Promise<any[]> =>
    must(await service.admin('GET', `/knowledge/search?${new URLSearchParams({ q, ...more })}`))

  test('shows the passages that match a question, best first, and which of them would be the answer', async () => {
    const [refunds] = (await teach(service, client.id, KNOWLEDGE)) as [any]
    const found = await search(ABOUT_REFUNDS, { client: client.id })
    expect(found[0]).toEqual({
      articleId: refunds.id,
      title: 'Refunds',
      text: ARRIVAL,
      coverage: expect.any(Number),
      answers: true,
    })
    expect(found.filter(({ answers }) => answers)).toHaveLength(1)
    expect(found.every(({ coverage }) => coverage >= 0 && coverage <= 1)).toBe(true)
    expect(found.length).toBeLessThanOrEqual(10)
    expect((await search('Tell me of something else entirely', { client: client.id })).some((one) => one.answers)).toBe(
      false,
    )
  })

  test('without a client it searches the articles for all, never a partner’s own', async () => {
    await teach(service, client.id, [REFUNDS])
    expect(await search(ABOUT_REFUNDS)).toEqual([])
    expect(await search(ABOUT_REFUNDS, { client: other.id })).toEqual([])
    await teach(service, null, [REFUNDS])
    expect((await search(ABOUT_REFUNDS))[0].text).toBe(ARRIVAL)
  })

  test('400 without a question or with one that is too long', async () => {
    for (const query of ['', '?q=', `?q=${'x'.repeat(4001)}`])
      expect((await service.admin('GET', `/knowledge/search${query}`)).status).toBe(400)
  })
})
