// How near in meaning listings are to a question.

/** The cosine of the question and the listing, from -1 to 1; undefined for a listing that has no vector yet. */
export type Nearness = (listingId: string) => number | undefined

export interface Meaning {
  /**
   * null when the endpoint gave no usable vector of the question within the deadline; then the question is answered from words alone. It
   * never throws.
   */
  ask(question: string): Promise<Nearness | null>
  /** Raised whenever a listing's vector arrives or goes, so that a cache can tell whether its answers are stale. */
  version(): number
  /** How many listings have a vector in this process. */
  size(): number
}
