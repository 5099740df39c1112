// Whatever a founder, an administrator and Stripe do, in whatever order, and whatever fails: order, submission and refund agree, and no one
// pays twice. order-histories-many.test.ts tries a thousand.
import { test } from 'vitest'
import { checkOrderHistories } from '../harness/orders.ts'
import { startService } from '../harness/service.ts'
import { standInStripe } from '../harness/stripe.ts'
import { use } from '../harness/use.ts'

const stripe = use(standInStripe)
const service = use(() => startService(stripe.packageSettings))

test('random histories of orders', { timeout: 600_000 }, () => checkOrderHistories(service, stripe, 10))
