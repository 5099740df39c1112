// The interface to the payment service (Stripe), through which users pay for the paid plan and for orders. Identifiers of customers,
// subscriptions, checkouts and payments are those of the payment service.

/** The payment service was not reached, or failed: the same question may be answered later. The message is for the log. */
export class PaymentsAway extends Error {}

/** The payment service refused: a setting is wrong, or a key lacks a permission. The message is for the log. */
export class PaymentsRefused extends Error {}

export const INTERVALS = ['day', 'week', 'month', 'year'] as const

export interface Price {
  id: string
  /** In the smallest unit of the currency; null for a price that is not a fixed amount. */
  amount: number | null
  /** Three lower-case letters. */
  currency: string
  /** null: it is paid once. */
  interval: (typeof INTERVALS)[number] | null
  intervalCount: number
  /** Whether it can be bought. */
  active: boolean
}

/** The states of a subscription at the payment service. */
export const SUBSCRIPTION_STATUSES = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

export interface Subscription {
  id: string
  status: SubscriptionStatus
  priceIds: string[]
  /** The price that our checkout sold; null for a subscription that was made in another way, or before the price was recorded. */
  soldPriceId: string | null
  /** The user that the checkout was made for; null for a subscription that was made in another way. */
  userId: string | null
  /** When it will end; null while no end is planned. */
  endsAt: Date | null
  endedAt: Date | null
  /** Whether it was ended because payments failed, not because a person cancelled it. */
  endedByFailure: boolean
  firstPaidAt: Date | null
  paidUntil: Date | null
  /** Whether it has ended and the payment for its last period was fully refunded. */
  refunded: boolean
}

export interface Checkout {
  id: string
  state: 'open' | 'complete' | 'expired'
  /** Where the user pays; null when it is not open. */
  url: string | null
  priceId: string | null
}

/** A checkout that was made for an order, with the payment that was made through it. */
export interface Purchase {
  checkoutId: string
  orderId: string
  /** processing: the customer has paid, but the money has not arrived. closed: it expired, or the payment failed. */
  state: 'open' | 'processing' | 'paid' | 'closed'
  /** null until the customer pays. */
  paymentId: string | null
  /** In the smallest unit of the currency. */
  amount: number
  /** Three lower-case letters. */
  currency: string
  /** How much of the amount was given back. */
  refundedAmount: number
  /** Whether the customer has disputed the payment at the bank. */
  disputed: boolean
}

export interface PaymentEvent {
  id: string
  /** The customer whose payments may have changed; null when the event does not name one. */
  customerId: string | null
  /** The payment that it is about. Events about disputes name no customer. */
  paymentId: string | null
}

interface WebhookEndpoint {
  url: string
  enabled: boolean
  /** `*` means all. */
  events: string[]
}

export interface Payments {
  priceId: string
  /** Event types that a webhook endpoint must receive: for the paid plan, and further ones for orders. */
  events: { plan: readonly string[]; orders: readonly string[] }
  price(id: string, timeoutMs: number): Promise<Price>
  /** The same `attempt` returns the same customer. */
  createCustomer(user: { id: string; email: string }, attempt: number): Promise<string>
  /**
   * The same `attempt` returns the same checkout; null when the customer was deleted at the payment service. It sells the paid plan, or with
   * `order` what was ordered, for one payment.
   */
  createCheckout(
    options: {
      customerId: string
      userId: string
      doneUrl: string
      backUrl: string
      order?: { id: string; priceId: string }
    },
    attempt: number,
  ): Promise<Checkout | null>
  /** null when there is no such checkout. */
  findCheckout(id: string): Promise<Checkout | null>
  /** Makes an open checkout unusable. */
  expireCheckout(id: string): Promise<void>
  /** The page where the customer changes the card, sees invoices and cancels. null when the customer was deleted. */
  createPortal(customerId: string, returnUrl: string): Promise<string | null>
  /** The checkouts of the customer that were made for orders, newest first; null when the customer was deleted. */
  listPurchases(customerId: string): Promise<Purchase[] | null>
  /** The checkout of an order, also after its customer was deleted; null when there is none. */
  findPurchase(checkoutId: string): Promise<Purchase | null>
  /** The page with the invoice or the receipt of what was paid through the checkout; null when there is none. */
  findReceipt(checkoutId: string): Promise<string | null>
  /** All subscriptions of the customer, ended ones too; null when the customer was deleted. */
  listSubscriptions(customerId: string): Promise<Subscription[] | null>
  /** Ends it at once. One that has ended stays as it is. */
  cancel(subscriptionId: string): Promise<void>
  /** Ends it when the paid period ends. */
  cancelAtPeriodEnd(subscriptionId: string): Promise<void>
  /** null when the bytes do not carry a valid signature. */
  readEvent(body: Buffer, signature: string | undefined): Promise<PaymentEvent | null>
  listWebhookEndpoints(): Promise<WebhookEndpoint[]>
  /** The customer's page at the payment service, for operators. */
  customerUrl(customerId: string): string
}
