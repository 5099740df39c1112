// Payments by Stripe, with Stripe's own library. It takes a while to load, so it is loaded only if the Stripe settings are set.
import { hash } from 'node:crypto'
import type Stripe from 'stripe'
import {
  type Checkout,
  INTERVALS,
  type PaymentEvent,
  type Payments,
  PaymentsAway,
  PaymentsRefused,
  type Price,
  type Purchase,
  SUBSCRIPTION_STATUSES,
  type Subscription,
} from '../kernel/interfaces/payments.ts'
import { inTime } from '../kernel/work/deadline.ts'

interface StripeSettings {
  secretKey: string
  webhookSecret: string
  priceId: string
  /** The origin of the API; undefined means Stripe's own. */
  apiUrl: string | undefined
}

/** null when the paid plan is not set up. */
export const openStripe = (config: {
  STRIPE_SECRET_KEY: string | undefined
  STRIPE_WEBHOOK_SECRET: string | undefined
  STRIPE_PRICE_ID: string | undefined
  STRIPE_API_URL: string | undefined
}): Payments | null =>
  config.STRIPE_SECRET_KEY && config.STRIPE_WEBHOOK_SECRET && config.STRIPE_PRICE_ID
    ? createStripe({
        secretKey: config.STRIPE_SECRET_KEY,
        webhookSecret: config.STRIPE_WEBHOOK_SECRET,
        priceId: config.STRIPE_PRICE_ID,
        apiUrl: config.STRIPE_API_URL,
      })
    : null

/** Names of our entries in the metadata at Stripe: our id of the user, the price that a checkout sold, and our id of the order. */
const USER = 'catalog_user'
const PRICE = 'catalog_price'
const ORDER = 'catalog_order'
/** How long a connection may be silent. */
const SILENT_MS = 6_000
/** How long a call of `ask` may take in all. */
const QUESTION_MS = 12_000
const PAGE_SIZE = 100
/** How many paid invoices of a subscription are read. There is one a period; the newest decide. */
const NEWEST_INVOICES = 12
const MOST_SUBSCRIPTIONS = 500
const MOST_PURCHASES = 500
const LONGEST_SIGNATURE = 2_000

/** Events after which the subscriptions of a customer may have changed. */
const PLAN_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'customer.deleted',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.voided',
  'invoice.marked_uncollectible',
  'charge.refunded',
] as const

/** Further events after which the payment of an order may have changed. All other events are acknowledged and ignored. */
const ORDER_EVENTS = [
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.dispute.created',
  'charge.dispute.closed',
  'refund.updated',
  'refund.failed',
] as const
const EVENTS: ReadonlySet<unknown> = new Set([...PLAN_EVENTS, ...ORDER_EVENTS])

/**
 * The same key for requests that are sent at once or repeated. It changes every minute, because Stripe repeats a failure for a day under
 * the same key. It contains everything that the request depends on, because Stripe refuses a known key with other details.
 */
const idempotencyKey = (...details: (string | number)[]): string =>
  `catalog-${hash('sha256', JSON.stringify([...details, Math.floor(Date.now() / 60_000)]))}`

type Ask = <T>(question: (stripe: Stripe) => Promise<T>, limitMs?: number) => Promise<T>

function createAsk(loading: Promise<Stripe>): Ask {
  return async <T>(question: (stripe: Stripe) => Promise<T>, limitMs = QUESTION_MS): Promise<T> => {
    const stripe = await loading
    // The library limits only silence on the connection, so an answer that arrives byte by byte could take forever.
    return inTime(
      question(stripe).catch((error) => {
        throw ownError(error)
      }),
      limitMs,
      () => {
        throw new PaymentsAway(`Stripe gave no answer within ${limitMs} ms`)
      },
    )
  }
}

