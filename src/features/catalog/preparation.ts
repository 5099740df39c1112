// Listings of an import that are made ready while the database stores them, so that readers see them right after the commit.
import type { BrokenRows } from '../../kernel/broken-rows.ts'
import type { Database } from '../../kernel/context.ts'
import { createPauses } from '../../kernel/pauses.ts'
import { add, type Changes, TOPICS } from './changes.ts'
import { createBlocks } from './listing-json.ts'
import { type ListingState, replace, type Snapshot, sizeOf, statesWith } from './listing-states.ts'
import { createFilling, isSameTaxonomy, loadTaxonomy } from './load.ts'
import type { DirectoryRow, ToolRow } from './queries.ts'
import type { Taxonomy } from './rules.ts'
import { LISTED_KINDS, type ListedKind, TERM_KINDS, TOPIC } from './schema.ts'

/** Listings of a transaction that become visible after its commit without being read again. */
export interface Preparation {
  /** Whether `show` brings the changed terms too; otherwise they must be put in place before. */
  bringsTerms: boolean
  /** Takes rows that the transaction has stored; undefined for one that is not published. */
  add(
    kind: ListedKind,
    rows: readonly (readonly [id: string, row: ToolRow | DirectoryRow | undefined])[],
  ): Promise<void>
  /** Call this after the last `add` and before the commit. */
  finish(): Promise<void>
  /** After the commit: makes the listings visible. Returns the topics whose changes that includes; none when they must be read. */
  show(connection: Database): Promise<readonly string[]>
  /** Frees what it holds. The catalog calls this after `show`; an import that does not commit calls it itself. */
  close(): void
}

/** A snapshot, and for each part of it the number of the read that brought it, so that an older read cannot overwrite a newer one. */
export interface View {
  snapshot: Snapshot
  /** Reads up to this number began before the snapshot was loaded, so their rows are not newer. */
  since: number
  /** The newest read of each listing and of the taxonomy, kept while reads are under way. */
  readOf: Map<string, number>
}

/** Whether this read is newer than the last one of this part of the view. If so, it is recorded as the last one. */
export function isNewerThanView(view: View, part: string, read: number): boolean {
  if (read <= view.since || read <= (view.readOf.get(part) ?? 0)) return false
  view.readOf.set(part, read)
  return true
}

/** What a preparation uses of the catalog. */
export interface Preparing {
  publicUrl: string
  brokenRows: BrokenRows
  views(): View[]
  changed(listings: boolean): void
  refresh(connection: Database, changes: Changes, most: number): Promise<boolean>
  /** Returns the number of a new read, which is under way until `endRead`. */
  beginRead(): number
  endRead(): void
  changedDuringLoad(): Changes | null
  beginPreparedLoad(): PreparedLoad
}

export interface PreparedLoad {
  /** Reads what has changed since the load began, and `more`; then the snapshot replaces the current one. */
  replaceCurrent(connection: Database, snapshot: Snapshot, more: Changes): Promise<void>
  end(): void
}

// The documents of this many listings are kept until the commit. They need about 80 MB.
const MAX_PREPARED = 25_000

