// Waits for a result only until a time or a signal. The work itself goes on afterwards, and its failure is ignored.

/** Resolves like `work`, but after `ms` with the result of `late`, or rejects if `late` throws. */
export async function inTime<T, L>(work: Promise<T>, ms: number, late: () => L): Promise<T | L> {
  const { promise: time, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    return await Promise.race([work, time.then(late)])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves like `work`, but rejects with the signal's reason as soon as the signal is aborted. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
