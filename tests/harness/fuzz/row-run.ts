// Runs the fuzzer of rows: starts a service that has one of everything, writes rows directly into its database, and sends every kind of
// request in between.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { populateService } from '../page-list.ts'
import { createDatabase, freePort, startService } from '../service.ts'
import { copyTemplate } from '../template.ts'
import { announce, type FuzzTarget, failuresAfter } from './row-failures.ts'
import { corruptRow, createRowWriter, JSONS, readTables, type Written } from './rows.ts'

interface RowRun {
  target: FuzzTarget
  environment: Record<string, string>
  /** Writes so many rows in batches, and returns them with the failures that were found after any batch. */
  run(count: number, batch: number, seed: number): Promise<{ rows: Written[]; failures: string[] }>
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export async function startRowRun(): Promise<RowRun> {
  const database = process.env.TEST_DATABASE_URL ? await createDatabase(process.env.TEST_DATABASE_URL) : null
  const environment: Record<string, string> = {
    DATA_DIR: mkdtempSync(join(tmpdir(), 'catalog-rows-')),
    PORT: String(await freePort()),
    ENRICHMENT_RETRY_SECONDS: '1',
    ...(database ? { DATABASE_URL: database.url } : {}),
  }
  if (!database) await copyTemplate(environment.DATA_DIR!)
  const service = await startService(environment)
  const populated = await populateService(service)
  const { key: partnerKey } = await service.newPartner({ name: 'Asks', support: 'hybrid' })
  const { key } = await service.newKey()
  const target: FuzzTarget = { service, populated, partnerKey, key }
  const tables = await readTables(service)
  const write = createRowWriter(() => target.service, tables)

  return {
    target,
    environment,
    async run(count, batch, seed) {
      // Constraints refuse some rows, so more are made than needed.
      const specimens = fc.sample(corruptRow(tables), { seed, numRuns: count * 2 })
      const failures: string[] = []
      const all: Written[] = []
      for (let round = 0; all.length < count && failures.length < 20; round++) {
        const written: Written[] = []
        while (written.length < Math.min(batch, count - all.length)) {
          const specimen = specimens.pop()
          if (!specimen) throw new Error(`only ${all.length} of ${count} rows were taken`)
          const row = await write(specimen)
          if (row) written.push(row)
        }
        all.push(...written)
        // A job is a row too; of its columns only the payload is ours.
        const job = JSONS[round % JSONS.length]!
        await target.service.sql(`insert into jobs.job (name, data) values ('enrichment', '${job}')`).catch(() => {})
        await announce(target.service, written, round % 2 === 1)
        // Requests a few rows of each table one by one, other rows in the next round.
        const some = [...Map.groupBy(written, ({ table }) => table).values()].flatMap((all) => all.slice(0, 6))
        failures.push(
          ...(await failuresAfter(target, some, true)).map((failure) => `after ${all.length} rows: ${failure}`),
        )
      }
      return { rows: all, failures }
    },
    stop: () => target.service.close(),
    async start() {
      target.service = await startService(environment)
    },
    async close() {
      await target.service.close()
      await database?.drop()
      rmSync(environment.DATA_DIR!, { recursive: true, force: true })
    },
  }
}