/** For an import that changes a part of the catalog: its documents are put into the current snapshot. */
export function prepareInPlace(catalog: Preparing, taxonomy: Taxonomy): Preparation {
  const { views, brokenRows } = catalog
  const states: Record<ListedKind, ListingState[]> = { tool: [], directory: [] }
  const toState = statesWith(catalog.publicUrl, taxonomy, createBlocks())
  const pause = createPauses()
  let isTooLarge = false
  let isClosed = false
  // The number is taken before the commit, so every later change of these rows has a higher one. For a row that has a higher number
  // already it is not known which is newer, and it is read again.
  const read = catalog.beginRead()

  /** Returns the ids of the rows that must be read. */
  function replaceIn(view: View, kind: ListedKind, some: readonly ListingState[]): string[] {
    const newer = some.filter(({ id }) => isNewerThanView(view, id, read))
    replace(kind, view.snapshot[TOPIC[kind]], newer, brokenRows)
    if (newer.length === some.length) return []
    return some.flatMap(({ id }) => ((view.readOf.get(id) ?? 0) > read ? id : []))
  }

  return {
    bringsTerms: false,
    async add(kind, rows) {
      if (isTooLarge) return
      for (const [id, row] of rows) {
        states[kind].push(toState(kind, id, row))
        await pause()
      }
      isTooLarge = states.tool.length + states.directory.length > MAX_PREPARED
      if (isTooLarge) states.tool = states.directory = []
    },
    async finish() {},
    async show(connection) {
      const isUsable = (view: View) => view.since < read && isSameTaxonomy(view.snapshot.taxonomy, taxonomy)
      if (isTooLarge || !views().every(isUsable)) return []
      const missed = catalog.changedDuringLoad()
      const uncertain: Changes = new Map()
      for (const kind of LISTED_KINDS) {
        if (missed)
          add(
            missed,
            TOPIC[kind],
            states[kind].map(({ id }) => id),
          )
        for (const some of slicesOf(states[kind])) {
          for (const view of views()) add(uncertain, TOPIC[kind], replaceIn(view, kind, some))
          catalog.changed(true)
          await pause()
        }
      }
      if (uncertain.size > 0) await catalog.refresh(connection, uncertain, Number.POSITIVE_INFINITY)
      return LISTED_KINDS.map((kind) => TOPIC[kind])
    },
    close() {
      if (!isClosed) catalog.endRead()
      isClosed = true
    },
  }
}

/** For an import that is larger than the catalog: its documents are put into a new snapshot. No other one is loaded meanwhile. */
export function prepareSnapshot(catalog: Preparing, taxonomy: Taxonomy): Preparation {
  const { brokenRows } = catalog
  const { snapshot, foundBroken, load, settle } = createFilling(taxonomy)
  const toState = statesWith(catalog.publicUrl, taxonomy, createBlocks())
  const pause = createPauses()
  const { replaceCurrent, end } = catalog.beginPreparedLoad()
  let hasEnded = false

  /** The listings that are in the current snapshot and not in the new one. */
  function others(): Changes {
    const found: Changes = new Map()
    for (const kind of LISTED_KINDS) {
      const { index } = snapshot[TOPIC[kind]]
      for (const view of catalog.views())
        add(
          found,
          TOPIC[kind],
          view.snapshot[TOPIC[kind]].idOf.values().filter((id) => !index.get(id)),
        )
    }
    return found
  }

  const close = () => {
    if (!hasEnded) end()
    hasEnded = true
  }
  return {
    bringsTerms: true,
    async add(kind, rows) {
      for (const [id, row] of rows) {
        load(kind, toState(kind, id, row))
        await pause()
      }
    },
    finish: settle,
    async show(connection) {
      try {
        if (hasEnded) return []
        const stored = await loadTaxonomy(connection)
        if (!isSameTaxonomy(taxonomy, stored.taxonomy)) return []
        const toRead = others()
        if (toRead.values().reduce((sum, ids) => sum + ids.size, 0) > sizeOf(snapshot)) return []
        brokenRows.replace(TERM_KINDS, stored.foundBroken)
        for (const { kind, id } of brokenRows.list())
          if ((kind === 'tool' || kind === 'directory') && snapshot[TOPIC[kind]].index.get(id))
            brokenRows.remove(kind, id)
        for (const broken of foundBroken) brokenRows.add(...broken)
        await replaceCurrent(connection, snapshot, toRead)
        return TOPICS
      } finally {
        close()
      }
    },
    close,
  }
}

// Small enough that a slice delays no request noticeably.
const SLICE = 100

function* slicesOf<T>(all: readonly T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += SLICE) yield all.slice(at, at + SLICE)
}
