// What a new partner has, how its plan limits and events are stored, and the secrets that webhooks are signed with.
import { randomBytes } from 'node:crypto'
import { HOUR_MS } from '../../kernel/values/days.ts'
import type { PartnerRow } from './queries.ts'
import { OPTIONAL_EVENT_NAMES, type OptionalEvent } from './schema.ts'

/** The limits of the plans for a partner's products, as the API names them. */
export const planLimitsOf = ({ planBudget, planBadges }: { planBudget: number; planBadges: boolean }) => ({
  budget: planBudget,
  badges: planBadges,
})

/** The built-in partner to which the orders of founders belong. It is made with the first paid order, has no key and no users. */
export const DIRECT_ORDERS = { id: 'direct-orders', name: 'Direct orders', support: 'hybrid' } as const
/**
 * The job of features/billing that tells a founder that the work of an order is done. It is named here, because features/submissions
 * enqueues it and must not import features/billing.
 */
export const ORDER_DONE_JOB = 'order-done'

export const newPartner = (
  given: Pick<PartnerRow, 'id' | 'name' | 'contactEmail' | 'webhookUrl' | 'support'>,
  now: Date,
): PartnerRow => ({
  ...given,
  webhookSecret: generateSecret(),
  previousSecret: null,
  previousValidUntil: null,
  events: [],
  banned: false,
  planBudget: 0,
  planBadges: true,
  version: 1,
  createdAt: now,
  updatedAt: now,
})

/** The columns of a partner that a change of its plan limits sets. A limit that is not given is left out. */
export const planColumns = <B, G>({ budget, badges }: { budget?: B; badges?: G } = {}) => ({
  ...(budget === undefined ? {} : { planBudget: budget }),
  ...(badges === undefined ? {} : { planBadges: badges }),
})

/** Each event once, in the declared order, so that the same choice is always stored in the same way. */
export const eventsInOrder = (events: readonly OptionalEvent[]): OptionalEvent[] =>
  OPTIONAL_EVENT_NAMES.filter((name) => events.includes(name))

/** A signing secret in the format of Standard Webhooks. */
export const generateSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`

/** A new secret. Webhooks are also signed with the current one for `overlapHours`, but no longer with an earlier one. */
export const rotatedSecrets = (current: string, overlapHours: number, now: Date) => ({
  webhookSecret: generateSecret(),
  previousSecret: overlapHours > 0 ? current : null,
  previousValidUntil: overlapHours > 0 ? new Date(now.getTime() + overlapHours * HOUR_MS) : null,
})
