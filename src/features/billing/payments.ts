// Access to the payment service for the billing feature, with cached prices for pages.
import type { Context, Log } from '../../kernel/context.ts'
import { Failure } from '../../kernel/errors.ts'
import { type Payments, PaymentsAway, PaymentsRefused, type Price } from '../../kernel/interfaces/payments.ts'
import { PAYMENT_TYPES, type PaymentType } from '../submissions/rules.ts'

/** For each package the id of its price at the payment service; a package without one is not sold. */
export type PackagePrices = Readonly<Partial<Record<PaymentType, string>>>

interface Billing {
  payments: Payments
  /** The price of the paid plan as it was last read; null if it was never read. A page waits at most PRICE_TIMEOUT_MS for it. */
  planPrice(): Promise<Price | null>
  /** The packages that are set up to be sold, each with its price, which is null while it was never read. */
  packages(): Promise<{ name: PaymentType; priceId: string; price: Price | null }[]>
}

declare module '../../kernel/context.ts' {
  interface Context {
    /** null: the paid plan is not set up. */
    billing: Billing | null
  }
}

/** A price that was read is shown for this time without asking again. */
const PRICE_MAX_AGE_MS = 10 * 60_000
/** After a failure the price is asked for again after this time. */
const RETRY_MS = 20_000
const PRICE_TIMEOUT_MS = 2_500

export function createBilling(payments: Payments | null, sold: PackagePrices, log: Log): Billing | null {
  if (!payments) return null
  const packages = PAYMENT_TYPES.flatMap((name) => {
    const priceId = sold[name]
    return priceId === undefined
      ? []
      : [{ name, priceId, read: cachedPrice(payments, priceId, `package ${name}`, log) }]
  })
  return {
    payments,
    planPrice: cachedPrice(payments, payments.priceId, 'paid plan', log),
    packages: () =>
      Promise.all(packages.map(async ({ name, priceId, read }) => ({ name, priceId, price: await read() }))),
  }
}

/** `what`: what the price is for, in log messages. */
function cachedPrice(payments: Payments, id: string, what: string, log: Log): () => Promise<Price | null> {
  let known: Price | null = null
  let askAgainAt = 0
  let asking: Promise<void> | null = null
  const ask = async () => {
    try {
      known = await payments.price(id, PRICE_TIMEOUT_MS)
      askAgainAt = performance.now() + PRICE_MAX_AGE_MS
    } catch (error) {
      askAgainAt = performance.now() + RETRY_MS
      if (error instanceof PaymentsRefused) log.error({ err: error }, `the price of the ${what} cannot be read`)
      else log.warn({ err: error }, `the price of the ${what} cannot be read at the moment`)
    } finally {
      asking = null
    }
  }
  return async () => {
    if (performance.now() < askAgainAt) return known
    asking ??= ask()
    // An earlier price is shown while a newer one is asked for.
    if (known === null) await asking
    return known
  }
}

const UNAVAILABLE =
  'The payment service cannot be reached at the moment. Nothing was changed; try again in a few minutes.'

/** Throws a 404 when the paid plan is not set up. */
export function billingOf({ billing }: Pick<Context, 'billing'>): Billing {
  if (!billing) throw new Failure(404, 'This service takes no payments.')
  return billing
}

/** Runs `work`. Throws a 503 when the payment service is away or refuses the request; the cause is logged. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PaymentsAway || error instanceof PaymentsRefused)
      throw new Failure(503, UNAVAILABLE, { headers: { 'retry-after': '60' }, cause: error })
    throw error
  }
}

/** Closes the checkout. Returns false if it had just been paid; the next comparison stores that payment. */
export async function closeCheckout(payments: Payments, id: string): Promise<boolean> {
  await payments.expireCheckout(id)
  return (await payments.findCheckout(id))?.state !== 'complete'
}
