// Questions that find nothing, or only partial matches, are counted by their words, and only when five different callers asked them.
// @module-tag slow
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createCallerCounts } from '../../src/features/unfound/counter.ts'
import { addUnfound, listUnfound } from '../../src/features/unfound/queries.ts'
import { contentWordsOf } from '../../src/features/unfound/rules.ts'
import { signedUpAdmin } from '../harness/browser.ts'
import { catalog } from '../harness/command.ts'
import { forgetOld } from '../harness/forget-old.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { ADMIN_TOKEN, startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let keys: string[]
const service = useService({ TRUST_PROXY: '127.0.0.1' })
beforeAll(async () => {
  await service.load([
    { kind: 'tool', slug: 'clipper', name: 'Clipper', tagline: 'Cuts a podcast' },
    { kind: 'directory', slug: 'listed', name: 'Listed', smallDescription: 'Launch a startup' },
  ])
  keys = await Promise.all(Array.from({ length: 6 }, async () => (await service.newKey()).key))
})
beforeEach(async () => {
  await service.context().unfound.flush()
  await service.sql('delete from unfound_questions')
})

const stored = async (of = service): Promise<any[]> => {
  await of.context().unfound.flush()
  return (await of.admin('GET', '/unfound-questions')).body.data
}
const visit = (path: string, address: string, of = service) =>
  of.fetch(path, { headers: { accept: BROWSER, 'x-forwarded-for': address } })
const today = () => new Date().toISOString().slice(0, 10)

describe('a question that finds nothing', () => {
  test('is stored when five different callers have asked it, in any wording', async () => {
    const wordings = ['knitting robots', 'robots knitting', 'a tool for knitting robots', 'I need knitting robots']
    for (const [at, q] of wordings.entries()) await service.rest(`/tools?q=${encodeURIComponent(q)}`, { key: keys[at] })
    expect(await stored()).toEqual([])
    await service.tool('search_tools', { q: 'which knitting robots are there' }, keys[4])
    expect(await stored()).toEqual([
      { words: 'knitting robots', searched: 'tools', times: 5, nothing: 5, partial: 0, lastDay: today() },
    ])
    await service.rest('/tools?q=knitting+robots', { key: keys[5] })
    expect(await stored()).toMatchObject([{ times: 6 }])
  })

  test('is not stored when one caller asks it a thousand times, and such a caller counts once', async () => {
    for (let i = 0; i < 1000; i++) await service.rest('/tools?q=quiet+lawnmower', { key: keys[0] })
    expect(await stored()).toEqual([])
    for (const key of keys.slice(1, 5)) await service.rest('/tools?q=quiet+lawnmower', { key })
    expect(await stored()).toMatchObject([{ words: 'lawnmower quiet', times: 5 }])
  }, 60_000)

  test('is not stored when one user asks it with five keys', async () => {
    const own = await Promise.all(Array.from({ length: 5 }, () => service.newKey('premium', 'one@example.com')))
    for (const { key } of own) await service.rest('/tools?q=private+matter', { key })
    expect(await stored()).toEqual([])
  })

  test('is counted on the site by address, for tools, directories and both', async () => {
    for (const path of ['/tools', '/directories', '/search'])
      for (let i = 1; i <= 5; i++) await visit(`${path}?q=zebra+barber`, `203.0.113.${i}`)
    expect((await stored()).map(({ searched, times }) => [searched, times]).sort()).toEqual([
      ['both', 5],
      ['directories', 5],
      ['tools', 5],
    ])
  })

  test('is not counted with filters, on later pages, with match=full, and when it is found', async () => {
    for (const key of keys)
      for (const query of [
        'q=violin+teacher&pricing=FREE',
        'q=violin+teacher&page=2',
        'q=violin+teacher&match=full',
        'q=podcast',
        'q=clipper',
        'q=the',
        'q=%3F%21',
        'category=nope',
      ])
        await service.rest(`/tools?${query}`, { key })
    expect(await stored()).toEqual([])
  })
})

test('a question with only partial matches is counted as such, also when the answer comes from a cache', async () => {
  for (const key of keys) {
    await service.rest('/tools?q=podcast+submarine', { key })
    await service.rest('/tools?q=podcast+submarine', { key })
  }
  expect(await stored()).toMatchObject([{ words: 'podcast submarine', times: 6, nothing: 0, partial: 6 }])
})

test('neither keys nor addresses of callers are in the table', async () => {
  for (let i = 1; i <= 6; i++) await visit('/tools?q=heron+tailor', `198.51.100.${i}`)
  await service.context().unfound.flush()
  const rows = await service.sql('select * from unfound_questions')
  expect(rows).toHaveLength(1)
  expect(Object.keys(rows[0]).sort()).toEqual(['last_day', 'nothing', 'partial', 'searched', 'words'])
  expect(JSON.stringify(rows)).not.toMatch(/198\.51|aid_/)
})

