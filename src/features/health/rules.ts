// Pure rules of the looks at websites: when the next look is, what one look changes, and when a product counts as gone.
import { hash } from 'node:crypto'
import { DAY_MS } from '../../kernel/values/days.ts'
import type { Ended } from '../catalog/schema.ts'
import type { HealthState } from '../listings/schema.ts'
import { stateOfStatus } from '../proof/rules.ts'

/** Topic of the announcements that a website may be due for a look. */
export const HEALTH_TOPIC = 'health'

/** Every website is looked at once in this time. */
export const PERIOD_MS = 7 * DAY_MS
/** How many looks in a row must find a website `gone` or `parked` before readers are told. */
const LOOKS = 3
/** How long these looks must take together, at least. */
const LEAST_MS = 7 * DAY_MS
// A website that seems to be gone is looked at again sooner, so that the looks take no longer than they must.
const SOON_MS = LEAST_MS / (LOOKS - 1)

/** What is stored about a website from one look to the next. */
export interface HealthMemory {
  /** What readers are told. */
  state: HealthState
  /** When readers were first told this state. */
  since: Date | null
  /** What the latest looks in a row found, whether readers are told it yet or not. */
  suspected: Ended | null
  suspectedAt: Date | null
  suspectedLooks: number
}

export const NO_MEMORY: HealthMemory = {
  state: 'unknown',
  since: null,
  suspected: null,
  suspectedAt: null,
  suspectedLooks: 0,
}

/** What a single look may find. */
export type Finding = Exclude<HealthState, 'unknown'>

export const isEnded = (state: HealthState): state is Ended => state === 'gone' || state === 'parked'
/** Whether readers are told what to use instead. */
export const hasAlternatives = (state: HealthState): boolean => isEnded(state) || state === 'moved'
export const saysNothing = (finding: Finding): boolean => finding === 'blocked' || finding === 'unreachable'

/**
 * What is stored after a look. Readers are told `gone` or `parked` after LOOKS looks in a row that find the same, over LEAST_MS. A look that
 * says nothing about the product (blocked, unreachable) neither counts nor ends the row, and does not replace `gone` or `parked`. Any other
 * look ends the row and is told at once.
 */
export function afterLook(prior: HealthMemory, finding: Finding, at: Date): HealthMemory {
  if (saysNothing(finding)) return isEnded(prior.state) ? prior : withState(prior, finding, at)
  if (!isEnded(finding))
    return { ...withState(prior, finding, at), suspected: null, suspectedAt: null, suspectedLooks: 0 }
  // A clock that was set back must not make the wait longer.
  const isSame = prior.suspected === finding && prior.suspectedAt !== null && prior.suspectedAt <= at
  const suspectedAt = isSame && prior.suspectedAt ? prior.suspectedAt : at
  const suspectedLooks = isSame ? prior.suspectedLooks + 1 : 1
  const row = { ...prior, suspected: finding, suspectedAt, suspectedLooks }
  const isCertain = suspectedLooks >= LOOKS && at.getTime() - suspectedAt.getTime() >= LEAST_MS
  return isCertain ? withState(row, finding, at) : row
}

/** The memory with the state that readers are told from now on; the same memory if they were told it before. */
const withState = (memory: HealthMemory, state: HealthState, at: Date): HealthMemory =>
  memory.state === state ? memory : { ...memory, state, since: at }

/** When the next look is due. It comes sooner while looks in a row are counted. */
export const nextLookAt = ({ state, suspected }: HealthMemory, at: Date): Date =>
  new Date(at.getTime() + (suspected !== null && suspected !== state ? SOON_MS : PERIOD_MS))

/** When the first look is due: within a period, at a time that depends on the id of the listing alone, so that looks are spread evenly. */
export const firstLookAt = (id: string, now: Date): Date =>
  new Date(now.getTime() + (Number.parseInt(hash('sha256', id).slice(0, 8), 16) / 2 ** 32) * PERIOD_MS)

/** The finding that a status alone decides; null when the page has to be read. */
export const findingOfStatus = (status: number): 'gone' | 'blocked' | 'unreachable' | null => {
  const state = stateOfStatus(status)
  return state === 'gone' || state === 'blocked' || state === 'unreachable' ? state : null
}

/**
 * Whether the website shows the badge with this address. A look that could not read the website (blocked, unreachable) keeps the earlier
 * answer, which is false before the first look.
 */
export const showsBadgeAfter = (
  prior: { showsBadge: boolean; checkedAt: Date | null },
  { finding, badges = [] }: { finding: Finding; badges?: readonly string[] },
  address: string,
): boolean => {
  if (saysNothing(finding)) return prior.showsBadge && prior.checkedAt !== null
  return finding === 'alive' && badges.includes(address)
}
