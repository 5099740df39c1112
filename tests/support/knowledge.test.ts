// Operator API: product knowledge of one partner and for all partners.
// @module-tag slow
import { beforeEach, describe, expect, test } from 'vitest'
import { audited, expectAudited } from '../harness/audit.ts'
import { expectFailure } from '../harness/shapes.ts'
import {
  ABOUT_INVOICES,
  ABOUT_REFUNDS,
  articlesOf,
  asked,
  dataOf,
  INVOICE_PASSAGE,
  INVOICES,
  inParallel,
  KNOWLEDGE,
  keysOf,
  newSupportPartner,
  putArticles,
  REFUND_PASSAGE,
  REFUNDS,
  type SupportPartner,
} from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let partner: SupportPartner
let other: SupportPartner
const service = useService()
beforeEach(async () => {
  await putArticles(service, null, [])
  partner = await newSupportPartner(service)
  other = await newSupportPartner(service)
})

const scopes = (): [string | null, string, string][] => [
  [partner.id, `/partners/${partner.id}/knowledge`, `partner:${partner.id}`],
  [null, '/knowledge', 'knowledge'],
]
const textOf = ({ title, body }: any) => ({ title, body })
const replyTo = async ({ key }: SupportPartner, question: string) => (await asked(service, key, question)).reply
const passageAbout = (title: string, sentence: string) => ({ title, body: sentence })

