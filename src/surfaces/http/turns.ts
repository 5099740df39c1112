// Whose request is started next. There is one event loop: without this, a caller with 128 connections has 128 requests answered between any
// two of another caller. Each caller has a line of its own. In each turn of the loop a few requests of each line are started, and no more of a
// line are under way at once than the database and the disk take without others noticing. Nothing is refused here, and nothing waits while
// there is nothing else to do.

export interface Turns {
  /** Calls `start` now, or when it is this caller's turn. `address`: where the request came from. */
  take(caller: string, start: (turn: Turn) => void, address?: string): Turn
}

/** One request's. */
export interface Turn {
  /** Call it when the request is answered. `refused`: because the caller's budget is spent. */
  end(refused?: boolean): void
}

/** How many requests of one caller are started in one turn of the event loop, and how many of them are under way at once. */
const SHARED = { perTurn: 1, atOnce: 2 }
/** The same while there is no other caller: several in a turn cost the service less each. */
const ALONE = { perTurn: 4, atOnce: 8 }
/** How long after the last request of another caller. */
const SHARED_MS = 1_000
/** A request that takes longer waits for something of its own (a language model, a password's hash, an upload) and stops counting. */
const COUNTED_MS = 25
/**
 * Between two refusals of one caller, and of all callers at one address: told 250 times a second to wait, a program that does not wait
 * takes nothing from others, also one that has many keys.
 */
const REFUSED_MS = 4
/** How often lines that are empty are forgotten. */
const SWEEP_MS = 10_000

interface Line {
  /** The turn that `started` was counted in. */
  turn: number
  started: number
  underWay: number
  /** Counts up when those under way stop counting. */
  era: number
  /** When the next one may start; 0: at any time. */
  notBefore: number
  waiting: (() => void)[]
}

export function createTurns(): Turns {
  const lines = new Map<string, Line>()
  const waitingLines = new Set<Line>()
  /** By address: when the last pause ends of those that were refused there. */
  const pausedUntil = new Map<string, number>()
  let last: Line | null = null
  let sharedUntil = 0
  let most = ALONE
  let turn = 0
  let isEnding = false
  const pauses = timer(REFUSED_MS, endTurn)
  const counting = timer(COUNTED_MS, () => {
    for (const line of waitingLines) {
      line.era++
      line.underWay = 0
    }
    if (waitingLines.size > 0) endTurn()
  })
  setInterval(sweep, SWEEP_MS).unref()

  function lineOf(caller: string): Line {
    let line = lines.get(caller)
    if (!line) lines.set(caller, (line = { turn, started: 0, underWay: 0, era: 0, notBefore: 0, waiting: [] }))
    return line
  }

  function mayStart(line: Line): boolean {
    if (line.turn !== turn) {
      line.turn = turn
      line.started = 0
    }
    return line.started < most.perTurn && line.underWay < most.atOnce && !isPaused(line)
  }

  function noteCaller(line: Line): void {
    if (last !== null && last !== line) {
      sharedUntil = performance.now() + SHARED_MS
      most = SHARED
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
    line.underWay++
    start()
  }

  /** The next turn comes after everything that the loop has to do in this one. */
  function endTurn(): void {
    if (isEnding) return
    isEnding = true
    setImmediate(nextTurn)
  }

  function nextTurn(): void {
    isEnding = false
    turn++
    if (most === SHARED && performance.now() > sharedUntil) most = ALONE
    for (const line of waitingLines) {
      while (line.waiting.length > 0 && mayStart(line)) begin(line, line.waiting.shift()!)
      if (line.waiting.length === 0) waitingLines.delete(line)
      else if (line.underWay < most.atOnce) isPaused(line) ? pauses.begin() : endTurn()
    }
    if (waitingLines.size > 0) counting.begin()
  }

  /** `work` after `ms`, once for all who ask meanwhile. */
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
    // Not only those with nothing under way: the end of a request whose client hung up is never told.
    for (const [caller, line] of lines) if (line.waiting.length === 0 && !isPaused(line)) lines.delete(caller)
  }

  return {
    take(caller, start, address = caller) {
      const line = lineOf(caller)
      noteCaller(line)
      let era = line.era
      const isFirst = line.waiting.length === 0 && mayStart(line)
      endTurn()
      if (!isFirst) {
        waitingLines.add(line)
        line.waiting.push(() => {
          era = line.era
          start(taken)
        })
      }
      let isOver = false
      const taken: Turn = {
        end(refused = false) {
          if (isOver) return
          isOver = true
          if (refused) pause(line, address)
          // What stopped counting is counted no more.
          if (era === line.era) line.underWay--
          if (line.waiting.length > 0) endTurn()
        },
      }
      if (isFirst) begin(line, () => start(taken))
      return taken
    },
  }
}
