// Operator API: the delivery log.
import { Type } from 'typebox'
import { notFound } from '../../kernel/errors.ts'
import { operation } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/paging.ts'
import { nullable, oneOf, timestamp } from '../../kernel/schema.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { storeDelivery } from './events.ts'
import { type DeliveryRow, findDelivery, listDeliveries } from './queries.ts'

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'unknown'] as const

const DELIVERY_ID = '2f8e6c1a-7b3d-4c55-9d0e-8a1b2c3d4e5f'
const TIME = '2026-03-01T09:30:00.000Z'

const deliverySchema = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the delivery.', examples: [DELIVERY_ID] }),
    eventId: Type.String({
      description: 'Identifier of the event (webhook-id); the same when it is sent again.',
      examples: ['msg_2f8e6c1a'],
    }),
    event: Type.String({ description: 'Kind of the event.', examples: ['directory_submissions.completed'] }),
    clientId: Type.String({
      description: 'Identifier of the partner.',
      examples: ['8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10'],
    }),
    state: oneOf(DELIVERY_STATES, {
      description: 'unknown: the service stopped between sending and noting the answer.',
      examples: ['delivered'],
    }),
    status: nullable(Type.Integer({ description: "Status of the receiver's answer.", examples: [200] })),
    error: nullable(Type.String({ description: 'Why it failed.', examples: ['The receiver answered 500.'] })),
    durationMs: nullable(Type.Integer({ description: 'How long the attempt took.', examples: [84] })),
    answer: nullable(Type.String({ description: "The answer's first bytes.", examples: ['ok'] })),
    attemptedAt: nullable(timestamp('When it was sent.')),
    createdAt: timestamp('When the event happened.'),
  },
  { description: 'An attempt to deliver an event.' },
)

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
  attemptedAt: TIME,
  createdAt: TIME,
}

export const listWebhooks = operation({
  name: 'list_webhooks',
  summary: 'The delivery log',
  description: 'Attempts to deliver events, newest first.',
  group: 'Webhooks',
  access: 'operator',
  method: 'GET',
  path: '/webhooks',
  parameters: Type.Object({
    client: Type.Optional(
      Type.String({ description: 'Only those of this partner.', examples: ['8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10'] }),
    ),
    state: Type.Optional(oneOf(DELIVERY_STATES, { description: 'Only this state.', examples: ['failed'] })),
    ...listPage,
  }),
  data: Type.Array(deliverySchema),
  failures: [400],
  example: { success: true, data: [example] },
  run: async (ctx, input) => ({ data: (await listDeliveries(ctx.db, input, input.limit, offsetOf(input))).map(shown) }),
})

export const resendWebhook = operation({
  name: 'resend_webhook',
  summary: 'Send an event again',
  description: "Sends the same bytes once more, to the partner's webhook URL of now, as a delivery of its own.",
  group: 'Webhooks',
  access: 'operator',
  method: 'POST',
  path: '/webhooks/:id/resend',
  parameters: Type.Object({ id: Type.String({ description: 'Identifier of the delivery.', examples: [DELIVERY_ID] }) }),
  data: deliverySchema,
  failures: [404],
  example: {
    success: true,
    data: { ...example, state: 'pending', status: null, durationMs: null, answer: null, attemptedAt: null },
  },
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => {
      const before = await findDelivery(ctx.db, input.id)
      if (!before) throw notFound('Delivery')
      const { eventId, partnerId, event, body } = before
      const id = await storeDelivery(ctx, { eventId, partnerId, event, body })
      await insertAudit(ctx.db, auditEntry(ctx, 'webhook.resend', `webhook:${input.id}`, { as: id }))
      return { data: shown((await findDelivery(ctx.db, id))!) }
    }),
})

export const webhookOperations = [listWebhooks, resendWebhook]

const shown = ({ partnerId, ...row }: DeliveryRow) => ({ ...row, clientId: partnerId })
