// Copies of the embedded database, made between two statements while the service runs.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Store } from '../database/postgres.ts'
import { temporaryIn } from './data-folder.ts'

// A backup removes its copy when it has read it. A copy that is older belongs to a backup that was killed, and would fill the disk.
const LEFT_BEHIND_MS = 6 * 3600_000

/** `take` gives the path of a copy below `dataDir`, or null because the database is not an embedded one. */
export function createSnapshots(store: Store, dataDir: string): { take(): Promise<string> | null } {
  return {
    take() {
      if (!store.copy) return null
      const parent = temporaryIn(dataDir)
      mkdirSync(parent, { recursive: true, mode: 0o700 })
      removeLeftBehind(parent)
      const folder = join(parent, `snapshot-${randomUUID()}`)
      return store.copy(folder).then(
        () => relative(dataDir, folder),
        (error) => {
          rmSync(folder, { recursive: true, force: true })
          throw error
        },
      )
    },
  }
}

function removeLeftBehind(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith('snapshot-')) continue
    const path = join(parent, name)
    const made = statSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0
    if (Date.now() - made > LEFT_BEHIND_MS) rmSync(path, { recursive: true, force: true })
  }
}
