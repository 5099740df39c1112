// Finds the listings in memory that differ from the database: compares the revisions of all published rows with those of the index.

import type { Database } from '../../../kernel/context.ts'
import { inSnapshot } from '../../../kernel/database/block-ranges.queries.ts'
import { createPauses } from '../../../kernel/work/scheduler.ts'
import * as queries from '../queries.ts'
import { LISTED_KINDS, type ListedKind } from '../schema.ts'
import type { ListingIndex } from './listing-states.ts'

/** Texts with a line for each published row: its id and its revision. */
export type Revisions = Record<ListedKind, string[]>

export const readRevisions = (db: Database): Promise<Revisions> =>
  inSnapshot(db, async (snapshot) => {
    const revisions: Revisions = { tool: [], directory: [] }
    for (const kind of LISTED_KINDS)
      await queries.eachRevision(snapshot, kind, (lines) => void revisions[kind].push(lines))
    return revisions
  })

/** The ids of listings whose rows have another revision than the index, and of listings that are no longer published. */
export async function differentIds(revisions: readonly string[], { index, idOf }: ListingIndex): Promise<Set<string>> {
  const notInDatabase = new Set(idOf.values())
  const different = new Set<string>()
  const pause = createPauses()
  for (const lines of revisions) {
    for (const line of lines.split('\n')) {
      const space = line.indexOf(' ')
      const id = line.slice(0, space)
      notInDatabase.delete(id)
      if (index.revisionOf(id) !== Number(line.slice(space + 1))) different.add(id)
    }
    await pause()
  }
  return different.union(notInDatabase)
}
