import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

/** A folder for the tests of a file or a describe. It exists only while they run, so that a file that is left out leaves none behind. */
export function temporaryFolder(name: string): string {
  const folder = join(tmpdir(), `catalog-${name}-${randomUUID()}`)
  beforeAll(() => void mkdirSync(folder, { mode: 0o700 }))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
