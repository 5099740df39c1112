import { randomBytes } from 'node:crypto'
import { OPTIONAL_EVENT_NAMES, type OptionalEvent } from './schema.ts'

/** The limits of plans as operators see them. */
export const planTermsOf = ({ planBudget, planBadges }: { planBudget: number; planBadges: boolean }) => ({
  budget: planBudget,
  badges: planBadges,
})

export const NEW_PARTNER_TERMS = { planBudget: 0, planBadges: true }

/** A change of the limits as columns. */
export const planColumns = <B, G>({ budget, badges }: { budget?: B; badges?: G } = {}) => ({
  ...(budget === undefined ? {} : { planBudget: budget }),
  ...(badges === undefined ? {} : { planBadges: badges }),
})

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
export const eventsInOrder = (events: readonly OptionalEvent[]): OptionalEvent[] =>
  OPTIONAL_EVENT_NAMES.filter((name) => events.includes(name))
