// What became of the products that were entered into a directory from here: in figures, as the chance that the next one will be live in
// time, and as points and reasons in a plan.
import { DAY_MS } from '../../../kernel/values/days.ts'
import { LEAST_SUBMITTED } from '../../submissions/queue/waiting.rules.ts'

/** One product that was entered into the directory, in milliseconds since 1970. */
export interface EnteredRow {
  submittedAt: number
  /** The first check that found the listing; null: none has found it. */
  liveAt: number | null
  lostAt: number | null
  /** Whether the link is followed by search engines; null: it was not found. */
  isFollowed: boolean | null
  /** The last check that found the listing. */
  lastLiveAt: number | null
}

/** `evidenceSchema` in evidence.operations.ts says what each field means. Shares are from 0 to 1. */
export interface Evidence {
  submitted: number
  live: number
  liveShare: number | null
  daysToLive: { median: number | null; p90: number | null }
  lostShare90: number | null
  dofollowShare: number | null
  lastLiveAt: Date | null
}

const LOST_WITHIN_MS = 90 * DAY_MS

/** `now` is in milliseconds since 1970. */
export function evidenceOf(rows: readonly EnteredRow[], now: number): Evidence {
  const live = rows.filter((row): row is EnteredRow & { liveAt: number } => row.liveAt !== null)
  const days = live.map(({ submittedAt, liveAt }) => Math.max(0, liveAt - submittedAt) / DAY_MS).sort((a, b) => a - b)
  const isEnough = rows.length >= LEAST_SUBMITTED
  const share = (part: number, whole: number): number | null =>
    isEnough && whole > 0 ? rounded(part / whole, 3) : null
  /** The number of days within which this part of the listed products was found. */
  const dayAt = (part: number) => (isEnough && days.length > 0 ? rounded(quantile(days, part), 1) : null)
  // Only these listings were there long enough to tell whether they were lost within 90 days.
  const watched = live.filter(({ liveAt }) => now - liveAt >= LOST_WITHIN_MS)
  const lostInTime = watched.filter(({ liveAt, lostAt }) => lostAt !== null && lostAt - liveAt <= LOST_WITHIN_MS)
  const found = rows.filter(({ isFollowed }) => isFollowed !== null)
  const lastLiveAt = Math.max(...live.map((row) => row.lastLiveAt ?? row.liveAt))
  return {
    submitted: rows.length,
    live: live.length,
    liveShare: share(live.length, rows.length),
    daysToLive: { median: dayAt(0.5), p90: dayAt(0.9) },
    lostShare90: share(lostInTime.length, watched.length),
    dofollowShare: share(found.filter(({ isFollowed }) => isFollowed).length, found.length),
    lastLiveAt: isEnough && live.length > 0 ? new Date(lastLiveAt) : null,
  }
}

const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits

/** The value below which this part of the sorted values lies, interpolated. */
function quantile(sorted: readonly number[], part: number): number {
  const at = (sorted.length - 1) * part
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0]
  return low + (high - low) * (at - Math.floor(at))
}

/** The evidence in one sentence; null when there is too little. */
export function evidenceSentence({ submitted, liveShare, daysToLive }: Evidence): string | null {
  if (liveShare === null) return null
  const share = `Of ${submitted} products entered from here ${Math.round(liveShare * 100)} % went live`
  if (daysToLive.median === null) return `${share}.`
  const days = Math.max(1, Math.round(daysToLive.median))
  return `${share}, half of them within ${days} ${days === 1 ? 'day' : 'days'}.`
}

/** How many products a directory listed within 30 days, of those entered at least 30 days ago. */
export interface InTime {
  live: number
  cases: number
}

// This many cases with the share of all directories are added to those of a directory, so that a few cases change little.
const CASES_AT_MEAN = 3

/** The share of all directories; one made-up success and failure keep it between 0 and 1. */
export function meanInTime(all: Iterable<InTime>): number {
  let [live, cases] = [1, 2]
  for (const one of all) {
    live += one.live
    cases += one.cases
  }
  return live / cases
}

/** The chance that a listing will be live within 30 days, from 0 to 1. */
export const chanceOf = (inTime: InTime | undefined, mean: number): number =>
  rounded(((inTime?.live ?? 0) + CASES_AT_MEAN * mean) / ((inTime?.cases ?? 0) + CASES_AT_MEAN), 2)

export const chanceReason = ({ live, cases }: InTime, chance: number): string =>
  `${Math.round(chance * 100)} % chance of being live within 30 days: ${live} of ${cases} earlier ${cases === 1 ? 'product was' : 'products were'}`

/** What happened to earlier products in a directory. Counts every product except the one that the plan is for. */
export interface Outcomes {
  /** How many products have a listing on record. */
  accepted: number
  /** How many products the directory refused, as administrators recorded. */
  refused: number
  /** How many listings were there and are gone. */
  lost: number
  /** An administrator reported the directory dead after the last listing there. */
  isDead: boolean
}

// So many cases with the mean rate are added to the cases of a directory, so that one refusal changes the points little, and ten much.
const OUTCOMES_AT_MEAN = 4
/** The points are the difference between the rate and the mean times WEIGHT, but at most MAX_POINTS up or down. */
const WEIGHT = 40
const MAX_POINTS = 20

/** The share of all cases in which a product was accepted and stayed. One made-up success and failure keep it between 0 and 1. */
export function meanRate(all: Iterable<Outcomes>): number {
  let accepted = 1
  let cases = 2
  for (const outcomes of all) {
    accepted += outcomes.accepted
    cases += casesOf(outcomes)
  }
  return accepted / cases
}

/** The points for past outcomes in a directory; 0 without any case. `mean` is the rate of all directories. */
export function outcomePoints(outcomes: Outcomes | undefined, mean: number): number {
  if (!outcomes) return 0
  const rate = (outcomes.accepted + OUTCOMES_AT_MEAN * mean) / (casesOf(outcomes) + OUTCOMES_AT_MEAN)
  return Math.max(-MAX_POINTS, Math.min(MAX_POINTS, (rate - mean) * WEIGHT))
}

const casesOf = ({ accepted, refused, lost }: Outcomes): number => accepted + refused + lost

export function outcomeReason(outcomes: Outcomes | undefined): string[] {
  const cases = outcomes ? casesOf(outcomes) : 0
  if (!outcomes || cases === 0) return []
  const ofAll = `of ${cases} earlier ${cases === 1 ? 'product' : 'products'}`
  return [
    ...(outcomes.refused > 0 ? [`refused ${outcomes.refused} ${ofAll}`] : []),
    ...(outcomes.lost > 0 ? [`lost the listing of ${outcomes.lost} ${ofAll}`] : []),
    ...(outcomes.refused + outcomes.lost === 0 ? [`listed ${outcomes.accepted} ${ofAll}`] : []),
  ]
}
