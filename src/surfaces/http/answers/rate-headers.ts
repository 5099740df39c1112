// The rate-limit headers of every answer: our own, and those of draft-ietf-httpapi-ratelimit-headers. A refused call also gets Retry-After,
// from kernel/errors.ts.
import type { LimitDecision } from '../../../kernel/caller.ts'

export const REMAINING_HEADER = 'x-ratelimit-remaining'

/** The values are texts, because Node would convert numbers to text more than once. */
export const rateHeaders = (decision: LimitDecision): Record<string, string> => {
  const { limit, remaining, reset, seconds, retryAfter } = decision
  const policy = policyOf(decision)
  return {
    'x-ratelimit-limit': String(limit),
    [REMAINING_HEADER]: String(remaining),
    'x-ratelimit-reset': String(reset),
    'ratelimit-policy': `"${policy}";q=${limit};w=${seconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${retryAfter}`,
  }
}

/** A bucket may have several windows; the longer ones are named by their length. */
const policyOf = ({ bucket, seconds }: LimitDecision): string => (seconds === 60 ? bucket : `${bucket}-${seconds}`)
