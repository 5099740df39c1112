// Settings that need each other.
import type { Config } from '../config.ts'

/** Both, or neither. */
const PAIRS = [
  ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['EMBEDDINGS_URL', 'EMBEDDINGS_MODEL'],
] as const

/** All, or none. */
const PAYMENTS = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_PRICE_ID'] as const

/** What is wrong with settings that need another one that is not set, and their names; null when nothing is. */
export function combinationProblem(config: Config): { message: string; settings: readonly string[] } | null {
  if (config.LLM_BASE_URL && !config.LLM_MODEL)
    return { message: 'LLM_MODEL must be set when LLM_BASE_URL is.', settings: ['LLM_BASE_URL'] }
  for (const pair of PAIRS)
    if (Boolean(config[pair[0]]) !== Boolean(config[pair[1]]))
      return { message: `${pair.join(' and ')} must be set together, or neither.`, settings: pair }
  const missing = PAYMENTS.filter((name) => !config[name])
  if (missing.length === 0 || missing.length === PAYMENTS.length) return null
  const names = missing.join(' and ')
  const message = `${PAYMENTS.join(', ')} must be set together, or none of them: ${names} ${missing.length === 1 ? 'is' : 'are'} not set.`
  return { message, settings: PAYMENTS }
}
