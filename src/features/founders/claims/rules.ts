// Pure decisions about claims: which host a proof must be on, what a proof looks like, and when an owner is checked again.
import { OWNER_TAG } from '../../../kernel/addresses/own-addresses.ts'
import { registrableDomain } from '../../../kernel/addresses/registrable-domain.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { DAY_MS } from '../../../kernel/values/days.ts'

/** How the proof was given: a DNS entry, a file on the site, or a tag on its page. */
export const PROOF_METHODS = ['dns', 'file', 'meta'] as const
export type ProofMethod = (typeof PROOF_METHODS)[number]

/** Whether the account owns the listing, or has only begun to claim it. */
export const CLAIM_STATES = ['proven', 'unproven'] as const
export type ClaimState = (typeof CLAIM_STATES)[number]

export const MOST_OWNERS = 5
/** Claims of one account that are not proven. The oldest is deleted for a further one. */
export const MOST_UNPROVEN = 20
/** An unproven claim is deleted after this time. */
export const UNPROVEN_DAYS = 30

export const PROOF_PATH = '/.well-known/catalog-verify.txt'
export const proofEntry = (token: string): string => `${OWNER_TAG}=${token}`
export const proofTag = (token: string): string => `<meta name="${OWNER_TAG}" content="${token}">`

export interface ProofScope {
  host: string
  /** The domain that was registered; the host itself where many people share the domain, and for a numeric address. */
  domain: string
}

/** null: the address has no host that could be proven. */
export function proofScope(website: string): ProofScope | null {
  const host = hostOf(website)
  return host === '' ? null : { host, domain: registrableDomain(host) }
}

/** The host without the dots that may end it; empty for an address without a host. */
const hostOf = (address: string): string => (parseUrl(address)?.hostname ?? '').replace(/\.+$/, '')

/** An IPv4 address, or an IPv6 address, which begins with a bracket. */
const NUMERIC_HOST = /^[\d.]+$|^\[/

/** The names on which a DNS entry counts. A numeric address has none. */
export const dnsNames = ({ host, domain }: ProofScope): string[] =>
  NUMERIC_HOST.test(host) ? [] : [...new Set([host, domain])]

/** Whether a redirect stays with the owner of the listing: the same registrable domain, and never from https to http. */
export function isSameOwner(scope: ProofScope, from: URL, to: URL): boolean {
  if (from.protocol === 'https:' && to.protocol !== 'https:') return false
  return proofScope(to.href)?.domain === scope.domain
}

export const hasEntry = (entries: readonly string[], token: string): boolean =>
  entries.some((entry) => entry.trim() === proofEntry(token))

const MOST_LINES = 100
/** A token alone, or after the name that a DNS entry has (`proofEntry`). */
const TOKEN_LINE = /^(catalog-verify=)?[\w-]{16,128}$/

/**
 * Whether a file proves the claim. It may have the tokens of several owners, each in a line of its own, and nothing else: a page that also
 * shows texts of visitors is no proof.
 */
export function hasLine(text: string, token: string): boolean {
  const trimmedLines = text.split(/\r?\n/, MOST_LINES).map((line) => line.trim())
  const lines = trimmedLines.filter((line) => line !== '')
  return lines.every((line) => TOKEN_LINE.test(line)) && [token, proofEntry(token)].some((own) => lines.includes(own))
}

/**
 * Days until an owner is checked next. When the place of the token cannot be reached, it is tried daily. When it is reached and has no token,
 * the owner is told; if it has none after the days of `missing` either, the claim ends.
 */
export const CHECK_DAYS = { found: 30, missing: 7, unreachable: 1 } as const

/** A place that could not be reached for this many days counts as one without the token. */
export const MOST_UNREACHABLE_DAYS = 60

export const nextCheck = (now: Date, outcome: keyof typeof CHECK_DAYS): Date =>
  new Date(now.getTime() + CHECK_DAYS[outcome] * DAY_MS)

/** Whether a look that found no token reached the place where the token was once found; any place if that is not known. */
export const wasPlaceReached = (provenBy: ProofMethod | null, unreachable: readonly ProofMethod[]): boolean =>
  provenBy === null ? unreachable.length === 0 : !unreachable.includes(provenBy)

const isOver = (since: Date | null, days: number, now: Date): boolean =>
  since !== null && now.getTime() - since.getTime() >= days * DAY_MS

/** Whether a look that found no token counts: its place was reached, or could not be reached for too long. */
export const countsAsGone = (unreachableSince: Date | null, now: Date): boolean =>
  unreachableSince === null || isOver(unreachableSince, MOST_UNREACHABLE_DAYS, now)

/** Whether the listing has another domain now than the one on which the claim was proven. */
export const hasMoved = (proven: string | null, website: string): boolean =>
  proven !== null && proven !== website && proofScope(proven)?.domain !== proofScope(website)?.domain

/** Whether the days are over that an owner has after being told that the token is missing. */
export const hasGraceEnded = (failedAt: Date | null, now: Date): boolean => isOver(failedAt, CHECK_DAYS.missing, now)
