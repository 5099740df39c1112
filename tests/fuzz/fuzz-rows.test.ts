// Ten thousand rows that the service would never write, written directly into every table: no row stops the service.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { catalog } from '../harness/command.ts'
import { SCALE, SEED } from '../harness/fuzz/fuzzer.ts'
import { failuresAfter } from '../harness/fuzz/row-failures.ts'
import { startRowRun } from '../harness/fuzz/row-run.ts'
import { readTables, VALUES, type Written } from '../harness/fuzz/rows.ts'
import { until } from '../harness/process.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { use } from '../harness/use.ts'

const COUNT = Math.ceil(10_000 * SCALE)
const BATCH = 500

let written: Written[] = []
const run = use(startRowRun)

const brokenRows = async (): Promise<number> => {
  const { text } = await run.target.service.fetch('/metrics')
  return [...text.matchAll(/^catalog_broken_rows\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
}

test('10,000 random rows in all tables: reads, changes, lists, pages and the export go on', async () => {
  const { rows, failures } = await run.run(COUNT, BATCH, SEED)
  written = rows
  console.log(
    [...Map.groupBy(rows, ({ table }) => table)].map(([table, { length }]) => `${table} ${length}`).join(', '),
    `\nbroken in memory: ${await brokenRows()}`,
  )
  expect(failures).toEqual([])
  expect(rows).toHaveLength(COUNT)
  expect(await brokenRows()).toBeGreaterThan(COUNT / 20)
}, 1_800_000)

test('the next start becomes ready, and leaves out the same rows', async () => {
  const before = await brokenRows()
  await run.stop()
  await run.start()
  // Articles are read at the first question, which was not asked yet.
  const articles = before - (await brokenRows())
  expect(articles).toBeGreaterThanOrEqual(0)
  expect(articles).toBeLessThan(200)
  expect(await failuresAfter(run.target, written.slice(0, 20), true)).toEqual([])
}, 300_000)

test('background work goes on: every event is attempted, and a new listing is enriched', async () => {
  const { service } = run.target
  const left = async () =>
    Number((await service.sql(`select count(*) as left from webhook_deliveries where state = 'pending'`))[0].left)
  await until(async () => (await left()) === 0, 120_000)
  await service.admin('PUT', '/tools/enriched-last', { name: 'Enriched last', website: 'https://last.example.invalid' })
  await service.admin('POST', '/enrichments/enriched-last/retry')
  const state = async () =>
    (
      await service.sql(
        `select e.state from enrichments e join tools t on t.id = e.tool_id where t.slug = 'enriched-last'`,
      )
    )[0].state
  await until(async () => (await state()) !== 'pending', 120_000)
}, 300_000)

test('users see their dashboard whatever their own rows contain', async () => {
  const { service, populated } = run.target
  const { users: id, partners: partner } = populated.known
  const failures: string[] = []
  const tables = (await readTables(service)).filter(({ name }) => name === 'users' || name === 'partners')
  for (const { name, columns } of tables)
    for (const column of columns) {
      if (column.isUnique || column.name === 'banned' || column.name === 'partner_id') continue
      for (const value of VALUES[column.type]!.slice(0, 25)) {
        const where = `id = '${name === 'users' ? id : partner}'`
        const [before] = await service.sql(`select "${column.name}"::text as text from ${name} where ${where}`)
        const set = (text: string | null) =>
          service.sql(
            `update ${name} set "${column.name}" = ${text === null ? 'null' : `'${text.replaceAll("'", "''")}'::${column.type}`} where ${where}`,
          )
        await set(value)
        for (const path of ['/dashboard', '/dashboard/account', '/dashboard/partner', '/dashboard/partner/support']) {
          const reply = await populated.partnerUser.open(path)
          if (reply.status >= 500)
            failures.push(`${name}.${column.name} = ${value.slice(0, 40)}: ${path} ${reply.status}`)
        }
        await set(before.text)
      }
    }
  expect(failures).toEqual([])
}, 600_000)

test('a backup of it succeeds, and a move copies every row unchanged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-rows-copies-'))
  const { DATA_DIR, DATABASE_URL, PORT } = run.environment
  const environment = { DATA_DIR: DATA_DIR!, PORT: PORT!, ADMIN_TOKEN, ...(DATABASE_URL ? { DATABASE_URL } : {}) }
  try {
    if (!DATABASE_URL) {
      const file = join(folder, 'backup.tar.gz')
      const backup = await catalog(['backup', file], environment)
      expect([backup.status, backup.err]).toEqual([0, expect.any(String)])
      expect(existsSync(file)).toBe(true)
    }
    await run.stop()
    const moved = await catalog(['move', '--to', join(folder, 'moved'), '--ignore-connections'], environment)
    expect([moved.status, moved.err]).toEqual([0, expect.any(String)])
  } finally {
    await run.start()
    rmSync(folder, { recursive: true, force: true })
  }
}, 600_000)
