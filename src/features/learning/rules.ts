// How far the openings of listings after a question may move these listings in its results. Visitors open the first results most, whatever
// they are. So a listing moves before a higher one only if it is opened clearly more often.
import { DAY_MS } from '../../kernel/values/days.ts'
import { LEAST_CALLERS } from '../unfound/rules.ts'

/** What visitors open moves a listing up or down by at most this many places. */
export const MOST_PLACES = 2
/** After this many days an opening counts half. */
export const HALF_LIFE_DAYS = 30
/** Openings that together count less than this move nothing. LEAST_CALLERS openings count at least this much for one half-life. */
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

/** A stored sum below this weight moves nothing at this time. */
export const leastWeightAt = (time: number): number => LEAST_COUNT * weightAt(time)

/** A count of openings as operators see it. */
export const roundedCount = (count: number): number => Math.round(10 * count) / 10

/** The first day of the month, such as 2026-03-01. Every caller counts once a month for a question and a listing. */
export const monthOf = (time: number): string => `${new Date(time).toISOString().slice(0, 7)}-01`

/** How many of `callers` callers count for the first time, when `added` of them are new: none until they are enough, then all of them. */
export function newlyCounted(callers: number, added: number): number {
  if (callers < LEAST_CALLERS) return 0
  return callers - added >= LEAST_CALLERS ? added : callers
}

/**
 * The network of a visitor's address: the /24 of an IPv4 address, or the /48 of an IPv6 address. All visitors of a network count as one
 * caller, because one person can easily have all its addresses. Rate limits use smaller networks, so that a busy visitor does not stop
 * neighbours.
 */
export const networkOf = (address: string): string => address.split(/[.:]/, 3).join('.')

/**
 * The new order of search results, as a list of their old places. `counts`: how often each result was opened, in the old order. The place of
 * a listing depends on no listing that is more than 2 × MOST_PLACES higher, or more than MOST_PLACES lower.
 */
export function orderByOpenings(counts: readonly number[]): number[] {
  const isOpenedMore = (count: number, before: number | undefined) =>
    before !== undefined && count >= LEAST_COUNT && count > CLEARLY_MORE * before
  const places = counts.map((count, at) => {
    let rise = 0
    while (rise < MOST_PLACES && isOpenedMore(count, counts[at - rise - 1])) rise++
    return { at, before: at - rise, isRisen: rise > 0 }
  })
  // Of two listings that rise before the same one, the lower was opened more, because it also rises over the higher.
  return places
    .sort((a, b) => a.before - b.before || Number(b.isRisen) - Number(a.isRisen) || b.at - a.at)
    .map(({ at }) => at)
}
