// Loads the snapshot at the start of a process, and compares it with the database whenever changes may have been missed: the revisions of
// all rows are compared, and the rows that differ are read.

import type { BrokenRows } from '../../../kernel/checks/broken-rows.ts'
import type { Database } from '../../../kernel/context.ts'
import { inSnapshot } from '../../../kernel/database/block-ranges.queries.ts'
import { starting } from '../../../kernel/errors.ts'
import { createPauses } from '../../../kernel/work/scheduler.ts'
import { createIndex, createTextMap } from '../../../search/index.ts'
import type { Learned } from '../../learning/learned.ts'
import * as queries from '../queries.ts'
import type { Taxonomy } from '../rules.ts'
import { LISTED_KINDS, type ListedKind, TERM_KINDS, TOPIC } from '../schema.ts'
import { differentTerms, loadTaxonomy, prepareTaxonomy, taxonomyText } from '../terms/taxonomy.ts'
import type { CatalogFile } from './catalog-file.ts'
import { addIds } from './changed-ids.ts'
import { indexOptions, type ListingIndex, type Snapshot, sizeOf } from './listing-states.ts'
import type { SnapshotUpdater } from './put-changes.ts'

interface LoaderSource {
  db: Database
  brokenRows: BrokenRows
  learned?: Pick<Learned, 'openedAfter'>
  file?: CatalogFile | null
}

/** Holds the snapshot. */
export function createLoader({ db, brokenRows, learned, file }: LoaderSource, { put }: Pick<SnapshotUpdater, 'put'>) {
  let snapshot: Snapshot | null = null
  let isLoaded = false

  function loadedSnapshot(): Snapshot {
    if (!snapshot) throw starting()
    return snapshot
  }

  /**
   * Makes the first snapshot: from the file if it can be used, otherwise without listings. Also returns the revisions if they are being
   * read already.
   */
  async function makeFirst(taxonomy: Taxonomy): Promise<{ revisions?: Promise<Revisions>; isFromFile: boolean }> {
    let revisions: Promise<Revisions> | undefined
    const stored = await file?.read(taxonomyText(taxonomy), () => {
      // Begun here, so that the database reads them while this thread reads the file.
      revisions = readRevisions(db)
      revisions.catch(() => {})
    })
    await prepareTaxonomy(taxonomy)
    const openedAfter = learned?.openedAfter
    snapshot = {
      taxonomy,
      tools: { ...(stored?.tool ?? emptyListings('tool')), openedAfter },
      directories: { ...(stored?.directory ?? emptyListings('directory')), openedAfter },
    }
    return { revisions, isFromFile: Boolean(stored) }
  }

  return {
    /** Throws a 503 until there is one. */
    snapshot: loadedSnapshot,
    /** Whether the snapshot has been compared with the database once. */
    isLoaded: () => isLoaded,
    /** Makes the first snapshot if there is none, and reads the rows in which the snapshot differs from the database. */
    async compare(): Promise<void> {
      const { taxonomy, foundBroken } = await loadTaxonomy(db)
      const first = snapshot ? null : await makeFirst(taxonomy)
      const current = loadedSnapshot()
      brokenRows.replace(TERM_KINDS, foundBroken)
      const different = differentTerms(current.taxonomy, taxonomy)
      const revisions = await (first?.revisions ?? readRevisions(db))
      for (const kind of LISTED_KINDS)
        addIds(different, TOPIC[kind], await differentIds(revisions[kind], current[TOPIC[kind]]))
      // Broken rows are not in the index. They are read again, so that one that was deleted or hidden is no longer reported.
      for (const { kind, id } of brokenRows.list())
        if (kind === 'tool' || kind === 'directory') addIds(different, TOPIC[kind], [id])
      if (first?.isFromFile)
        file?.logUse(sizeOf(current), (different.get('tools')?.size ?? 0) + (different.get('directories')?.size ?? 0))
      await put(
        current,
        db,
        [...different].map(([topic, ids]) => ({ topic, ids: [...ids] })),
      )
      isLoaded = true
    },
  }
}

const emptyListings = (kind: ListedKind): ListingIndex => ({
  index: createIndex(indexOptions(kind)),
  idOf: createTextMap(),
})

/** Texts with a line for each published row: its id and its revision. */
type Revisions = Record<ListedKind, string[]>

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
