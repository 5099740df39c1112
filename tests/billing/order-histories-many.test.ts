// @module-tag long
// A thousand random histories of orders, as in order-histories.test.ts.
import { test } from 'vitest'
import { checkOrderHistories } from '../harness/orders.ts'
import { startService } from '../harness/service.ts'
import { standInStripe } from '../harness/stripe.ts'
import { use } from '../harness/use.ts'

const stripe = use(standInStripe)
const service = use(() => startService(stripe.packageSettings))

test('a thousand random histories of orders', { timeout: 1_800_000 }, () =>
  checkOrderHistories(service, stripe, Number(process.env.ORDER_RUNS ?? 1000)),
)
