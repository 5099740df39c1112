// Keeps a second process out of a data folder with the operating system's lock on a file. The lock is taken through SQLite, because Node
// has no file locks. The kernel releases it when the process ends for any reason, and it also works between containers that share a volume.
import { readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Says what is wrong with DATA_DIR, for the operator. */
export class FolderUnusable extends Error {
  constructor(folder: string, error: Error) {
    super(
      `DATA_DIR ${folder} cannot be used: ${error.message}. Is its disk full, or does it belong to another user? This says more: catalog doctor`,
      { cause: error },
    )
  }
}
/** Says which process uses DATA_DIR, for the operator. */
export class FolderInUse extends Error {}

/** Returns the function that releases the lock. Throws FolderInUse when another process has it. */
export function lockFolder(folder: string): () => void {
  const owner = join(folder, 'lock-owner')
  const lock = new DatabaseSync(join(folder, 'lock'))
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error
    throw new FolderInUse(
      `DATA_DIR ${folder} is in use by ${readOwner(owner)}. Stop that one first, or use another DATA_DIR.`,
    )
  }
  writeFileSync(owner, `process ${process.pid} on ${hostname()}`)
  return () => lock.close()
}

const SQLITE_BUSY = 5

function readOwner(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, 200)
  } catch {
    return 'another process'
  }
}
