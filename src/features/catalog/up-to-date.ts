// Brings listings from the catalog file up to date: each is compared with its row in the database, and the rows that differ are read.
import { inSnapshot } from '../../kernel/block-ranges.queries.ts'
import type { Database } from '../../kernel/context.ts'
import { createPauses } from '../../kernel/pauses.ts'
import {
  type FoundBrokenRow,
  type ListingIndex,
  pagesOf,
  put,
  type Snapshot,
  sizeOf,
  statesWith,
} from './listing-states.ts'
import * as queries from './queries.ts'
import { LISTED_KINDS, type ListedKind, TOPIC } from './schema.ts'

export interface Loaded {
  snapshot: Snapshot
  foundBroken: FoundBrokenRow[]
}

interface UpToDate extends Loaded {
  readAgain: number
}

// When more of the listings differ than this part, to read and index all of them costs less.
const MOST_DIFFERENT = 0.25

/** The id and the revision of every published row, in texts of lines. */
export type Revisions = Record<ListedKind, string[]>

export const readRevisions = (db: Database): Promise<Revisions> =>
  inSnapshot(db, async (snapshot) => {
    const revisions: Revisions = { tool: [], directory: [] }
    for (const kind of LISTED_KINDS)
      await queries.eachRevision(snapshot, kind, (lines) => void revisions[kind].push(lines))
    return revisions
  })

/** Reads the rows that differ from the snapshot and puts them into it. Returns null when they are too many. */
export async function broughtUpToDate(
  db: Database,
  publicUrl: string,
  snapshot: Snapshot,
  revisions: Revisions,
): Promise<UpToDate | null> {
  const different = {
    tool: await differentIds(revisions.tool, snapshot.tools),
    directory: await differentIds(revisions.directory, snapshot.directories),
  }
  const readAgain = different.tool.length + different.directory.length
  if (readAgain > sizeOf(snapshot) * MOST_DIFFERENT) return null
  const foundBroken: FoundBrokenRow[] = []
  const pause = createPauses()
  const toState = statesWith(publicUrl, snapshot.taxonomy)
  for (const kind of LISTED_KINDS)
    for (const ids of pagesOf(different[kind])) {
      const found = new Map((await queries.listPublished(db, kind, ids)).map((row) => [row.id, row]))
      const states = ids.map((id) => toState(kind, id, found.get(id)))
      put(snapshot[TOPIC[kind]], states)
      for (const { broken } of states) if (broken) foundBroken.push(broken)
      await pause()
    }
  return { snapshot, foundBroken, readAgain }
}

/** The published listings whose rows have another revision than the index, and the listings that are published no more. */
async function differentIds(revisions: readonly string[], { index, idOf }: ListingIndex): Promise<string[]> {
  const unseen = new Set(idOf.values())
  const different = new Set<string>()
  const pause = createPauses()
  for (const lines of revisions) {
    for (const line of lines.split('\n')) {
      const space = line.indexOf(' ')
      const id = line.slice(0, space)
      unseen.delete(id)
      if (index.revisionOf(id) !== Number(line.slice(space + 1))) different.add(id)
    }
    await pause()
  }
  return [...different, ...unseen]
}
