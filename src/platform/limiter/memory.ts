// Rate limits with fixed windows, counted in this process. A window starts at its first call; `sweep` deletes those that have ended.
import type { Budget, LimitDecision, Limiter } from '../../kernel/caller.ts'

interface Window {
  count: number
  endsAt: number
}

interface WindowState {
  budget: Budget
  count: number
  /** Milliseconds until it ends. */
  left: number
}

export interface MemoryLimiter extends Limiter {
  /** Takes over the counts of another limiter, so that this one can continue from them. A larger count of its own stays. */
  follow(id: string, states: readonly WindowState[]): void
  sweep(): void
}

export function createMemoryLimiter(now: () => number = Date.now): MemoryLimiter {
  const windows = new Map<string, Window>()

  const current = (id: string, seconds: number, time: number): Window | undefined => {
    const window = windows.get(`${id}:${seconds}`)
    // A clock that was set back must not lock a key out for longer than one window.
    return window && window.endsAt > time && window.endsAt <= time + seconds * 1000 ? window : undefined
  }

  const open = (id: string, seconds: number, time: number): Window => {
    const window = { count: 0, endsAt: time + seconds * 1000 }
    windows.set(`${id}:${seconds}`, window)
    return window
  }

  /** Charges the calls if all budgets have room. With `charged` 0 it only checks whether there is room for one call. */
  function decide(id: string, budgets: readonly Budget[], charged: number): LimitDecision {
    const time = now()
    const running = budgets.map(({ seconds }) => current(id, seconds, time))
    const allowed = budgets.every(({ calls }, i) => hasRoom(running[i]?.count ?? 0, calls, charged))
    const states = budgets.map((budget, i) => {
      const window = charged > 0 && allowed ? (running[i] ?? open(id, budget.seconds, time)) : running[i]
      if (window && charged > 0 && allowed) window.count += charged
      return { budget, count: window?.count ?? 0, left: (window?.endsAt ?? time + budget.seconds * 1000) - time }
    })
    return summarise(id, states, allowed, time, charged)
  }

  return {
    charge: (id, budgets, calls = 1) => decide(id, budgets, calls),
    peek: (id, budgets) => decide(id, budgets, 0),
    follow(id, states) {
      const time = now()
      for (const { budget, count, left } of states) {
        const counted = current(id, budget.seconds, time)?.count ?? 0
        windows.set(`${id}:${budget.seconds}`, { count: Math.max(counted, count), endsAt: time + left })
      }
    },
    sweep() {
      const time = now()
      for (const [id, window] of windows) if (window.endsAt <= time) windows.delete(id)
    },
  }
}

/** A charge larger than the whole budget is allowed in an empty window; otherwise it could never succeed. */
const hasRoom = (count: number, calls: number, charged: number): boolean =>
  count + Math.min(Math.max(charged, 1), calls) <= calls

/**
 * Chooses the window that the headers show: the full window that lasts longest, otherwise the one with the fewest calls left. An id begins
 * with the name of its bucket.
 */
export function summarise(
  id: string,
  states: readonly WindowState[],
  allowed: boolean,
  time: number,
  charged: number,
): LimitDecision {
  const remainingOf = ({ budget, count }: WindowState) => budget.calls - count
  const shown = allowed
    ? states.reduce((least, state) => (remainingOf(state) < remainingOf(least) ? state : least))
    : states
        .filter(({ budget, count }) => !hasRoom(count, budget.calls, charged))
        .reduce((longest, state) => (state.left > longest.left ? state : longest))
  return {
    allowed,
    bucket: id.slice(0, id.indexOf(':')),
    limit: shown.budget.calls,
    seconds: shown.budget.seconds,
    remaining: Math.max(0, shown.budget.calls - shown.count),
    reset: Math.ceil((time + shown.left) / 1000),
    retryAfter: Math.max(1, Math.ceil(shown.left / 1000)),
  }
}
