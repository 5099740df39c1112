// Every process deletes these at intervals: counters in its memory, and stored announcements that no process needs any more.
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Starts the timers and returns them, so that they can be stopped. */
export function startForgetting(
  store: { forgetChanges(): Promise<void> },
  memory: { sweep(): void },
): NodeJS.Timeout[] {
  const timers = [
    setInterval(memory.sweep, MINUTE_MS),
    setInterval(() => store.forgetChanges().catch(() => {}), HOUR_MS),
  ]
  for (const timer of timers) timer.unref()
  return timers
}
