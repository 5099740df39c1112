// Rows that the service would never write, written directly into the tables: no row may stop the service. tests/fuzz does the same with ten
// thousand rows.
import { expect, test } from 'vitest'
import { SEED } from '../harness/fuzz/fuzzer.ts'
import { startRowRun } from '../harness/fuzz/row-run.ts'
import { use } from '../harness/use.ts'

const rows = use(startRowRun)

test('600 random rows in all tables: reads, changes, lists, pages and the export go on', async () => {
  const { rows: written, failures } = await rows.run(600, 150, SEED)
  expect(failures).toEqual([])
  expect(written).toHaveLength(600)
})