test('counts of several processes are added, and rows older than 90 days are deleted', async () => {
  const { db } = service.context()
  const row = { words: 'old words', searched: 'tools', nothing: 5, partial: 0, lastDay: '2026-01-01' } as const
  await addUnfound(db, [row])
  await addUnfound(db, [{ ...row, nothing: 2, partial: 3, lastDay: '2025-12-31' }])
  expect(await listUnfound(db, undefined, 10, 0)).toEqual([
    { words: 'old words', searched: 'tools', times: 10, nothing: 7, partial: 3, lastDay: '2026-01-01' },
  ])
  await forgetOld(service, new Date('2026-04-01T00:00:00Z'))
  expect(await listUnfound(db, undefined, 10, 0)).toHaveLength(1)
  await forgetOld(service, new Date('2026-04-02T00:00:00Z'))
  expect(await listUnfound(db, undefined, 10, 0)).toEqual([])
})

test('the table has at most 10,000 rows; questions that it has are still counted', async () => {
  const { db } = service.context()
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      words: `w${from + i}`,
      searched: 'tools' as const,
      nothing: 1,
      partial: 0,
      lastDay: today(),
    }))
  for (let from = 0; from < 10_000; from += 2_000) await addUnfound(db, rows(from, 2_000))
  await addUnfound(db, [...rows(20_000, 5), ...rows(7, 1)])
  expect(await service.sql('select count(*)::int as n from unfound_questions')).toEqual([{ n: 10_000 }])
  expect(await listUnfound(db, 'tools', 1, 0)).toMatchObject([{ words: 'w7', nothing: 2 }])
})

test('a caller that asks 10,000 random questions fills nothing', () => {
  const asked = createCallerCounts()
  const ask = (words: string, id: string) => asked.add(`tools ${words}`, 'nothing', { id })
  for (let i = 0; i < 10_000; i++) expect(ask(`random ${i}`, 'flooder')).toBeUndefined()
  // Its later questions were not kept: five others must ask them.
  for (let i = 1; i <= 4; i++) expect(ask('random 9999', `visitor ${i}`)).toBeUndefined()
  expect(ask('random 9999', 'visitor 5')).toEqual({ nothing: 5, partial: 0 })
})

test('with SEARCH_LEARNING=off nothing is counted', async () => {
  const off = await startService({ SEARCH_LEARNING: 'off', TRUST_PROXY: '127.0.0.1' })
  try {
    for (let i = 1; i <= 6; i++) await visit('/tools?q=heron+tailor', `198.51.100.${i}`, off)
    expect(await stored(off)).toEqual([])
  } finally {
    await off.close()
  }
})

describe('what is stored', () => {
  beforeEach(async () => {
    await addUnfound(service.context().db, [
      { words: 'b owl piano', searched: 'tools', nothing: 6, partial: 0, lastDay: today() },
      { words: 'launch submarine', searched: 'directories', nothing: 0, partial: 5, lastDay: today() },
    ])
  })

  test('is listed by the operator API, the most asked first, and exported as lines', async () => {
    expect((await stored()).map(({ words, times }) => [words, times])).toEqual([
      ['b owl piano', 6],
      ['launch submarine', 5],
    ])
    expect((await service.admin('GET', '/unfound-questions?searched=directories')).body.data).toMatchObject([
      { words: 'launch submarine', partial: 5 },
    ])
    const { text, headers } = await service.admin('GET', '/unfound-questions/export')
    expect(headers.get('content-type')).toContain('application/x-ndjson')
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(await stored())
    expect((await service.rest('/../admin/unfound-questions', { key: keys[0] })).status).not.toBe(200)
  })

  test('is shown and exported in the console, to administrators only', async () => {
    const admin = await signedUpAdmin(service)
    const page = await admin.open('/admin/unfound')
    await expectSound(page.text)
    expect(page.text).toMatch(/<a href="\/tools\?q=b\+owl\+piano"><bdi>b owl piano<\/bdi><\/a>.*launch submarine/s)
    expect((await admin.open('/admin/unfound?searched=directories')).text).not.toContain('b owl')
    expect((await admin.open('/admin/unfound/export')).text.trim().split('\n')).toHaveLength(2)
    expect((await service.fetch('/admin/unfound', { headers: { accept: BROWSER } })).status).not.toBe(200)
  })

  test('is listed and exported by the command', async () => {
    const settings = { CATALOG_URL: service.origin, ADMIN_TOKEN }
    const listed = await catalog(['unfound'], settings)
    expect(listed.out).toMatch(/owl piano +tools +6/)
    const file = join(mkdtempSync(join(tmpdir(), 'catalog-unfound-')), 'questions.ndjson')
    expect((await catalog(['unfound', 'export', file], settings)).status).toBe(0)
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2)
  })
})

test.each([
  ['I need a tool that makes clips from my podcast', 'clips makes podcast'],
  ['Clips, CLIPS and podcast clips!', 'clips podcast'],
  ['can you help me please', ''],
  [`key ${'x'.repeat(31)}`, 'key'],
  ['m12 m11 m10 m09 m08 m07 m06 m05 m04 m03 m02 m01', 'm03 m04 m05 m06 m07 m08 m09 m10 m11 m12'],
])('%j is counted as %j', (q, words) => {
  expect(contentWordsOf(q)).toBe(words)
})
