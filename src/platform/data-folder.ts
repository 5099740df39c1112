// What lies in DATA_DIR, and how a restored whole takes the place of what was there. A kill at any moment leaves either the old
// or the new: the whole is prepared aside, one rename decides for it, and whoever opens the folder next finishes what was decided.
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { PICTURE_NAME } from '../kernel/own-addresses.ts'

export const DATABASE = 'database'
export const PICTURES = 'media'
export const PEPPER = 'key-pepper'
export const OPERATOR_TOKEN = 'admin-token'
const TEMPORARY = 'tmp'
/** Where a restore prepares what it puts in place. */
export const PREPARED = 'restoring'

// Decided, the old still being moved away; then the new being moved in. The stamp says where the old goes.
const DECIDED = /^restored-(.+)$/
const MOVING_IN = /^settling-(.+)$/
const OLD = /^before-restore-/
// The lock is held on files of this name while all this goes on.
const LOCK = /^lock(-|$)/

// Folders of a PostgreSQL that may have files below them, and its files beside them.
const OF_POSTGRES =
  '(base|global|pg_(commit_ts|dynshmem|logical|multixact|notify|replslot|serial|snapshots|stat|stat_tmp|subtrans|tblspc|twophase|wal|xact))'
const BESIDE = '(PG_VERSION|pg_hba\\.conf|pg_ident\\.conf|postgresql(\\.auto)?\\.conf|postmaster\\.(pid|opts))'
const BELOW = '(/[\\w-][\\w.-]*)'
const PART_FOLDER = new RegExp(`^(${PICTURES}|${DATABASE}(/${OF_POSTGRES}${BELOW}*)?)$`)
const PART_FILE = new RegExp(`^(${PEPPER}|${OPERATOR_TOKEN}|${DATABASE}/(${BESIDE}|${OF_POSTGRES}${BELOW}+))$`)

/** Whether this path below DATA_DIR is written by the service and kept in a backup; nothing else is put into one or taken out of one. */
export function isKept(path: string, isFolder: boolean): boolean {
  if (isFolder) return PART_FOLDER.test(path)
  const inPictures = path.startsWith(`${PICTURES}/`) && path.slice(PICTURES.length + 1)
  return PART_FILE.test(path) || (inPictures !== false && PICTURE_NAME.test(inPictures))
}

const SNAPSHOT = new RegExp(`^${TEMPORARY}/snapshot-[0-9a-f-]{36}$`)

/** A copy of the database that the service made, by its path below DATA_DIR. It is read and then removed, so it can be nothing else. */
export const isSnapshot = (dataDir: string, path: string): boolean =>
  SNAPSHOT.test(path) && lstatSync(join(dataDir, path), { throwIfNoEntry: false })?.isDirectory() === true

export const temporaryIn = (dataDir: string): string => join(dataDir, TEMPORARY)

/** Names of everything in the folder that is worth keeping; not a list of ours, so that what comes later is kept too. */
export function contentOf(dataDir: string): string[] {
  const passing = (name: string) =>
    name === TEMPORARY || name === PREPARED || [DECIDED, MOVING_IN, OLD, LOCK].some((form) => form.test(name))
  return existsSync(dataDir)
    ? readdirSync(dataDir)
        .filter((name) => !passing(name))
        .sort()
    : []
}

/** Decides for what lies in PREPARED. Answers where the old content is afterwards, or null where there was none. */
export function putInPlace(dataDir: string, now: Date): string | null {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const hadContent = contentOf(dataDir).length > 0
  renameSync(join(dataDir, PREPARED), join(dataDir, `restored-${stamp}`))
  syncFolder(dataDir)
  settle(dataDir)
  return hadContent ? join(dataDir, `before-restore-${stamp}`) : null
}

/** Finishes a restore that was decided and cut short, and clears away one that was not. Only with the folder's lock. */
export function settle(dataDir: string): void {
  rmSync(join(dataDir, PREPARED), { recursive: true, force: true })
  for (const name of readdirSync(dataDir)) {
    const stamp = DECIDED.exec(name)?.[1]
    if (!stamp) continue
    const old = join(dataDir, `before-restore-${stamp}`)
    for (const each of contentOf(dataDir)) {
      mkdirSync(old, { recursive: true, mode: 0o700 })
      renameSync(join(dataDir, each), join(old, each))
    }
    syncFolder(dataDir)
    renameSync(join(dataDir, name), join(dataDir, `settling-${stamp}`))
  }
  for (const name of readdirSync(dataDir)) {
    if (!MOVING_IN.test(name)) continue
    for (const each of readdirSync(join(dataDir, name))) renameSync(join(dataDir, name, each), join(dataDir, each))
    syncFolder(dataDir)
    rmSync(join(dataDir, name), { recursive: true })
  }
}

/** A rename is on the disk only when its folder is. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
