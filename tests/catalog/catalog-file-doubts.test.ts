// @module-tag long
// When the file of the catalog is not used, and what a start does then.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { several, tool } from '../harness/bulk-listings.ts'
import { catalogWithFile, expectTrue, isWritten, linesOf, READ } from '../harness/catalog-file.ts'
import { until } from '../harness/process.ts'

const { file, start, change, rowsReadAgain } = catalogWithFile()

test('a row whose time of change is no time delays nothing', async () => {
  await change(`update tools set updated_at = 'infinity' where slug = 'bulk-9'`)
  const service = await start()
  expect(service.context().brokenRows.list()).toMatchObject([{ kind: 'tool', name: 'bulk-9' }])
  await service.sql(`update tools set updated_at = now() where slug = 'bulk-9'`)
  await service.close()
}, 60_000)

test('click-throughs do not keep the file from being written', async () => {
  const service = await start({ PUBLIC_URL: 'https://clicked.example.com' })
  const [{ id }] = await service.sql(`select id from tools where slug = 'bulk-11'`)
  let opens = 0
  const clicks = setInterval(async () => {
    await service.sql(`update tools set opens = ${++opens} where id = '${id}'`)
    await service.context().catalog.apply({ topic: 'opens', ids: [id] })
  }, 50)
  await isWritten(service)
  clearInterval(clicks)
  await service.settled()
  await service.close()
  const again = await start({ PUBLIC_URL: 'https://clicked.example.com' })
  expect(linesOf(again, READ)).toHaveLength(1)
  await expectTrue(again)
  await again.close()
  rmSync(file)
  const last = await start()
  await isWritten(last)
  await last.close()
}, 120_000)

test('a start with the file records rows that cannot be shown, as any start does', async () => {
  await change(`update tools set faqs = '[{"question": 1}]' where slug = 'bulk-5'`)
  const service = await start()
  expect(linesOf(service, READ)).toHaveLength(1)
  expect(service.context().brokenRows.list()).toMatchObject([{ kind: 'tool', name: 'bulk-5' }])
  await service.sql(`update tools set faqs = '[]' where slug = 'bulk-5'`)
  await service.close()
}, 60_000)

describe('the file is not used', () => {
  test('with CATALOG_FILE=off', async () => {
    expect(await rowsReadAgain({ CATALOG_FILE: 'off' })).toBe(null)
  }, 60_000)

  test('with another PUBLIC_URL, because it has addresses in it', async () => {
    const service = await start({ PUBLIC_URL: 'https://other.example.com' })
    expect(linesOf(service, READ)).toEqual([])
    await expectTrue(service)
    await isWritten(service)
    await service.close()
    expect(await rowsReadAgain()).toBe(null)
  }, 60_000)

  test('after a term was renamed; then it is written again', async () => {
    await change(`update categories set name = 'Renamed' where slug = 'bulk'`)
    const service = await start()
    expect(linesOf(service, READ)).toEqual([])
    await expectTrue(service)
    await isWritten(service)
    await service.close()
    expect(await rowsReadAgain()).toBe(0)
  }, 120_000)
})

test('however many rows differ, the file is used and only those are read', async () => {
  await change(`update tools set tagline = 'Other' where slug < 'bulk-3'`)
  expect(await rowsReadAgain()).toBe(2_223)
}, 60_000)

describe('a damaged file', () => {
  let whole: Buffer
  beforeAll(async () => {
    rmSync(file, { force: true })
    const service = await start()
    await isWritten(service)
    await service.close()
    whole = readFileSync(file)
  }, 120_000)

  const damages: [string, () => void][] = [
    ['has a wrong byte in its listings', () => writeFileSync(file, flipped(whole, whole.indexOf('bulk-77')))],
    ['has a wrong byte near its end', () => writeFileSync(file, flipped(whole, whole.length - 300))],
    ['is cut off', () => truncateSync(file, whole.length - 1_000)],
    ['is empty', () => truncateSync(file, 0)],
    ['is something else', () => writeFileSync(file, 'x'.repeat(10_000))],
  ]
  test.each(damages)(
    '%s: readers see everything',
    async (_, damage) => {
      writeFileSync(file, whole)
      damage()
      expect(await rowsReadAgain()).toBe(null)
    },
    60_000,
  )

  test('it is a folder, so it can be neither read nor written: readers see everything, and one line says so', async () => {
    rmSync(file)
    mkdirSync(file)
    const service = await start()
    const cannot = () => linesOf(service, 'the catalog file cannot be written; the next start takes longer')
    await until(() => cannot().length > 0, 60_000)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(cannot()).toHaveLength(1)
    await expectTrue(service)
    await service.close()
    rmSync(file, { recursive: true })
  }, 120_000)
})

test('while the listings of a changed term are read again, the file is not written', async () => {
  const service = await start()
  // Large enough that a rebuild takes longer than several checks whether the file must be written.
  const words = (i: number) => Array.from({ length: 300 }, (_, at) => `w${(i * 7919 + at * 104729) % 40_000}`).join(' ')
  await service.load(several(0, 20_000, (i) => tool(i, { description: words(i) })))
  await isWritten(service)
  const { catalog } = service.context()
  const [{ id }] = await service.sql('select id from tools limit 1')
  await service.sql(`update categories set adult = true, name = 'Renamed again' where slug = 'bulk'`)
  const before = statSync(file).mtimeMs
  let isDone = false
  const done = catalog.apply({ topic: 'categories', ids: ['bulk'] }).then(() => {
    isDone = true
  })
  // A click-through during the rebuild brings the new terms into the snapshot that it replaces.
  await sleep(100)
  await catalog.apply({ topic: 'opens', ids: [id] })
  while (!isDone) {
    expect(statSync(file).mtimeMs).toBe(before)
    await sleep(20)
  }
  await done
  await service.close()
  expect(await rowsReadAgain()).toBe(null)
}, 180_000)

test('what a process left that was killed while it wrote the file is removed', async () => {
  const left = `${file}-11111111-2222-3333-4444-555555555555`
  rmSync(file, { force: true })
  writeFileSync(left, 'half')
  utimesSync(left, new Date(0), new Date(0))
  const service = await start()
  await isWritten(service)
  expect(existsSync(left)).toBe(false)
  await service.close()
}, 60_000)

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at]! ^= 0x55
  return changed
}
