// The content of DATA_DIR, and how a restore replaces it. The new content is prepared in a folder of DATA_DIR; one rename makes the
// restore final, and the next process that opens DATA_DIR finishes it if needed. A kill at any moment leaves the whole old or new content.
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

export const DATABASE_FOLDER = 'database'
export const PICTURES_FOLDER = 'media'
export const PEPPER_FILE = 'key-pepper'
export const OPERATOR_TOKEN_FILE = 'admin-token'
export const CATALOG_FILE = 'catalog'
/** Whether this is the catalog file or a new one that is being written. A missing catalog file is made anew from the database. */
export const isCatalogFile = (name: string): boolean => name === CATALOG_FILE || name.startsWith(`${CATALOG_FILE}-`)
const TEMPORARY = 'tmp'
/** The folder in which a restore prepares the new content. */
export const PREPARED_FOLDER = 'restoring'

// `restored-`: the restore is final, and the old content is being moved to `before-restore-` with the same time stamp. `settling-`: the
// new content is being moved in.
const FINAL_PREFIX = 'restored-'
const FINAL_NAME = new RegExp(`^${FINAL_PREFIX}(.+)$`)
const MOVING_IN_PREFIX = 'settling-'
const MOVING_IN_NAME = new RegExp(`^${MOVING_IN_PREFIX}(.+)$`)
const BEFORE_RESTORE = 'before-restore-'
// A restore holds the lock on these files, so it does not move them.
const LOCK = /^lock(-|$)/

const SNAPSHOT = new RegExp(`^${TEMPORARY}/snapshot-[0-9a-f-]{36}$`)

/** Whether the path below DATA_DIR is a database copy that the service made. Strict, because a backup deletes the path afterwards. */
export const isSnapshot = (dataDir: string, path: string): boolean =>
  SNAPSHOT.test(path) && lstatSync(join(dataDir, path), { throwIfNoEntry: false })?.isDirectory() === true

export const temporaryIn = (dataDir: string): string => join(dataDir, TEMPORARY)

/** The names of everything in the folder but temporary files, including files of later versions whose names are not known here. */
export function contentOf(dataDir: string): string[] {
  const isTemporary = (name: string) =>
    name === TEMPORARY ||
    name === PREPARED_FOLDER ||
    name.startsWith(BEFORE_RESTORE) ||
    [FINAL_NAME, MOVING_IN_NAME, LOCK].some((form) => form.test(name))
  return existsSync(dataDir)
    ? readdirSync(dataDir)
        .filter((name) => !isTemporary(name))
        .sort()
    : []
}

/** Replaces the content by what is in PREPARED_FOLDER. Returns the folder of the old content, or null if there was none. */
export function replaceContent(dataDir: string, now: Date): string | null {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const hadContent = contentOf(dataDir).length > 0
  renameSync(join(dataDir, PREPARED_FOLDER), join(dataDir, `${FINAL_PREFIX}${stamp}`))
  syncFolder(dataDir)
  finishRestore(dataDir)
  return hadContent ? join(dataDir, `${BEFORE_RESTORE}${stamp}`) : null
}

/** Finishes an interrupted restore that was final, and removes one that was not. The caller must have locked the folder. */
export function finishRestore(dataDir: string): void {
  rmSync(join(dataDir, PREPARED_FOLDER), { recursive: true, force: true })
  for (const name of readdirSync(dataDir)) {
    const stamp = FINAL_NAME.exec(name)?.[1]
    if (!stamp) continue
    const old = join(dataDir, `${BEFORE_RESTORE}${stamp}`)
    for (const each of contentOf(dataDir)) {
      mkdirSync(old, { recursive: true, mode: 0o700 })
      renameSync(join(dataDir, each), join(old, each))
    }
    syncFolder(dataDir)
    renameSync(join(dataDir, name), join(dataDir, `${MOVING_IN_PREFIX}${stamp}`))
  }
  for (const name of readdirSync(dataDir)) {
    if (!MOVING_IN_NAME.test(name)) continue
    for (const each of readdirSync(join(dataDir, name))) renameSync(join(dataDir, name, each), join(dataDir, each))
    syncFolder(dataDir)
    rmSync(join(dataDir, name), { recursive: true })
  }
}

/** Needed after a rename: it survives a power cut only when its folder was synced. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
