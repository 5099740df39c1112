// What billing needs of the platform, and the price that pages show.
import type { Context, Log } from '../../kernel/context.ts'
import { Failure } from '../../kernel/errors.ts'
import { type Payments, PaymentsAway, PaymentsRefused, type Price } from '../../kernel/payments.ts'

export interface Billing {
  payments: Payments
  /** The price as it was last read; null while it could not be read yet. A page waits for it only a moment. */
  price(): Promise<Price | null>
}

declare module '../../kernel/context.ts' {
  interface Context {
    /** null: the paid plan is not set up. */
    billing: Billing | null
  }
}

const FRESH_MS = 10 * 60_000
/** After a failure the price is asked for again after this time. */
const RETRY_MS = 20_000
const PRICE_TIMEOUT_MS = 2_500

export function createBilling(payments: Payments | null, log: Log): Billing | null {
  if (!payments) return null
  let known: Price | null = null
  let askAgainAt = 0
  let asking: Promise<void> | null = null
  const ask = async () => {
    try {
      known = await payments.price(PRICE_TIMEOUT_MS)
      askAgainAt = performance.now() + FRESH_MS
    } catch (error) {
      askAgainAt = performance.now() + RETRY_MS
      if (error instanceof PaymentsRefused) log.error({ err: error }, 'the price of the paid plan cannot be read')
      else log.warn({ err: error }, 'the price of the paid plan cannot be read at the moment')
    } finally {
      asking = null
    }
  }
  return {
    payments,
    async price() {
      if (performance.now() < askAgainAt) return known
      asking ??= ask()
      // An earlier price is shown while a newer one is asked for.
      if (known === null) await asking
      return known
    },
  }
}

const AWAY = 'The payment service cannot be reached at the moment. Nothing was changed; try again in a few minutes.'

/** The payments; a 404 when the paid plan is not set up. */
export function billingOf({ billing }: Pick<Context, 'billing'>): Billing {
  if (!billing) throw new Failure(404, 'This service takes no payments.')
  return billing
}

/** Turns an outage of the payment service into a 503, and a refusal into a fault of ours that is logged. */
export async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PaymentsAway || error instanceof PaymentsRefused)
      throw new Failure(503, AWAY, { headers: { 'retry-after': '60' }, cause: error })
    throw error
  }
}