function createStripe({ secretKey, webhookSecret, priceId, apiUrl }: StripeSettings): Payments {
  const loading = load(secretKey, apiUrl)
  // The first call of `ask` reports a package that is damaged or missing.
  loading.catch(() => {})
  const ask = createAsk(loading)
  return {
    priceId,
    events: { plan: PLAN_EVENTS, orders: ORDER_EVENTS },
    price: async (id, timeoutMs) =>
      priceOf(await ask((stripe) => stripe.prices.retrieve(id, {}, { timeout: timeoutMs }), timeoutMs)),
    createCustomer: async (user, attempt) => {
      const details = { email: user.email, metadata: { [USER]: user.id } }
      const options = { idempotencyKey: idempotencyKey('customer', user.id, user.email, attempt) }
      return (await ask((stripe) => stripe.customers.create(details, options))).id
    },
    createCheckout: (wanted, attempt) => {
      const { order, customerId } = wanted
      const session = order ? orderSessionOf(wanted, order) : sessionOf(wanted, priceId)
      const sold = order ? [order.id, order.priceId] : [priceId]
      const options = { idempotencyKey: idempotencyKey('checkout', customerId, ...sold, attempt) }
      return nullIfMissing(
        async () => checkoutOf(await ask((stripe) => stripe.checkout.sessions.create(session, options))),
        ['customer'],
      )
    },
    findCheckout: (id) =>
      nullIfMissing(async () => checkoutOf(await ask((stripe) => stripe.checkout.sessions.retrieve(id)))),
    async expireCheckout(id) {
      const checkout = await nullIfMissing(() => ask((stripe) => stripe.checkout.sessions.retrieve(id)))
      if (checkout?.status === 'open') await ask((stripe) => stripe.checkout.sessions.expire(id))
    },
    createPortal: (customerId, returnUrl) => {
      const session = { customer: customerId, return_url: returnUrl }
      return nullIfMissing(
        async () => (await ask((stripe) => stripe.billingPortal.sessions.create(session))).url,
        ['customer'],
      )
    },
    listPurchases: (customerId) => nullIfMissing(() => readPurchases(ask, customerId), ['customer']),
    findPurchase: async (checkoutId) => {
      const session = await findPaidSession(ask, checkoutId, [])
      return (session && purchasesIn(session)[0]) ?? null
    },
    findReceipt: (checkoutId) => readReceipt(ask, checkoutId),
    listSubscriptions: (customerId) => nullIfMissing(() => readSubscriptions(ask, customerId), ['customer']),
    async cancel(subscriptionId) {
      // Stripe does not find a subscription that has ended.
      await nullIfMissing(() => ask((stripe) => stripe.subscriptions.cancel(subscriptionId)))
    },
    async cancelAtPeriodEnd(subscriptionId) {
      await nullIfMissing(() =>
        ask((stripe) => stripe.subscriptions.update(subscriptionId, { cancel_at_period_end: true })),
      )
    },
    async readEvent(body, signature) {
      const stripe = await loading
      return readSignedEvent(stripe, body, signature, webhookSecret)
    },
    async listWebhookEndpoints() {
      const { data } = await ask((stripe) => stripe.webhookEndpoints.list({ limit: PAGE_SIZE }))
      return data.map(({ url, status, enabled_events }) => ({
        url,
        enabled: status === 'enabled',
        events: enabled_events,
      }))
    },
    customerUrl: (customerId) =>
      `https://dashboard.stripe.com/${/^[a-z]+_test_/.test(secretKey) ? 'test/' : ''}customers/${encodeURIComponent(customerId)}`,
  }
}

const sessionOf = (
  { customerId, userId, doneUrl, backUrl }: Parameters<Payments['createCheckout']>[0],
  priceId: string,
): Stripe.Checkout.SessionCreateParams => ({
  mode: 'subscription',
  customer: customerId,
  client_reference_id: userId,
  line_items: [{ price: priceId, quantity: 1 }],
  success_url: doneUrl,
  cancel_url: backUrl,
  metadata: { [USER]: userId, [PRICE]: priceId },
  subscription_data: { metadata: { [USER]: userId, [PRICE]: priceId } },
})

