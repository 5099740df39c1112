// Renews stored keys at every start: website keys, and the name keys of tags. The rule for website keys may have changed since they were
// written, and a process of an older version may still write keys by the older rule. Only keys that an older rule may have written
// differently are read, and only keys that differ are written.
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Database } from '../../../kernel/context.ts'
import { websiteKey } from '../../listings/website-key.ts'
import { forUnusualKeys, KEYED_TABLES, updateWebsiteKeys } from '../queries.ts'
import { fillNameKeys } from './terms.queries.ts'

/** What every start does before the service takes submissions. */
export async function renewKeys(db: Database): Promise<void> {
  await renewWebsiteKeys(db)
  await fillNameKeys(db)
}

/**
 * Returns how many keys were changed. A row that another process changes meanwhile may be missed; the next start renews its key. Reading
 * all rows in one snapshot would miss none, but would hold the only connection of the embedded database.
 */
export async function renewWebsiteKeys(db: Database): Promise<number> {
  let changed = 0
  for (const table of KEYED_TABLES)
    await forUnusualKeys(db, table, async (rows) => {
      const renewed = rows.flatMap(({ id, key }) => {
        const now = renew(key)
        return now === key ? [] : [{ id, was: key, now }]
      })
      if (renewed.length > 0) await updateWebsiteKeys(db, table, renewed)
      changed += renewed.length
    })
  return changed
}

/** A key is an address without its scheme, so its own key can be computed again. */
const renew = (key: string): string => (parseUrl(`https://${key}`) ? websiteKey(`https://${key}`) : key)
