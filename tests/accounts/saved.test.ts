// Accounts keep shortlists and launch plans.
// @module-tag once
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Browser, createBrowser, PASSWORD, signedUp, userNamed } from '../harness/browser.ts'
import { HOSTILE_TEXT } from '../harness/console.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(FIXTURE))

const SAVED = '/dashboard/saved'
const shortlistOf = async (browser: Browser) => {
  const { tools, directories } = (await browser.open(`${SAVED}/shortlist.json`)).body
  return { tools, directories }
}
/** Sends a change as the script of public pages does. */
const change = async (browser: Browser, fields: Record<string, string>) => {
  const { token } = (await browser.open(`${SAVED}/shortlist.json`)).body
  return browser.post(`${SAVED}/shortlist`, { token, ...fields })
}

describe('the shortlist', () => {
  test('a shared list joins that of the account, without a script', async () => {
    const user = await signedUp(service)
    const shared = '/shortlist?tools=bare-bones&directories=peak'
    const link = (await user.open(shared)).text
      .match(/href="(\/dashboard\/saved\?[^"]+)"/)![1]!
      .replaceAll('&amp;', '&')
    const reply = await user.submit(link, `${SAVED}/shortlist`)
    expect([reply.status, reply.headers.get('location')]).toEqual([303, SAVED])
    expect(await shortlistOf(user)).toEqual({ tools: ['bare-bones'], directories: ['peak'] })
    const { text } = await user.open(SAVED)
    expect(text).toContain('href="/shortlist?tools=bare-bones&amp;directories=peak"')
    expect(text).toContain('href="/plan?directories=peak"')
    for (const href of ['/tools/bare-bones', '/directories/peak']) expect(text).toContain(`<h3><a href="${href}">`)
    // What it has already is not offered again.
    expect((await user.open(link)).text).not.toContain(`action="${SAVED}/shortlist"`)
  })

  test('a visitor signs in first, and comes back with the list', async () => {
    const reply = await createBrowser(service).open(`${SAVED}?tools=bare-bones`)
    expect([reply.status, reply.headers.get('location')]).toEqual([
      303,
      `/sign-in?next=${encodeURIComponent(`${SAVED}?tools=bare-bones`)}`,
    ])
  })

  test('is added to and taken from, and keeps the newest fifty of each kind', async () => {
    const user = await signedUp(service)
    const slugs = Array.from({ length: 50 }, (_, i) => `tool-${i}`)
    await change(user, { tools: slugs.join(',') })
    await change(user, { tools: 'one-more', directories: 'peak' })
    expect(await shortlistOf(user)).toEqual({ tools: [...slugs.slice(1), 'one-more'], directories: ['peak'] })
    await change(user, { remove: 'directories', slug: 'peak' })
    await change(user, { remove: 'users', slug: 'tool-3' })
    expect((await shortlistOf(user)).directories).toEqual([])
    expect((await shortlistOf(user)).tools).toHaveLength(50)
    await change(user, { tools: HOSTILE_TEXT })
    await expectSound((await user.open(SAVED)).text, ['<img src=x onerror'])
  })

  test('belongs to its user alone, and a form of another page cannot change it', async () => {
    const [one, other] = [await signedUp(service), await signedUp(service)]
    await change(one, { tools: 'bare-bones' })
    expect((await shortlistOf(other)).tools).toEqual([])
    expect((await other.post(`${SAVED}/shortlist`, { tools: 'bare-bones' })).status).toBe(403)
    expect((await createBrowser(service).open(`${SAVED}/shortlist.json`)).status).toBe(303)
  })
})

describe('launch plans', () => {
  const planPage = `${SAVED}?plan=${encodeURIComponent('kind=mobile&budget=100&done=peak')}`

  test('are kept with their ticks under a name, and replaced under the same name', async () => {
    const user = await signedUp(service)
    expect((await user.open('/plan?kind=mobile')).text).toContain(`href="${SAVED}?plan=kind%3Dmobile`)
    await user.submit(planPage, `${SAVED}/plans`, { name: 'Spring' })
    await user.submit(`${SAVED}?plan=kind%3Dplugin%26x%3D1`, `${SAVED}/plans`, { name: 'Autumn' })
    const { text } = await user.open(SAVED)
    expect(text).toContain('href="/plan?kind=mobile&amp;budget=100&amp;done=peak"')
    expect(text).toContain('href="/plan?kind=plugin"')
    await user.submit(planPage, `${SAVED}/plans`, { name: 'Autumn' })
    expect((await user.open(SAVED)).text).not.toContain('kind=plugin')
    for (const _ of ['Spring', 'Autumn']) await user.submit(SAVED, `${SAVED}/plans/delete`)
    expect((await user.open(SAVED)).text).toContain('No plan yet')
  })

  test('are kept however many directories are ticked off', async () => {
    const user = await signedUp(service)
    const ticks = createHash('sha512').update('ticks').digest('hex').repeat(40)
    const long = Array.from({ length: 60 }, (_, at) => createHash('sha256').update(String(at)).digest('hex')).join(',')
    for (const done of [ticks, long]) {
      const page = `${SAVED}?plan=${encodeURIComponent(`done=${done}`)}`
      expect((await user.submit(page, `${SAVED}/plans`, { name: 'Long' })).status).toBe(303)
      expect((await user.open(SAVED)).text).toContain('Long')
    }
  })

  test('that no address could hold are refused with a sentence, on a page that can be opened', async () => {
    const user = await signedUp(service)
    const { token } = (await user.open(`${SAVED}/shortlist.json`)).body
    for (const query of [`done=${'漢'.repeat(7_990)}`, `done=${'a'.repeat(8_000)}`]) {
      const reply = await user.post(`${SAVED}/plans`, { token, name: 'Endless', query })
      expect([reply.status, reply.headers.get('location')]).toEqual([303, SAVED])
      const { text } = await user.open(SAVED)
      expect(text).toContain('No plan yet')
      expect(text).toMatch(/too long|at most 8,?000/)
    }
  })

  test('a choice that no plan has is refused, and a hostile name is only text', async () => {
    const user = await signedUp(service)
    const wrong = await user.submit(`${SAVED}?plan=kind%3Dspaceship`, `${SAVED}/plans`, { name: 'Wrong' })
    expect(wrong.status).toBe(303)
    const back = await user.open(wrong.headers.get('location')!)
    expect(back.text).toContain('kind must be one of')
    expect(back.text).not.toContain('Wrong')
    await user.submit(planPage, `${SAVED}/plans`, { name: HOSTILE_TEXT.slice(0, 80) })
    await expectSound((await user.open(SAVED)).text, ['<img src=x onerror'])
    await expectSound((await user.open(`${SAVED}?plan=${encodeURIComponent(HOSTILE_TEXT)}`)).text, [
      '<img src=x onerror',
    ])
  })
})

test('the export of an account has what is saved, and its deletion deletes it', async () => {
  const user = await signedUp(service)
  const { id } = await userNamed(service, user.email)
  await change(user, { tools: 'bare-bones' })
  const exported = (await user.open('/dashboard/account/export')).body
  expect(JSON.stringify(exported)).toContain('bare-bones')
  await user.submit('/dashboard/account/delete', '/dashboard/account/delete', {
    confirm: user.email,
    current: PASSWORD,
  })
  expect(await service.sql(`select 1 from saved_items where user_id = '${id}'`)).toEqual([])
})