/** One payment, for which Stripe also makes an invoice. */
const orderSessionOf = (
  { customerId, userId, doneUrl, backUrl }: Parameters<Payments['createCheckout']>[0],
  { id, priceId }: { id: string; priceId: string },
): Stripe.Checkout.SessionCreateParams => {
  const metadata = { [USER]: userId, [PRICE]: priceId, [ORDER]: id }
  return {
    mode: 'payment',
    customer: customerId,
    client_reference_id: id,
    line_items: [{ price: priceId, quantity: 1 }],
    success_url: doneUrl,
    cancel_url: backUrl,
    metadata,
    payment_intent_data: { metadata },
    invoice_creation: { enabled: true, invoice_data: { metadata } },
  }
}

async function load(secretKey: string, apiUrl: string | undefined): Promise<Stripe> {
  const { default: Library } = await import('stripe')
  const { protocol, hostname, port } = apiUrl ? new URL(apiUrl) : {}
  return new Library(secretKey, {
    maxNetworkRetries: 1,
    timeout: SILENT_MS,
    // Otherwise each request would report how long the one before it took.
    telemetry: false,
    ...(hostname
      ? {
          host: hostname.replace(/^\[|\]$/g, ''),
          protocol: protocol === 'http:' ? 'http' : 'https',
          port: port || (protocol === 'http:' ? 80 : 443),
        }
      : {}),
  })
}

/** Turns an error of the library into one of ours, without its request, whose headers contain the key. */
function ownError(error: unknown): Error {
  if (error instanceof PaymentsAway || error instanceof PaymentsRefused) return error
  const { type, code, param, statusCode, message, detail } = error as Partial<Stripe.errors.StripeError>
  if (typeof type !== 'string') return error instanceof Error ? error : new Error(String(error))
  const cause = (detail as { code?: string } | undefined)?.code
  const text = [statusCode, code ?? cause ?? type, message]
    .filter(Boolean)
    .join(' ')
    .slice(0, 300)
    .replace(/\b(sk|rk|whsec)_[\w*]+/g, '$1_…')
  const isAway =
    type !== 'StripeAuthenticationError' &&
    (!statusCode || statusCode >= 500 || statusCode === 429 || statusCode === 409)
  return isAway ? new PaymentsAway(`Stripe: ${text}`) : new Refused(`Stripe: ${text}`, code, param)
}

class Refused extends PaymentsRefused {
  readonly code: string | undefined
  readonly param: string | undefined
  constructor(message: string, code: string | undefined, param: string | undefined) {
    super(message)
    this.code = code
    this.param = param
  }
}

/** Returns null when Stripe says that an object does not exist; with `params`, only when one of these parameters named the object. */
async function nullIfMissing<T>(work: () => Promise<T>, params?: readonly string[]): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    const isMissing = error instanceof Refused && error.code === 'resource_missing'
    if (isMissing && (!params || params.includes(error.param ?? ''))) return null
    throw error
  }
}

const priceOf = ({ id, unit_amount, currency, recurring, active }: Stripe.Price): Price => ({
  id,
  amount: unit_amount,
  currency,
  interval: INTERVALS.find((known) => known === recurring?.interval) ?? null,
  intervalCount: recurring?.interval_count ?? 1,
  active,
})

const checkoutOf = (session: Stripe.Checkout.Session): Checkout => ({
  id: session.id,
  priceId: session.metadata?.[PRICE] ?? null,
  state: checkoutState(session),
  url: session.status === 'open' ? session.url : null,
})

function checkoutState({ status, url }: Stripe.Checkout.Session): Checkout['state'] {
  if (status === 'open' && url) return 'open'
  return status === 'complete' ? 'complete' : 'expired'
}

async function readPurchases(ask: Ask, customerId: string): Promise<Purchase[]> {
  const found: Purchase[] = []
  const query = { customer: customerId, limit: PAGE_SIZE, expand: ['data.payment_intent.latest_charge'] }
  for (let after: string | undefined, read = 0; ; ) {
    const page = await ask((stripe) =>
      stripe.checkout.sessions.list(after === undefined ? query : { ...query, starting_after: after }),
    )
    found.push(...page.data.flatMap(purchasesIn))
    read += page.data.length
    after = page.data.at(-1)?.id
    if (!page.has_more || after === undefined || read >= MOST_PURCHASES) return found
  }
}

