// Rows that no part of the service would write, written straight into the tables: nothing stops because of one. tests/fuzz has the same
// with ten thousand.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SEED } from '../harness/fuzz/fuzzer.ts'
import { type RowRun, startRowRun } from '../harness/fuzz/row-run.ts'

let rows: RowRun
beforeAll(async () => {
  rows = await startRowRun()
})
afterAll(() => rows.close())

test('600 random rows in all tables: reads, changes, lists, pages and the export go on', async () => {
  const { rows: written, stops } = await rows.run(600, 150, SEED)
  expect(stops).toEqual([])
  expect(written).toHaveLength(600)
})
