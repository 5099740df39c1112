// Migrating a database takes seconds, copying one does not: a template is made once and copied for each service.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openEmbedded } from '../../src/platform/database/embedded.ts'
import { openPostgres, type Store } from '../../src/platform/database/postgres.ts'
import { createQueue } from '../../src/platform/queue.ts'

const migrations = new URL('../../migrations', import.meta.url).pathname
const lock = new URL('../../package-lock.json', import.meta.url).pathname
const silent = { request() {}, info() {}, warn() {}, error() {} }

/** Puts a migrated database into a data folder. */
export async function copyTemplate(dataDir: string): Promise<void> {
  cpSync(await template(), join(dataDir, 'database'), { recursive: true })
}

async function template(): Promise<string> {
  const hash = createHash('sha256')
    .update(readFileSync(lock))
    .update(readFileSync(new URL(import.meta.url)))
  for (const file of readdirSync(migrations).sort())
    if (file.endsWith('.sql')) hash.update(readFileSync(join(migrations, file)))
  const path = join(tmpdir(), `catalog-template-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(path)) return path
  const folder = mkdtempSync(join(tmpdir(), 'catalog-template-making-'))
  const store = await openEmbedded(folder, silent)
  // PostgreSQL's own templates are not used, and are half of the files that are copied for each service.
  for (const name of ['template0', 'template1']) {
    await store.db.execute(`update pg_database set datistemplate = false where datname = '${name}'`)
    await store.db.execute(`drop database ${name}`)
  }
  await fill(store)
  // The template is renamed into place when complete: several test processes may create it at once, and the first one wins.
  try {
    renameSync(join(folder, 'database'), path)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
  rmSync(folder, { recursive: true, force: true })
  return path
}

const TEMPLATE = 'catalog_template'
let postgresTemplate: Promise<string> | null = null

/** The name of a migrated database on the test server, made by the first test process that asks. */
export function templateOn(url: string): Promise<string> {
  postgresTemplate ??= makeTemplateOn(url)
  return postgresTemplate
}

async function makeTemplateOn(url: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    // Held until the connection ends.
    await client.query('select pg_advisory_lock(1)')
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [TEMPLATE])
    if (rowCount === 0) {
      const making = new URL(url)
      making.pathname = `/${TEMPLATE}_making`
      await client.query(`drop database if exists ${TEMPLATE}_making`)
      await client.query(`create database ${TEMPLATE}_making`)
      await fill(openPostgres({ connectionString: making.href }, silent))
      await client.query(`alter database ${TEMPLATE}_making rename to ${TEMPLATE}`)
    }
    return TEMPLATE
  } finally {
    await client.end()
  }
}

async function fill(store: Store): Promise<void> {
  await store.migrate(migrations)
  const queue = createQueue(store, [], silent)
  await queue.start()
  await queue.close()
  await store.close()
}
