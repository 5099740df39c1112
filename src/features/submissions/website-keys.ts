// Stored website keys are brought to the rule of now, at every start: the rule may have grown since they were written, and beside a newer
// process an older one may still write. The database hands over only keys in a form that another rule might write differently, a page at
// a time, and only those that do differ are written.
import type { Database } from '../../kernel/context.ts'
import { websiteKey } from '../listings/website-key.ts'
import { KEYED_TABLES, listUnusualKeys, updateWebsiteKeys } from './queries.ts'

const PAGE = 2_000

/** Answers how many were changed. */
export async function renewWebsiteKeys(db: Database): Promise<number> {
  let changed = 0
  for (const table of KEYED_TABLES) {
    let rows = await listUnusualKeys(db, table, '', PAGE)
    while (rows.length > 0) {
      const renewed = rows.flatMap(({ id, key }) => {
        const now = renew(key)
        return now === key ? [] : [{ id, was: key, now }]
      })
      if (renewed.length > 0) await updateWebsiteKeys(db, table, renewed)
      changed += renewed.length
      rows = rows.length < PAGE ? [] : await listUnusualKeys(db, table, rows.at(-1)!.id, PAGE)
    }
  }
  return changed
}

/** A key without its scheme is an address again with one. */
const renew = (key: string): string => (URL.canParse(`https://${key}`) ? websiteKey(`https://${key}`) : key)
