// Restores a backup: unpacks it beside DATA_DIR's content, compares its checksums, opens and checks the database, and only then replaces
// the content. Also puts the content aside for the demo catalog.
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Config } from '../config.ts'
import { OperatingError } from '../kernel/errors.ts'
import { DamagedArchive } from '../kernel/formats/tar.ts'
import { openEmbedded } from '../platform/database/embedded.ts'
import { migrationState } from '../platform/database/migrations.ts'
import {
  contentOf,
  DATABASE_FOLDER,
  finishRestore,
  OPERATOR_TOKEN_FILE,
  PEPPER_FILE,
  PREPARED_FOLDER,
  replaceContent,
} from '../platform/folder/data-folder.ts'
import { FolderInUse, lockFolder } from '../platform/folder/folder-lock.ts'
import { silentLog } from '../platform/log.ts'
import { type Contents, type Manifest, noContents, readArchive } from './archive.ts'
import { isRightPepper, pepperInFolder } from './pepper.ts'

export interface Restored {
  manifest: Manifest
  contents: Contents
  counts: { tools: number; directories: number; keys: number }
  /** Migrations that the next start applies. */
  pending: number
  /** The folder of the replaced content, or null if there was none. */
  old: string | null
  /** Whether the restored keys work with the current settings. */
  pepperFits: boolean
}

export async function restore(
  config: Config,
  source: AsyncIterable<Uint8Array>,
  { replace, onProgress }: { replace: boolean; onProgress: (contents: Contents) => void },
): Promise<Restored> {
  const { DATA_DIR } = config
  mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 })
  const unlock = lockDataFolder(DATA_DIR)
  const prepared = join(DATA_DIR, PREPARED_FOLDER)
  try {
    finishRestore(DATA_DIR)
    const present = contentOf(DATA_DIR)
    if (present.length > 0 && !replace)
      throw new OperatingError(
        `${DATA_DIR} is not empty: it holds ${present.join(', ')}. Set DATA_DIR to a new folder, or add --replace to move its content aside.`,
      )
    mkdirSync(prepared, { mode: 0o700 })
    const contents = noContents()
    const manifest = await unpack(source, prepared, contents, onProgress)
    const checked = await checkDatabase(config, prepared, manifest)
    return { manifest, contents, ...checked, old: replaceContent(DATA_DIR, new Date()) }
  } finally {
    rmSync(prepared, { recursive: true, force: true })
    unlock()
  }
}

/** Returns the function that unlocks the folder. Throws an OperatingError while another process uses it. */
function lockDataFolder(folder: string): () => void {
  try {
    return lockFolder(folder)
  } catch (error) {
    throw error instanceof FolderInUse ? new OperatingError(error.message) : error
  }
}

async function unpack(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  contents: Contents,
  onProgress: (contents: Contents) => void,
): Promise<Manifest> {
  const timer = setInterval(() => onProgress(contents), 100)
  const packed = Readable.from(source)
  const unpacked = createGunzip()
  packed.on('error', (error) => unpacked.destroy(error)).pipe(unpacked)
  try {
    const manifest = await readArchive(unpacked, folder, contents)
    for (const name of [join(DATABASE_FOLDER, 'PG_VERSION'), ...(manifest.pepper === 'file' ? [PEPPER_FILE] : [])])
      if (!existsSync(join(folder, name))) throw new DamagedArchive(`${name} is missing in it.`)
    return manifest
  } catch (error) {
    // zlib's errors: the file is not compressed, is cut short, or has a wrong bit.
    const { code } = error as NodeJS.ErrnoException
    const isDamaged = error instanceof DamagedArchive || code?.startsWith('Z_')
    if (!isDamaged) throw error
    const why = error instanceof DamagedArchive ? error.message : 'It is damaged, or no backup of this service.'
    throw new OperatingError(`This archive cannot be restored. ${why} Nothing was changed.`, { cause: error })
  } finally {
    clearInterval(timer)
    packed.destroy()
  }
}

/** An archive may be complete and still have a database that this version cannot use. */
async function checkDatabase(config: Config, folder: string, manifest: Manifest) {
  const store = await openEmbedded(folder, silentLog).catch((error) => {
    throw new OperatingError(
      `The database in this archive (PostgreSQL ${manifest.postgres}, made by version ${manifest.service}) cannot be opened by this version. Restore it with the version that made it. Nothing was changed.`,
      { cause: error },
    )
  })
  try {
    const state = await migrationState(store.query)
    if (state.unknown > 0)
      throw new OperatingError(
        `This archive was made by a newer version (${manifest.service}): its database has ${state.unknown} migrations that are not known here. Install that version first. Nothing was changed.`,
      )
    const count = async (table: string) =>
      Number(((await store.query(`select count(*) as n from ${table}`)).rows[0] as { n: string }).n)
    const counts =
      state.applied === 0
        ? { tools: 0, directories: 0, keys: 0 }
        : { tools: await count('tools'), directories: await count('directories'), keys: await count('keys') }
    const pepper = config.KEY_PEPPER ?? (manifest.pepper === 'file' ? pepperInFolder(folder) : null)
    return { counts, pending: state.pending.length, pepperFits: (await isRightPepper(store.query, pepper)) !== false }
  } finally {
    await store.close()
    // The files of the lock on this folder must not become part of DATA_DIR.
    for (const name of ['lock', 'lock-owner']) rmSync(join(folder, name), { force: true })
  }
}

/**
 * Moves everything in DATA_DIR to another folder, so that the next start loads the demo catalog into an empty database. Returns the folder
 * of the old content, or null if there was none. The operator token and the pepper stay the same.
 */
export function resetDemo({ DATA_DIR, SEED }: Pick<Config, 'DATA_DIR' | 'SEED'>): string | null {
  if (SEED === 'none')
    throw new OperatingError('SEED is none, so the next start would load no demo catalog. Unset it first.')
  if (!existsSync(DATA_DIR)) return null
  const unlock = lockDataFolder(DATA_DIR)
  const prepared = join(DATA_DIR, PREPARED_FOLDER)
  try {
    finishRestore(DATA_DIR)
    if (contentOf(DATA_DIR).length === 0) return null
    mkdirSync(prepared, { mode: 0o700 })
    for (const name of [OPERATOR_TOKEN_FILE, PEPPER_FILE])
      if (existsSync(join(DATA_DIR, name))) copyFileSync(join(DATA_DIR, name), join(prepared, name))
    return replaceContent(DATA_DIR, new Date())
  } finally {
    rmSync(prepared, { recursive: true, force: true })
    unlock()
  }
}
