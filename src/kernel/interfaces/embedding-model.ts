// A model that turns texts into vectors, so that texts of similar meaning have vectors of similar direction. Also the errors of such a
// model, and the search that compares questions and listings by their vectors.

export interface EmbeddingModel {
  /** The name of the model. Vectors of different models cannot be compared. */
  name: string
  /** One vector for each text, in their order, all with the same number of dimensions; throws an EmbeddingError otherwise. */
  embed(request: EmbeddingRequest): Promise<number[][]>
}

interface EmbeddingRequest {
  texts: readonly string[]
  timeoutMs: number
  signal?: AbortSignal
}

/**
 * Why there are no vectors. `text`: the endpoint answered, but not with vectors, and one of the texts may be the reason. `late`: there was
 * no answer in time. `away`: the endpoint cannot be used at the moment, whatever the texts are.
 */
export type EmbeddingFailure = 'text' | 'late' | 'away'

/** The message is safe to log: it contains no text, address or key. */
export class EmbeddingError extends Error {
  readonly failure: EmbeddingFailure
  constructor(message: string, failure: EmbeddingFailure, cause?: unknown) {
    super(message, { cause })
    this.failure = failure
  }
}

/** The cosine of the vectors of a question and a listing, from -1 to 1; undefined for a listing that has no vector yet. */
export type Nearness = (listingId: string) => number | undefined

/** Compares questions and listings by meaning. */
export interface MeaningSearch {
  /** null: the endpoint gave no usable vector in time, so the search uses words alone. Never throws. */
  ask(question: string): Promise<Nearness | null>
  /** Raised whenever a listing's vector is added or removed, so that a cache can tell whether its answers are stale. */
  version(): number
  /** How many listings have a vector in this process. */
  size(): number
}
