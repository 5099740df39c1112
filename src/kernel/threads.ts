// Work in threads that are kept for some time; platform/kept-threads.ts makes them.

/** Whose share of the threads a piece of work uses, and when it is no longer wanted. */
export interface ThreadTurn {
  owner: string
  signal?: AbortSignal
}

export type CreateThreads = <T>(
  file: URL,
  limits: { atOnce: number; timeoutMs: number },
) => (data: unknown, turn?: ThreadTurn) => Promise<T>
