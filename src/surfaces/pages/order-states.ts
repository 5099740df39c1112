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

export const orderBadge = (order: { state: OrderState; refunded: string | null; disputed: boolean }): Markup =>
  html`${badge(...ORDER_WORDS[order.state])}${order.disputed && html` ${badge('Disputed', 'danger')}`}${order.state === 'paid' && order.refunded && html` <span class="note">${order.refunded} given back</span>`}`
