// Keeps the vectors in memory as they are in the database. Reads run one after the other: what is announced during a read is read after
// it, so an older read cannot overwrite a newer one.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Log } from '../../kernel/context.ts'
import type { View } from '../../kernel/views.ts'
import { createPauses } from '../../kernel/work/scheduler.ts'
import { LISTED_KINDS, type ListedKind } from '../catalog/schema.ts'
import * as queries from './queries.ts'
import { kindOfTopic } from './rules.ts'
import { createVectors, type Vectors } from './vectors.ts'

interface StoredVectors extends View {
  /** null while there is no vector of this model. */
  current(): Vectors | null
  /** Raised by every change. */
  version(): number
}

const PAGE = 1_000
const RETRY_MS = 1_000

export function createStoredVectors(db: Database, model: string, log: Log): StoredVectors {
  let vectors: Vectors | null = null
  let version = 0
  let closed = false
  let waiting = newBatch()
  let working: Promise<void> | null = null

  async function loadAll(): Promise<void> {
    vectors = await load(db, model, vectors, () => closed)
    version++
  }

  /** Returns false when everything must be loaded, because the vectors have other dimensions now. */
  async function refresh(kind: ListedKind, ids: readonly string[]): Promise<boolean> {
    for (let at = 0; at < ids.length; at += PAGE) {
      const page = ids.slice(at, at + PAGE)
      const rows = await queries.listVectors(db, kind, model, page)
      if (rows.some(({ vector }) => vector.length !== vectors?.dimensions)) return false
      if (!vectors) continue
      const found = new Set(rows.map(({ id }) => id))
      for (const id of page) if (!found.has(id)) vectors.delete(kind, id)
      await put(vectors, kind, rows)
      version++
    }
    return true
  }

  const isAnyWaiting = () => waiting.all || LISTED_KINDS.some((kind) => waiting.ids[kind].size > 0)

  async function work(): Promise<void> {
    while (!closed && isAnyWaiting()) {
      const { all, ids } = waiting
      waiting = newBatch()
      try {
        const isCurrent =
          !all && (await refresh('tool', [...ids.tool])) && (await refresh('directory', [...ids.directory]))
        if (!isCurrent) await loadAll()
      } catch (error) {
        if (closed) return
        log.warn({ err: error }, 'the vectors of listings could not be read; trying again')
        waiting.all = true
        await sleep(RETRY_MS, undefined, { ref: false })
      }
    }
    working = null
  }

  return {
    current: () => vectors,
    version: () => version,
    async apply(change) {
      const kind = change && kindOfTopic(change.topic)
      if (change && !kind) return
      if (kind && change.ids) for (const id of change.ids) waiting.ids[kind].add(id)
      else waiting.all = true
      // A change may name no listing.
      if (isAnyWaiting()) working ??= work()
      await working
    },
    // Searches go on without vectors until they are read.
    isLoaded: () => true,
    async settled() {
      while (working && !closed) await working
    },
    close() {
      closed = true
    },
  }
}

/** What is to be read next; when `all` is set, `ids` do not matter. */
const newBatch = () => ({ all: false, ids: { tool: new Set<string>(), directory: new Set<string>() } })

/** Vectors with the same dimensions as before are replaced in place, so that memory never holds all of them twice. */
async function load(
  db: Database,
  model: string,
  before: Vectors | null,
  isClosed: () => boolean,
): Promise<Vectors | null> {
  const dimensions = await queries.findDimensions(db, model)
  if (dimensions === undefined) return null
  const target = before?.dimensions === dimensions ? before : createVectors(dimensions)
  for (const kind of LISTED_KINDS) {
    const gone = new Set(target.ids(kind))
    for (let after: string | undefined = ''; after !== undefined && !isClosed(); ) {
      const rows: queries.StoredVector[] = await queries.listVectorsAfter(db, kind, model, after, PAGE)
      await put(target, kind, rows)
      for (const { id, vector } of rows) if (vector.length === dimensions) gone.delete(id)
      after = rows.length === PAGE ? rows.at(-1)?.id : undefined
    }
    for (const id of gone) target.delete(kind, id)
  }
  return target
}

/** Vectors with other dimensions than the newest are left out; the background work replaces them. */
async function put(target: Vectors, kind: ListedKind, rows: readonly queries.StoredVector[]): Promise<void> {
  const pause = createPauses()
  for (const { id, vector } of rows) {
    await pause()
    if (vector.length === target.dimensions)
      target.set(kind, id, new Int8Array(vector.buffer, vector.byteOffset, vector.length))
  }
}
