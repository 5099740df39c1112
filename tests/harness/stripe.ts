// A stand-in of Stripe on loopback that the real library talks to: its API as far as the service uses it, with idempotency keys, what
// customers and operators do at Stripe, and the events that this causes. Times are seconds, as at Stripe.
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening } from './listening.ts'

const SECRET_KEY = 'sk_test_51StandInSecretKey'
export const WEBHOOK_SECRET = 'whsec_StandInSigningSecret'
export const PRICE = 'price_StandInNine'
export const PACKAGE_PRICES = {
  starter: 'price_StandInStarter',
  pro: 'price_StandInPro',
  premium: 'price_StandInPremium',
} as const
export const DAY = 86_400

export interface StandInSubscription {
  id: string
  customer: string
  status: string
  price: string
  metadata: Record<string, string>
  start: number
  period: { start: number; end: number }
  cancelAt: number | null
  cancelAtPeriodEnd: boolean
  endedAt: number | null
  reason: string | null
}

interface StandInInvoice {
  id: string
  subscription: string
  status: 'paid' | 'open' | 'void'
  paidAt: number | null
  period: { start: number; end: number }
  proration: boolean
  refunded: boolean
}

/** `payment` is that of a checkout for one payment. */
interface Session {
  id: string
  customer: string
  status: 'open' | 'complete' | 'expired'
  metadata: Record<string, string>
  mode: string
  amount: number
  currency: string
  payment: {
    id: string
    state: 'none' | 'processing' | 'arrived' | 'failed'
    refunded: number
    disputed: boolean
    /** By default it has one. */
    hasInvoice?: boolean
  } | null
}

export interface StripeEvent {
  id: string
  type: string
  /** Events about disputes and refunds name only the payment. */
  customer: string | null
  payment?: string
}

/** What the stand-in does with a request instead of answering it; `lost`: it does what it was asked, and the answer never arrives. */
export type Fault = 'refused' | 500 | 429 | 401 | 'silent' | 'lost' | { delayMs: number }

interface StandInRequest {
  method: string
  path: string
  query: URLSearchParams
  form: URLSearchParams
  idempotencyKey: string | undefined
}

let serial = 0
const newId = (prefix: string) => `${prefix}_${(++serial).toString().padStart(6, '0')}${process.pid}`
export const now = () => Math.floor(Date.now() / 1000)

export type StandIn = Awaited<ReturnType<typeof standInStripe>>

