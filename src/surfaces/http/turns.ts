// Decides which caller's request is started next. All requests share one event loop: without turns, a caller with 128 connections would get
// 128 answers between any two answers of another caller. Each caller has a waiting line. In each iteration of the event loop a few requests
// of each line are started, and few of a line run at once, so that the database and the disk stay free for others. No request is refused
// here, and none waits while the service is idle. (kernel/work/turns.ts limits only how many tasks run; here starts are limited too.)

interface RequestTurns {
  /** Calls `start` now, or when it is this caller's turn. `address` is the network address of the request. */
  take(caller: string, start: (turn: RequestTurn) => void, address?: string): RequestTurn
}

/** The place of a started request among those that run. */
export interface RequestTurn {
  /** Call it when the request is answered. `refused`: it was refused because the caller's budget is spent. */
  end(refused?: boolean): void
}

/** How many requests of one caller are started in one iteration of the event loop, and how many of them run at once. */
const SHARED = { perIteration: 1, atOnce: 2 }
/** The same while only one caller sends requests: several in one iteration are cheaper for the service. */
const ALONE = { perIteration: 4, atOnce: 8 }
/** How long after another caller's last request the limits for several callers apply. */
const SHARED_MS = 1_000
/** While requests of a line wait, its running ones stop counting after at most this time: slow ones wait for a model, a hash, an upload. */
const COUNTED_MS = 25
/**
 * The pause between two refusals of one caller, and of all callers at one address. A program that ignores its refusals gets at most 250 of
 * them a second, also with many keys, and so takes no time from others.
 */
const REFUSED_MS = 4
/** How often empty lines are deleted. */
const SWEEP_MS = 10_000

interface Line {
  /** The iteration in which `started` was counted. */
  iteration: number
  started: number
  running: number
  /** Increases whenever the running requests stop counting, so that their ends are not subtracted. */
  generation: number
  /** When the next request may start; 0: at any time. */
  notBefore: number
  waiting: (() => void)[]
}

export function createRequestTurns(): RequestTurns {
  const lines = new Map<string, Line>()
  const waitingLines = new Set<Line>()
  /** For each network address, the end of its last pause after a refusal. */
  const pausedUntil = new Map<string, number>()
  let last: Line | null = null
  let sharedUntil = 0
  let limits = ALONE
  let iteration = 0
  let isScheduled = false
  const pauseTimer = timer(REFUSED_MS, scheduleNextIteration)
  const countingTimer = timer(COUNTED_MS, () => {
    for (const line of waitingLines) {
      line.generation++
      line.running = 0
    }
    if (waitingLines.size > 0) scheduleNextIteration()
  })
  setInterval(sweep, SWEEP_MS).unref()

  function lineOf(caller: string): Line {
    let line = lines.get(caller)
    if (!line)
      lines.set(caller, (line = { iteration, started: 0, running: 0, generation: 0, notBefore: 0, waiting: [] }))
    return line
  }

  function mayStart(line: Line): boolean {
    if (line.iteration !== iteration) {
      line.iteration = iteration
      line.started = 0
    }
    return line.started < limits.perIteration && line.running < limits.atOnce && !isPaused(line)
  }

  function noteCaller(line: Line): void {
    if (last !== null && last !== line) {
      sharedUntil = performance.now() + SHARED_MS
      limits = SHARED
    }
    last = line
  }

  function isPaused(line: Line): boolean {
    if (line.notBefore === 0) return false
    if (performance.now() < line.notBefore) return true
    line.notBefore = 0
    return false
  }

  function begin(line: Line, start: () => void): void {
    line.started++
    line.running++
    start()
  }

  /** The next iteration begins after all other work of this one. */
  function scheduleNextIteration(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(beginIteration)
  }

  function beginIteration(): void {
    isScheduled = false
    iteration++
    if (limits === SHARED && performance.now() > sharedUntil) limits = ALONE
    for (const line of waitingLines) {
      while (line.waiting.length > 0 && mayStart(line)) {
        const start = line.waiting.shift()
        if (start) begin(line, start)
      }
      if (line.waiting.length === 0) waitingLines.delete(line)
      else if (line.running < limits.atOnce && isPaused(line)) pauseTimer.begin()
      else if (line.running < limits.atOnce) scheduleNextIteration()
    }
    if (waitingLines.size > 0) countingTimer.begin()
  }

  /** Runs `work` after `ms`; further calls of `begin` until then do nothing. */
  function timer(ms: number, work: () => void) {
    let isRunning = false
    return {
      begin() {
        if (isRunning) return
        isRunning = true
        setTimeout(() => {
          isRunning = false
          work()
        }, ms).unref()
      },
    }
  }

  function pause(line: Line, address: string): void {
    const now = performance.now()
    line.notBefore = Math.max(line.notBefore, pausedUntil.get(address) ?? 0, now) + REFUSED_MS
    pausedUntil.set(address, line.notBefore)
  }

  function sweep(): void {
    const now = performance.now()
    for (const [address, until] of pausedUntil) if (until < now) pausedUntil.delete(address)
    // Lines with running requests are deleted too, because the end of a request whose client disconnected is never reported.
    for (const [caller, line] of lines) if (line.waiting.length === 0 && !isPaused(line)) lines.delete(caller)
  }

  return {
    take(caller, start, address = caller) {
      const line = lineOf(caller)
      noteCaller(line)
      let generation = line.generation
      const startsNow = line.waiting.length === 0 && mayStart(line)
      scheduleNextIteration()
      if (!startsNow) {
        waitingLines.add(line)
        line.waiting.push(() => {
          generation = line.generation
          start(taken)
        })
      }
      let isOver = false
      const taken: RequestTurn = {
        end(refused = false) {
          if (isOver) return
          isOver = true
          if (refused) pause(line, address)
          // A request that stopped counting must not be subtracted.
          if (generation === line.generation) line.running--
          if (line.waiting.length > 0) scheduleNextIteration()
        },
      }
      if (startsNow) begin(line, () => start(taken))
      return taken
    },
  }
}
