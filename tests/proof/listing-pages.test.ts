// Every kind of page that directories have, over real HTTP on loopback: the state of each is right, robots.txt is respected, and no host is
// asked more than once a second.
// @module-tag long
import { beforeAll, expect, test } from 'vitest'
import { LISTING_KINDS, PRODUCT, SERVED_KINDS, startDirectories } from '../harness/listing-pages.ts'
import { until } from '../harness/process.ts'
import { loadDirectories, newWork, record, startCheckingService } from '../harness/proof.ts'
import { use } from '../harness/use.ts'

const KINDS = [...LISTING_KINDS, ...SERVED_KINDS]

let checks: any[]
const directories = use(() => startDirectories(KINDS))
const service = use(startCheckingService)
beforeAll(async () => {
  await loadDirectories(service, KINDS.length)
  const partner = await service.newPartner()
  const work = await newWork(service, partner, { website: PRODUCT })
  for (const [i, kind] of KINDS.entries()) await record(service, work.id, `d-${i}`, directories.address(kind))
  await until(async () => {
    checks = (await service.admin('GET', `/submissions/${work.id}/checks`)).body.data
    return checks.length >= KINDS.length
  }, 110_000)
})

test.each(KINDS.map((kind, i) => [kind.name, kind, `d-${i}`] as const))('%s', (_name, { state, also }, directory) => {
  const found = checks.filter((check) => check.directory === directory)
  expect(found).toHaveLength(1)
  expect(found[0]).toMatchObject({ state, ...also })
})

test('every request names the program, and the robots.txt of a host comes first', () => {
  for (const kind of KINDS) {
    const asked = directories.asked(kind)
    expect([kind.name, asked[0]?.path]).toEqual([kind.name, '/robots.txt'])
    expect(new Set(asked.map(({ agent }) => agent))).toEqual(new Set(['Catalog-LinkCheck/1.0']))
    expect(asked.filter(({ path }) => path === '/robots.txt')).toHaveLength(1)
  }
})

test('a host is asked at most once a second', () => {
  for (const kind of KINDS) {
    const times = directories.asked(kind).map(({ at }) => at)
    const gaps = times.slice(1).map((at, i) => at - times[i]!)
    // A timer of the system may be a few milliseconds early or late.
    expect([kind.name, gaps.filter((gap) => gap < 950)]).toEqual([kind.name, []])
  }
})

test('nothing that robots.txt forbids is fetched', () => {
  const forbidden = KINDS.find(({ name }) => name === 'a page that robots.txt forbids')!
  expect(directories.asked(forbidden).map(({ path }) => path)).toEqual(['/robots.txt'])
  const inside = KINDS.find(({ name }) => name === 'a redirect of its own that robots.txt forbids')!
  expect(directories.asked(inside).map(({ path }) => path)).toEqual(['/robots.txt', '/listing'])
})
