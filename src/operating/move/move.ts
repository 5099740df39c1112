// `catalog move`: moves the catalog from the place in the settings to another, with its files that are not in the database: the pepper of its
// keys, the operator token, the pictures.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { isOutage, OperatingError } from '../../kernel/errors.ts'
import { openEmbedded } from '../../platform/database/embedded.ts'
import { openPostgres, type Store } from '../../platform/database/postgres.ts'
import {
  contentOf,
  DATABASE_FOLDER,
  OPERATOR_TOKEN_FILE,
  PEPPER_FILE,
  PICTURES_FOLDER,
} from '../../platform/folder/data-folder.ts'
import { silentLog } from '../../platform/log.ts'
import { isRightPepper, readPepper } from '../pepper.ts'
import { type MovedRows, type MoveOptions, moveRows } from './move-rows.ts'

interface MoveOutcome extends MovedRows, MovedFiles {
  from: MovePlace
  to: MovePlace
}

export async function move(config: Config, destination: string, options: MoveOptions): Promise<MoveOutcome> {
  const from = placeFromSettings(config)
  const to = readPlace(destination)
  if (isSamePlace(from, to)) throw new OperatingError('That is where the catalog is already.')
  const opened: Store[] = []
  try {
    const source = await openSource(from)
    opened.push(source)
    await checkPepper(config, source)
    const target = await openTarget(to)
    opened.push(target)
    options.onProgress('Carrying secrets and pictures along')
    const files = copyFiles(config, to)
    return { ...(await moveRows(source, target, options)), ...files, from, to }
  } finally {
    for (const store of opened) await store.close()
  }
}

interface MovedFiles {
  /** Where the pepper is: in the setting, or in a file of the old or the new data folder. */
  pepper: { in: 'setting' } | { in: 'file'; path: string }
  /** The names of the files that were copied. */
  carried: string[]
}

/** Refuses a wrong pepper before the move: afterwards the operator could not tell which one was right. */
async function checkPepper(config: Config, source: Store): Promise<void> {
  const path = join(config.DATA_DIR, PEPPER_FILE)
  const pepper = readPepper(config)
  if ((await isRightPepper(source.query, pepper)) === false)
    throw new OperatingError(
      pepper === null
        ? `The pepper of the keys is missing: there is none in ${path}. Set KEY_PEPPER, or DATA_DIR to the folder that has it.`
        : "KEY_PEPPER (or DATA_DIR/key-pepper) is not the one the old database's keys were made with. Set KEY_PEPPER to that one.",
    )
}

/** Runs before the rows are moved: a new database without its pepper would be useless. */
function copyFiles(config: Config, target: MovePlace): MovedFiles {
  const from = config.DATA_DIR
  const folder = target.kind === 'embedded' && target.dataDir !== from ? target.dataDir : null
  const carried: string[] = []
  if (folder) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of [
      ...(config.KEY_PEPPER ? [] : [PEPPER_FILE]),
      ...(config.ADMIN_TOKEN ? [] : [OPERATOR_TOKEN_FILE]),
    ])
      if (copySecret(join(from, name), join(folder, name))) carried.push(name)
    if (!config.S3_BUCKET && existsSync(join(from, PICTURES_FOLDER))) {
      cpSync(join(from, PICTURES_FOLDER), join(folder, PICTURES_FOLDER), {
        recursive: true,
        force: false,
      })
      carried.push(PICTURES_FOLDER)
    }
  }
  return {
    pepper: config.KEY_PEPPER ? { in: 'setting' } : { in: 'file', path: join(folder ?? from, PEPPER_FILE) },
    carried,
  }
}

function copySecret(from: string, to: string): boolean {
  if (!existsSync(from)) return false
  const secret = readFileSync(from, 'utf8')
  if (!existsSync(to)) writeFileSync(to, secret, { mode: 0o600, flag: 'wx', flush: true })
  else if (readFileSync(to, 'utf8') !== secret)
    throw new OperatingError(`${to} exists and holds another secret, which may still be needed. Name another folder.`)
  return true
}

/** The place of a catalog: a PostgreSQL database, or the embedded database of a data folder. */
type MovePlace = { kind: 'postgres'; url: string } | { kind: 'embedded'; dataDir: string }

const placeFromSettings = (config: Config): MovePlace =>
  config.DATABASE_URL ? { kind: 'postgres', url: config.DATABASE_URL } : { kind: 'embedded', dataDir: config.DATA_DIR }

function readPlace(text: string): MovePlace {
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) return { kind: 'postgres', url: text }
  if (/^[a-z][a-z0-9+]*:\/\//i.test(text))
    throw new OperatingError('The new place must be postgres://… or a folder for DATA_DIR.')
  return { kind: 'embedded', dataDir: resolve(text) }
}

/** The name of a place for messages, without its password. */
export function placeTitle(place: MovePlace): string {
  if (place.kind === 'embedded') return `the embedded database in ${place.dataDir}`
  const { hostname, port, pathname } = new URL(place.url)
  return `PostgreSQL at ${hostname}${port ? `:${port}` : ''}${pathname}`
}

const isSamePlace = (a: MovePlace, b: MovePlace): boolean =>
  a.kind === 'embedded' ? b.kind === 'embedded' && a.dataDir === b.dataDir : b.kind === 'postgres' && a.url === b.url

async function openSource(place: MovePlace): Promise<Store> {
  if (place.kind === 'embedded' && !existsSync(join(place.dataDir, DATABASE_FOLDER)))
    throw new OperatingError(`There is no embedded database in ${place.dataDir}. Set DATA_DIR or DATABASE_URL.`)
  return open(place)
}

export async function openTarget(place: MovePlace): Promise<Store> {
  if (place.kind === 'embedded' && !existsSync(join(place.dataDir, DATABASE_FOLDER))) {
    const others = contentOf(place.dataDir)
    // A DATA_DIR whose database is elsewhere contains only these names. Any other name means that the folder has another purpose.
    const strange = others.filter((name) => ![PICTURES_FOLDER, PEPPER_FILE, OPERATOR_TOKEN_FILE].includes(name))
    if (strange.length > 0)
      throw new OperatingError(`${place.dataDir} holds ${strange.join(', ')} and is no DATA_DIR. Name another folder.`)
  }
  return open(place)
}

async function open(place: MovePlace): Promise<Store> {
  if (place.kind === 'embedded')
    return openEmbedded(place.dataDir, silentLog).catch((error) => {
      throw new OperatingError(error.message, { cause: error })
    })
  // No query time-out: the checksum of a whole table takes longer than a request may.
  const options = { connectionString: place.url, connectionTimeoutMillis: 10_000, query_timeout: 0 }
  const store = openPostgres(options, silentLog)
  try {
    await store.query('select 1')
  } catch (error) {
    await store.close()
    throw new OperatingError(`Cannot reach ${placeTitle(place)}: ${reasonOf(error)}`, { cause: error })
  }
  return store
}

/** The driver's message, which says the most and never contains the password. */
function reasonOf(error: unknown): string {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] }
  const text = message || errors?.[0]?.message || code || 'unknown'
  return `${text}.${isOutage(error) ? ' Is it running?' : ''}`
}
