// Rows that what is held in memory leaves out, because they are not as they must be. Everything else goes on without them; they are
// logged, counted in the metrics and shown to operators.
import type { Log } from './context.ts'

/** What is held in memory from rows. */
export const BROKEN_KINDS = ['tool', 'directory', 'category', 'tag', 'directoryCategory', 'key', 'article'] as const
export type BrokenKind = (typeof BROKEN_KINDS)[number]

export interface BrokenRow {
  kind: BrokenKind
  id: string
  /** What operators know it by: a slug, or the last characters of a key. */
  name: string
  /** What is wrong with it, in sentences. Never a stored value. */
  reason: string
}

export interface BrokenRows {
  /** `state` tells two states of a row apart: it is logged again when it was changed and is broken still. */
  add(row: BrokenRow, state?: unknown): void
  remove(kind: BrokenKind, id: string): void
  /** All rows of these kinds were read: those that are broken, and no others. */
  replace(kinds: readonly BrokenKind[], rows: readonly (readonly [row: BrokenRow, state?: unknown])[]): void
  list(): BrokenRow[]
}

declare module './context.ts' {
  interface Context {
    brokenRows: BrokenRows
  }
}

// A table that was filled wrongly as a whole must not fill the log.
const MOST_LOGGED = 100

export function createBrokenRows(log: Log): BrokenRows {
  const found = new Map<string, { row: BrokenRow; state: unknown }>()
  const keyOf = (kind: string, id: string) => `${kind}:${id}`

  /** Whether it was not known, or known in another state. */
  function put(row: BrokenRow, state: unknown): boolean {
    const key = keyOf(row.kind, row.id)
    const before = found.get(key)
    found.set(key, { row, state })
    return before?.row.reason !== row.reason || !Object.is(before.state, state)
  }

  const tell = (row: BrokenRow) => log.warn({ ...row }, 'a row is broken and is left out')

  return {
    add(row, state) {
      if (put(row, state)) tell(row)
    },
    remove: (kind, id) => void found.delete(keyOf(kind, id)),
    replace(kinds, rows) {
      const kept = new Set(rows.map(([row]) => keyOf(row.kind, row.id)))
      for (const [key, { row }] of found) if (kinds.includes(row.kind) && !kept.has(key)) found.delete(key)
      const news = rows.filter(([row, state]) => put(row, state))
      for (const [row] of news.slice(0, MOST_LOGGED)) tell(row)
      if (news.length > MOST_LOGGED) log.warn({ rows: news.length }, 'more rows are broken and are left out')
    },
    list: () => [...found.values()].map(({ row }) => row),
  }
}
