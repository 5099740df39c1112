// What a look at the website of a listing may find. The feature `health` looks; lists of listings filter by what it found.

/** Topic of the announcements that a website may be due for a look. */
export const HEALTH_TOPIC = 'health'

/** In the order in which pages show them. unknown: not looked at yet, or not often enough to know. */
export const HEALTH_STATES = ['gone', 'parked', 'moved', 'alive', 'blocked', 'unreachable', 'unknown'] as const
export type HealthState = (typeof HEALTH_STATES)[number]

/** The stored text as a state; 'unknown' for any other text, which a row that was written to the database directly may have. */
export const healthStateOf = (stored: string): HealthState =>
  HEALTH_STATES.find((state) => state === stored) ?? 'unknown'
