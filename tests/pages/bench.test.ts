// The bench for one submission without JavaScript, and the operations behind it.
// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { cutAtSentence, cutAtWord } from '../../src/features/submissions/bench/kit.rules.ts'
import { BENCH_CATALOG, benchSubmission, DIRECTORIES } from '../harness/bench.ts'
import { type Browser, formIn, signedUpAdmin } from '../harness/browser.ts'
import { expectForAdministrators, expectRefused } from '../harness/console.ts'
import { expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

let admin: Browser & { email: string }
let work: any
let path: string
const service = useService()
beforeAll(async () => {
  await service.load(BENCH_CATALOG)
  admin = await signedUpAdmin(service)
  work = await benchSubmission(service)
  path = `/admin/submissions/${work.id}`
})

const slugsIn = (text: string): string[] =>
  [...text.matchAll(/<li><a href="\?directory=([\w-]+)/g)].map(([, slug]) => slug!)
const currentIn = (text: string): string => /id="kit"[^>]*data-slug="([\w-]+)"/.exec(text)![1]!
const chosenSlugs = async (): Promise<string[]> =>
  (await service.admin('GET', `/submissions/${work.id}/plan`)).body.data.chosen.map(({ slug }: any) => slug)
const rowOf = async (slug: string): Promise<any> =>
  (await service.admin('GET', `/submissions/${work.id}`)).body.data.submissions.find((row: any) => row.slug === slug)
const stateOf = async (): Promise<string> => (await service.admin('GET', `/submissions/${work.id}`)).body.data.state

describe('the page', () => {
  test('has the directories of the plan in the order of its phases, at most 60 KB with all of them, and is for administrators', async () => {
    await expectForAdministrators(service, admin, [path, `${path}?show=all`])
    const { text } = await admin.open(path)
    const plan = (await admin.open(`${path}/plan`)).text
    const planned = [...plan.matchAll(/<h3><a href="[^"]*\?directory=([\w-]+)#kit"/g)].map(([, slug]) => slug!)
    expect(slugsIn(text)).toEqual(planned)
    expect(planned.toSorted()).toEqual((await chosenSlugs()).toSorted())
    expect(currentIn(text)).toBe(slugsIn(text)[0])
    const all = (await admin.open(`${path}?show=all`)).text
    expect(slugsIn(all).length).toBeGreaterThanOrEqual(DIRECTORIES)
    const sizes = [text, all].map((page) => Buffer.byteLength(page))
    console.log(`bench: ${sizes[0]} bytes with the plan of 100, ${sizes[1]} with ${slugsIn(all).length} directories`)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(60_000)
  })

  test('filters by name and by what is left, and shows the directory of the address', async () => {
    const { text } = await admin.open(`${path}?show=all&q=directory%20300`)
    expect(slugsIn(text)).toEqual(['startup-directory-300'])
    expect(currentIn((await admin.open(`${path}?directory=startup-directory-7`)).text)).toBe('startup-directory-7')
    await expectSound((await admin.open(`${path}?q=nosuchthing&directory=%22%3E`)).text)
    expect(text).toContain(`href="${path}/checks">Links and report</a>`)
  })

  test('has the texts cut to the limits of the directory', async () => {
    const short = (await admin.open(`${path}?directory=startup-directory-3`)).text
    expect(short).toContain('data-source>Drafts your mail in</bdi>')
    expect(short).toContain('19 of 20, cut')
    expect(short).toContain('href="https://startup-directory-3.example.org/submit"')
    const usual = (await admin.open(`${path}?directory=startup-directory-4`)).text
    expect(usual).toContain('cut to the usual 60')
  })

  test('begins the texts with logo and pictures as files that are named after the product, and has words for its pricing', async () => {
    const logo = `${service.origin}/media/${'b'.repeat(40)}.png`
    const { tool } = (await service.admin('GET', `/submissions/${work.id}`)).body.data
    await service.sql(`update tools set icon = '${logo}', pricing = 'FREEMIUM' where id = '${tool.id}'`)
    const { text } = await admin.open(path)
    const kit = text.slice(text.indexOf('id="kit"'))
    expect(kit).toContain(`href="/media/${'b'.repeat(40)}.png" download="${tool.slug}-logo.png"`)
    expect(kit.indexOf('download=')).toBeLessThan(kit.indexOf('data-source'))
    expect(kit).toContain('data-source>Freemium</bdi>')
    expect(kit).not.toContain('FREEMIUM')
  })

  test('has its keys on the buttons and a list of all keys that opens without JavaScript', async () => {
    const { text } = await admin.open(path)
    expect(text).toContain('popovertarget="keys"')
    expect(text).toMatch(/<section id="keys"[^>]* popover /)
    for (const key of ['↵', 's', 'o']) expect(text).toContain(`<kbd class="key" aria-hidden="true">${key}</kbd>`)
  })
})

test('a text is cut at a word, by characters, and never to nothing', () => {
  expect(cutAtWord('one two three', 13)).toBe('one two three')
  expect(cutAtWord('one two three', 12)).toBe('one two')
  expect(cutAtWord('one two, three', 9)).toBe('one two')
  expect(cutAtWord('one two three', 7)).toBe('one two')
  expect(cutAtWord('Donaudampfschiff', 5)).toBe('Donau')
  expect(cutAtWord('🙂🙂🙂 🙂🙂', 4)).toBe('🙂🙂🙂')
  expect(cutAtWord('---- x', 4)).toBe('----')
})

test('a text is cut at a sentence that fills a third of the limit, else at a word', () => {
  expect(cutAtSentence('It reads. It answers.', 21)).toBe('It reads. It answers.')
  expect(cutAtSentence('It reads. It answers too.', 20)).toBe('It reads.')
  expect(cutAtSentence('It reads. It answers.', 20)).toBe('It reads.')
  expect(cutAtSentence('It answers every one. It reads.', 21)).toBe('It answers every one.')
  expect(cutAtSentence('Works with tools, e.g. Slack, Notion and Linear', 34)).toBe('Works with tools, e.g. Slack')
  expect(cutAtSentence('It answers mail\nfrom customers and others', 32)).toBe('It answers mail\nfrom customers')
  const worst = 'a! '.repeat(6000)
  expect(cutAtSentence(worst, 9000).length).toBeGreaterThan(8990)
  // A sentence that ends right after the limit does not fit.
  expect(cutAtSentence('你你你。你你你。', 7)).toBe('你你你。')
  expect(cutAtSentence('It answers. '.repeat(1600), 15_005).length).toBe('It answers. '.length * 1250 - 1)
  expect(cutAtSentence('Hi. It answers every mail, e.g. of customers, by itself.', 32)).toBe(
    'Hi. It answers every mail, e.g.',
  )
  expect(cutAtSentence('One. Two three four five', 21)).toBe('One. Two three four')
})

describe('working without JavaScript', () => {
  test('records, moves the state, goes on to the next one, and undoes', async () => {
    const [first, second] = slugsIn((await admin.open(path)).text) as [string, string]
    const action = `${path}/bench/${first}`
    await expectRefused(admin, action, { isSubmitted: 'true' })
    expect(await stateOf()).toBe('IN_QUEUE')
    const reply = await admin.submit(path, action, {
      isSubmitted: 'true',
      listingUrl: `https://${first}.example.org/x`,
    })
    expect([reply.status, reply.headers.get('location')]).toEqual([
      303,
      `${path}?directory=${second}&last=${first}&did=record#kit`,
    ])
    expect(await rowOf(first)).toMatchObject({ isSubmitted: true, version: 1 })
    expect(await stateOf()).toBe('IN_PROGRESS')
    const after = `${path}?directory=${second}&last=${first}&did=record`
    const undoing = `${action}/undo`
    const form = formIn((await admin.open(after)).text, undoing)!
    const undone = await admin.post(undoing, form)
    expect([undone.status, undone.headers.get('location')]).toEqual([303, `${path}?directory=${first}#kit`])
    expect(await rowOf(first)).toBeUndefined()
    // A second undo of the same form finds no record.
    expect((await admin.post(undoing, form)).status).toBe(404)
    // The version goes on, so that a form that was open at the first record does not pass.
    await service.admin('PUT', `/submissions/${work.id}/directories/${first}`, { isSubmitted: true })
    expect((await rowOf(first)).version).toBe(2)
  })

  test('undo makes a changed row as it was, once, and not over the change of another administrator', async () => {
    const slug = slugsIn((await admin.open(path)).text)[5]!
    const row = `/submissions/${work.id}/directories/${slug}`
    await service.admin('PUT', row, { isSubmitted: false, listingUrl: 'https://a.example.org/1' })
    await service.admin('PUT', row, { isSubmitted: true, listingUrl: 'https://a.example.org/2' })
    expect((await service.admin('POST', `${row}/undo?ifVersion=1`)).status).toBe(409)
    const reply = await service.admin('POST', `${row}/undo?ifVersion=2`)
    expect(reply.body.data.row).toMatchObject({ isSubmitted: false, listingUrl: 'https://a.example.org/1', version: 3 })
    expect((await service.admin('POST', `${row}/undo`)).status).toBe(400)
  })

  test('saving a record again keeps the time at which it was entered; marking it as not submitted removes it', async () => {
    const slug = slugsIn((await admin.open(path)).text)[6]!
    const submittedAt = '2026-01-02T03:04:05.000Z'
    const [page, action] = [`${path}?directory=${slug}`, `${path}/bench/${slug}`]
    await service.admin('PUT', `/submissions/${work.id}/directories/${slug}`, { isSubmitted: true, submittedAt })
    await admin.submit(page, action, { isSubmitted: 'true', listingUrl: 'https://a.example.org/1' })
    expect(await rowOf(slug)).toMatchObject({ listingUrl: 'https://a.example.org/1', submittedAt })
    await admin.submit(page, action, { isSubmitted: 'false' })
    expect(await rowOf(slug)).toMatchObject({ isSubmitted: false, submittedAt: null })
    // 1.1 left the time where a row was marked as not submitted.
    await service.sql(`update submission_rows set submitted_at = '${submittedAt}' where submitted_at is null`)
    await admin.submit(page, action, { isSubmitted: 'true' })
    expect(Date.parse((await rowOf(slug)).submittedAt)).toBeGreaterThan(Date.parse(submittedAt))
  })

  test('shows a wrong address at the field, with what was typed', async () => {
    const slug = slugsIn((await admin.open(path)).text)[7]!
    const reply = await admin.submit(`${path}?directory=${slug}`, `${path}/bench/${slug}`, {
      isSubmitted: 'true',
      listingUrl: 'no address',
    })
    expect(reply.status).toBe(400)
    await expectSound(reply.text)
    expect(reply.text).toContain('value="no address"')
    expect(reply.text).toContain('The address of the listing must')
    expect(currentIn(reply.text)).toBe(slug)
  })

  test('says what the directory waits for, and shows it until it is saved otherwise', async () => {
    const slug = slugsIn((await admin.open(path)).text)[20]!
    const [page, action] = [`${path}?directory=${slug}`, `${path}/bench/${slug}`]
    await admin.submit(page, action, { isSubmitted: 'true', reason: 'e-mail-to-confirm' })
    expect(await rowOf(slug)).toMatchObject({ waitingFor: 'founder', reason: 'e-mail-to-confirm' })
    const shown = (await admin.open(page)).text
    expect(shown).toContain('Waits for the founder')
    expect(shown).toContain('<option value="e-mail-to-confirm" selected>E-mail to confirm (e)</option>')
    await admin.submit(page, action, { isSubmitted: 'true', reason: '' })
    expect(await rowOf(slug)).toMatchObject({ waitingFor: 'directory', isReasonGiven: false })
    const refusal = await admin.submit(page, action, { isSubmitted: 'false', reason: 'review' })
    expect([refusal.status, refusal.text]).toEqual([400, expect.stringContaining('What it waits for cannot be review')])
  })

  test('what is overdue is due and left to do; what waits for the founder is not', async () => {
    const [overdue, asked] = slugsIn((await admin.open(path)).text).slice(21, 23) as [string, string]
    const record = (slug: string, body: object) =>
      service.admin('PUT', `/submissions/${work.id}/directories/${slug}`, body)
    await record(overdue, { isSubmitted: true, submittedAt: '2026-01-02T03:04:05.000Z' })
    await record(asked, { isSubmitted: false, reason: 'payment' })
    const { text } = await admin.open(`${path}?show=open`)
    expect(slugsIn(text)).toContain(overdue)
    expect(slugsIn(text)).not.toContain(asked)
    const { rows, enteredCount } = (await service.admin('GET', `/submissions/${work.id}/records`)).body.data
    const states = Object.fromEntries(rows.map(({ slug, state }: any) => [slug, state]))
    expect(states).toMatchObject({ [overdue]: 'due', [asked]: 'waiting' })
    expect(enteredCount).toBe(rows.filter(({ state }: any) => state === 'entered' || state === 'due').length)
  })

  test('skips with a reason, and undoes that', async () => {
    const before = await chosenSlugs()
    const slug = before[8]!
    const action = `${path}/bench/${slug}/skip`
    const reply = await admin.submit(`${path}?directory=${slug}`, action, { reason: 'refused' })
    expect(reply.headers.get('location')).toContain(`last=${slug}&did=skip`)
    expect(await chosenSlugs()).not.toContain(slug)
    const undoing = `${path}/bench/${slug}/undo`
    await admin.submit(reply.headers.get('location')!.split('#')[0]!, undoing)
    expect(await chosenSlugs()).toEqual(before)
  })

  test('what others record appears in the short list, which is sent only when it changed', async () => {
    const slug = slugsIn((await admin.open(path)).text)[9]!
    const first = await admin.open(`${path}/records`)
    const { stamp } = JSON.parse(first.text)
    expect((await admin.open(`${path}/records?known=${stamp}`)).status).toBe(204)
    await service.admin('PUT', `/submissions/${work.id}/directories/${slug}`, { isSubmitted: true })
    const second = await admin.open(`${path}/records?known=${stamp}`)
    expect(JSON.parse(second.text)).toMatchObject({
      rows: { [slug]: 'entered' },
      names: { [slug]: expect.stringContaining('Startup') },
    })
    expect((await admin.open(path)).text).toMatch(new RegExp(`directory=${slug}"[^>]*>.*<i>entered</i>`))
  })

  test('goes on with another directory when this one was deleted meanwhile, without the text that was typed for it', async () => {
    const slug = slugsIn((await admin.open(path)).text)[12]!
    const action = `${path}/bench/${slug}`
    const form = formIn((await admin.open(`${path}?directory=${slug}`)).text, action)!
    await service.admin('DELETE', `/directories/${slug}`)
    const typed = { ...form, isSubmitted: 'true', listingUrl: 'https://gone.example.org/acme' }
    for (const headers of [{ accept: 'text/html' }, { 'hx-request': 'true' }] as Record<string, string>[]) {
      const reply = await admin.post(action, typed, headers)
      expect(reply.status).toBe(404)
      expect(currentIn(reply.text)).not.toBe(slug)
      expect(reply.text).toContain('Directory not found')
      expect(reply.text).not.toContain('gone.example.org')
    }
  })

  test('the script gets the next directory alone', async () => {
    const slug = slugsIn((await admin.open(path)).text)[11]!
    const page = await admin.open(`${path}?directory=${slug}`)
    const form = formIn(page.text, `${path}/bench/${slug}`)!
    const reply = await admin.post(`${path}/bench/${slug}`, { ...form, isSubmitted: 'true' }, { 'hx-request': 'true' })
    expect(reply.status).toBe(200)
    expect(reply.text).not.toContain('<html')
    expect(currentIn(reply.text)).toBe(form.next)
    expect(reply.text).toContain(`data-last="${slug}" data-last-state="entered"`)
  })
})
