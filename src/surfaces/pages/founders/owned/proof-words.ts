// How pages name the ways to prove that a listing is one's own, and until when a proof can be shown.
import { CHECK_DAYS, nextCheck, type ProofMethod } from '../../../../features/founders/claims/rules.ts'
import type { Markup } from '../../kit/markup.ts'
import { date } from '../../kit/values.ts'

export const CLAIM_WAYS = [
  ['globe', 'DNS entry'],
  ['file', 'File on your site'],
  ['code', 'Tag on the page'],
] as const

export const METHOD_WORDS: Readonly<Record<ProofMethod, string>> = {
  dns: 'a DNS entry',
  file: 'a file',
  meta: 'a tag on the page',
}

/** Says how the listing was proven, and what keeps it proven. */
export const proofSentence = (method: ProofMethod | null): string =>
  `You have proven it with ${METHOD_WORDS[method ?? 'dns']}. Leave it in place: it is looked for again every ${CHECK_DAYS.found} days.`

/** The day until which a proof that was not found can be shown again. */
export const lastDay = (failedAt: Date): Markup | null => date(nextCheck(failedAt, 'missing'))
