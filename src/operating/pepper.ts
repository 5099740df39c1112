// Reads the pepper that the settings give, and checks whether it is the one that a database's keys were made with.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { pepperFingerprint } from '../features/keys/rules.ts'
import type { RunSql } from '../platform/database/postgres.ts'
import { PEPPER_FILE } from '../platform/folder/data-folder.ts'

/** The pepper of the setting KEY_PEPPER, otherwise that of the file in DATA_DIR; null when neither exists. */
export const readPepper = ({ KEY_PEPPER, DATA_DIR }: Pick<Config, 'KEY_PEPPER' | 'DATA_DIR'>): string | null =>
  KEY_PEPPER ?? pepperInFolder(DATA_DIR)

export function pepperInFolder(folder: string): string | null {
  const path = join(folder, PEPPER_FILE)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null
}

/** Whether the stored keys were made with this pepper; null if the database has no keys yet, so that every pepper is right. */
export async function isRightPepper(query: RunSql, pepper: string | null): Promise<boolean | null> {
  const [{ found }] = (await query(`select to_regclass('public.key_settings') is not null as found`)).rows as [
    { found: boolean },
  ]
  const [row] = found
    ? (await query(`select pepper_fingerprint as fingerprint from key_settings where id = 'keys'`)).rows
    : []
  if (!row) return null
  return pepper !== null && pepperFingerprint(pepper) === (row as { fingerprint: string }).fingerprint
}
