// Gathers counts and rows in memory and writes them to the database at intervals, because no request may wait for these writes.
import type { Database, Log } from '../context.ts'

/** Writes at intervals, on request, and once more when it is closed. */
export interface RegularWriter {
  /** Resolves when everything gathered so far is written. Two writes never run at once. */
  flush(): Promise<void>
  start(): void
  close(): Promise<void>
}

/** What a feature that counts or records in memory is made from. */
export interface WriterParts {
  db: Database
  log: Log
  now?: () => number
}

/** `write` must keep what it could not write, so that the next write includes it. `lost`: the log line when the last write fails. */
export function createRegularWriter(
  write: () => Promise<void>,
  everyMs: number,
  log: Log,
  lost: string,
): RegularWriter {
  let writing: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  function flush(): Promise<void> {
    writing = writing.catch(() => {}).then(write)
    return writing
  }
  return {
    flush,
    start() {
      timer = setInterval(() => void flush().catch(() => {}), everyMs)
      timer.unref()
    },
    async close() {
      clearInterval(timer)
      await flush().catch((error) => log.warn({ err: error }, lost))
    },
  }
}

/** For a feature that is off and gathers nothing. */
export const noWriter: RegularWriter = { async flush() {}, start() {}, async close() {} }

interface GatheredRows<Row> {
  keyOf(row: Row): string
  /** Adds a row to the one that waits with the same key. Without it, the row that waits stays as it is. */
  sum?(into: Row, row: Row): void
  /** How many rows may wait while the database is unavailable; further ones are lost. */
  most?: number
  store(rows: Row[]): Promise<unknown>
  everyMs: number
  log: Log
  /** The log line when the last write fails. */
  lost: string
}

interface RowWriter<Row> extends RegularWriter {
  add(row: Row): void
  isFull(): boolean
}

/** Gathers rows, one for each key, and stores them at intervals. Rows that could not be stored wait for the next time. */
export function createRowWriter<Row>(gathered: GatheredRows<Row>): RowWriter<Row> {
  const { keyOf, sum, most = Number.POSITIVE_INFINITY, store, everyMs, log, lost } = gathered
  let waiting = new Map<string, Row>()

  function add(row: Row): void {
    const key = keyOf(row)
    const before = waiting.get(key)
    if (before !== undefined) sum?.(before, row)
    else if (waiting.size < most) waiting.set(key, row)
  }

  async function write(): Promise<void> {
    if (waiting.size === 0) return
    const rows = waiting
    waiting = new Map()
    try {
      await store([...rows.values()])
    } catch (error) {
      const newer = waiting.values()
      waiting = rows
      for (const row of newer) add(row)
      throw error
    }
  }

  return { add, isFull: () => waiting.size >= most, ...createRegularWriter(write, everyMs, log, lost) }
}
