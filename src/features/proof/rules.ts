// Pure rules of link checks: when a listing is checked, what a response says about the link, what a check changes, and when a link counts as
// lost. Reading a page is in `links/page.rules.ts`, so that only the thread loads the parser.
import { hash } from 'node:crypto'
import { DAY_MS } from '../../kernel/values/days.ts'
import type { Drift, LinkState } from '../submissions/bench/link.rules.ts'
import type { OwnRedirect } from './links/address.rules.ts'
import type { CurrentProduct } from './links/drift.rules.ts'

/** Days from the recording of a listing address to its first checks; then one check every PERIOD_DAYS. */
const FIRST_DAYS = [1, 7] as const
const PERIOD_DAYS = 30
// Checks are late by up to this share of the interval, so that listings recorded in one minute are not due in one minute a month later.
const SPREAD = 1 / 24

/** A number from 0 to 1 that is always the same for a listing. */
export const spreadOf = (submissionId: string, directoryId: string): number =>
  Number.parseInt(hash('sha256', `${submissionId} ${directoryId}`).slice(0, 8), 16) / 2 ** 32

/** The first time of the schedule after `after`. The schedule counts from the recording, so that a late check does not shift the others. */
export function nextCheckAt(recordedAt: Date, spread: number, after: Date): Date {
  const start = recordedAt.getTime()
  const lengthened = (days: number) => days * DAY_MS * (1 + spread * SPREAD)
  for (const days of FIRST_DAYS)
    if (start + lengthened(days) > after.getTime()) return new Date(start + lengthened(days))
  const first = start + lengthened(PERIOD_DAYS)
  const periods = Math.floor((after.getTime() - first) / (PERIOD_DAYS * DAY_MS)) + 1
  return new Date(first + Math.max(0, periods) * PERIOD_DAYS * DAY_MS)
}

/** What is stored of a link from check to check. The table `listingLinks` in features/submissions says what each column means. */
export interface LinkMemory {
  state: LinkState
  firstLiveAt: Date | null
  missingSince: Date | null
  lostAt: Date | null
  wasEverLive: boolean
}

export const LISTING_LIVE = 'listing.live'
export const LISTING_LOST = 'listing.lost'
export type ListingEvent = typeof LISTING_LIVE | typeof LISTING_LOST

export const isThere = (state: LinkState): boolean => state === 'live' || state === 'nofollow'
/**
 * A link is lost after two checks, at least a day apart, that found it missing or gone, if it had been there. Checks that could not tell
 * (blocked, unreachable, unknown) neither cause a loss nor end the wait for the second check; a check that finds the link ends it.
 */
export function afterCheck(prior: LinkMemory, state: LinkState, at: Date): LinkMemory & { event: ListingEvent | null } {
  if (isThere(state))
    return {
      state,
      firstLiveAt: prior.firstLiveAt ?? at,
      missingSince: null,
      lostAt: null,
      wasEverLive: true,
      event: prior.wasEverLive ? null : LISTING_LIVE,
    }
  const kept = { ...prior, state }
  if ((state !== 'missing' && state !== 'gone') || prior.firstLiveAt === null) return { ...kept, event: null }
  // A clock that was set back must not make the wait longer than a day.
  const missingSince = prior.missingSince !== null && prior.missingSince < at ? prior.missingSince : at
  const isLost = at.getTime() - missingSince.getTime() >= DAY_MS
  const lostAt = prior.lostAt ?? (isLost ? at : null)
  return { ...kept, missingSince, lostAt, event: lostAt !== null && prior.lostAt === null ? LISTING_LOST : null }
}

/** The state that a status alone decides, or null when the page has to be read. */
export function stateOfStatus(status: number): LinkState | null {
  if (status >= 200 && status < 300) return null
  if (status === 404 || status === 410) return 'gone'
  // 401, 403 and 429, and other refusals of a program: none of them says that the listing is gone. 999 is LinkedIn's.
  const isRefusal = (status >= 400 && status < 500 && status !== 408 && status !== 425) || status === 999
  return isRefusal ? 'blocked' : 'unreachable'
}

const MOST_WAIT_MS = DAY_MS

/** How long the host asks programs to wait (Retry-After of a 429 or 503), at most a day. */
export function askedToWaitMs(
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  now: Date,
): number {
  const given = headers['retry-after']?.slice(0, 100).trim()
  if ((status !== 429 && status !== 503) || !given) return 0
  const waitMs = /^\d+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - now.getTime()
  return waitMs > 0 ? Math.min(waitMs, MOST_WAIT_MS) : 0
}

// RFC 9309 asks programs to read at least this much.
export const MAX_ROBOTS_BYTES = 500 * 1024
const MAX_LINE = 2_000
const RULE_LINE = /^[^\S\r\n]{0,50}(?:user-agent|allow|disallow)[^\S\r\n]{0,50}:[^\r\n]*/gim

/** The lines of a robots.txt that say what may be fetched. Not split into lines first: half a million empty lines take long to split. */
export const robotsRules = (text: string): string =>
  (
    text
      .slice(0, MAX_ROBOTS_BYTES)
      .replaceAll(/[\0\ufeff]/g, '')
      .match(RULE_LINE) ?? []
  )
    .filter((line) => line.length <= MAX_LINE)
    .join('\n')
    .toWellFormed()

export interface ListingPage {
  /** The address that answered, after redirects. */
  url: string
  status: number
  headers: Readonly<Record<string, string>>
  bytes: Uint8Array
  /** Whether the page was longer than what was read. */
  truncated: boolean
}

export interface PageVerdict {
  state: LinkState
  /** The rel attribute of the link that was found; null without one. */
  rel: string | null
  anchorText: string | null
  /** Whether the page asks search engines not to index it; null when it was not read. It is recorded and is no loss. */
  noindex: boolean | null
  /** When no link was found: links of the directory that may redirect to the product. */
  redirects: OwnRedirect[]
  /** When no link was found: the target of the page's meta refresh. */
  refresh: string | null
  /** When no link was found and a name was given: links of the directory whose text begins with it. */
  named?: string[]
  /** What the page says differently from the product that was given; without a link to the product, it holds only if one is found later. */
  drift?: Drift[]
}

/** What a page is searched for besides the link. */
export interface ExpectedProduct {
  /** The name of the product, to find links with that name. */
  name?: string
  /** The product, to compare the page with it. */
  product?: CurrentProduct
}

export interface PageQuestion extends ExpectedProduct {
  page: ListingPage
  /** The website keys of the product (`listings/website-key.ts`). */
  productKeys: readonly string[]
}

export const verdictWithoutPage = (state: LinkState): PageVerdict => ({
  state,
  rel: null,
  anchorText: null,
  noindex: null,
  redirects: [],
  refresh: null,
})

/** Whether the link tells search engines not to follow it; `rel` is in lower case, with single spaces. */
export const isNotFollowed = (rel: string): boolean => /(?:^| )(?:nofollow|ugc|sponsored)(?: |$)/.test(rel)