const findPaidSession = (ask: Ask, checkoutId: string, more: readonly string[]) => {
  const expand = ['payment_intent.latest_charge', ...more]
  return nullIfMissing(() => ask((stripe) => stripe.checkout.sessions.retrieve(checkoutId, { expand })))
}

async function readReceipt(ask: Ask, checkoutId: string): Promise<string | null> {
  const session = await findPaidSession(ask, checkoutId, ['invoice'])
  const invoice = typeof session?.invoice === 'object' ? session.invoice : null
  return invoice?.hosted_invoice_url ?? (session && chargeOf(session)?.receipt_url) ?? null
}

/** Returns no purchase for a checkout that was not made for an order. */
function purchasesIn(session: Stripe.Checkout.Session): Purchase[] {
  const { id, metadata, payment_intent: payment, amount_total, currency } = session
  const orderId = metadata?.[ORDER]
  if (orderId === undefined) return []
  const charge = chargeOf(session)
  return [
    {
      checkoutId: id,
      orderId,
      state: purchaseState(session),
      paymentId: typeof payment === 'object' ? (payment?.id ?? null) : payment,
      amount: amount_total ?? 0,
      currency: currency ?? '',
      refundedAmount: charge?.amount_refunded ?? 0,
      disputed: charge?.disputed ?? false,
    },
  ]
}

function purchaseState({ status, payment_status, payment_intent: payment }: Stripe.Checkout.Session) {
  if (status === 'open') return 'open'
  if (status !== 'complete') return 'closed'
  if (payment_status !== 'unpaid') return 'paid'
  const hasFailed =
    typeof payment === 'object' && ['requires_payment_method', 'canceled'].includes(payment?.status ?? '')
  return hasFailed ? 'closed' : 'processing'
}

function chargeOf({ payment_intent: payment }: Stripe.Checkout.Session): Stripe.Charge | null {
  const charge = typeof payment === 'object' ? payment?.latest_charge : null
  return typeof charge === 'object' ? (charge ?? null) : null
}

async function readSubscriptions(ask: Ask, customerId: string): Promise<Subscription[]> {
  const found: Subscription[] = []
  for (let after: string | undefined; ; ) {
    const query: Stripe.SubscriptionListParams = { customer: customerId, status: 'all', limit: PAGE_SIZE }
    const page = await ask((stripe) =>
      stripe.subscriptions.list(after === undefined ? query : { ...query, starting_after: after }),
    )
    for (const subscription of page.data) found.push(await readSubscription(ask, subscription))
    after = page.data.at(-1)?.id
    if (!page.has_more || after === undefined || found.length >= MOST_SUBSCRIPTIONS) return found
  }
}

async function readSubscription(ask: Ask, subscription: Stripe.Subscription): Promise<Subscription> {
  const { id, status, items, metadata, cancel_at, cancel_at_period_end, ended_at, cancellation_details } = subscription
  const { data: invoices, has_more } = await ask((stripe) =>
    stripe.invoices.list({ subscription: id, status: 'paid', limit: NEWEST_INVOICES }),
  )
  const last = lastPeriod(id, invoices)
  const periodEnd = Math.max(...items.data.map((item) => item.current_period_end))
  const endsAt = cancel_at ?? (cancel_at_period_end && Number.isFinite(periodEnd) ? periodEnd : null)
  const hasEnded = status === 'canceled'
  return {
    id,
    // A status that Stripe adds later counts as incomplete, which gives no paid plan, until SUBSCRIPTION_STATUSES has it.
    status: SUBSCRIPTION_STATUSES.find((known) => known === status) ?? 'incomplete',
    priceIds: items.data.map(({ price }) => price.id),
    soldPriceId: metadata[PRICE] ?? null,
    userId: metadata[USER] ?? null,
    endsAt: dateOf(ended_at ?? endsAt),
    endedAt: dateOf(ended_at),
    endedByFailure: hasEnded && cancellation_details?.reason === 'payment_failed',
    firstPaidAt: dateOf(firstPaid(subscription, invoices, has_more)),
    paidUntil: dateOf(last?.end ?? null),
    refunded:
      hasEnded &&
      last !== undefined &&
      (cancellation_details?.reason === 'payment_disputed' || (await isRefunded(ask, last.invoiceId))),
  }
}

