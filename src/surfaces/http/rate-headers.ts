// The rate-limit headers of every answer.
import type { LimitDecision } from '../../kernel/caller.ts'

/** The values are texts, because Node would convert numbers to text more than once. */
export const rateHeaders = ({ limit, remaining, reset }: LimitDecision): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(reset),
})
