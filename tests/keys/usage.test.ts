// No counted call is lost, neither when the service ends nor while the database is away, and each call counts for the day on which it
// arrived.
// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createUsageCounter } from '../../src/features/keys/usage/usage.ts'
import type { Caller } from '../../src/kernel/caller.ts'
import type { Database } from '../../src/kernel/context.ts'
import { createBrowser, newAddress, PASSWORD } from '../harness/browser.ts'
import { createDatabase, recordingLog, startService } from '../harness/service.ts'

const callerOf = (id: string, kind: Caller['kind'] = 'key') => ({ id, kind }) as Caller

interface UsageRow {
  keyId: string
  day: string
  surface: string
  calls: number
}

/** A database that records the rows it is given, or is away. */
function recordingDatabase() {
  const statements: UsageRow[][] = []
  const state = { away: false }
  const execute = async (statement: { queryChunks: unknown[] }) => {
    if (state.away) throw new Error('away')
    statements.push(JSON.parse(statement.queryChunks.find((chunk) => typeof chunk === 'string') as string))
  }
  return { db: { execute } as unknown as Database, statements, state }
}

const totals = (rows: UsageRow[]) => {
  const sums: Record<string, number> = {}
  for (const { keyId, day, surface, calls } of rows) {
    const name = `${keyId} ${day} ${surface}`
    sums[name] = (sums[name] ?? 0) + calls
  }
  return sums
}

describe('the usage counter', () => {
  test('writes all counts in one statement, and nothing when there are none', async () => {
    const { db, statements } = recordingDatabase()
    const counter = createUsageCounter({ db, log: recordingLog([]), now: () => Date.parse('2026-03-01T10:00:00Z') })
    for (let i = 0; i < 5; i++) counter.count(callerOf('a'), 'rest')
    counter.count(callerOf('a'), 'mcp')
    counter.count(callerOf('b'), 'mcp')
    counter.count(callerOf('somebody', 'user'), 'rest')
    counter.count(callerOf('operator', 'operator'), 'rest')
    await counter.flush()
    await counter.flush()
    expect(statements).toHaveLength(1)
    expect(totals(statements[0]!)).toEqual({ 'a 2026-03-01 rest': 5, 'a 2026-03-01 mcp': 1, 'b 2026-03-01 mcp': 1 })
  })

  test('keeps one count for each key and day while the database is away, and writes them when it is back', async () => {
    const { db, statements, state } = recordingDatabase()
    let time = Date.parse('2026-03-01T23:59:58Z')
    const counter = createUsageCounter({ db, log: recordingLog([]), now: () => time })
    state.away = true
    for (let i = 0; i < 100; i++) {
      counter.count(callerOf('a'), 'rest')
      await counter.flush().catch(() => {})
    }
    time = Date.parse('2026-03-02T00:00:01Z')
    counter.count(callerOf('a'), 'rest')
    state.away = false
    await counter.flush()
    expect(statements.map((rows) => rows.length)).toEqual([2])
    expect(totals(statements[0]!)).toEqual({ 'a 2026-03-01 rest': 100, 'a 2026-03-02 rest': 1 })
  })

  test('counts a call at midnight for the day on which it arrived, even if nothing was written in between', async () => {
    const { db, statements } = recordingDatabase()
    let time = Date.parse('2026-03-01T23:59:59.999Z')
    const counter = createUsageCounter({ db, log: recordingLog([]), now: () => time })
    counter.count(callerOf('a'), 'rest')
    time += 1
    counter.count(callerOf('a'), 'rest')
    await counter.flush()
    expect(totals(statements.flat())).toEqual({ 'a 2026-03-01 rest': 1, 'a 2026-03-02 rest': 1 })
  })
})

describe('a service that is stopped', () => {
  const cleanups: (() => unknown)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup()
  })

  test('has written the calls of its last moment', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'catalog-usage-'))
    const database = process.env.TEST_DATABASE_URL ? await createDatabase(process.env.TEST_DATABASE_URL) : null
    cleanups.push(
      () => database?.drop(),
      () => rmSync(dataDir, { recursive: true, force: true }),
    )
    const environment = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) }
    const email = newAddress()
    const first = await startService(environment)
    await createBrowser(first).post('/sign-up', { email, password: PASSWORD })
    const { key } = await first.newKey('standard', email)
    await Promise.all(Array.from({ length: 20 }, () => first.rest('/tags', { key })))
    await first.close()
    const second = await startService(environment)
    cleanups.unshift(() => second.close())
    const browser = createBrowser(second)
    await browser.post('/sign-in', { email, password: PASSWORD })
    expect((await browser.open('/dashboard')).text).toMatch(/Calls today<\/dt><dd>20</)
  })
})
