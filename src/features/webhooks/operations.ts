// Operator API: the delivery log.
import { Type } from 'typebox'
import { badRequest, notFound } from '../../kernel/errors.ts'
import { operation } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/paging.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { storeDelivery } from './events.ts'
import { type DeliveryRow, findDelivery, findDeliveryWithPartner, findWebhookUrl, listDeliveries } from './queries.ts'
import { DELIVERY_ID, deliveryDetailSchema, deliveryFilters, deliverySchema } from './schema.ts'

const TIME = '2026-03-01T09:30:00.000Z'

const example = {
  id: DELIVERY_ID,
  eventId: 'msg_2f8e6c1a',
  event: 'directory_submissions.completed',
  clientId: '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10',
  state: 'delivered',
  status: 200,
  error: null,
  durationMs: 84,
  answer: 'ok',
  test: false,
  attemptedAt: TIME,
  createdAt: TIME,
}

export const listWebhooks = operation({
  name: 'list_webhooks',
  summary: 'The delivery log',
  description: 'Attempts to deliver events, newest first; of sandboxes only with test.',
  group: 'Webhooks',
  access: 'operator',
  method: 'GET',
  path: '/webhooks',
  parameters: Type.Object({
    ...deliveryFilters,
    ...listPage,
  }),
  data: Type.Array(deliverySchema),
  failures: [400],
  example: { success: true, data: [example] },
  run: async (ctx, input) => ({
    data: (await listDeliveries(ctx.db, input, input.limit, offsetOf(input))).map(shownDelivery),
  }),
})

export const getWebhook = operation({
  name: 'get_webhook',
  summary: 'One delivery with what was sent',
  description: 'Everything about one attempt: the event, the answer, and where the partner receives now.',
  group: 'Webhooks',
  access: 'operator',
  method: 'GET',
  path: '/webhooks/:id',
  parameters: Type.Object({ id: Type.String({ description: 'Identifier of the delivery.', examples: [DELIVERY_ID] }) }),
  data: deliveryDetailSchema,
  failures: [404],
  example: {
    success: true,
    data: {
      ...example,
      client: { id: example.clientId, name: 'Example Launch Platform', webhookUrl: 'https://partner.example.com/hook' },
      body: '{"event":"directory_submissions.completed"}',
    },
  },
  run: async (ctx, input) => {
    const found = await findDeliveryWithPartner(ctx.db, input.id)
    if (!found) throw notFound('Delivery')
    return { data: { ...shownDelivery(found.delivery), client: found.client } }
  },
})

export const resendWebhook = operation({
  name: 'resend_webhook',
  summary: 'Send an event again',
  description:
    "Sends the same bytes once more, to the partner's webhook URL of now, as a delivery of its own. A partner without one is a 400.",
  group: 'Webhooks',
  access: 'operator',
  method: 'POST',
  path: '/webhooks/:id/resend',
  parameters: Type.Object({ id: Type.String({ description: 'Identifier of the delivery.', examples: [DELIVERY_ID] }) }),
  data: deliverySchema,
  failures: [400, 404],
  example: {
    success: true,
    data: { ...example, state: 'pending', status: null, durationMs: null, answer: null, attemptedAt: null },
  },
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => {
      const before = await findDelivery(ctx.db, input.id)
      if (!before) throw notFound('Delivery')
      const { eventId, partnerId, event, body, test } = before
      if ((await findWebhookUrl(ctx.db, partnerId)) === null)
        throw badRequest('The partner has no webhook URL any more, so it cannot be sent again. Set one first.')
      const id = await storeDelivery(ctx, { eventId, partnerId, event, body, test })
      await insertAudit(ctx.db, auditEntry(ctx, 'webhook.resend', `webhook:${input.id}`, { as: id }))
      const resent = await findDelivery(ctx.db, id)
      if (!resent) throw notFound('Delivery')
      return { data: shownDelivery(resent) }
    }),
})

export const webhookOperations = [listWebhooks, getWebhook, resendWebhook]

const shownDelivery = ({ partnerId, ...row }: DeliveryRow) => ({ ...row, clientId: partnerId })
