// What is counted while requests are answered, and what is asked for when somebody looks.

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

/** A figure that is looked up when somebody asks. */
export interface Figure {
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
