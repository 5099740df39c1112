// An administrator in the console: issues a partner key, works on the partner's submission until Done, and answers its customer.
import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PASSWORD, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { horizontalOverflow, launchChromium, type Visit, visitor } from '../harness/chromium.ts'
import { startReceiver } from '../harness/receiver.ts'
import { newTool, SUBMISSION_CATALOG } from '../harness/submissions.ts'
import { use, useService } from '../harness/use.ts'

let email: string
const receiver = use(startReceiver)
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  email = (await signedUpAdmin(service)).email
})
const browser = use(launchChromium)

let visit: Visit
afterEach(async () => {
  expect(visit.problems).toEqual([])
  await visit.context.close()
})

async function signIn({ page }: Visit, who: string, next: string): Promise<void> {
  await page.goto(next)
  await page.getByLabel('E-mail address').fill(who)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(next)
}

interface Issued {
  name: string
  key: string
  secret: string
}

let serial = 0

/** Creates a partner in the console and returns the key and the secret, which are shown once. */
async function issuePartner(page: Page, support: string): Promise<Issued> {
  const name = `Launchpad ${++serial}`
  await section(page, 'Partners')
  await page.getByRole('link', { name: 'Add a partner' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel(/^Webhook/).fill(`${receiver.origin}/${serial}`)
  await page.locator('form[action="/admin/partners"][method="post"]').getByLabel('Support').selectOption(support)
  await page.getByRole('button', { name: 'Add the partner' }).click()
  await page.getByRole('heading', { name: 'A new partner' }).waitFor()
  const [key, secret] = await page.locator('.copyable code').allInnerTexts()
  expect(key).toMatch(/^aid_p_/)
  return { name, key: key!, secret: secret! }
}

async function section(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('navigation', { name: 'Console' })
  // On a phone the menu is closed.
  const summary = menu.locator('summary')
  if (await summary.isVisible()) await summary.click()
  await menu.getByRole('link', { name }).first().click()
}

const progressOf = (page: Page) => page.locator('#work-progress').innerText()

describe.each([
  ['on a desktop, with a script', { phone: false, javaScript: true }],
  ['on a phone, with a script', { phone: true, javaScript: true }],
  ['on a desktop, without a script', { phone: false, javaScript: false }],
])('%s', (_where, options) => {
  beforeEach(async () => {
    visit = await visitor(browser, service.origin, options)
    visit.page.setDefaultTimeout(20_000)
    await signIn(visit, email, '/admin')
  })

  test('issues a partner key, works on the partner’s submission until Done, and the event arrives', async () => {
    const { page } = visit
    const { name, key, secret } = await issuePartner(page, 'off')
    const sent = newTool({ paymentType: 'starter' })
    const submitted = await service.rest('/submit-ai-tool', { method: 'POST', key, body: sent })
    expect(submitted.status).toBe(201)
    await page.goto('/admin')
    await section(page, 'Submissions')
    expect(await page.locator('.card', { hasText: sent.name }).innerText()).toContain('Starter')
    await page.getByRole('link', { name: sent.name, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: sent.name }).waitFor()
    expect(await progressOf(page)).toContain('0 of 30')
    await page.getByRole('button', { name: /to me|mine/i }).click()
    await page.getByText('It is yours.').waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('In progress').first().waitFor()
    expect(await horizontalOverflow(page)).toBe(0)
    for (const [i, directory] of ['Peak', 'Alpha Board', 'Beta Board'].entries()) {
      await page.locator('.bench-rows a', { hasText: directory }).click()
      const kit = page.locator('#kit', { has: page.getByRole('heading', { name: directory, exact: true }) })
      if (i < 2) await kit.getByLabel('Listing').first().fill(`https://listed.example.org/${i}`)
      await kit.getByRole('button', { name: new RegExp(`^Record ?: ${directory}$`) }).click()
      await page.getByText(`Recorded: ${directory}`).waitFor()
      await expect.poll(() => progressOf(page), { timeout: 10_000 }).toContain(`${i + 1} of 30`)
    }
    // The partner sees each state.
    const status = () => service.rest(`/ai-tools/status?slug=${submitted.body.data.slug}`, { key })
    expect((await status()).body.data).toMatchObject({ submissionState: 'IN_PROGRESS', summary: { submittedCount: 3 } })
    await page.getByText('State, person, package and notes').click()
    await page.getByLabel('Notes', { exact: true }).fill('Three to begin with.')
    await page.getByRole('button', { name: 'Save', exact: true }).first().click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('button', { name: 'Send to review' }).click()
    await page.getByText('In review').first().waitFor()
    expect(receiver.at(`/${serial}`)).toEqual([])
    await page.getByRole('link', { name: 'Mark as done …' }).click()
    await page.getByRole('heading', { name: /Mark .* as done\?/ }).waitFor()
    expect(await page.getByRole('status').filter({ hasText: /\S/ }).first().innerText()).toContain(
      'promises 30 directories, and 3 are submitted',
    )
    expect(await page.getByText('3 submitted directories, 1 of them without').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Mark as done' }).click()
    await page.getByText(`Done. ${name} gets a webhook.`).waitFor()
    await expect.poll(() => receiver.at(`/${serial}`).length, { timeout: 10_000 }).toBe(1)
    const [arrival] = receiver.at(`/${serial}`)
    expect(arrival!.headers['x-catalog-event']).toBe('directory_submissions.completed')
    expect(arrival!.headers['x-catalog-signature']).toBe(
      `sha256=${createHmac('sha256', secret).update(arrival!.body).digest('hex')}`,
    )
    expect(JSON.parse(arrival!.body.toString())).toMatchObject({
      tool: { name: sent.name, targetDirectoriesCount: 30 },
      summary: { submittedCount: 3, notes: 'Three to begin with.' },
      submissions: [
        { slug: 'peak', listingUrl: 'https://listed.example.org/0', submittedBy: 'ADMIN' },
        { slug: 'alpha-board', listingUrl: 'https://listed.example.org/1' },
        { slug: 'beta-board', listingUrl: null },
      ],
    })
    expect((await status()).body.data).toMatchObject({ submissionState: 'DONE', summary: { isComplete: true } })
    await section(page, 'Webhooks')
    await expect
      .poll(async () => {
        await page.reload()
        return page.getByRole('row', { name: new RegExp(name) }).innerText()
      })
      .toMatch(/delivered/i)
  })

  test('the administrator replies, and the partner sees it over the API and on its dashboard', async () => {
    const { page } = visit
    const { name, key } = await issuePartner(page, 'human')
    const question = `Where is invoice ${serial}?`
    const ask = await service.rest('/support/ask', {
      method: 'POST',
      key,
      body: { question, externalId: 'thread-1', customer: { name: 'Ida', email: 'ida@customer.example' } },
    })
    expect(ask.body.data).toMatchObject({ status: 'pending', message: null })
    await page.goto('/admin')
    await section(page, 'Support')
    await page.getByRole('link', { name: question }).click()
    await page.getByRole('heading', { level: 1, name: 'Ida' }).waitFor()
    expect(await page.getByText(question).isVisible()).toBe(true)
    expect(await page.getByText('ida@customer.example').isVisible()).toBe(true)
    const content = 'It was sent on Monday.\n\nLook under <b>Billing</b>.'
    await page.getByRole('textbox', { name: 'Reply' }).fill(content)
    await page.getByRole('button', { name: 'Send the reply' }).click()
    await page.getByText('The reply is sent.').waitFor()
    expect(await page.getByText('Answered').first().isVisible()).toBe(true)
    expect(await horizontalOverflow(page)).toBe(0)
    const read = await service.rest(`/support/conversations/${ask.body.data.id}`, { key })
    expect(read.body.data).toMatchObject({ status: 'answered', message: { source: 'human', content } })
    await expect.poll(() => receiver.at(`/${serial}`).length, { timeout: 10_000 }).toBe(1)
    expect(receiver.at(`/${serial}`)[0]!.headers['x-catalog-event']).toBe('support.replied')
    // A user of the partner opens the dashboard.
    const person = await signedUp(service)
    const partners = (await service.admin('GET', '/partners?limit=1000')).body.data
    const { id } = partners.find((partner: { name: string }) => partner.name === name)
    await service.admin('PATCH', `/users/${(await userNamed(service, person.email)).id}`, { partner: id })
    const their = await visitor(browser, service.origin, { ...options, cookies: person.cookies })
    await their.page.goto('/dashboard/partner/support')
    await their.page.getByRole('link', { name: question }).click()
    await their.page.getByText('It was sent on Monday.').waitFor()
    expect(await their.page.getByText('Look under <b>Billing</b>.').isVisible()).toBe(true)
    expect(their.problems).toEqual([])
    await their.context.close()
  })
})

test('while an administrator types, the tabs and the links of a list keep and clear what was typed', async () => {
  visit = await visitor(browser, service.origin, { javaScript: true })
  const { page } = visit
  await signIn(visit, email, '/admin/support')
  expect(await page.getByRole('link', { name: 'Clear all filters' }).count()).toBe(0)
  await page.getByLabel('Search', { exact: true }).pressSequentially('invoice')
  await page.waitForURL(/q=invoice/)
  await page.getByRole('link', { name: 'Clear all filters' }).first().waitFor()
  for (const name of ['Answered', 'Show tests'])
    expect(await page.getByRole('link', { name, exact: true }).getAttribute('href')).toContain('q=invoice')
  await page.getByRole('link', { name: 'Clear all filters' }).first().click()
  await page.waitForURL('/admin/support')
})
