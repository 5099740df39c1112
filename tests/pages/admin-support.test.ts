// The console's support inbox and threads, and what the users of a partner see of them on the dashboard.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { type Browser, formIn, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { expectForAdministrators, expectRefused, HOSTILE_TEXT } from '../harness/console.ts'
import { expectSound } from '../harness/html.ts'
import { SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import * as support from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let admin: Browser & { email: string }
let partner: support.SupportPartner
const service = useService()
beforeAll(async () => {
  admin = await signedUpAdmin(service)
  partner = await support.newSupportPartner(service, 'hybrid', { name: 'Zqclient' })
  await support.putArticles(service, partner.id, support.KNOWLEDGE)
})

const askWithoutAnswer = (more: Record<string, unknown> = {}) =>
  support.asked(service, partner.key, { question: support.UNRELATED, ...more })
const pathOf = ({ id }: { id: string }) => `/admin/support/${id}`

describe('the support inbox', () => {
  test('is shown only to administrators, without errors, and escapes what customers wrote', async () => {
    const hostile = await askWithoutAnswer({
      question: HOSTILE_TEXT,
      externalId: HOSTILE_TEXT,
      customer: { name: HOSTILE_TEXT, id: HOSTILE_TEXT },
      metadata: { [HOSTILE_TEXT]: [HOSTILE_TEXT] },
    })
    const answered = await support.asked(service, partner.key, support.ABOUT_REFUNDS)
    await expectForAdministrators(service, admin, [
      '/admin/support',
      '/admin/support?status=all',
      pathOf(hostile),
      pathOf(answered),
    ])
    const page = (await admin.open(pathOf(answered))).text
    expect(page).toContain('Made from 1 passage')
  })

  test('lists pending conversations first, the longest wait first, and can be filtered', async () => {
    const other = await support.newSupportPartner(service, 'human')
    await support.asked(service, other.key, { question: 'Zqfirst one?', customer: { email: 'zq@example.com' } })
    await support.asked(service, other.key, 'Zqsecond one?')
    const names = async (query: string) => {
      const page = (await admin.open(`/admin/support?${query}`)).text
      return [...page.matchAll(/<bdi>(Zq\w+) one\?/g)].map(([, name]) => name)
    }
    expect(await names(`client=${other.id}`)).toEqual(['Zqfirst', 'Zqsecond'])
    expect(await names('q=zqsecond')).toEqual(['Zqsecond'])
    expect(await names('q=ZQ@example')).toEqual(['Zqfirst'])
    expect(await names('status=answered&q=zq')).toEqual([])
  })

  test('shows the list without filters and says why, if a filter has a value that there is not', async () => {
    await askWithoutAnswer()
    const reply = await admin.open('/admin/support?status=bogus')
    expect(reply.status).toBe(400)
    await expectSound(reply.text)
    expect(reply.text).toMatch(/status must be .*\. The list is shown without filters\./)
    expect(reply.text).toContain('<caption')
    expect(reply.text).not.toContain('bogus')
  })
})

describe('beside a question', () => {
  let tool: any
  beforeAll(async () => {
    await service.load(SUBMISSION_CATALOG)
    const body = { name: 'Zq Product', website: 'https://zq-product.example.com', paymentType: 'starter' }
    tool = await submitted(service, partner.key, { ...body, founderEmail: 'founder-zq@example.com' })
  })
  const cardsIn = (text: string): string[] =>
    [...text.matchAll(/aria-label="Submission of ([^"]+)"/g)].map(([, name]) => name!)

  test.each([
    ['the name of the product', (tool: any) => ({ metadata: { product: tool.name.toUpperCase() } })],
    ['its slug', (tool: any) => ({ metadata: { toolSlug: tool.slug } })],
    ['its id', (tool: any) => ({ metadata: { tool: tool.id } })],
    ['its website', (tool: any) => ({ metadata: { site: `${tool.website}/` } })],
    ['the address of its founder', () => ({ customer: { email: 'Founder-Zq@example.com' } })],
  ])('is the submission that it names by %s', async (_what, named) => {
    const { text } = await admin.open(pathOf(await askWithoutAnswer(named(tool))))
    await expectSound(text)
    expect(cardsIn(text)).toEqual(['Zq Product'])
    expect(text).toContain('0 of 30')
  })

  test('is no submission of another partner, and none if it names none', async () => {
    const other = await support.newSupportPartner(service, 'human')
    const asked = await support.asked(service, other.key, {
      question: 'Where is it?',
      customer: { email: 'founder-zq@example.com' },
      metadata: { product: 'Zq Product' },
    })
    for (const conversation of [asked, await askWithoutAnswer({ metadata: { product: ['Zq Product'], size: 7 } })])
      expect(cardsIn((await admin.open(pathOf(conversation))).text)).toEqual([])
  })
})

describe('a support reply', () => {
  test('is sent, and the page shows it', async () => {
    const conversation = await askWithoutAnswer()
    const path = pathOf(conversation)
    const rows = await audited(service, async () => {
      const reply = await admin.submit(path, `${path}/reply`, { content: 'Sunny.\r\nMostly.' })
      expect([reply.status, reply.headers.get('location')]).toEqual([303, path])
    })
    expect(rows).toMatchObject([{ actor: admin.email, action: 'support.reply' }])
    const thread = await support.thread(service, conversation.id)
    expect(thread.status).toBe('answered')
    expect(thread.messages.at(-1)).toMatchObject({ content: 'Sunny.\nMostly.', author: admin.email })
    await expectSound((await admin.open(path)).text)
  })

  test('takes in a passage without JavaScript, after what was typed, and nothing is sent', async () => {
    const conversation = await askWithoutAnswer({ question: 'Refund, refund, invoice?' })
    const path = pathOf(conversation)
    const before = await support.thread(service, conversation.id)
    const reply = await admin.submit(path, `${path}/reply`, { content: 'Dear Ada,', insert: '0' })
    expect(reply.status).toBe(200)
    await expectSound(reply.text)
    const typed = /<textarea[^>]*>\n(.*?)<\/textarea>/s.exec(reply.text)![1]!
    expect(typed).toMatch(/^Dear Ada,\n\n\S/)
    expect(await support.thread(service, conversation.id)).toEqual(before)
  })

  test('is returned with what was typed to the second of two administrators, who then reads the first reply', async () => {
    const conversation = await askWithoutAnswer()
    const path = pathOf(conversation)
    const form = formIn((await admin.open(path)).text, `${path}/reply`)!
    await support.reply(service, conversation.id, 'I was faster')
    const reply = await admin.post(`${path}/reply`, { ...form, content: 'My own words' })
    expect(reply.status).toBe(409)
    expect(reply.text).toContain('The conversation was changed by operator at')
    expect(reply.text).toContain('I was faster')
    expect(reply.text).toContain('My own words</textarea>')
    expect((await support.thread(service, conversation.id)).messages).toHaveLength(2)
    await admin.post(`${path}/reply`, { ...formIn(reply.text, `${path}/reply`)!, content: 'My own words' })
    expect((await support.thread(service, conversation.id)).messages).toHaveLength(3)
  })

  test('that is blank is refused in a page', async () => {
    const conversation = await askWithoutAnswer()
    const path = pathOf(conversation)
    const reply = await admin.submit(path, `${path}/reply`, { content: ' \r\n' })
    expect(reply.status).toBe(400)
    await expectSound(reply.text)
    expect(reply.text).toContain('The reply must not be blank')
  })

  test('becomes an article in one step, with the reply or after it', async () => {
    const other = await support.newSupportPartner(service, 'human')
    const conversation = await support.asked(service, other.key, 'Do you sell hats?')
    const path = pathOf(conversation)
    await admin.submit(path, `${path}/reply`, { content: 'Only on Mondays.', article: 'true' })
    expect(await support.articlesOf(service, other.id)).toMatchObject([
      { title: 'Do you sell hats?', body: 'Only on Mondays.' },
    ])
    expect((await admin.submit(path, `${path}/article`)).status).toBe(303)
    // The same article is not added twice.
    expect(await support.articlesOf(service, other.id)).toHaveLength(1)
    await admin.submit(path, `${path}/article`, { title: 'Hats', scope: 'all' })
    expect(await support.articlesOf(service, null)).toMatchObject([{ title: 'Hats' }])
    await support.putArticles(service, null, [])
  })
})

test('forms of the inbox without the token of the session are refused and change nothing', async () => {
  const conversation = await askWithoutAnswer()
  const before = await support.thread(service, conversation.id)
  await expectRefused(admin, `${pathOf(conversation)}/reply`, { content: 'x' })
  await expectRefused(admin, `${pathOf(conversation)}/article`, {})
  expect(await support.thread(service, conversation.id)).toEqual(before)
})

describe('the users of a partner', () => {
  const PATH = '/dashboard/partner/support'
  const userOf = async (partnerId: string) => {
    const person = await signedUp(service)
    const { id } = await userNamed(service, person.email)
    await service.admin('PATCH', `/users/${id}`, { partner: partnerId })
    return person
  }

  test('see the threads of their partner, without the names of operators', async () => {
    const conversation = await askWithoutAnswer({ question: HOSTILE_TEXT, customer: { name: 'Zqcustomer' } })
    await support.reply(service, conversation.id, 'Written by a person')
    const person = await userOf(partner.id)
    const list = await person.open(PATH)
    await expectSound(list.text, ['<img src=x onerror'])
    expect(list.text).toContain('Zqcustomer')
    const page = await person.open(`${PATH}/${conversation.id}`)
    await expectSound(page.text, ['<img src=x onerror', 'operator', admin.email, '<textarea'])
    expect(page.text).toContain('Written by a person')
  })

  test('see no thread of another partner, and users without a partner see none', async () => {
    const other = await support.newSupportPartner(service, 'human')
    const foreign = await support.asked(service, other.key, 'Zqforeign?')
    const person = await userOf(partner.id)
    expect((await person.open(PATH)).text).not.toContain('Zqforeign')
    const replies = [await person.open(`${PATH}/${foreign.id}`), await person.open(`${PATH}/no-such`)]
    expect(replies.map(({ status }) => status)).toEqual([404, 404])
    expect(replies[0]!.text.replaceAll(foreign.id, 'x')).toBe(replies[1]!.text.replaceAll('no-such', 'x'))
    const user = await signedUp(service)
    for (const path of [PATH, `${PATH}/${foreign.id}`]) expect((await user.open(path)).status).toBe(403)
  })
})

test('a call of the language model that cost very little does not read as free', async () => {
  for (const cost of ['0.00002', '0.0000000123', '0.0021', '12.3456', '0'])
    await service.sql(`insert into model_calls (purpose, model, milliseconds, cost, created_at)
      values ('support', 'm', 1, ${cost}, now())`)
  const { text } = await admin.open('/admin/support/model')
  for (const cost of ['0.00002', '0.000000012', '0.0021', '12.3456', '0']) expect(text).toContain(`>${cost}</td>`)
  expect(text).toContain('<dd>12.3477, as the endpoint says</dd>')
})
