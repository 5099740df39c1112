// The place of a catalog: the embedded database of a data folder, or a PostgreSQL database.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { isOutage } from '../../kernel/errors.ts'
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
import { OperatingError } from '../operating-error.ts'

export type MovePlace = { kind: 'postgres'; url: string } | { kind: 'embedded'; dataDir: string }

export const placeFromSettings = (config: Config): MovePlace =>
  config.DATABASE_URL ? { kind: 'postgres', url: config.DATABASE_URL } : { kind: 'embedded', dataDir: config.DATA_DIR }

export function readPlace(text: string): MovePlace {
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

export const isSamePlace = (a: MovePlace, b: MovePlace): boolean =>
  a.kind === 'embedded' ? b.kind === 'embedded' && a.dataDir === b.dataDir : b.kind === 'postgres' && a.url === b.url

export async function openSource(place: MovePlace): Promise<Store> {
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