/** The last period that is paid. Lines that settle a change of price in the middle of a period do not count. */
function lastPeriod(subscriptionId: string, invoices: readonly Stripe.Invoice[]) {
  const periods = invoices.flatMap(({ id, lines }) =>
    lines.data.flatMap(({ period, parent }) => {
      const details = parent?.subscription_item_details
      if (!id || !details || details.proration || (details.subscription ?? subscriptionId) !== subscriptionId) return []
      return [{ ...period, invoiceId: id }]
    }),
  )
  return periods.sort((a, b) => b.start - a.start || b.end - a.end)[0]
}

/** When the subscription was first paid. If older invoices were not read, its start. */
function firstPaid({ start_date }: Stripe.Subscription, invoices: readonly Stripe.Invoice[], hasMore: boolean) {
  if (invoices.length === 0) return null
  const times = invoices.flatMap(({ status_transitions: { paid_at } }) => (paid_at === null ? [] : [paid_at]))
  return hasMore || times.length === 0 ? start_date : Math.min(...times)
}

/** Whether every payment of the invoice was fully refunded. False for an invoice without payments: there was nothing to refund. */
async function isRefunded(ask: Ask, invoice: string): Promise<boolean> {
  const { data } = await ask((stripe) =>
    stripe.invoicePayments.list({
      invoice,
      status: 'paid',
      limit: PAGE_SIZE,
      expand: ['data.payment.payment_intent.latest_charge', 'data.payment.charge'],
    }),
  )
  const charges = data.map(({ payment: { payment_intent, charge } }) => {
    const last = typeof payment_intent === 'object' ? payment_intent.latest_charge : charge
    return typeof last === 'object' ? last : null
  })
  return charges.length > 0 && charges.every((charge) => charge?.refunded === true)
}

const dateOf = (seconds: number | null): Date | null => (seconds === null ? null : new Date(seconds * 1000))

function readSignedEvent(
  stripe: Stripe,
  body: Buffer,
  signature: string | undefined,
  secret: string,
): PaymentEvent | null {
  const text = body.toString('utf8')
  // The library checks text. Decoding replaces invalid UTF-8, so such a body is refused: its text would differ from what was signed.
  if (!signature || signature.length > LONGEST_SIGNATURE || !Buffer.from(text).equals(body)) return null
  const { signature: verifier, DEFAULT_TOLERANCE } = stripe.webhooks
  if (!verifier) throw new Error('The library of Stripe has no function that checks signatures.')
  try {
    return verifier.verifyHeader(text, signature, secret, DEFAULT_TOLERANCE) ? eventIn(text) : null
  } catch {
    return null
  }
}

// Other identifiers could not be stored.
const isIdentifier = (id: unknown): id is string => typeof id === 'string' && /^[!-~]{1,255}$/.test(id)

/** Reads only identifiers from the event (`text` is its JSON). The objects are fetched from Stripe later, so the API version of the event does not matter. */
function eventIn(text: string): PaymentEvent | null {
  const { id, type, data } = JSON.parse(text) as { id?: unknown; type?: unknown; data?: { object?: unknown } }
  if (!isIdentifier(id)) return null
  if (!EVENTS.has(type)) return { id, customerId: null, paymentId: null }
  const object = (data?.object ?? {}) as Record<'id' | 'object' | 'customer' | 'payment_intent', unknown>
  const customer = object.object === 'customer' ? object.id : object.customer
  const customerId = typeof customer === 'object' ? (customer as { id?: unknown } | null)?.id : customer
  const { payment_intent: paymentId } = object
  return {
    id,
    customerId: isIdentifier(customerId) ? customerId : null,
    paymentId: isIdentifier(paymentId) ? paymentId : null,
  }
}
