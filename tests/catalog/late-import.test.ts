// An import whose answer is sent before its listings are visible: they are shown as soon as possible, and not read a second time.
// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { ADMIN_TOKEN, createDatabase } from '../harness/service.ts'

const { TEST_DATABASE_URL } = process.env
const LISTINGS = 8_000

describe.skipIf(!TEST_DATABASE_URL)('an import that is visible later than its answer', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let service: ServiceProcess
  let key = ''
  const folder = mkdtempSync(join(tmpdir(), 'catalog-late-'))
  const lockers: pg.Client[] = []

  beforeAll(async () => {
    database = await createDatabase(TEST_DATABASE_URL!)
    service = await spawnService({
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      SEED: 'none',
      RATE_LIMIT_SCALE: '1000',
    })
    await service.ready()
  })
  afterAll(async () => {
    await service?.kill('SIGTERM')
    for (const locker of lockers) await locker.end()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Waits until the import has stored listings; gets the table when the import has committed. Returns what gives it back. */
  async function lockAfterImport(table: string): Promise<{ locked: Promise<unknown>; unlock(): Promise<unknown> }> {
    const locker = new pg.Client(database.url)
    lockers.push(locker)
    await locker.connect()
    await until(async () => {
      const { rows } = await locker.query(
        `select 1 from pg_locks where relation = 'tools'::regclass and mode = 'RowExclusiveLock'`,
      )
      return rows.length > 0
    }, 30_000)
    await locker.query('begin')
    const locked = locker.query(`lock table ${table} in access exclusive mode`)
    return { locked, unlock: () => locker.query('commit') }
  }
  const total = async () => (await service.call('/api/v1/tools?limit=1', { token: key })).body.pagination.total

  test('the listings that were made ready are shown after the answer, without reading them from the database', async () => {
    key = (await service.call('/api/admin/keys', { method: 'POST', body: { email: 'reader@example.com' } })).body.data
      .key
    const tools = Array.from({ length: LISTINGS }, (_, i) => ({
      ...{ kind: 'tool', slug: `late-${i}`, name: `Late ${i}`, description: 'word '.repeat(100) },
    }))
    const answered = fetch(`${service.origin}/api/admin/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/x-ndjson' },
      body: [{ kind: 'tag', slug: 'late', name: 'Late' }, ...tools].map((line) => JSON.stringify(line)).join('\n'),
    })
    const [tagsLock, toolsLock] = await Promise.all([lockAfterImport('tags'), lockAfterImport('tools')])
    await Promise.all([tagsLock.locked, toolsLock.locked])
    // The catalog needs the tags before it shows the listings.
    const reply = await answered
    expect([reply.status, reply.headers.get('x-catalog-pending')]).toEqual([200, 'true'])
    expect(await total()).toBe(0)
    await tagsLock.unlock()
    await until(async () => (await total()) === LISTINGS, 10_000)
    await toolsLock.unlock()
    expect(await total()).toBe(LISTINGS)
  }, 60_000)

  test('later changes and imports are visible as usual', async () => {
    const body = { name: 'After' }
    expect((await service.call('/api/admin/tools/after', { method: 'PUT', body })).status).toBeLessThan(300)
    expect(await total()).toBe(LISTINGS + 1)
  })
})
