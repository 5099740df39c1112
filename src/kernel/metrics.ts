// What is counted while requests are answered, and what is asked for when somebody looks.

export interface Metrics {
  request(surface: string, status: number, ms: number): void
  decision(bucket: string, allowed: boolean): void
  /** In the form that Prometheus reads. */
  text(): Promise<string>
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
