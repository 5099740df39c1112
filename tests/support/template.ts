// Making an embedded database takes seconds, loading a ready-made one does not: it is made once a run and copied.

import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'

const migrations = new URL('../../migrations', import.meta.url).pathname

/** Path of a dumped database with all migrations applied, named after them. */
export async function databaseTemplate(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of readdirSync(migrations).sort())
    if (file.endsWith('.sql')) hash.update(readFileSync(join(migrations, file)))
  const path = join(tmpdir(), `catalog-template-${hash.digest('hex').slice(0, 16)}.tar`)
  if (existsSync(path)) return path
  const database = await PGlite.create()
  await migrate(drizzle(database), { migrationsFolder: migrations })
  const dump = await database.dumpDataDir('none')
  await database.close()
  // Written aside and renamed: several test processes may be doing this at once.
  const folder = mkdtempSync(join(tmpdir(), 'catalog-template-'))
  writeFileSync(join(folder, 'dump.tar'), Buffer.from(await dump.arrayBuffer()))
  renameSync(join(folder, 'dump.tar'), path)
  rmSync(folder, { recursive: true })
  return path
}
