// The embedded database has no process that gives back the space of deleted rows.
import { expect, test } from 'vitest'
import { reclaimSpace, refreshStatistics } from '../../src/features/retention/space.queries.ts'
import { useService } from '../harness/use.ts'

const service = useService()

test.skipIf(process.env.TEST_DATABASE_URL)('the table with the most dead rows is cleaned, and no other', async () => {
  const size = async () => Number((await service.sql(`select pg_relation_size('unfound_questions') as size`))[0].size)
  const { db } = service.context()
  const fill = (count: number) =>
    service.sql(
      `insert into unfound_questions (words, searched, nothing, partial, last_day) select 'words ' || n, 'tools', 1, 0, '2020-01-01' from generate_series(1, ${count}) n`,
    )
  await fill(5_000)
  await service.sql('delete from unfound_questions')
  expect(await reclaimSpace(db)).toBeUndefined()
  await fill(10_000)
  await service.sql('delete from unfound_questions')
  const before = await size()
  expect(before).toBeGreaterThan(500_000)
  // The database counts what was deleted once a second.
  await expect.poll(() => reclaimSpace(db), { interval: 300 }).toBe('unfound_questions')
  expect(await size()).toBe(0)
  expect(await reclaimSpace(db)).toBeUndefined()
})

test.skipIf(process.env.TEST_DATABASE_URL)('tables that have changed much are counted, and each once', async () => {
  const { db } = service.context()
  const rowsOf = async (table: string) =>
    Number((await service.sql(`select reltuples from pg_class where relname = '${table}'`))[0].reltuples)
  await service.sql(
    `insert into unfound_questions (words, searched, nothing, partial, last_day) select 'counted ' || n, 'tools', 1, 0, '2020-01-01' from generate_series(1, 3000) n`,
  )
  // The database counts changes once a second.
  await expect.poll(() => refreshStatistics(db), { interval: 300 }).toContain('unfound_questions')
  expect(await rowsOf('unfound_questions')).toBe(3_000)
  expect(await refreshStatistics(db)).not.toContain('unfound_questions')
})
