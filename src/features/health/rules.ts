// Pure rules of the looks at websites: when the next look is, what one look changes, and when a product counts as gone.
import { hash } from 'node:crypto'
import { DAY_MS } from '../../kernel/days.ts'
import type { Ended } from '../catalog/schema.ts'
import type { HealthState } from '../listings/health.rules.ts'
import { stateOfStatus } from '../proof/rules.ts'

/** Every website is looked at once in this time. */
export const PERIOD_MS = 7 * DAY_MS
/** A website is called `gone` or `parked` when this many looks in a row have found it so, */
export const LOOKS = 3
/** over at least this time. */
export const LEAST_MS = 7 * DAY_MS
// A website that seems to be gone is looked at again sooner, so that the looks take no longer than they must.
const SOON_MS = LEAST_MS / (LOOKS - 1)

/** What is stored from look to look. */
export interface HealthMemory {
  state: HealthState
  /** When the state was first said. */
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
 * `gone` and `parked` are said after LOOKS looks in a row that find the same, over LEAST_MS. Looks that say nothing about the product
 * (blocked, unreachable) neither count as one of them nor end the row, and do not replace what was said. Any other look ends it at once.
 */
export function afterLook(prior: HealthMemory, finding: Finding, at: Date): HealthMemory {
  if (saysNothing(finding)) return isEnded(prior.state) ? prior : said(prior, finding, at)
  if (!isEnded(finding)) return { ...said(prior, finding, at), suspected: null, suspectedAt: null, suspectedLooks: 0 }
  // A clock that was set back must not make the wait longer.
  const isSame = prior.suspected === finding && prior.suspectedAt !== null && prior.suspectedAt <= at
  const suspectedAt = isSame && prior.suspectedAt ? prior.suspectedAt : at
  const suspectedLooks = isSame ? prior.suspectedLooks + 1 : 1
  const row = { ...prior, suspected: finding, suspectedAt, suspectedLooks }
  const isCertain = suspectedLooks >= LOOKS && at.getTime() - suspectedAt.getTime() >= LEAST_MS
  return isCertain ? said(row, finding, at) : row
}

const said = (memory: HealthMemory, state: HealthState, at: Date): HealthMemory =>
  memory.state === state ? memory : { ...memory, state, since: at }

/** While looks in a row are counted, the next one comes sooner. */
export const nextLookAt = ({ state, suspected }: HealthMemory, at: Date): Date =>
  new Date(at.getTime() + (suspected !== null && suspected !== state ? SOON_MS : PERIOD_MS))

/** The first look at a website: within a period, at a time that depends on the listing alone. */
export const firstLookAt = (id: string, now: Date): Date =>
  new Date(now.getTime() + (Number.parseInt(hash('sha256', id).slice(0, 8), 16) / 2 ** 32) * PERIOD_MS)

/** The finding that a status alone decides; null when the page has to be read. */
export const findingOfStatus = (status: number): 'gone' | 'blocked' | 'unreachable' | null => {
  const state = stateOfStatus(status)
  return state === 'gone' || state === 'blocked' || state === 'unreachable' ? state : null
}
