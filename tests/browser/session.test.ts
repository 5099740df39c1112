// The session in a real browser: what protects its cookie, and what remains after signing out.
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { PASSWORD, type Browser as Person, signedUp, userNamed } from '../harness/browser.ts'
import { launchChromium, type Visit, visitor } from '../harness/chromium.ts'
import { use, useService } from '../harness/use.ts'

// Globals of the functions that run inside the page.
declare const document: any
declare const localStorage: any
declare const sessionStorage: any

let person: Person & { email: string }
let visit: Visit
const service = useService()
beforeAll(async () => {
  person = await signedUp(service)
})
const browser = use(launchChromium)
beforeEach(async () => {
  visit = await visitor(browser, service.origin)
})
afterEach(() => visit.context.close())

async function signIn(next = '/dashboard'): Promise<void> {
  const { page } = visit
  await page.goto(`/sign-in?next=${encodeURIComponent(next)}`)
  await page.getByLabel('E-mail address').fill(person.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(next)
}

test('scripts and other sites cannot use the cookie, and it expires', async () => {
  await signIn()
  const cookies = await visit.context.cookies()
  expect(cookies).toHaveLength(1)
  const [cookie] = cookies
  expect(cookie).toMatchObject({
    name: `catalog_${new URL(service.origin).port}_session`,
    domain: '127.0.0.1',
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure: false,
  })
  const days = (cookie!.expires - Date.now() / 1000) / 86_400
  expect(days).toBeGreaterThan(13.9)
  expect(days).toBeLessThan(14.1)
  expect(await visit.page.evaluate(() => document.cookie)).toBe('')
  // The only thing that scripts keep: that a public page may ask who is signed in.
  expect(await visit.page.evaluate(() => [JSON.stringify(localStorage), sessionStorage.length])).toEqual([
    '{"signed-in":"1"}',
    0,
  ])
})

test('a public page shows who is signed in, and no longer after signing out; a visitor does not even ask', async () => {
  const { page } = visit
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto('/tools')
  await page.waitForLoadState('networkidle')
  expect(asked).not.toContain('/signed-in')
  await signIn()
  await page.goto('/tools')
  await page.getByRole('link', { name: 'Dashboard' }).first().waitFor()
  expect(await page.locator('.head-end > a.button').innerText()).toContain(person.email.slice(0, 10))
  expect(await page.locator('a[href="/sign-in"]').count()).toBe(0)
  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await page.waitForURL('/sign-in')
  await page.waitForLoadState('networkidle')
  await page.goto('/tools')
  await page.waitForLoadState('networkidle')
  expect(await page.locator('a[href="/sign-in"]').first().count()).toBe(1)
  expect(await page.evaluate(() => localStorage.length)).toBe(0)
})

test('an administrator finds the console and the form of a listing on public pages, and no other user does', async () => {
  const { page } = visit
  await service.load([{ kind: 'tool', slug: 'quill', name: 'Quill', website: 'https://quill.example.com' }])
  await signIn()
  await page.goto('/tools/quill')
  await page.getByRole('link', { name: 'Dashboard' }).first().waitFor()
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
  const { id } = await userNamed(service, person.email)
  await service.admin('PATCH', `/users/${id}`, { role: 'admin' })
  await page.reload()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.waitForURL('/admin/tools/quill')
  await page.goto('/tools')
  await page.getByRole('link', { name: 'Console' }).first().waitFor()
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
  await service.admin('PATCH', `/users/${id}`, { role: 'user' })
})

test('signing in again changes the cookie, and the old one is invalid', async () => {
  await signIn()
  const [before] = await visit.context.cookies()
  await visit.page.getByRole('button', { name: 'Sign out' }).click()
  await visit.page.waitForURL('/sign-in')
  expect((await visit.context.cookies()).filter(({ name }) => name.endsWith('_session'))).toEqual([])
  await signIn()
  const [after] = await visit.context.cookies()
  expect(after!.value).not.toBe(before!.value)
  const reply = await service.fetch('/dashboard', { headers: { cookie: `${before!.name}=${before!.value}` } })
  expect(reply.status).toBe(303)
})

test.each(['/dashboard', '/dashboard/account', '/dashboard/usage'])(
  'after signing out, going back from %s leads to the sign-in page',
  async (path) => {
    const { page } = visit
    await signIn(path)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).not.toBe('Sign in')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('/sign-in')
    await page.goBack()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Sign in')
    expect(await page.content()).not.toContain(person.email)
    await page.goForward()
    await page.goBack()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Sign in')
  },
)

test('a second open window is signed out too', async () => {
  const { page, context } = visit
  await signIn()
  const second = await context.newPage()
  await second.goto('/dashboard')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('/sign-in')
  await second.getByLabel('I agree').check()
  await second.getByRole('button', { name: 'Make a key' }).click()
  await second.waitForURL('/sign-in?next=%2Fdashboard')
  const { data } = (await service.admin('GET', '/keys?limit=1000')).body
  expect(data.filter(({ owner }: { owner: string }) => owner === person.email)).toEqual([])
})

test('a page that needs a session leads to the sign-in page and back again, never to another site', async () => {
  const { page } = visit
  await page.goto('/dashboard/account')
  await page.waitForURL('/sign-in?next=%2Fdashboard%2Faccount')
  await page.getByLabel('E-mail address').fill(person.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('/dashboard/account')
  await visit.context.clearCookies()
  for (const next of ['https://evil.example/', '//evil.example/', '/\\evil.example/', 'javascript:alert(1)']) {
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`)
    await page.getByLabel('E-mail address').fill(person.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('/dashboard')
    await visit.context.clearCookies()
  }
  expect(visit.problems).toEqual([])
})

test('the shortlist of the browser joins that of the account at sign-in, and the account brings it to another browser', async () => {
  const { page } = visit
  await service.load([
    { kind: 'tool', slug: 'quill', name: 'Quill', website: 'https://quill.example.com' },
    { kind: 'tool', slug: 'ink', name: 'Ink', website: 'https://ink.example.com' },
  ])
  const saved = async () => (await person.open('/dashboard/saved/shortlist.json')).body.tools
  await page.goto('/tools/quill')
  await page.getByRole('button', { name: 'Shortlist Quill' }).click()
  expect(await saved()).toEqual([])
  await signIn()
  await page.goto('/tools/ink')
  await expect.poll(saved).toEqual(['quill'])
  await page.getByRole('button', { name: 'Shortlist Ink' }).click()
  await expect.poll(saved).toEqual(['quill', 'ink'])
  // Another browser of the same person.
  const first = visit
  visit = await visitor(browser, service.origin)
  await signIn()
  await visit.page.goto('/shortlist')
  await expect.poll(() => new URL(visit.page.url()).search).toBe('?tools=quill,ink')
  await visit.page.getByRole('button', { name: 'Shortlist Quill' }).click()
  await expect.poll(saved).toEqual(['ink'])
  // What was taken off there does not come back from here.
  await first.page.goto('/shortlist')
  await expect.poll(() => first.page.getByRole('link', { name: 'Quill' }).count()).toBe(0)
  expect(await saved()).toEqual(['ink'])
  await first.context.close()
})
