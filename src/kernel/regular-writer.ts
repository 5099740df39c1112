import type { Log } from './context.ts'

/** Writes what a process has gathered in memory: at intervals, on request, and once more at the end. */
export interface RegularWriter {
  /** Resolves when everything gathered so far is written. Two writes never run at once. */
  flush(): Promise<void>
  start(): void
  close(): Promise<void>
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
