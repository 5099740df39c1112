// The words and colours of the states of an order, for founders and administrators.
import type { OrderState } from '../../features/billing/orders/rules.ts'
import { badge, type Tone } from './kit/components.ts'
import { html, type Markup } from './kit/markup.ts'

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

/** What happens with the order, in a sentence. */
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
