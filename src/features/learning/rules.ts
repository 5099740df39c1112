// What is learned from the listings that visitors open after a question, and how far it may move them. Visitors open the first results
// most, whatever these are, so a listing moves only before one that stands higher and is opened clearly less.
import { DAY_MS } from '../../kernel/days.ts'
import { LEAST_CALLERS } from '../unfound/rules.ts'

/** A listing stands at most this many places higher or lower than it would otherwise. */
export const MOST_PLACES = 2
/** After this many days an opening counts half. */
export const HALF_LIFE_DAYS = 30
/** Openings that count less than this together move nothing, so those of the fewest callers that are stored do for one half-life. */
const LEAST_COUNT = LEAST_CALLERS / 2
/** A listing moves before another only when it was opened this many times as often. */
const CLEARLY_MORE = 1.5

// 2026-01-01. The weight of a day grows beyond what a number can hold 84 years later.
const FIRST_DAY = 20_454

/**
 * What an opening at this time weighs. It doubles with every half-life, so that stored sums keep their proportions and need no update as
 * time passes.
 */
export const weightAt = (time: number): number => 2 ** ((Math.floor(time / DAY_MS) - FIRST_DAY) / HALF_LIFE_DAYS)

/** Sums of less move nothing at this time. */
export const leastWeightAt = (time: number): number => LEAST_COUNT * weightAt(time)

/** A count of openings as operators see it. */
export const roundedCount = (count: number): number => Math.round(10 * count) / 10

/** Every caller counts once a month for a question and a listing. The first day of the month. */
export const monthOf = (time: number): string => `${new Date(time).toISOString().slice(0, 7)}-01`

/** How many callers count now that there are `added` more: none until they are enough, then all of them. */
export const newlyCounted = (callers: number, added: number): number =>
  callers < LEAST_CALLERS ? 0 : callers - added < LEAST_CALLERS ? callers : added

/**
 * The network of a visitor's address, as rate limits name it: all of its visitors count as one caller, because one person can easily have
 * all its addresses. The first three parts are the /24 of an IPv4 and the /48 of an IPv6 address. Limits charge an IPv4 address and a /56,
 * because a limit for more would stop neighbours of a busy visitor; here neighbours lose nothing.
 */
export const networkOf = (address: string): string => address.split(/[.:]/, 3).join('.')

/**
 * The new order of listings that stand one after the other, as their old places. `counts`: how often each was opened, fading with
 * time. The place of a listing depends on no listing that is more than 2 × MOST_PLACES higher, or more than MOST_PLACES lower.
 */
export function orderByOpenings(counts: readonly number[]): number[] {
  const isOpenedMore = (count: number, before: number | undefined) =>
    before !== undefined && count >= LEAST_COUNT && count > CLEARLY_MORE * before
  const places = counts.map((count, at) => {
    let rise = 0
    while (rise < MOST_PLACES && isOpenedMore(count, counts[at - rise - 1])) rise++
    return { at, before: at - rise, isRisen: rise > 0 }
  })
  // Of two that rise before the same listing, the lower one was opened more, because it rises over the other.
  return places
    .sort((a, b) => a.before - b.before || Number(b.isRisen) - Number(a.isRisen) || b.at - a.at)
    .map(({ at }) => at)
}
