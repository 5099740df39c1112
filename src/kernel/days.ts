export const DAY_MS = 24 * 3_600_000

/** The day in UTC, as the database writes it: 2026-03-01. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The first moment of the next day in UTC. */
export const endOfDay = (time: number): number => (Math.floor(time / DAY_MS) + 1) * DAY_MS
