// What is in the folder for temporary files: lines of imports, and copies of the embedded database.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Scratch } from '../../kernel/context.ts'
import type { Store } from '../database/postgres.ts'
import { temporaryIn } from './data-folder.ts'

// Larger reads take less processor time for each line.
const READ_BYTES = 512 * 1024

/** A temporary file of lines. An import of any size is written to it and checked as a whole before any of it is stored. */
export function openScratch(folder: string): Scratch {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${randomUUID()}.ndjson`)
  const file = createWriteStream(path, { mode: 0o600 })
  let failed: Error | undefined
  file.on('error', (error) => {
    failed = error
  })
  return {
    async write(line) {
      if (failed) throw failed
      if (!file.write(`${line}\n`)) await once(file, 'drain')
    },
    async *pages() {
      if (failed) throw failed
      if (!file.writableEnded) {
        file.end()
        await once(file, 'close')
      }
      yield* splitLines(createReadStream(path, { encoding: 'utf8', highWaterMark: READ_BYTES }))
    },
    close() {
      // Removed again after the close, because the stream may create the file only after the first removal.
      file.once('close', () => rmSync(path, { force: true }))
      file.destroy()
      rmSync(path, { force: true })
    },
  }
}

// node:readline would also split at U+2028, which JSON strings may contain.
async function* splitLines(source: AsyncIterable<string>): AsyncGenerator<string[]> {
  let rest = ''
  for await (const chunk of source) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines
  }
}

// A backup removes its copy when it has read it. A copy that is older belongs to a backup that was killed, and would fill the disk.
const LEFT_BEHIND_MS = 6 * 3600_000

/**
 * Copies of the embedded database, made between two statements while the service runs. `take` gives the path of a copy below `dataDir`, or
 * null because the database is not an embedded one.
 */
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
