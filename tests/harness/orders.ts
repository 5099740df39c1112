// Founders who own a product and order packages for it, and random histories of their payments.
import fc from 'fast-check'
import { expect } from 'vitest'
import { compareOwn } from '../../src/features/billing/checkout.ts'
import { compareCustomer, receiveEvent } from '../../src/features/billing/compare.ts'
import { startOrder } from '../../src/features/billing/orders/start.ts'
import type { PaymentType } from '../../src/features/submissions/rules.ts'
import type { Context, TransactionContext } from '../../src/kernel/context.ts'
import { Failure } from '../../src/kernel/errors.ts'
import { extend } from '../../src/kernel/values/objects.ts'
import { newPayer, send } from './billing.ts'
import { type Browser, signedUp, userNamed } from './browser.ts'
import { storeOwner } from './founders.ts'
import type { TestService } from './service.ts'
import { bodyOf, type StandIn, type StripeEvent, signatureOf } from './stripe.ts'

let serial = 0

/** A public listing. */
export async function newListing(service: TestService): Promise<string> {
  const slug = `ordered-${++serial}-${process.pid}`
  const body = { name: `Ordered ${serial}`, website: `https://${slug}.example.com`, tagline: 'Does one thing' }
  const reply = await service.admin('PUT', `/tools/${slug}`, body)
  if (reply.status !== 200) throw new Error(`the listing was not made: ${reply.text}`)
  return slug
}

export interface Owner extends Browser {
  email: string
  id: string
  slug: string
}

/** A signed-in founder who owns a public listing. */
export async function newOwner(service: TestService): Promise<Owner> {
  const browser = await signedUp(service)
  const { id } = await userNamed(service, browser.email)
  const slug = await newListing(service)
  await storeOwner(service, id, slug)
  return { ...browser, id, slug }
}

const NEW = '/dashboard/orders/new'

/** Presses Order; the answer is a redirect to the checkout, or back to the page. */
export const pressOrder = (owner: Owner, name: PaymentType = 'pro') =>
  owner.submit(NEW, NEW, { tool: owner.slug, package: name })

export const sessionIn = (address: string): string => address.split('/').at(-1)!

/** Orders a package and returns the checkout. */
export async function ordered(owner: Owner, name: PaymentType = 'pro'): Promise<string> {
  const reply = await pressOrder(owner, name)
  const address = reply.headers.get('location') ?? ''
  if (!address.startsWith('https://checkout.stripe.com/')) throw new Error(`no checkout: ${reply.status} ${address}`)
  return sessionIn(address)
}

export const ordersIn = async (service: TestService, query = ''): Promise<any[]> =>
  (await service.admin('GET', `/orders${query}`)).body.data

/** The orders of a product, newest first. */
export const ordersOf = async (service: TestService, slug: string): Promise<any[]> =>
  (await ordersIn(service, '?limit=1000')).filter(({ tool }) => tool?.slug === slug)

export const submissionsOf = async (service: TestService, slug: string): Promise<any[]> =>
  (await service.admin('GET', `/submissions?q=${slug}`)).body.data

class Crash extends Error {}

/** The context of a process that is killed at the end of its transaction, before or after it is committed. */
const crashing = (ctx: Context, isCommitted: boolean): Context =>
  extend(ctx, {
    transaction: async <T>(work: (ctx: TransactionContext) => Promise<T>) => {
      await ctx.transaction(async (inner) => {
        await work(inner)
        if (!isCommitted) throw new Crash('killed')
      })
      throw new Crash('killed')
    },
  }) as Context

/** The context of a process that is killed when it has stored an order, before or after Stripe has made the checkout. */
function crashingAtCheckout(ctx: Context, isMade: boolean): Context {
  const { billing } = ctx
  if (!billing) throw new Error('payments are not set up')
  const createCheckout: typeof billing.payments.createCheckout = async (...asked) => {
    if (isMade) await billing.payments.createCheckout(...asked)
    throw new Crash('killed')
  }
  return extend(ctx, { billing: { ...billing, payments: { ...billing.payments, createCheckout } } }) as Context
}

const unlessCrash = (error: unknown): void => {
  if (!(error instanceof Crash)) throw error
}

const PACKAGES: readonly PaymentType[] = ['starter', 'pro', 'premium']

const step = fc.record({
  action: fc.constantFrom(
    ...['order', 'order', 'two tabs', 'pay', 'pay', 'pay later', 'settle', 'fail', 'expire', 'refund', 'refund a part'],
    ...['refund fails', 'dispute', 'begin', 'deliver', 'deliver', 'crash', 'crash in order'],
    ...['crash in event', 'refusal', 'lost answer', 'come back'],
  ),
  pick: fc.nat(1000),
})

/** A founder, an administrator, Stripe and its events do things in a random order; then everything must agree. */
export async function checkOrderHistories(service: TestService, stripe: StandIn, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const history = await newHistory(service, stripe)
      for (const { action, pick } of steps) await history.act(action, pick)
      await history.check()
    }),
    { numRuns: runs },
  )
}

