// Rows that are not loaded into memory because they are invalid. The service runs without them; they are logged, counted in the
// metrics and shown to operators.
import type { Log } from '../context.ts'

/** The kinds of rows that are loaded into memory. */
export const BROKEN_KINDS = ['tool', 'directory', 'category', 'tag', 'directoryCategory', 'key', 'article'] as const
export type BrokenKind = (typeof BROKEN_KINDS)[number]

export interface BrokenRow {
  kind: BrokenKind
  id: string
  /** The name that operators know the row by: a slug, or the last characters of a key. */
  name: string
  /** What is wrong with the row, in sentences. It never contains a stored value. */
  reason: string
}

export interface BrokenRows {
  /** `state` identifies the version of the row: a row that was changed and is still broken is logged again. */
  add(row: BrokenRow, state?: unknown): void
  remove(kind: BrokenKind, id: string): void
  /** `rows` replaces everything that is known of rows of these kinds. Called after all of them were read. */
  replace(kinds: readonly BrokenKind[], rows: readonly (readonly [row: BrokenRow, state?: unknown])[]): void
  list(): BrokenRow[]
}

declare module '../context.ts' {
  interface Context {
    brokenRows: BrokenRows
  }
}

// A table in which every row is broken must not fill the log.
const MOST_LOGGED = 100

export function createBrokenRows(log: Log): BrokenRows {
  const found = new Map<string, { row: BrokenRow; state: unknown }>()
  const keyOf = (kind: string, id: string) => `${kind}:${id}`

  /** Returns whether the row is new, or broken in a new state. */
  function put(row: BrokenRow, state: unknown): boolean {
    const key = keyOf(row.kind, row.id)
    const before = found.get(key)
    found.set(key, { row, state })
    return before?.row.reason !== row.reason || !Object.is(before.state, state)
  }

  const logBroken = (row: BrokenRow) => log.warn({ ...row }, 'a row is broken and is left out')

  return {
    add(row, state) {
      if (put(row, state)) logBroken(row)
    },
    remove: (kind, id) => void found.delete(keyOf(kind, id)),
    replace(kinds, rows) {
      const kept = new Set(rows.map(([row]) => keyOf(row.kind, row.id)))
      for (const [key, { row }] of found) if (kinds.includes(row.kind) && !kept.has(key)) found.delete(key)
      const changed = rows.filter(([row, state]) => put(row, state))
      for (const [row] of changed.slice(0, MOST_LOGGED)) logBroken(row)
      if (changed.length > MOST_LOGGED) log.warn({ rows: changed.length }, 'more rows are broken and are left out')
    },
    list: () => [...found.values()].map(({ row }) => row),
  }
}
