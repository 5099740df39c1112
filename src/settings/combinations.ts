// Checks settings that need each other, and settings that must be set in one place (the environment or the `.env` file).
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { ENV_FILE, type Source, type Variables } from './env-file.ts'

interface CombinationProblem {
  message: string
  /** The settings that are wrong together. */
  settings: readonly string[]
}

/** Both must be set, or neither. */
const PAIRS = [
  ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['EMBEDDINGS_URL', 'EMBEDDINGS_MODEL'],
] as const

/** All must be set, or none. */
const PAYMENTS = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_PRICE_ID'] as const

/** Finds settings that need another one that is not set; null when there is none. */
export function combinationProblem(config: Config): CombinationProblem | null {
  if (config.LLM_BASE_URL && !config.LLM_MODEL)
    return { message: 'LLM_MODEL must be set when LLM_BASE_URL is.', settings: ['LLM_BASE_URL'] }
  if (config.SEARCH_WORDS_PER_DAY > 0 && !config.LLM_BASE_URL)
    return { message: 'LLM_BASE_URL must be set when SEARCH_WORDS_PER_DAY is.', settings: ['SEARCH_WORDS_PER_DAY'] }
  for (const pair of PAIRS)
    if (Boolean(config[pair[0]]) !== Boolean(config[pair[1]]))
      return { message: `${pair.join(' and ')} must be set together, or neither.`, settings: pair }
  const missing = PAYMENTS.filter((name) => !config[name])
  if (missing.length === PAYMENTS.length && config.STRIPE_PACKAGE_PRICES)
    return {
      message: `STRIPE_PACKAGE_PRICES needs ${PAYMENTS.join(', ')}, which are not set.`,
      settings: ['STRIPE_PACKAGE_PRICES'],
    }
  if (missing.length === 0 || missing.length === PAYMENTS.length) return null
  const names = missing.join(' and ')
  const message = `${PAYMENTS.join(', ')} must be set together, or none of them: ${names} ${missing.length === 1 ? 'is' : 'are'} not set.`
  return { message, settings: PAYMENTS }
}

/** Keys, and the addresses that they are sent to. */
const SENT_KEYS = [
  ['LLM_API_KEY', 'LLM_BASE_URL'],
  ['EMBEDDINGS_API_KEY', 'EMBEDDINGS_URL'],
  ['STRIPE_SECRET_KEY', 'STRIPE_API_URL'],
] as const

/** A cloned folder may contain an attacker's `.env` file, so a key from the environment is never sent to an address from that file. */
export function sourceProblem(environment: Variables, sourceOf: (name: string) => Source): CombinationProblem | null {
  for (const [key, address] of SENT_KEYS) {
    if (!environment[address] || sourceOf(key) !== 'environment' || sourceOf(address) !== 'file') continue
    const refused = `${key} is set in the environment and is not sent to ${address} of ${resolve(ENV_FILE)}.`
    return { message: `${refused} Set both in one place.`, settings: [address] }
  }
  return null
}