async function newHistory(service: TestService, stripe: StandIn) {
  const payer = await newPayer(service)
  const slug = await newListing(service)
  await storeOwner(service, payer.id, slug)
  /** The checkouts whose address the founder has seen, and events that were not delivered or may be repeated. */
  const seen = new Set<string>()
  const events: StripeEvent[] = []
  let begun = false

  const sessions = () => [...stripe.sessions.values()].filter(({ metadata }) => metadata.catalog_user === payer.id)
  const someOf = <T>(list: readonly T[], pick: number): T | undefined => list[pick % Math.max(1, list.length)]
  /** Failures are what a founder would read; anything else is a fault of the service. */
  const order = async (pick: number, ctx = payer.ctx) => {
    try {
      seen.add(sessionIn(await startOrder(ctx, slug, PACKAGES[pick % 3]!)))
    } catch (error) {
      if (!(error instanceof Failure) && !(error instanceof Crash)) throw error
    }
  }
  const onOne = (pick: number, states: string[], change: (id: string) => StripeEvent[]) => {
    const session = someOf(
      sessions().filter(({ status, payment }) => status === 'complete' && states.includes(payment!.state)),
      pick,
    )
    if (session) events.push(...change(session.id))
  }
  const payOne = (pick: number, arrived: boolean) => {
    const session = someOf(
      sessions().filter(({ id, status }) => seen.has(id) && status === 'open'),
      pick,
    )
    if (session) events.push(...stripe.payOrder(session.id, { arrived }))
  }
  const compareAll = async (ctx: Context) => {
    const rows = await service.sql(`select id from billing_customers where user_id = '${payer.id}'`)
    for (const { id } of rows) await compareCustomer(ctx, String(id))
  }
  const ACTIONS: Record<string, (pick: number) => unknown> = {
    order: (pick) => order(pick),
    'two tabs': (pick) => Promise.all([order(pick), order(pick + 1)]),
    pay: (pick) => payOne(pick, true),
    'pay later': (pick) => payOne(pick, false),
    settle: (pick) => onOne(pick, ['processing'], (id) => stripe.settleOrder(id)),
    fail: (pick) => onOne(pick, ['processing'], (id) => stripe.settleOrder(id, { arrived: false })),
    expire: (pick) => {
      const session = someOf(sessions(), pick)
      if (session?.status === 'open') events.push(...stripe.expireOrder(session.id))
    },
    refund: (pick) => onOne(pick, ['arrived'], (id) => stripe.refundOrder(id)),
    'refund a part': (pick) =>
      onOne(pick, ['arrived'], (id) =>
        stripe.sessions.get(id)!.payment!.refunded > 0 ? [] : stripe.refundOrder(id, 100),
      ),
    // After a further order, the money would be there twice.
    'refund fails': () => (sessions().length === 1 ? onOne(0, ['arrived'], (id) => stripe.failRefund(id)) : undefined),
    dispute: (pick) => onOne(pick, ['arrived'], (id) => stripe.disputeOrder(id)),
    begin: async () => {
      const [submission] = await submissionsOf(service, slug)
      if (!submission) return
      begun = true
      await service.admin('PATCH', `/submissions/${submission.id}`, { state: 'IN_PROGRESS' })
    },
    deliver: async (pick) => {
      const event = someOf(events, pick)
      if (event) await send(service, event)
    },
    crash: (pick) => compareAll(crashing(payer.ctx, pick % 2 === 0)).catch(unlessCrash),
    'crash in order': (pick) => order(pick, crashingAtCheckout(payer.ctx, pick % 2 === 0)),
    'crash in event': async (pick) => {
      const event = someOf(events, pick)
      if (!event) return
      const body = bodyOf(event)
      const ctx = crashing(payer.ctx, pick % 2 === 0)
      await receiveEvent(ctx, Buffer.from(body), signatureOf(body)).catch(unlessCrash)
    },
    refusal: async (pick) => {
      // A refusal, because the library asks again after an outage, which takes a second.
      stripe.setFault(401)
      await order(pick)
      const event = someOf(events, pick)
      if (event) await send(service, event)
      stripe.setFault(null)
    },
    'lost answer': async (pick) => {
      stripe.setFault(({ method, path }) => (method === 'POST' && path === '/v1/checkout/sessions' ? 'lost' : null))
      await order(pick)
      stripe.setFault(null)
    },
    'come back': () => compareOwn(payer.ctx),
  }

  return {
    act: async (action: string, pick: number) => void (await ACTIONS[action]!(pick)),
    /** What the specification says of Stripe's own records, written down without the code of the service. */
    async check() {
      await compareAll(payer.ctx)
      const all = sessions()
      const arrived = all.filter(({ payment }) => payment!.state === 'arrived')
      const kept = arrived.filter(({ amount, payment }) => payment!.refunded < amount)
      expect(kept.length, 'paid twice').toBeLessThanOrEqual(1)
      // Histories follow each other, so the orders of this one are the newest; a list of all would take longer with each history.
      const rows = (await ordersIn(service, '?limit=30')).filter(({ tool }) => tool?.slug === slug)
      const open = rows.filter(({ state }) => state === 'open' || state === 'processing')
      expect(open.length, 'open orders').toBeLessThanOrEqual(1)
      for (const row of rows) {
        const of = all.filter(({ metadata }) => metadata.catalog_order === row.id)
        const paid = of.filter((one) => kept.includes(one))
        const refunded = of.filter((one) => arrived.includes(one) && !kept.includes(one))
        expect(row.state === 'paid').toBe(paid.length > 0)
        expect(row.state === 'refunded').toBe(paid.length === 0 && refunded.length > 0)
        expect(row.disputed).toBe((paid[0] ?? refunded[0])?.payment?.disputed ?? false)
        expect(row.paymentId).toBe((paid[0] ?? refunded[0])?.payment?.id ?? null)
      }
      const submissions = await submissionsOf(service, slug)
      const withWork = rows.filter(({ submissionId }) => submissionId !== null)
      expect(submissions.map(({ id }) => id)).toEqual(withWork.map(({ submissionId }) => submissionId))
      expect(submissions.length).toBe(kept.length > 0 || begun ? 1 : 0)
    },
  }
}
