// Sends an event again, as a delivery of its own with the same id and the same bytes.
import type { TransactionContext } from '../../kernel/context.ts'
import { badRequest, notFound } from '../../kernel/errors.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { storeDelivery } from './events.ts'
import { type DeliveryRow, findDelivery, findWebhookUrl } from './queries.ts'

export async function resend(ctx: TransactionContext, before: DeliveryRow): Promise<DeliveryRow> {
  const { eventId, partnerId, event, body, test } = before
  if ((await findWebhookUrl(ctx.db, partnerId)) === null)
    throw badRequest('The partner has no webhook URL any more, so it cannot be sent again. Set one first.')
  const id = await storeDelivery(ctx, { eventId, partnerId, event, body, test })
  await insertAudit(ctx.db, auditEntry(ctx, 'webhook.resend', `webhook:${before.id}`, { as: id }))
  const resent = await findDelivery(ctx.db, id)
  if (!resent) throw notFound('Delivery')
  return resent
}
