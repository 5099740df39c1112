// @module-tag once
// When a subscription gives Premium, and how a price is written.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { isMonthlyPrice, nextComparison, premiumUntil, priceText } from '../../src/features/billing/rules.ts'
import { type Price, SUBSCRIPTION_STATUSES } from '../../src/kernel/interfaces/payments.ts'

const DAY = 86_400_000
const at = (days: number) => new Date(days * DAY)

const facts = fc.record({
  status: fc.constantFrom(...SUBSCRIPTION_STATUSES),
  endsAt: fc.option(fc.integer({ min: 0, max: 100 }).map(at), { nil: null }),
  endedByFailure: fc.boolean(),
  paidUntil: fc.option(fc.integer({ min: 0, max: 100 }).map(at), { nil: null }),
  refunded: fc.boolean(),
})

describe('Premium', () => {
  test('is never given without a paid invoice, never shorter than what is paid, never longer than seven days more', () => {
    fc.assert(
      fc.property(facts, (one) => {
        const until = premiumUntil(one)
        if (one.paidUntil === null || one.refunded) expect(until).toBeNull()
        else {
          const extra = (until!.getTime() - one.paidUntil.getTime()) / DAY
          expect([0, 7]).toContain(extra)
        }
      }),
    )
  })

  test.each([
    ['goes on', { status: 'active' }, 37],
    ['fails', { status: 'past_due' }, 37],
    ['is cancelled for the end of the period', { status: 'active', endsAt: at(30) }, 30],
    ['is cancelled for a later period', { status: 'active', endsAt: at(60) }, 37],
    ['was ended', { status: 'canceled', endsAt: at(10) }, 30],
    ['was ended because payments failed', { status: 'canceled', endsAt: at(33), endedByFailure: true }, 37],
  ] as const)('of a subscription that %s', (_, given, days) => {
    const one = { endsAt: null, endedByFailure: false, paidUntil: at(30), refunded: false, ...given }
    expect(premiumUntil(one)).toEqual(at(days))
  })
})

test('a customer is compared within a day, and when Premium would end', () => {
  expect(nextComparison(at(1))).toEqual(at(2))
  expect(nextComparison(at(1), { premiumUntil: at(1.5) })).toEqual(at(1.5))
  expect(nextComparison(at(1), { premiumUntil: at(0.5) })).toEqual(at(2))
  expect(nextComparison(at(1), { hasOpenCheckout: true }).getTime() - at(1).getTime()).toBe(5 * 60_000)
})

const price = (given: Partial<Price>): Price => ({
  id: 'price_1',
  amount: 900,
  currency: 'usd',
  interval: 'month',
  intervalCount: 1,
  active: true,
  ...given,
})

test.each([
  [{}, '$9 a month', true],
  [{ currency: 'eur' }, '€9 a month', true],
  [{ currency: 'jpy', amount: 9 }, '¥9 a month', true],
  [{ amount: 950 }, '$9.50 a month', false],
  [{ interval: 'year' }, '$9 a year', false],
  [{ intervalCount: 3 }, '$9 every 3 months', false],
  [{ amount: null }, 'a price in USD that depends on use, a month', false],
] as const)('a price is written as %s', (given, text, isNine) => {
  expect([priceText(price(given)), isMonthlyPrice(price(given), 9)]).toEqual([text, isNine])
})

describe('the settings', () => {
  const all = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1', STRIPE_PRICE_ID: 'price_1' }

  test('are all there, or none', () => {
    expect(readConfig(all)).toMatchObject(all)
    for (const name of Object.keys(all)) {
      expect(() => readConfig({ ...all, [name]: '' })).toThrow(`${name} is not set.`)
      expect(() => readConfig({ [name]: all[name as keyof typeof all] })).toThrow(/are not set\.$/)
    }
  })
})
