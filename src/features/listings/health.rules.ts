// What a look at the website of a listing may find.

/** Topic of the announcements that a website may be due for a look. */
export const HEALTH_TOPIC = 'health'

/** In the order in which pages show them. unknown: not looked at yet, or not looked at often enough to say. */
export const HEALTH_STATES = ['gone', 'parked', 'moved', 'alive', 'blocked', 'unreachable', 'unknown'] as const
export type HealthState = (typeof HEALTH_STATES)[number]

/** A row that was written to the database directly may have any text. */
export const healthStateOf = (stored: string): HealthState =>
  HEALTH_STATES.find((state) => state === stored) ?? 'unknown'
