// A service with a stand-in of Stripe, and users who pay.
import { compareOwn, openPortal, startCheckout } from '../../src/features/billing/checkout.ts'
import type { Caller } from '../../src/kernel/caller.ts'
import type { Context } from '../../src/kernel/context.ts'
import { extend } from '../../src/kernel/values/objects.ts'
import { operator } from '../../src/surfaces/http/requests/callers.ts'
import { userNamed } from './browser.ts'
import { until } from './process.ts'
import type { Reply, TestService } from './service.ts'
import { bodyOf, type StandIn, type StandInSubscription, type StripeEvent, signatureOf } from './stripe.ts'

let serial = 0

interface Payer {
  id: string
  email: string
  key: string
  /** The context of the user, as the dashboard has it. */
  ctx: Context
  /** Follows Upgrade and returns the id of the checkout. */
  checkout(): Promise<string>
  portal(): Promise<string>
  /** Comes back from the checkout. */
  comeBack(): Promise<void>
  plan(): Promise<'standard' | 'premium'>
}

const planOfLimit = { '10000': 'standard', '60000': 'premium' } as const

/** The plan that the limits of the key show. */
export async function planOfKey(service: Pick<TestService, 'rest'>, key: string): Promise<'standard' | 'premium'> {
  const limit = (await service.rest('/tags', { key })).headers.get('x-ratelimit-limit')
  const plan = planOfLimit[limit as keyof typeof planOfLimit]
  if (!plan) throw new Error(`no plan has the limit ${limit}`)
  return plan
}

export async function newPayer(service: TestService): Promise<Payer> {
  const email = `payer${++serial}-${process.pid}-${Date.now()}@example.com`
  const { key } = await service.newKey('standard', email)
  const { id } = await userNamed(service, email)
  const caller: Caller = { ...operator, kind: 'user', id, label: email }
  const ctx = extend(service.context(), { caller }) as Context
  return {
    id,
    email,
    key,
    ctx,
    checkout: async () => (await startCheckout(ctx)).split('/').at(-1)!,
    portal: () => openPortal(ctx),
    comeBack: () => compareOwn(ctx),
    plan: () => planOfKey(service, key),
  }
}

export const send = (
  service: Pick<TestService, 'fetch'>,
  event: StripeEvent,
  { body = bodyOf(event), signature = signatureOf(body) as string | null } = {},
): Promise<Reply> =>
  service.fetch('/api/stripe/webhook', {
    method: 'POST',
    body,
    headers: signature === null ? {} : { 'stripe-signature': signature },
  })

/** Sends events in this order and expects each to be confirmed. */
export async function deliver(service: Pick<TestService, 'fetch'>, events: readonly StripeEvent[]): Promise<void> {
  for (const event of events) {
    const reply = await send(service, event)
    if (reply.status !== 200) throw new Error(`${event.type} got ${reply.status}: ${reply.text}`)
  }
}

/** A user with a paid subscription whose events have arrived. */
export async function subscriber(
  service: TestService,
  stripe: StandIn,
  options: Parameters<StandIn['pay']>[1] = {},
): Promise<{ payer: Payer; subscription: StandInSubscription }> {
  const payer = await newPayer(service)
  const [subscription, events] = stripe.pay(await payer.checkout(), options)
  await deliver(service, events)
  return { payer, subscription }
}

/** Makes the comparison of the user due now and waits for it. */
export async function compareNow(service: TestService, userId: string): Promise<void> {
  await service.sql(
    `update billing_customers set next_at = now(), compared_at = null, leased_until = null where user_id = '${userId}'`,
  )
  await until(
    async () =>
      (await service.sql(`select 1 from billing_customers where user_id = '${userId}' and compared_at is null`))
        .length === 0,
    30_000,
  )
}

/** Everything that is stored as known about the user's payments happened so many seconds earlier. */
export const letTimePass = (service: TestService, userId: string, seconds: number) =>
  service.sql(`update billing_subscriptions s set paid_until = paid_until - interval '${seconds} seconds',
    premium_until = premium_until - interval '${seconds} seconds', ends_at = ends_at - interval '${seconds} seconds'
    from billing_customers c where c.id = s.customer_id and c.user_id = '${userId}'`)

export const auditOf = async (service: TestService, userId: string): Promise<string[]> =>
  (await service.admin('GET', `/audit?subject=user:${userId}&limit=100`)).body.data.map(
    ({ action, details }: { action: string; details: { plan?: string } }) =>
      action === 'billing.plan' ? `${action} ${details.plan}` : action,
  )
