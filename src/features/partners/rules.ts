import { randomBytes } from 'node:crypto'
import { OPTIONAL_EVENT_NAMES, type OptionalEvent } from './schema.ts'

/** A signing secret, in the form that Standard Webhooks prescribes. */
export const generateSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`

const HOUR_MS = 60 * 60 * 1000

/** A new secret; the current one signs too for so many hours. An earlier one that still signs ends at once. */
export const rotatedSecrets = (current: string, overlapHours: number, now: Date) => ({
  webhookSecret: generateSecret(),
  previousSecret: overlapHours > 0 ? current : null,
  previousValidUntil: overlapHours > 0 ? new Date(now.getTime() + overlapHours * HOUR_MS) : null,
})

/** Each event once, in the order of the declaration, so that the same choice is always stored in the same form. */
export const inOrder = (events: readonly OptionalEvent[]): OptionalEvent[] =>
  OPTIONAL_EVENT_NAMES.filter((name) => events.includes(name))
