// Background work sleeps until something is due: until the time that it named when it looked last, or until an announcement wakes it. On
// PostgreSQL it also looks at intervals, because an announcement may be lost.
import type { Change, Log } from './context.ts'
import { inTime } from './deadline.ts'
import { isOutage } from './errors.ts'

/** Announced when the connection that listens was away: any work may have become due. */
export const ANY_WORK = 'work'

const FALLBACK_MS = 30_000
// Between two looks after a failure, such as a database that is away.
const RETRY_MS = 1_000
// A timer does not count while the machine is suspended, so a long wait is compared with the clock from time to time.
const LONGEST_TIMER_MS = 60_000

export interface BackgroundWorker {
  start(): void
  /** `null`: changes may have been missed. */
  onChange(change: Change | null): void
  /** Begins nothing any more. Resolves when what runs has ended, or after a time limit. */
  stop(): Promise<void>
}

export interface DueWork extends BackgroundWorker {
  /** How many tasks run. */
  running(): number
  isStopped(): boolean
  /** Runs a task beside the looks. A look follows its end. */
  run(task: () => Promise<unknown>): void
}

/** The longest time between two looks. `isAlone`: no other process uses this database, so no announcement can be lost. */
export const longestWait = (isAlone: boolean): number => (isAlone ? Number.POSITIVE_INFINITY : FALLBACK_MS)

export interface DueWorkOptions {
  /** Does what is due, and returns after how many milliseconds something is due next; null when nothing is known to be. */
  look(): Promise<number | null>
  /** The topics of the changes that make something due. */
  topics: readonly string[]
  log: Log
  /** The log line when a look fails because the database or another service is away. */
  away: string
  /** Whether a failure is such an outage; others are logged as errors. */
  isAway?(error: unknown): boolean
  /** The shortest time from one look to the next that nothing else wakes. */
  shortestMs: number
  /** The longest. */
  longestMs: number
  /** How long a stop waits for what runs. */
  stopMs: number
}

export function createDueWork(options: DueWorkOptions): DueWork {
  const { topics, shortestMs, longestMs, stopMs } = options
  const tasks = new Set<Promise<unknown>>()
  let [isOn, isStopped, mayBeMore] = [false, false, false]
  let looking: Promise<void> | null = null
  const alarm = createAlarm(wake)
  const failures = createFailureLog(options)

  /** Looks now; once more if a look is under way, because it may have begun too early. */
  function wake(): void {
    if (!isOn) return
    mayBeMore = true
    looking ??= lookUntilNone().finally(() => {
      looking = null
      if (mayBeMore) wake()
    })
  }

  async function lookUntilNone(): Promise<void> {
    alarm.cancel()
    let waitMs: number | null = null
    while (isOn && mayBeMore) {
      mayBeMore = false
      waitMs = await look()
    }
    // A broken row may have a time that is no date.
    const due = waitMs === null || Number.isNaN(waitMs) ? longestMs : Math.max(shortestMs, waitMs)
    if (isOn) alarm.set(Date.now() + Math.min(due, longestMs))
  }

  async function ended(): Promise<void> {
    await looking
    await Promise.all(tasks)
  }

  async function look(): Promise<number | null> {
    try {
      const waitMs = await options.look()
      failures.end()
      return waitMs
    } catch (error) {
      report(error)
      return RETRY_MS
    }
  }

  function report(error: unknown): void {
    if (!isStopped) failures.report(error)
  }

  return {
    running: () => tasks.size,
    isStopped: () => isStopped,
    start() {
      isOn = !isStopped
      wake()
    },
    onChange(change) {
      if (change === null || change.topic === ANY_WORK || topics.includes(change.topic)) wake()
    },
    run(task) {
      const running: Promise<unknown> = task()
        .catch(report)
        .finally(() => {
          tasks.delete(running)
          wake()
        })
      tasks.add(running)
    },
    async stop() {
      isOn = false
      isStopped = true
      alarm.cancel()
      await inTime(ended(), stopMs, () => {})
    },
  }
}

/** An outage is logged once, until it ends. */
function createFailureLog({ log, away, isAway = isOutage }: DueWorkOptions) {
  let wasAway = false
  return {
    report(error: unknown): void {
      if (!isAway(error)) log.error({ err: error }, `${away}: a fault of our own`)
      else if (!wasAway) log.warn({ err: error }, away)
      wasAway = isAway(error)
    },
    end(): void {
      wasAway = false
    },
  }
}

function createAlarm(wake: () => void) {
  let timer: NodeJS.Timeout | undefined
  function set(time: number): void {
    if (time === Number.POSITIVE_INFINITY) return
    const leftMs = time - Date.now()
    const isLast = leftMs <= LONGEST_TIMER_MS
    timer = setTimeout(() => (isLast ? wake() : set(time)), isLast ? leftMs : LONGEST_TIMER_MS)
    timer.unref()
  }
  return { set, cancel: () => clearTimeout(timer) }
}
