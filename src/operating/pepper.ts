// Checks whether a pepper is the one that a database's keys were made with.
import { pepperFingerprint } from '../features/keys/rules.ts'
import type { RunSql } from '../platform/database/postgres.ts'

/** Returns null if the database has no keys yet, so that every pepper is right. */
export async function isRightPepper(query: RunSql, pepper: string | null): Promise<boolean | null> {
  const [{ found }] = (await query(`select to_regclass('public.key_settings') is not null as found`)).rows as [
    { found: boolean },
  ]
  const [row] = found
    ? (await query(`select pepper_fingerprint as print from key_settings where id = 'keys'`)).rows
    : []
  if (!row) return null
  return pepper !== null && pepperFingerprint(pepper) === (row as { print: string }).print
}
