// What is counted while requests are answered, and what is read when a scraper asks.

export interface Metrics {
  request(surface: string, status: number, ms: number): void
  decision(bucket: string, allowed: boolean): void
  /** In the form that Prometheus reads. */
  text(): Promise<string>
  /** Everything counted so far, for another process to go on with. This one begins again at nothing. */
  leave(): Counts
  inherit(counts: Counts): void
}

export interface Counts {
  requests: Tally[]
  decisions: Tally[]
}

/** A single number, or for a histogram one for each bound. */
export interface Tally {
  labels: Record<string, string>
  counts: number[]
  sum: number
}

/** A metric that is read when a scraper asks. Each feature declares its own in `metrics.ts`. */
export interface MetricSource {
  name: string
  help: string
  /** The names of its labels; each value has one of each. */
  labels?: readonly string[]
  /** What several processes say of it, put together; 'sum' unless told. */
  together?: 'max' | 'min' | 'sum'
  read(): Promise<readonly Value[]> | readonly Value[]
}

export interface Value {
  value: number
  labels?: Readonly<Record<string, string>>
}

export type Query = (statement: string) => Promise<{ rows: unknown[] }>

// A scraper that asks every few seconds must not keep the database busy.
const KEPT_MS = 5_000

/** Reads the column `value` of a statement's rows, with the columns that are labels; nothing while the database is away. */
export function countedRows(query: Query, statement: string, labels: readonly string[]): () => Promise<Value[]> {
  let kept: { at: number; values: Value[] } = { at: Number.NEGATIVE_INFINITY, values: [] }
  return async () => {
    if (performance.now() - kept.at < KEPT_MS) return kept.values
    const { rows } = await query(statement).catch(() => ({ rows: [] as unknown[] }))
    const values = (rows as Record<string, unknown>[]).map((row) => ({
      value: Number(row.value),
      labels: Object.fromEntries(labels.map((label) => [label, String(row[label])])),
    }))
    kept = { at: performance.now(), values }
    return values
  }
}
