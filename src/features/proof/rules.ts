// Pure rules of link checks: when a listing is looked at, what a look changes, and when a link counts as lost.

import { hash } from 'node:crypto'
import { DAY_MS } from '../../kernel/days.ts'
import type { LinkState } from '../submissions/link.rules.ts'

/** Days from the recording of an address to the looks at it; then one every PERIOD_DAYS. */
const FIRST_DAYS = [1, 7] as const
const PERIOD_DAYS = 30
// The part of the interval by which looks are spread, so that listings recorded in one hour are not due in one minute a month later.
const SPREAD = 1 / 24

/** A number from 0 to 1 that is the same for a listing every time. */
export const spreadOf = (submissionId: string, directoryId: string): number =>
  Number.parseInt(hash('sha256', `${submissionId} ${directoryId}`).slice(0, 8), 16) / 2 ** 32

/** The first time of the schedule after `after`. The schedule counts from the recording, so that a late look does not shift the others. */
export function nextLookAt(recordedAt: Date, spread: number, after: Date): Date {
  const start = recordedAt.getTime()
  const lengthened = (days: number) => days * DAY_MS * (1 + spread * SPREAD)
  for (const days of FIRST_DAYS)
    if (start + lengthened(days) > after.getTime()) return new Date(start + lengthened(days))
  const first = start + lengthened(PERIOD_DAYS)
  const periods = Math.floor((after.getTime() - first) / (PERIOD_DAYS * DAY_MS)) + 1
  return new Date(first + Math.max(0, periods) * PERIOD_DAYS * DAY_MS)
}

/** What is remembered of a link from look to look. */
export interface LinkMemory {
  state: LinkState
  firstLiveAt: Date | null
  missingSince: Date | null
  lostAt: Date | null
  wasLive: boolean
}

export const LISTING_LIVE = 'listing.live'
export const LISTING_LOST = 'listing.lost'
export type ListingEvent = typeof LISTING_LIVE | typeof LISTING_LOST

const isThere = (state: LinkState): boolean => state === 'live' || state === 'nofollow'
const isAbsent = (state: LinkState): boolean => state === 'missing' || state === 'gone'

/**
 * A link is lost after two looks, at least a day apart, that found it missing or gone, if it had been there. Looks that could not tell
 * (blocked, unreachable, unknown) neither cause a loss nor end the wait for the second look; a look that finds the link ends it.
 */
export function afterLook(before: LinkMemory, state: LinkState, at: Date): LinkMemory & { event: ListingEvent | null } {
  if (isThere(state))
    return {
      state,
      firstLiveAt: before.firstLiveAt ?? at,
      missingSince: null,
      lostAt: null,
      wasLive: true,
      event: before.wasLive ? null : LISTING_LIVE,
    }
  const kept = { ...before, state }
  if (!isAbsent(state) || before.firstLiveAt === null) return { ...kept, event: null }
  // A clock that was set back must not make the wait longer than a day.
  const missingSince = before.missingSince !== null && before.missingSince < at ? before.missingSince : at
  const isLost = at.getTime() - missingSince.getTime() >= DAY_MS
  const lostAt = before.lostAt ?? (isLost ? at : null)
  return { ...kept, missingSince, lostAt, event: lostAt !== null && before.lostAt === null ? LISTING_LOST : null }
}

/** The state that a status alone decides, or null when the page has to be read. */
export function stateOfStatus(status: number): LinkState | null {
  if (status >= 200 && status < 300) return null
  if (status === 404 || status === 410) return 'gone'
  // 401, 403 and 429, and other refusals of a program: none of them says that the listing is gone. 999 is LinkedIn's.
  const isRefusal = (status >= 400 && status < 500 && status !== 408 && status !== 425) || status === 999
  return isRefusal ? 'blocked' : 'unreachable'
}

// What RFC 9309 asks to read at least.
export const MAX_ROBOTS_BYTES = 500 * 1024
const MAX_LINE = 2_000
const RULE_LINE = /^[^\S\r\n]{0,50}(?:user-agent|allow|disallow)[^\S\r\n]{0,50}:[^\r\n]*/gim

/** The lines of a robots.txt that say what may be fetched. They are matched where they are: half a million empty lines take long to split. */
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
