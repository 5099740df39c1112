// Recomputes stored website keys at every start, because the rule for keys may have changed since they were written, and a process of an
// older version may still run beside a newer one. Only keys whose form an older rule may have produced are read, and only keys that
// differ are written.
import { inSnapshot } from '../../kernel/block-ranges.queries.ts'
import type { Database } from '../../kernel/context.ts'
import { websiteKey } from '../listings/website-key.ts'
import { eachUnusualKey, KEYED_TABLES, updateWebsiteKeys } from './queries.ts'

const PAGE = 2_000

/** Returns how many keys were changed. */
export async function renewWebsiteKeys(db: Database): Promise<number> {
  let changed = 0
  for (const table of KEYED_TABLES) {
    const renewed = await inSnapshot(db, (snapshot) => oldKeys(snapshot, table))
    for (let at = 0; at < renewed.length; at += PAGE) await updateWebsiteKeys(db, table, renewed.slice(at, at + PAGE))
    changed += renewed.length
  }
  return changed
}

async function oldKeys(db: Database, table: (typeof KEYED_TABLES)[number]) {
  const found: { id: string; was: string; now: string }[] = []
  await eachUnusualKey(db, table, ({ id, key }) => {
    const now = renew(key)
    if (now !== key) found.push({ id, was: key, now })
  })
  return found
}

/** A key with a scheme in front is an address again. */
const renew = (key: string): string => (URL.canParse(`https://${key}`) ? websiteKey(`https://${key}`) : key)
