// A service whose database an earlier version made.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../src/platform/database/embedded.ts'
import { MIGRATIONS } from '../../src/platform/database/migrations.ts'
import { openPostgres } from '../../src/platform/database/postgres.ts'
import { createDatabase, recordingLog, startService, type TestService } from './service.ts'

/** Puts the migrations before the one whose name has this ending into a folder; returns its path. */
export function migrationsBefore(ending: string, folder: string): string {
  const earlier = join(folder, 'migrations')
  cpSync(MIGRATIONS, earlier, { recursive: true })
  const file = join(earlier, 'meta/_journal.json')
  const { entries, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as { entries: { tag: string }[] }
  const count = entries.findIndex(({ tag }) => tag.endsWith(ending))
  if (count < 0) throw new Error(`no migration ends with ${ending}`)
  writeFileSync(file, JSON.stringify({ ...rest, entries: entries.slice(0, count) }))
  return earlier
}

/** Runs the statements on a database from before that migration, and starts the service of today on it. */
export async function startUpgraded(
  ending: string,
  statements: readonly string[],
  environment: Record<string, string> = {},
): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-upgrade-'))
  const dataDir = join(folder, 'data')
  const database = process.env.TEST_DATABASE_URL ? await createDatabase(process.env.TEST_DATABASE_URL) : null
  const log = recordingLog([])
  const store = database ? openPostgres({ connectionString: database.url }, log) : await openEmbedded(dataDir, log)
  await store.migrate(migrationsBefore(ending, folder))
  for (const statement of statements) await store.query(statement)
  await store.close()
  const service = await startService({
    ...environment,
    DATA_DIR: dataDir,
    ...(database ? { DATABASE_URL: database.url } : {}),
  })
  return {
    ...service,
    async close() {
      await service.close()
      await database?.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
