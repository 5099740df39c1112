// The three headers that every answer carries.
import type { Decision } from '../../kernel/caller.ts'

/** As text: what is given as a number is made into text more than once on its way. */
export const rateHeaders = ({ limit, remaining, reset }: Decision): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(reset),
})
