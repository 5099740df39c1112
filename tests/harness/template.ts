// Creating an embedded database takes seconds, copying one does not: a template is created once and copied for each service.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../src/platform/database/embedded.ts'
import { createQueue } from '../../src/platform/queue.ts'

const migrations = new URL('../../migrations', import.meta.url).pathname
const lock = new URL('../../package-lock.json', import.meta.url).pathname
const silent = { request() {}, info() {}, warn() {}, error() {} }

/** Puts a migrated database into a data folder. */
export async function copyTemplate(dataDir: string): Promise<void> {
  cpSync(await template(), join(dataDir, 'database'), { recursive: true })
}

async function template(): Promise<string> {
  const hash = createHash('sha256').update(readFileSync(lock))
  for (const file of readdirSync(migrations).sort())
    if (file.endsWith('.sql')) hash.update(readFileSync(join(migrations, file)))
  const path = join(tmpdir(), `catalog-template-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(path)) return path
  const folder = mkdtempSync(join(tmpdir(), 'catalog-template-making-'))
  const store = await openEmbedded(folder, silent)
  await store.migrate(migrations)
  const queue = createQueue(store, [], silent)
  await queue.start()
  await queue.close()
  await store.close()
  // The template is renamed into place when complete: several test processes may create it at once, and the first one wins.
  try {
    renameSync(join(folder, 'database'), path)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
  rmSync(folder, { recursive: true, force: true })
  return path
}
