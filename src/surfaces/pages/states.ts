// The words and colours of states in several areas: of orders, for founders and administrators, and of the link on a listing, for readers
// who know little about links.
import type { OrderState } from '../../features/billing/orders/rules.ts'
import type { LinkState } from '../../features/submissions/bench/link.rules.ts'
import { badge, type Tone } from './kit/components.ts'
import { html, type Markup } from './kit/markup.ts'
import { day } from './kit/values.ts'

export const ORDER_WORDS: Record<OrderState, [word: string, tone: Tone]> = {
  open: ['Not paid yet', 'plain'],
  processing: ['Payment on its way', 'notice'],
  paid: ['Paid', 'good'],
  refunded: ['Refunded', 'danger'],
  closed: ['Not paid', 'plain'],
}

type ShownOrder = {
  state: OrderState
  submissionState: string | null
  submittedCount: number
  targetDirectoriesCount: number
}

export function orderSentence({ state, submissionState, submittedCount, targetDirectoriesCount }: ShownOrder): string {
  if (state === 'open') return 'This order is not paid. Nothing is done until it is.'
  if (state === 'processing')
    return 'Your payment is on its way, which takes days with some ways to pay. The work begins when it has arrived.'
  if (state === 'closed') return 'This order was not paid. Order again if you still want it.'
  if (state === 'refunded')
    return `The payment was given back. ${submissionState ? 'The work had begun, and stays listed here.' : 'The work had not begun and is withdrawn.'}`
  return submissionState === null
    ? 'Your payment has arrived, but the work could not be begun. We look at it and write to you.'
    : `${submittedCount} of ${targetDirectoriesCount} directories are entered.`
}

export const orderBadge = (order: { state: OrderState; refunded: string | null; disputed: boolean }): Markup =>
  html`${badge(...ORDER_WORDS[order.state])}${order.disputed && html` ${badge('Disputed', 'danger')}`}${order.state === 'paid' && order.refunded && html` <span class="note">${order.refunded} given back</span>`}`

export const LINK_WORDS: Record<LinkState, [word: string, tone: Tone]> = {
  live: ['Live', 'good'],
  nofollow: ['Live, nofollow', 'good'],
  missing: ['Link missing', 'danger'],
  gone: ['Page gone', 'danger'],
  blocked: ['Blocked', 'notice'],
  unreachable: ['Unreachable', 'notice'],
  unknown: ['Unclear', 'plain'],
  unchecked: ['Not checked', 'plain'],
}

export interface ShownLink {
  state: LinkState
  checkedAt: string | Date | null
}

/** The state and the day of the last check; null for a directory without a listing. */
export const linkState = (link: ShownLink | null): Markup | null =>
  link &&
  html`${badge(...LINK_WORDS[link.state])}${link.checkedAt && html` <span class="note">${day(link.checkedAt)}</span>`}`