describe('200', () => {
  test('PUT replaces all articles, GET returns them in their order: of a partner and for all', async () => {
    for (const [, path] of scopes()) {
      expect((await service.admin('GET', path)).body).toEqual({
        success: true,
        data: { articles: [], version: 0 },
      })
      const { articles } = dataOf(await service.admin('PUT', path, { articles: KNOWLEDGE }))
      expect(articles.map(textOf)).toEqual(KNOWLEDGE)
      for (const article of articles) expect(keysOf(article)).toEqual(['body', 'createdAt', 'id', 'title', 'version'])
      expect(dataOf(await service.admin('GET', path)).articles).toEqual(articles)
      const reversed = dataOf(await service.admin('PUT', path, { articles: [...KNOWLEDGE].reverse() })).articles
      expect(reversed).toEqual([...articles].reverse())
      expect(dataOf(await service.admin('PUT', path, { articles: [] })).articles).toEqual([])
    }
  })

  test('an edited article keeps its id and its position, and the next question is answered from the new text', async () => {
    const [refunds] = await putArticles(service, partner.id, KNOWLEDGE)
    expect(await replyTo(partner, ABOUT_REFUNDS)).toContain(REFUND_PASSAGE)
    const text = { title: REFUNDS.title, body: 'A refund arrives on the bank statement after nine days.' }
    const edited = dataOf(await service.admin('PUT', `/knowledge/${refunds.id}`, text))
    expect(edited).toEqual({ ...refunds, ...text, version: refunds.version + 1 })
    expect((await articlesOf(service, partner.id))[0]).toEqual(edited)
    expect(await replyTo(partner, ABOUT_REFUNDS)).toBe(text.body)
  })

  test('replacing keeps the ids of unchanged articles; a changed article gets a new id', async () => {
    const [refunds, invoices] = await putArticles(service, partner.id, KNOWLEDGE)
    const added = { title: 'New', body: 'Something else.' }
    const changed = { ...INVOICES, body: 'Other words.' }
    const after = await putArticles(service, partner.id, [added, changed, REFUNDS])
    expect(after.map(textOf)).toEqual([added, changed, REFUNDS])
    expect(after[2]).toEqual(refunds)
    expect(after.map(({ id }) => id)).not.toContain(invoices.id)
    // The same text twice is two articles.
    const twice = await putArticles(service, partner.id, [REFUNDS, REFUNDS])
    expect(new Set(twice.map(({ id }) => id)).size).toBe(2)
    expect(twice.map(({ id }) => id)).toContain(refunds.id)
  })

  test('POST adds an article at the end, DELETE removes one', async () => {
    for (const [scope, path] of scopes()) {
      const [refunds] = await putArticles(service, scope, [REFUNDS])
      const added = dataOf(await service.admin('POST', path, INVOICES))
      expect(keysOf(added)).toEqual(['body', 'createdAt', 'id', 'title', 'version'])
      expect(await articlesOf(service, scope)).toEqual([refunds, added])
      expect(dataOf(await service.admin('DELETE', `/knowledge/${refunds.id}`))).toEqual(refunds)
      expect(await articlesOf(service, scope)).toEqual([added])
    }
  })

  test('a partner’s articles and those for all do not affect each other', async () => {
    await putArticles(service, partner.id, [REFUNDS])
    await putArticles(service, null, [INVOICES])
    await putArticles(service, other.id, [])
    expect((await articlesOf(service, partner.id)).map(textOf)).toEqual([REFUNDS])
    expect((await articlesOf(service, null)).map(textOf)).toEqual([INVOICES])
  })

  test('the maximum is accepted: 500 articles, 20,000 characters a body, 200 a title', async () => {
    const small = Array.from({ length: 500 }, (_, i) => ({ title: `Article ${i}`, body: `Text ${i}.` }))
    expect(await putArticles(service, partner.id, small)).toHaveLength(500)
    const [large] = await putArticles(service, partner.id, [{ title: '🦉'.repeat(200), body: '🦉'.repeat(20_000) }])
    expect(large.body).toHaveLength(40_000)
  })

  test('articles added at once are all stored, each with its own position', async () => {
    const replies = await inParallel(12, (i) =>
      service.admin('POST', `/partners/${partner.id}/knowledge`, { title: `Article ${i}`, body: 'Text.' }),
    )
    const order = (await articlesOf(service, partner.id)).map(({ id }) => id)
    expect([...order].sort()).toEqual(replies.map((reply) => dataOf(reply).id).sort())
    expect((await articlesOf(service, partner.id)).map(({ id }) => id)).toEqual(order)
  })

  test('replacing at once leaves one complete version', async () => {
    const versions = Array.from({ length: 6 }, (_, v) => [0, 1, 2].map((i) => ({ title: `V${v}`, body: `Text ${i}.` })))
    await Promise.all(versions.map((articles) => putArticles(service, partner.id, articles)))
    const left = (await articlesOf(service, partner.id)).map(textOf)
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
      const before = await putArticles(service, scope, [REFUNDS])
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
    await putArticles(service, partner.id, Array(500).fill(article))
    const another = { ...article, title: 'Another' }
    const reply = await service.admin('POST', `/partners/${partner.id}/knowledge`, another)
    expect([reply.status, expectFailure(reply.body)]).toEqual([400, expect.stringContaining('500')])
    expect(await articlesOf(service, partner.id)).toHaveLength(500)
  })

  test('POST: more than a million characters together', async () => {
    await service.sql(`insert into support_articles (id, partner_id, position, title, body, created_at)
      select '${partner.id}-' || n, '${partner.id}', n, 'T', repeat('x', 19999), now() from generate_series(1, 50) n`)
    const reply = await service.admin('POST', `/partners/${partner.id}/knowledge`, article)
    expect([reply.status, expectFailure(reply.body)]).toEqual([400, expect.stringContaining('1,000,000')])
    expect(await articlesOf(service, partner.id)).toHaveLength(50)
    await service.sql(`delete from support_articles where id = '${partner.id}-1'`)
    expect((await service.admin('POST', `/partners/${partner.id}/knowledge`, article)).status).toBe(200)
  })
})

test('413: a body over 256 KiB, as for every endpoint, and the articles stay', async () => {
  const before = await putArticles(service, partner.id, KNOWLEDGE)
  const articles = Array.from({ length: 14 }, (_, i) => ({ title: `T${i}`, body: 'x'.repeat(20_000) }))
  expect((await service.admin('PUT', `/partners/${partner.id}/knowledge`, { articles })).status).toBe(413)
  expect(await articlesOf(service, partner.id)).toEqual(before)
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
    const [{ id }] = (await putArticles(service, null, [REFUNDS])) as [any]
    await service.admin('DELETE', `/knowledge/${id}`)
    for (const gone of [id, 'unknown'])
      expect((await service.admin('DELETE', `/knowledge/${gone}`)).body).toEqual({
        success: false,
        error: 'Article not found.',
        code: 'not_found',
      })
  })
})

