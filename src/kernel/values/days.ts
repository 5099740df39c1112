export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** The day in UTC, as the database writes it: 2026-03-01. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The first moment of the next day in UTC. */
export const endOfDay = (time: number): number => (Math.floor(time / DAY_MS) + 1) * DAY_MS

/** Returns a function that gives the current day, and formats it only once a day. `onNewDay` runs before the first answer of another day. */
export function createDayClock(now: () => number, onNewDay: () => void = () => {}): (time?: number) => string {
  let day = dayOf(now())
  let endsAt = endOfDay(now())
  return (time = now()) => {
    if (time < endsAt) return day
    day = dayOf(time)
    endsAt = endOfDay(time)
    onNewDay()
    return day
  }
}
