// Says which migrations a database has, and applies the missing ones.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const MIGRATIONS = new URL('../../../migrations', import.meta.url).pathname

interface MigrationState {
  pending: string[]
  applied: number
  /** How many applied migrations this version does not know: a newer version has used the database. */
  unknown: number
}

type RunQuery = (text: string) => Promise<{ rows: unknown[] }>

export async function migrationState(query: RunQuery, folder = MIGRATIONS): Promise<MigrationState> {
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
    entries: { when: number; tag: string }[]
  }
  const [{ found }] = (await query(`select to_regclass('drizzle.__drizzle_migrations') is not null as found`)).rows as [
    { found: boolean },
  ]
  const rows = found ? (await query('select created_at::text as at from drizzle.__drizzle_migrations')).rows : []
  const applied = new Set((rows as { at: string }[]).map(({ at }) => Number(at)))
  const known = new Set(journal.entries.map(({ when }) => when))
  return {
    pending: journal.entries.filter(({ when }) => !applied.has(when)).map(({ tag }) => tag),
    applied: applied.size,
    unknown: [...applied].filter((when) => !known.has(when)).length,
  }
}

/** Applies the missing migrations, or returns why the service cannot use this database. */
export async function applyMigrations(store: {
  query: RunQuery
  migrate(folder: string): Promise<void>
}): Promise<string | null> {
  const { unknown } = await migrationState(store.query)
  if (unknown > 0)
    return `A newer version of Catalog Service has used this database: it has ${unknown} ${unknown === 1 ? 'migration that is' : 'migrations that are'} not known here. Start that version, or restore a backup from before the upgrade. Nothing was changed.`
  await store.migrate(MIGRATIONS)
  return null
}
