// Metrics: some are counted while requests are answered, others are read when a scraper asks.

export interface Metrics {
  request(surface: string, status: number, ms: number): void
  decision(bucket: string, allowed: boolean): void
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>
  /** Returns everything counted so far and starts again at zero: a process that ends passes its counts to another, which adds them. */
  takeCounts(): Counts
  addCounts(counts: Counts): void
}

export interface Counts {
  requests: LabelledCounts[]
  decisions: LabelledCounts[]
}

/** The counts of one set of labels: a single number, or for a histogram one number for each bound. */
export interface LabelledCounts {
  labels: Record<string, string>
  counts: number[]
  sum: number
}

/** A metric that is read when a scraper asks. Each feature declares its own in `feature.ts`. */
export interface MetricSource {
  name: string
  help: string
  /** The names of the labels; each value has all of them. */
  labels?: readonly string[]
  /** How the values of several processes are combined; 'sum' by default. */
  combine?: 'max' | 'min' | 'sum'
  read(): Promise<readonly MetricValue[]> | readonly MetricValue[]
}

interface MetricValue {
  value: number
  labels?: Readonly<Record<string, string>>
}

export type MetricQuery = (statement: string) => Promise<{ rows: unknown[] }>

// A scraper that asks every few seconds must not keep the database busy.
const KEPT_MS = 5_000

/** A metric that the statement counts in the database. Of several processes the largest counts, because all read the same rows. */
export const metricOfRows = (
  query: MetricQuery,
  name: string,
  help: string,
  statement: string,
  labels: readonly string[] = [],
): MetricSource => ({ name, help, labels, combine: 'max', read: countsOfRows(query, statement, labels) })

/** Reads the column `value` and the label columns of the statement's rows; without a database it returns no values. */
export function countsOfRows(
  query: MetricQuery,
  statement: string,
  labels: readonly string[],
): () => Promise<MetricValue[]> {
  let kept: { at: number; values: MetricValue[] } = { at: Number.NEGATIVE_INFINITY, values: [] }
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
