// An event of the payment service. It only says that something about a customer may have changed; what is the case is asked for.
import type { Context } from '../../kernel/context.ts'
import { compareCustomer } from './compare.ts'
import { answered, billingOf } from './payments.ts'
import { hasEvent } from './queries.ts'

/** False when the signature is not valid. Throws a 503 when the payment service cannot be asked, so that it sends the event again. */
export async function receiveEvent(ctx: Context, body: Buffer, signature: string | undefined): Promise<boolean> {
  const { payments } = billingOf(ctx)
  const event = await payments.readEvent(body, signature)
  if (!event) return false
  const { id, customerId } = event
  if (customerId !== null && !(await hasEvent(ctx.db, id))) await answered(() => compareCustomer(ctx, customerId, id))
  return true
}
