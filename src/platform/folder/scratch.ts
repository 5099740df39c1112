// A temporary file of lines. An import of any size is written to it and checked as a whole before any of it is stored.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Scratch } from '../../kernel/context.ts'

// Larger reads take less processor time for each line.
const READ_BYTES = 512 * 1024

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