export async function standInStripe() {
  const customers = new Map<string, { email: string; metadata: Record<string, string>; deleted: boolean }>()
  const sessions = new Map<string, Session>()
  const subscriptions = new Map<string, StandInSubscription>()
  const invoices: StandInInvoice[] = []
  const remembered = new Map<string, object>()
  const requests: StandInRequest[] = []
  const price = {
    unit_amount: 900 as number | null,
    currency: 'usd',
    interval: 'month',
    interval_count: 1,
    active: true,
  }
  /** Prices that are paid once, by identifier. */
  const packagePrices = new Map<
    string,
    { unit_amount: number | null; currency: string; recurring: object | null; active: boolean }
  >(
    Object.values(PACKAGE_PRICES).map((id, at) => [
      id,
      { unit_amount: [9900, 17_900, 26_900][at]!, currency: 'usd', recurring: null, active: true },
    ]),
  )
  const endpoints: { url: string; status: string; enabled_events: string[] }[] = []
  let fault: (request: StandInRequest) => Fault | null = () => null

  const event = (type: string, customer: string | null, payment?: string): StripeEvent => ({
    id: newId('evt'),
    type,
    customer,
    payment,
  })
  const subscriptionOf = (id: string) => subscriptions.get(id)!
  const paidOnce = (id: string) => {
    const session = sessions.get(id)!
    const { payment, customer, amount } = session
    if (!payment) throw new Error(`${id} is not for one payment`)
    return { session, payment, customer, amount }
  }
  const addInvoice = (
    subscription: StandInSubscription,
    status: StandInInvoice['status'],
    paidAt: number | null,
    proration = false,
  ) =>
    invoices.unshift({
      id: newId('in'),
      subscription: subscription.id,
      status,
      paidAt,
      period: { ...subscription.period },
      proration,
      refunded: false,
    })

  const answers: [method: string, path: RegExp, answer: (request: StandInRequest, id: string) => object][] = [
    ['GET', /^\/v1\/prices\/([^/]+)$/, (_, id) => priceObject(id)],
    [
      'POST',
      /^\/v1\/customers$/,
      ({ form }) => {
        const id = newId('cus')
        customers.set(id, { email: form.get('email') ?? '', metadata: metadataIn(form, 'metadata'), deleted: false })
        return { id, object: 'customer', email: form.get('email') }
      },
    ],
    [
      'POST',
      /^\/v1\/checkout\/sessions$/,
      ({ form }) => {
        const customer = existing(form.get('customer') ?? '')
        const [mode, price] = [form.get('mode'), form.get('line_items[0][price]')]
        if ((mode !== 'subscription' && mode !== 'payment') || price === null)
          throw refusal(400, 'parameter_missing', 'mode', 'Missing required param.')
        const sold = packagePrices.get(price)
        if ((mode === 'payment') !== (sold?.recurring === null))
          throw refusal(400, 'parameter_invalid', 'line_items', 'The price does not fit the mode.')
        const id = newId('cs_test')
        const payment =
          mode === 'payment' ? { id: newId('pi'), state: 'none' as const, refunded: 0, disputed: false } : null
        const { unit_amount, currency } = sold ?? stripe.price
        sessions.set(id, {
          ...{ id, customer, mode, currency, payment },
          status: 'open',
          metadata: metadataIn(form, 'metadata'),
          amount: unit_amount ?? 0,
        })
        return sessionObject(sessions.get(id)!)
      },
    ],
    [
      'GET',
      /^\/v1\/checkout\/sessions$/,
      ({ query }) => {
        const customer = existing(query.get('customer') ?? '')
        const of = [...sessions.values()].filter((one) => one.customer === customer).reverse()
        const from = of.findIndex(({ id }) => id === query.get('starting_after')) + 1
        return listOf(of.slice(from).map(sessionObject), Number(query.get('limit')))
      },
    ],
    ['GET', /^\/v1\/checkout\/sessions\/([^/]+)$/, (_, id) => sessionObject(found(sessions, id, 'session'))],
    [
      'POST',
      /^\/v1\/checkout\/sessions\/([^/]+)\/expire$/,
      (_, id) => {
        const session = found(sessions, id, 'session')
        if (session.status !== 'open') throw refusal(400, '', 'session', 'Only an open session can be expired.')
        session.status = 'expired'
        return sessionObject(sessions.get(id)!)
      },
    ],
    [
      'POST',
      /^\/v1\/billing_portal\/sessions$/,
      ({ form }) => ({
        id: newId('bps'),
        object: 'billing_portal.session',
        url: `https://billing.stripe.com/p/session/${existing(form.get('customer') ?? '')}`,
      }),
    ],
    [
      'GET',
      /^\/v1\/subscriptions$/,
      ({ query }) => {
        const customer = existing(query.get('customer') ?? '')
        const of = [...subscriptions.values()].filter((one) => one.customer === customer).reverse()
        const from = of.findIndex(({ id }) => id === query.get('starting_after')) + 1
        return listOf(of.slice(from).map(subscriptionObject), Number(query.get('limit')))
      },
    ],
    [
      'DELETE',
      /^\/v1\/subscriptions\/([^/]+)$/,
      (_, id) => {
        const subscription = found(subscriptions, id, 'id')
        if (subscription.status === 'canceled') throw refusal(404, 'resource_missing', 'id', 'No such subscription')
        stripe.cancelNow(id)
        return subscriptionObject(subscription)
      },
    ],
    [
      'POST',
      /^\/v1\/subscriptions\/([^/]+)$/,
      ({ form }, id) => {
        const subscription = found(subscriptions, id, 'id')
        if (form.get('cancel_at_period_end') === 'true') stripe.cancelAtEnd(id)
        return subscriptionObject(subscription)
      },
    ],
    [
      'GET',
      /^\/v1\/invoices$/,
      ({ query }) =>
        listOf(
          invoices
            .filter(
              ({ subscription, status }) =>
                subscription === query.get('subscription') && status === query.get('status'),
            )
            .map(invoiceObject),
          Number(query.get('limit')),
        ),
    ],
    [
      'GET',
      /^\/v1\/invoice_payments$/,
      ({ query }) => {
        const refunded = invoices.find(({ id }) => id === query.get('invoice'))?.refunded ?? false
        const latest_charge = { id: 'ch_1', object: 'charge', refunded }
        const payment = {
          type: 'payment_intent',
          payment_intent: { id: 'pi_1', object: 'payment_intent', latest_charge },
        }
        return listOf([{ id: 'inpay_1', object: 'invoice_payment', status: 'paid', payment }], 100)
      },
    ],
    ['GET', /^\/v1\/webhook_endpoints$/, () => listOf(endpoints, 100)],
  ]

  function existing(customer: string): string {
    const known = customers.get(customer)
    if (!known || known.deleted) throw refusal(404, 'resource_missing', 'customer', `No such customer: '${customer}'`)
    return customer
  }

  function priceObject(id: string) {
    const once = packagePrices.get(id)
    if (once) return { id, object: 'price', ...once }
    if (id !== PRICE) throw refusal(404, 'resource_missing', 'price', `No such price: '${id}'`)
    const { interval, interval_count, ...rest } = price
    return { id, object: 'price', ...rest, recurring: { interval, interval_count } }
  }

  const subscriptionObject = (one: StandInSubscription) => ({
    id: one.id,
    object: 'subscription',
    customer: one.customer,
    status: one.status,
    metadata: one.metadata,
    start_date: one.start,
    cancel_at: one.cancelAt,
    cancel_at_period_end: one.cancelAtPeriodEnd,
    ended_at: one.endedAt,
    cancellation_details: { reason: one.reason },
    items: listOf(
      [
        {
          id: `si_${one.id}`,
          object: 'subscription_item',
          price: { id: one.price, object: 'price' },
          current_period_start: one.period.start,
          current_period_end: one.period.end,
        },
      ],
      10,
    ),
  })

  const invoiceObject = (one: StandInInvoice) => ({
    id: one.id,
    object: 'invoice',
    status: one.status,
    status_transitions: { paid_at: one.paidAt },
    lines: listOf(
      [
        {
          id: `il_${one.id}`,
          object: 'line_item',
          period: one.period,
          parent: {
            type: 'subscription_item_details',
            subscription_item_details: { proration: one.proration, subscription: one.subscription },
          },
        },
      ],
      10,
    ),
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += chunk
    const url = new URL(request.url!, 'http://stripe')
    const { authorization, 'idempotency-key': idempotencyKey } = request.headers
    const asked: StandInRequest = {
      method: request.method!,
      path: url.pathname,
      query: url.searchParams,
      form: new URLSearchParams(text),
      idempotencyKey: idempotencyKey as string | undefined,
    }
    requests.push(asked)
    const failing = fault(asked)
    if (failing === 'silent') return
    if (failing === 'refused') return void request.socket.destroy()
    if (typeof failing === 'object' && failing) await new Promise((resolve) => setTimeout(resolve, failing.delayMs))
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (failing === 401 || authorization !== `Bearer ${SECRET_KEY}`)
      return void send(401, {
        error: { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_****Key' },
      })
    if (typeof failing === 'number')
      return void send(failing, { error: { type: 'api_error', message: 'Out of order' } })
    try {
      const body = answerOnce(asked)
      if (failing === 'lost') return void request.socket.destroy()
      send(200, body)
    } catch (error) {
      const { status, ...told } = error as ReturnType<typeof refusal>
      send(status ?? 500, { error: { type: 'invalid_request_error', ...told } })
    }
  }

  function answerOnce(asked: StandInRequest): object {
    const key = asked.idempotencyKey
    const before = key === undefined ? undefined : remembered.get(key)
    if (before) return before
    for (const [method, path, answer] of answers) {
      const match = method === asked.method ? path.exec(asked.path) : null
      if (!match) continue
      const body = answer(asked, match[1] ?? '')
      if (key !== undefined) remembered.set(key, body)
      return body
    }
    throw refusal(404, 'url_invalid', '', `Unrecognized request URL (${asked.method}: ${asked.path})`)
  }

  const server = createServer((request, response) => void handle(request, response))
  const { url, close } = await listening(server)

  const stripe = {
    url,
    /** The settings of a service that uses this stand-in. */
    get settings() {
      return {
        STRIPE_SECRET_KEY: SECRET_KEY,
        STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
        STRIPE_PRICE_ID: PRICE,
        STRIPE_API_URL: url,
      }
    },
    /** The settings of a service that also sells packages. */
    get packageSettings() {
      const prices = Object.entries(PACKAGE_PRICES).map(([name, id]) => `${name}:${id}`)
      return { ...this.settings, STRIPE_PACKAGE_PRICES: prices.join(',') }
    },
    customers,
    sessions,
    packagePrices,
    subscriptions,
    invoices,
    requests,
    price,
    endpoints,
    /** Decides for each request whether something goes wrong. */
    setFault(decide: typeof fault | Fault | null) {
      fault = typeof decide === 'function' ? decide : () => decide
    },
    /** A customer of another program of the same account. */
    strangeCustomer() {
      const id = newId('cus')
      customers.set(id, { email: 'other@example.com', metadata: {}, deleted: false })
      return id
    },

    /** The customer pays at the checkout. `daysAgo`: it was so long ago. `paid`: whether the money has arrived already. */
    pay(
      sessionId: string,
      { daysAgo = 0, days = 30, paid = true, price = PRICE } = {},
    ): [StandInSubscription, StripeEvent[]] {
      const session = sessions.get(sessionId)!
      session.status = 'complete'
      const { catalog_user } = session.metadata
      return stripe.subscribe(session.customer, {
        daysAgo,
        days,
        paid,
        price,
        metadata: { catalog_user: catalog_user! },
      })
    },
    /** The customer pays for an order. `arrived`: whether the money has arrived already. */
    payOrder(sessionId: string, { arrived = true } = {}): StripeEvent[] {
      const { session, payment, customer } = paidOnce(sessionId)
      session.status = 'complete'
      payment.state = arrived ? 'arrived' : 'processing'
      return [event('checkout.session.completed', customer, payment.id)]
    },
    /** The money of an order arrives, or does not. */
    settleOrder(sessionId: string, { arrived = true } = {}): StripeEvent[] {
      const { payment, customer } = paidOnce(sessionId)
      payment.state = arrived ? 'arrived' : 'failed'
      return [event(`checkout.session.async_payment_${arrived ? 'succeeded' : 'failed'}`, customer)]
    },
    expireOrder(sessionId: string): StripeEvent[] {
      const { session, customer } = paidOnce(sessionId)
      session.status = 'expired'
      return [event('checkout.session.expired', customer)]
    },
    /** Gives the payment of an order back, or a part of it. A refund that fails takes back what was given back. */
    refundOrder(sessionId: string, amount = paidOnce(sessionId).amount): StripeEvent[] {
      const { payment, customer } = paidOnce(sessionId)
      payment.refunded = amount
      return [event('charge.refunded', customer, payment.id), event('refund.updated', null, payment.id)]
    },
    failRefund(sessionId: string): StripeEvent[] {
      const { payment } = paidOnce(sessionId)
      payment.refunded = 0
      return [event('refund.failed', null, payment.id)]
    },
    disputeOrder(sessionId: string): StripeEvent[] {
      const { payment } = paidOnce(sessionId)
      payment.disputed = true
      return [event('charge.dispute.created', null, payment.id)]
    },
    /** A subscription that is made at Stripe. */
    subscribe(
      customer: string,
      { daysAgo = 0, days = 30, paid = true, price = PRICE, metadata = {} as Record<string, string> } = {},
    ): [StandInSubscription, StripeEvent[]] {
      const start = now() - daysAgo * DAY
      const subscription: StandInSubscription = {
        id: newId('sub'),
        customer,
        status: paid ? 'active' : 'incomplete',
        price,
        metadata,
        start,
        period: { start, end: start + days * DAY },
        cancelAt: null,
        cancelAtPeriodEnd: false,
        endedAt: null,
        reason: null,
      }
      subscriptions.set(subscription.id, subscription)
      addInvoice(subscription, paid ? 'paid' : 'open', paid ? start : null)
      const types = ['customer.subscription.created', 'checkout.session.completed', ...(paid ? ['invoice.paid'] : [])]
      return [subscription, types.map((type) => event(type, customer))]
    },
    /** The open invoice is paid. */
    payInvoice(id: string): StripeEvent[] {
      const subscription = subscriptionOf(id)
      const open = invoices.find((one) => one.subscription === id && one.status === 'open')
      if (open) {
        open.status = 'paid'
        open.paidAt = now()
      }
      if (subscription.status !== 'canceled') subscription.status = 'active'
      return ['invoice.paid', 'customer.subscription.updated'].map((type) => event(type, subscription.customer))
    },
    /** The next period begins, and its payment succeeds or fails. */
    renew(id: string, { paid = true, days = 30 } = {}): StripeEvent[] {
      const subscription = subscriptionOf(id)
      const start = subscription.period.end
      subscription.period = { start, end: start + days * DAY }
      addInvoice(subscription, paid ? 'paid' : 'open', paid ? start : null)
      subscription.status = paid ? 'active' : 'past_due'
      return [paid ? 'invoice.paid' : 'invoice.payment_failed', 'customer.subscription.updated'].map((type) =>
        event(type, subscription.customer),
      )
    },
    setStatus(id: string, status: string): StripeEvent[] {
      subscriptionOf(id).status = status
      return [event('customer.subscription.updated', subscriptionOf(id).customer)]
    },
    cancelAtEnd(id: string): StripeEvent[] {
      subscriptionOf(id).cancelAtPeriodEnd = true
      return [event('customer.subscription.updated', subscriptionOf(id).customer)]
    },
    /** As the portal does it in newer accounts. */
    cancelAt(id: string, at: number): StripeEvent[] {
      subscriptionOf(id).cancelAt = at
      return [event('customer.subscription.updated', subscriptionOf(id).customer)]
    },
    resume(id: string): StripeEvent[] {
      Object.assign(subscriptionOf(id), { cancelAtPeriodEnd: false, cancelAt: null })
      return [event('customer.subscription.updated', subscriptionOf(id).customer)]
    },
    cancelNow(id: string, reason = 'cancellation_requested'): StripeEvent[] {
      Object.assign(subscriptionOf(id), { status: 'canceled', endedAt: now(), reason })
      return [event('customer.subscription.deleted', subscriptionOf(id).customer)]
    },
    refund(id: string): StripeEvent[] {
      for (const invoice of invoices) if (invoice.subscription === id) invoice.refunded = true
      return [event('charge.refunded', subscriptionOf(id).customer)]
    },
    /** An invoice that only settles a change in the middle of a period, for a period that ends later. */
    settleChange(id: string, price: string): StripeEvent[] {
      const subscription = subscriptionOf(id)
      subscription.price = price
      const { period } = subscription
      subscription.period = { start: period.start, end: period.end + 300 * DAY }
      addInvoice(subscription, 'paid', now(), true)
      subscription.period = period
      return ['invoice.paid', 'customer.subscription.updated'].map((type) => event(type, subscription.customer))
    },
    deleteCustomer(id: string): StripeEvent[] {
      customers.get(id)!.deleted = true
      for (const one of subscriptions.values()) if (one.customer === id) stripe.cancelNow(one.id)
      return [event('customer.deleted', id)]
    },
    event,
    close,
  }
  return stripe
}

const listOf = (data: object[], limit: number) => ({
  object: 'list',
  data: data.slice(0, limit),
  has_more: data.length > limit,
})

const sessionObject = ({ id, customer, status, metadata, mode, amount, currency, payment }: Session) => ({
  id,
  object: 'checkout.session',
  customer,
  status,
  metadata,
  mode,
  amount_total: amount,
  currency,
  payment_status: payment && payment.state !== 'arrived' ? 'unpaid' : 'paid',
  payment_intent:
    payment && payment.state !== 'none'
      ? {
          id: payment.id,
          object: 'payment_intent',
          status: { processing: 'processing', arrived: 'succeeded', failed: 'requires_payment_method' }[payment.state],
          latest_charge: {
            id: `ch_${payment.id}`,
            object: 'charge',
            amount_refunded: payment.refunded,
            refunded: payment.refunded === amount,
            disputed: payment.disputed,
            receipt_url: `https://pay.stripe.com/receipts/${payment.id}`,
          },
        }
      : null,
  invoice:
    payment?.state === 'arrived' && payment.hasInvoice !== false
      ? { id: `in_${id}`, object: 'invoice', hosted_invoice_url: `https://invoice.stripe.com/i/${id}` }
      : null,
  url: status === 'open' ? `https://checkout.stripe.com/c/pay/${id}` : null,
})

const refusal = (status: number, code: string, param: string, message: string) => ({ status, code, param, message })

function found<T>(map: Map<string, T>, id: string, param: string): T {
  const one = map.get(id)
  if (one === undefined) throw refusal(404, 'resource_missing', param, `No such ${param}: '${id}'`)
  return one
}

const metadataIn = (form: URLSearchParams, name: string): Record<string, string> =>
  Object.fromEntries(
    [...form].flatMap(([key, value]) => {
      const inside = new RegExp(`^${name}\\[(\\w+)\\]$`).exec(key)
      return inside ? [[inside[1]!, value]] : []
    }),
  )

export const bodyOf = ({ id, type, customer, payment }: StripeEvent): string =>
  JSON.stringify({
    id,
    object: 'event',
    type,
    // What an event says about the subscription is never believed.
    data: {
      object: type.startsWith('customer.deleted')
        ? { id: customer, object: 'customer' }
        : { object: 'thing', customer, payment_intent: payment, status: 'active', premium: true },
    },
  })

export const signatureOf = (body: string, secret = WEBHOOK_SECRET, at = now()): string =>
  `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
