// Moves everything in DATA_DIR to another folder, so that the next start loads the demo catalog into an empty database.
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import {
  contentOf,
  finishRestore,
  OPERATOR_TOKEN_FILE,
  PEPPER_FILE,
  PREPARED_FOLDER,
  replaceContent,
} from '../platform/folder/data-folder.ts'
import { OperatingError } from './operating-error.ts'
import { lockDataFolder } from './restore.ts'

/** Returns the folder of the old content, or null if there was none. The operator token and the pepper stay the same. */
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
