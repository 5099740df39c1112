// Checks the paid plan and the packages: whether Stripe answers, what the prices are, and whether Stripe sends its events here.
import type { Config } from '../../config.ts'
import { isPackagePrice } from '../../features/billing/orders/rules.ts'
import { isMonthlyPrice, priceText, STRIPE_WEBHOOK } from '../../features/billing/rules.ts'
import { PLAN_PRICES } from '../../features/keys/budgets.rules.ts'
import { type Payments, PaymentsRefused } from '../../kernel/interfaces/payments.ts'
import type { RunSql } from '../../platform/database/postgres.ts'
import { openStripe } from '../../platform/stripe.ts'
import { type DoctorFinding, findingsAbout, reasonOf } from './finding.ts'

const about = findingsAbout('Payments')
const TIMEOUT_MS = 10_000

export async function examinePayments(config: Config): Promise<DoctorFinding[]> {
  const payments = openStripe(config)
  if (!payments) return [about.ok('Not set up: Premium is granted by administrators only.')]
  const price = await examinePrice(payments)
  if (price.state === 'problem') return [price]
  const publicUrl = config.PUBLIC_URL ?? `http://localhost:${config.PORT}`
  const packages = Object.entries(config.STRIPE_PACKAGE_PRICES ?? {})
  const events = [...payments.events.plan, ...(packages.length > 0 ? payments.events.orders : [])]
  return [
    price,
    ...(await Promise.all(packages.map(([name, id]) => examinePackage(payments, name, id)))),
    await examineEndpoint(payments, publicUrl + STRIPE_WEBHOOK, events),
  ]
}

async function examinePackage(payments: Payments, name: string, id: string): Promise<DoctorFinding> {
  try {
    const price = await payments.price(id, TIMEOUT_MS)
    if (isPackagePrice(price)) return about.ok(`The package ${name} costs ${priceText(price)}.`)
    return about.problem(
      `The price ${id} of the package ${name} (${priceText(price)}) is not an active price that is paid once, so it is not sold.`,
      'Set STRIPE_PACKAGE_PRICES to a one-time price with a fixed amount.',
    )
  } catch (error) {
    const reason = reasonOf(error)
    return about.problem(
      `The price of the package ${name} cannot be read: ${reason}.`,
      priceRemedy(error, reason).replace('STRIPE_PRICE_ID', 'STRIPE_PACKAGE_PRICES'),
    )
  }
}

/** Warns of customers from a time when Stripe was set up: without the settings their subscriptions are neither checked nor cancelled. */
export async function examineOpenCustomers(config: Config, query: RunSql): Promise<DoctorFinding[]> {
  if (openStripe(config)) return []
  const { rows } = await query(`select count(*)::int as open from billing_customers c where closed_at is null
    and (user_id is null or exists (select 1 from billing_subscriptions s where s.customer_id = c.id and s.ended_at is null))`)
  const { open } = rows[0] as { open: number }
  if (open === 0) return []
  return [
    about.warning(
      `The STRIPE_ settings are not set, and ${open} ${open === 1 ? 'customer' : 'customers'} may still be charged by Stripe: Premium ends when the period that is known as paid is over, and the subscriptions of deleted accounts are not cancelled.`,
      'Set the settings again until the subscriptions have ended, or cancel them at Stripe.',
    ),
  ]
}

async function examinePrice(payments: Payments): Promise<DoctorFinding> {
  try {
    const price = await payments.price(payments.priceId, TIMEOUT_MS)
    const text = priceText(price)
    if (!price.active)
      return about.problem(
        `The price ${price.id} (${text}) is archived.`,
        'Activate it at Stripe, or set STRIPE_PRICE_ID to another.',
      )
    if (price.interval === null)
      return about.problem(`The price ${price.id} is paid once.`, 'Set STRIPE_PRICE_ID to a recurring price.')
    const says = `Stripe answers, and Premium costs ${text}.`
    return isMonthlyPrice(price, PLAN_PRICES.premium)
      ? about.ok(says)
      : about.warning(says, `It usually costs ${PLAN_PRICES.premium} a month; make sure that this price is meant.`)
  } catch (error) {
    const reason = reasonOf(error)
    return about.problem(`The price cannot be read: ${reason}.`, priceRemedy(error, reason))
  }
}

function priceRemedy(error: unknown, reason: string): string {
  if (!(error instanceof PaymentsRefused))
    return "Check that Stripe's API can be reached. Until then Premium cannot be bought."
  if (/\b40[13]\b/.test(reason))
    return 'Check STRIPE_SECRET_KEY, and the permissions of a restricted key in docs/billing.md.'
  return 'Check STRIPE_PRICE_ID, and that it and STRIPE_SECRET_KEY are both of test mode or both of live mode.'
}

/** Stripe shows a signing secret only once, so only the endpoint can be compared; the form of the secret is checked as a setting. */
async function examineEndpoint(payments: Payments, address: string, events: readonly string[]): Promise<DoctorFinding> {
  const addIt = `Add a webhook endpoint with the address ${address} at Stripe, for the events of docs/billing.md.`
  try {
    const endpoint = (await payments.listWebhookEndpoints()).find(({ url }) => url === address)
    if (!endpoint) return about.warning(`No webhook endpoint at Stripe has the address ${address}.`, addIt)
    if (!endpoint.enabled) return about.warning('The webhook endpoint is disabled at Stripe.', 'Enable it there.')
    const missing = events.filter((event) => !endpoint.events.includes(event) && !endpoint.events.includes('*'))
    if (missing.length > 0)
      return about.warning(`The webhook endpoint does not get ${missing.join(', ')}.`, 'Add these events at Stripe.')
    return about.ok(`Stripe sends its events to ${address}. The signing secret has the right form.`)
  } catch (error) {
    return about.warning(`The webhook endpoints cannot be listed: ${reasonOf(error)}.`, addIt)
  }
}
