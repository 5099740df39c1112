// Background work sleeps until something is due: until the time that its last `look` returned, or until an announcement wakes it. On
// PostgreSQL `look` is also called at intervals, because an announcement may be lost.
import type { Change, Log } from '../context.ts'
import { isOutage } from '../errors.ts'
import { inTime } from './deadline.ts'

/** Announced when the connection that listens for announcements was lost, because any work may have become due meanwhile. */
export const ANY_WORK = 'work'

const FALLBACK_MS = 30_000
// The shortest wait after a failed `look`, for example when the database cannot be reached.
const RETRY_MS = 1_000
// A timer does not count while the machine is suspended, so a long wait is compared with the clock from time to time.
const LONGEST_TIMER_MS = 60_000

export interface BackgroundWorker {
  start(): void
  /** `null`: changes may have been missed. */
  onChange(change: Change | null): void
  /** Starts nothing more. Resolves when running work has ended, or after a time limit. */
  stop(): Promise<void>
}

export interface DueWork extends BackgroundWorker {
  /** The number of running tasks. */
  running(): number
  isStopped(): boolean
  /** Runs a task in the background; `look` is called again when it ends, because there is room for another. */
  run(task: () => Promise<unknown>): void
}

/** The longest wait between two calls of `look`. `isAlone`: no other process uses this database, so no announcement can be lost. */
export const longestWait = (isAlone: boolean): number => (isAlone ? Number.POSITIVE_INFINITY : FALLBACK_MS)

export interface DueWorkOptions {
  /** Does what is due, and returns after how many milliseconds something is due next; null: nothing that is known. */
  look(): Promise<number | null>
  /** The topics of the changes that make something due. */
  topics: readonly string[]
  /** Topics whose changes come in large numbers: one `look` follows all changes within `shortestMs`. */
  frequentTopics?: readonly string[]
  log: Log
  /** The log line when `look` fails because the database or another service cannot be reached. */
  away: string
  /** Whether an error is such an outage; other errors are logged as faults. */
  isAway?(error: unknown): boolean
  /**
   * The shortest wait between two calls of `look` when time has passed. An announcement causes a call at once, unless its topic is
   * frequent; the end of a task does so too, unless the `look` after the previous end started no task.
   */
  shortestMs: number
  longestMs: number
  /** How long `stop` waits for running work. */
  stopMs: number
}

export function createDueWork(options: DueWorkOptions): DueWork {
  const { topics, frequentTopics = [], shortestMs, longestMs, stopMs } = options
  const tasks = new Set<Promise<unknown>>()
  let [isOn, isStopped, mustLook] = [false, false, false]
  let looking: Promise<void> | null = null
  const alarm = createAlarm(wake)
  const failures = createFailureLog(options, () => isStopped)
  const afterEnd = createLookAfterEnd()

  /** Calls `look` now. If it is running, it is called again afterwards, because it may have begun too early. */
  function wake(): void {
    if (!isOn) return
    mustLook = true
    looking ??= lookWhileNeeded().finally(() => {
      looking = null
      if (mustLook) wake()
    })
  }

  async function lookWhileNeeded(): Promise<void> {
    alarm.cancel()
    let waitMs: number | null = null
    while (isOn && mustLook) {
      mustLook = false
      waitMs = await afterEnd.look(failures.look)
    }
    // waitMs is NaN when a broken row has a time that is no date.
    const due = waitMs === null || Number.isNaN(waitMs) ? longestMs : Math.max(shortestMs, waitMs)
    if (isOn) alarm.set(Date.now() + Math.min(due, longestMs))
  }

  async function allEnded(): Promise<void> {
    await looking
    await Promise.all(tasks)
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
      else if (isOn && frequentTopics.includes(change.topic)) alarm.set(Date.now() + shortestMs)
    },
    run(task) {
      afterEnd.taskStarted()
      const running: Promise<unknown> = task()
        .catch(failures.report)
        .finally(() => {
          tasks.delete(running)
          if (afterEnd.taskEnded() || looking) wake()
          else alarm.set(afterEnd.lookedAt() + shortestMs)
        })
      tasks.add(running)
    },
    async stop() {
      isOn = false
      isStopped = true
      alarm.cancel()
      await inTime(allEnded(), stopMs, () => {})
    },
  }
}

/**
 * Decides whether `look` is called at once when a task ends, because there is room for another task. It is if the `look` after the previous
 * end started a task. Otherwise the next call waits `shortestMs`, so that short tasks do not cause a query each.
 */
function createLookAfterEnd() {
  let lastLookStartedTask = true
  let [started, lookedAt] = [0, 0]
  /** How many tasks had started when the last one ended; null: a look followed that end. */
  let startedAtEnd: number | null = null
  return {
    taskStarted: () => void started++,
    /** Returns whether to call `look` at once. */
    taskEnded(): boolean {
      startedAtEnd = started
      return lastLookStartedTask
    },
    lookedAt: () => lookedAt,
    async look(look: () => Promise<number | null>): Promise<number | null> {
      const before = startedAtEnd
      startedAtEnd = null
      const waitMs = await look()
      lastLookStartedTask = before === null || started > before
      lookedAt = Date.now()
      return waitMs
    },
  }
}

/** Logs an outage once, until it ends. */
function createFailureLog({ log, away, isAway = isOutage, look }: DueWorkOptions, isStopped: () => boolean) {
  let wasAway = false
  function report(error: unknown): void {
    if (isStopped()) return
    if (!isAway(error)) log.error({ err: error }, `${away}: a fault of our own`)
    else if (!wasAway) log.warn({ err: error }, away)
    wasAway = isAway(error)
  }
  return {
    report,
    async look(): Promise<number | null> {
      try {
        const waitMs = await look()
        wasAway = false
        return waitMs
      } catch (error) {
        report(error)
        return RETRY_MS
      }
    },
  }
}

/** Wakes at the earliest of the times that were set since it last woke or was cancelled. */
function createAlarm(wake: () => void) {
  let timer: NodeJS.Timeout | undefined
  let time = Number.POSITIVE_INFINITY
  function cancel(): void {
    clearTimeout(timer)
    time = Number.POSITIVE_INFINITY
  }
  function startTimer(): void {
    // A time that has passed is now: Node warns of a negative delay.
    const leftMs = Math.max(0, time - Date.now())
    const isLast = leftMs <= LONGEST_TIMER_MS
    timer = setTimeout(isLast ? ring : startTimer, isLast ? leftMs : LONGEST_TIMER_MS)
    timer.unref()
  }
  function ring(): void {
    cancel()
    wake()
  }
  function set(next: number): void {
    if (next >= time) return
    cancel()
    time = next
    startTimer()
  }
  return { set, cancel }
}
