import type { Database } from '../../kernel/context.ts'
import { insertPepperFingerprint } from './queries.ts'
import { pepperFingerprint } from './rules.ts'

/** Why the service must not start with this pepper, or undefined. The first pepper that a database sees is remembered. */
export async function pepperProblem(db: Database, pepper: string): Promise<string | undefined> {
  const fingerprint = pepperFingerprint(pepper)
  return (await insertPepperFingerprint(db, fingerprint)) === fingerprint
    ? undefined
    : "KEY_PEPPER (or DATA_DIR/key-pepper) is not the one this database's keys were made with. Set KEY_PEPPER to that one."
}
