// The secrets that webhooks are signed with.
import { randomBytes } from 'node:crypto'
import { HOUR_MS } from '../../kernel/values/days.ts'

/** How long webhooks are signed with the previous secret too. */
export const DEFAULT_SECRET_OVERLAP_HOURS = 24
export const MAX_SECRET_OVERLAP_HOURS = 168

/** A signing secret in the format of Standard Webhooks. */
export const generateSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`

/** A new secret. Webhooks are also signed with the current one for `overlapHours`, but no longer with an earlier one. */
export const rotatedSecrets = (current: string, overlapHours: number, now: Date) => ({
  webhookSecret: generateSecret(),
  previousSecret: overlapHours > 0 ? current : null,
  previousValidUntil: overlapHours > 0 ? new Date(now.getTime() + overlapHours * HOUR_MS) : null,
})