describe('the audit log', () => {
  test('has the full text of what every version added and removed, and no row for a version that changes nothing', async () => {
    for (const [scope, path, subject] of scopes()) {
      const versions = [KNOWLEDGE, KNOWLEDGE, [INVOICES], []]
      const rows = await audited(service, async () => {
        for (const articles of versions) await putArticles(service, scope, articles)
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
    expect(await replyTo(partner, ABOUT_REFUNDS)).toBeNull()
    await putArticles(service, partner.id, KNOWLEDGE)
    expect(await replyTo(partner, ABOUT_REFUNDS)).toBe(REFUND_PASSAGE)
    const changed = REFUND_PASSAGE.replace('5 business days', '9 business days')
    await putArticles(service, partner.id, [passageAbout('Refunds', changed), INVOICES])
    expect(await replyTo(partner, ABOUT_REFUNDS)).toBe(changed)
    const [refunds] = (await articlesOf(service, partner.id)) as [any]
    await service.admin('DELETE', `/knowledge/${refunds.id}`)
    expect(await replyTo(partner, ABOUT_REFUNDS)).toBeNull()
    await service.admin('POST', `/partners/${partner.id}/knowledge`, REFUNDS)
    expect(await replyTo(partner, ABOUT_REFUNDS)).toBe(REFUND_PASSAGE)
  })

  test('one partner’s articles are never used for another partner’s customers', async () => {
    await putArticles(service, partner.id, KNOWLEDGE)
    expect(await replyTo(partner, ABOUT_REFUNDS)).toBe(REFUND_PASSAGE)
    expect(await replyTo(other, ABOUT_REFUNDS)).toBeNull()
    await putArticles(service, other.id, [passageAbout('Refunds', REFUND_PASSAGE.replace('5', '77')), INVOICES])
    expect(await replyTo(other, ABOUT_REFUNDS)).toContain('77 business days')
    expect(await replyTo(partner, ABOUT_REFUNDS)).toBe(REFUND_PASSAGE)
  })

  test('articles for all are used for both, beside their own', async () => {
    await putArticles(service, null, [REFUNDS])
    await putArticles(service, partner.id, [INVOICES])
    for (const { key } of [partner, other])
      expect(await asked(service, key, ABOUT_REFUNDS)).toMatchObject({ status: 'answered', reply: REFUND_PASSAGE })
    expect(await replyTo(partner, ABOUT_INVOICES)).toBe(INVOICE_PASSAGE)
    expect(await replyTo(other, ABOUT_INVOICES)).toBeNull()
    await putArticles(service, null, [])
    expect(await replyTo(other, ABOUT_REFUNDS)).toBeNull()
  })
})

describe('GET /knowledge/search', () => {
  const search = async (q: string, more: Record<string, string> = {}): Promise<any[]> =>
    dataOf(await service.admin('GET', `/knowledge/search?${new URLSearchParams({ q, ...more })}`))

  test('shows the passages that match a question, best first, and which of them would be the answer', async () => {
    const [refunds] = (await putArticles(service, partner.id, KNOWLEDGE)) as [any]
    const found = await search(ABOUT_REFUNDS, { client: partner.id })
    expect(found[0]).toEqual({
      articleId: refunds.id,
      title: 'Refunds',
      text: REFUND_PASSAGE,
      coverage: expect.any(Number),
      answers: true,
    })
    expect(found.filter(({ answers }) => answers)).toHaveLength(1)
    expect(found.every(({ coverage }) => coverage >= 0 && coverage <= 1)).toBe(true)
    expect(found.length).toBeLessThanOrEqual(10)
    expect(
      (await search('Tell me of something else entirely', { client: partner.id })).some((one) => one.answers),
    ).toBe(false)
  })

  test('without a client it searches the articles for all, never a partner’s own', async () => {
    await putArticles(service, partner.id, [REFUNDS])
    expect(await search(ABOUT_REFUNDS)).toEqual([])
    expect(await search(ABOUT_REFUNDS, { client: other.id })).toEqual([])
    await putArticles(service, null, [REFUNDS])
    expect((await search(ABOUT_REFUNDS))[0].text).toBe(REFUND_PASSAGE)
  })

  test('400 without a question or with one that is too long', async () => {
    for (const query of ['', '?q=', `?q=${'x'.repeat(4001)}`])
      expect((await service.admin('GET', `/knowledge/search${query}`)).status).toBe(400)
  })
})
