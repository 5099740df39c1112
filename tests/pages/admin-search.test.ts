// The page of the console that explains a search, without JavaScript.
// @module-tag once
import { beforeAll, expect, test } from 'vitest'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { expectForAdministrators, HOSTILE_TEXT } from '../harness/console.ts'
import { expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

let admin: Browser
const service = useService()
beforeAll(async () => {
  admin = await signedUpAdmin(service)
  await service.load([
    { kind: 'tool', slug: 'clipper', name: 'Clipper', tagline: 'Podcast clips' },
    { kind: 'tool', slug: 'recorder', name: `Recorder ${HOSTILE_TEXT}`, tagline: 'Podcasts on the go' },
    { kind: 'tool', slug: 'painter', name: 'Painter', tagline: 'Pictures' },
    { kind: 'tool', slug: 'draft-clipper', name: 'Draft Clipper', tagline: 'Podcast clips', published: false },
    { kind: 'directory', slug: 'podcast-list', name: 'Podcast List' },
    ...Array.from({ length: 25 }, (_, i) => ({ kind: 'tool', slug: `owl-${i}`, name: `Owl ${i}` })),
  ])
})

const open = async (query: Record<string, string>) => {
  const page = await admin.open(`/admin/search?${new URLSearchParams(query)}`)
  expect(page.status, page.text).toBe(200)
  await expectSound(page.text, ['<img src=x onerror'])
  return page.text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
}

test('is shown to administrators and to no other user, whatever is typed', async () => {
  await expectForAdministrators(service, admin, [
    '/admin/search',
    '/admin/search?q=podcast&listing=painter',
    `/admin/search?${new URLSearchParams({ q: HOSTILE_TEXT, listing: HOSTILE_TEXT })}`,
    '/admin/search?q=%3F%21&kind=directory',
  ])
})

test('shows each hit with its place, its match, and the words and fields that made its score', async () => {
  const page = await open({ q: 'podcast' })
  expect(page).toMatch(/2 found, 2 with every word/)
  expect(page).toMatch(/1 103 C Clipper Full clipper podcast in tagline, category or tags 103 2 102/)
  expect(page).toMatch(
    /2 102 R Recorder .*Full recorder podcast as “podcasts”, another form, in tagline, category or tags 102/,
  )
  expect(page).toMatch(/podcast Counts\. [\d.]+ podcast, podcasts \(another form\)/)
})

test('shows what meaning adds to a partial match, and how each word of the question is used', async () => {
  const page = await open({ q: 'I need clips of my podcast interviews' })
  expect(page).toMatch(
    /Clipper Partial clipper clips in tagline, category or tags \d\.\d\d podcast .*Meaning \(cosine 0\.\d\d\)/,
  )
  expect(page).toContain('need A word of asking: no match needs it.')
  expect(page).toContain('interviews No listing has it: only a full match needs it.')
})

test('searches directories', async () => {
  const page = await open({ q: 'podcast', kind: 'directory' })
  expect(page).toMatch(/1 1003 P Podcast List Full podcast-list podcast in the name 1003/)
  expect(page).not.toContain('Clipper')
})

test('says in a sentence why a listing is not found, or where it is', async () => {
  expect(await open({ q: 'podcast', listing: 'draft-clipper' })).toContain(
    'draft-clipper is not found It is not published. Publish it, and readers find it.',
  )
  expect(await open({ q: 'podcast', listing: 'painter' })).toContain('It is no full match, because it lacks: podcast.')
  expect(await open({ q: 'podcast', listing: 'recorder' })).toContain('It is at place 2, a full match.')
  const missing = await open({ q: 'podcast', listing: 'no-such' })
  expect(missing).toContain('There is no tool with the slug no-such .')
  expect(missing).toContain('2 found')
})

test('shows long results page by page, and leads to the page of the listing that is named', async () => {
  const first = await admin.open('/admin/search?q=owl&listing=owl-3')
  const [, place] = first.text.match(/is at place (\d+)/) ?? []
  expect(first.text.includes('Show that page')).toBe(Number(place) > 20)
  expect(first.text).toContain('/admin/search?q=owl&amp;listing=owl-3&amp;page=2')
  expect(await open({ q: 'owl', page: '2' })).toMatch(/21 \d+ O Owl/)
})

test('is linked from every question that was not found', async () => {
  await service.sql(
    `insert into unfound_questions (words, searched, nothing, partial, last_day)
     values ('owl piano', 'tools', 5, 0, '2026-03-01'), ('b flat', 'both', 5, 0, '2026-03-01')`,
  )
  const { text } = await admin.open('/admin/unfound')
  await expectSound(text)
  expect(text).toContain('href="/admin/search?q=owl+piano&amp;kind=tool"')
  for (const kind of ['tool', 'directory']) expect(text).toContain(`href="/admin/search?q=b+flat&amp;kind=${kind}"`)
})
