// Recomputes stored website keys at every start, because the rule for keys may have changed since they were written, and a process of an
// older version may still run beside a newer one. Only keys whose form an older rule may have produced are read, in pages, and only keys
// that differ are written.
import type { Database } from '../../kernel/context.ts'
import { websiteKey } from '../listings/website-key.ts'
import { KEYED_TABLES, listUnusualKeys, updateWebsiteKeys } from './queries.ts'

const PAGE = 2_000

/** Returns how many keys were changed. */
export async function renewWebsiteKeys(db: Database): Promise<number> {
  let changed = 0
  for (const table of KEYED_TABLES) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows = await listUnusualKeys(db, table, after, PAGE)
      const renewed = rows.flatMap(({ id, key }) => {
        const now = renew(key)
        return now === key ? [] : [{ id, was: key, now }]
      })
      if (renewed.length > 0) await updateWebsiteKeys(db, table, renewed)
      changed += renewed.length
      after = rows.length < PAGE ? undefined : rows.at(-1)?.id
    }
  }
  return changed
}

/** A key with a scheme in front is an address again. */
const renew = (key: string): string => (URL.canParse(`https://${key}`) ? websiteKey(`https://${key}`) : key)
