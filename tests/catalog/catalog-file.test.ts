// @module-tag long
// The file of the catalog in DATA_DIR: the next start reads it and shows exactly what the database has.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { tool } from '../harness/bulk-listings.ts'
import { catalogWithFile, expectTrue } from '../harness/catalog-file.ts'

const { file, start, change, rowsReadAgain } = catalogWithFile()

describe('a start with the file', () => {
  test('reads no row of an import again', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await rowsReadAgain()).toBe(0)
  }, 60_000)

  test('reads the rows that were changed, hidden, added and deleted since, by the service or by SQL', async () => {
    const service = await start()
    const { kind: _kind, slug: _slug, ...added } = tool(7, { website: 'https://added.example.com' })
    expect((await service.admin('PUT', '/tools/added', added)).status).toBe(200)
    await service.close()
    await change(
      `update tools set name = 'Directly renamed' where slug = 'bulk-1'`,
      `update tools set published = false where slug = 'bulk-2'`,
      `delete from tools where slug = 'bulk-3'`,
      `update tools set opens = 7 where slug = 'bulk-6'`,
      `update directories set domain_rating = 99 where slug = 'board-4'`,
    )
    expect(await rowsReadAgain()).toBe(6)
    const again = await start()
    expect((await again.rest('/tools/bulk-1')).body.data.name).toBe('Directly renamed')
    expect((await again.rest('/tools/bulk-2')).status).toBe(404)
    expect((await again.rest('/tools/bulk-3')).status).toBe(404)
    expect((await again.rest('/tools/added')).status).toBe(200)
    expect((await again.rest('/tools/top?limit=1')).body.data[0]).toMatchObject({ slug: 'bulk-6', opens: 7 })
    await again.close()
  }, 120_000)

  test('does not use one with a wrong byte', async () => {
    const whole = readFileSync(file)
    const damaged = Buffer.from(whole)
    damaged[Math.floor(whole.length / 3)]! ^= 0x55
    writeFileSync(file, damaged)
    const service = await start()
    expect(service.logged.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'the catalog file cannot be used; reading the database' },
    ])
    await expectTrue(service)
    await service.close()
  }, 60_000)
})
