import { Type } from 'typebox'
import { orNotFound } from '../../kernel/errors.ts'
import { operationsFor } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/schema.ts'
import { EXAMPLE_PARTNER_ID, partnerId } from '../partners/schema.ts'
import { resend } from './delivery/deliver.ts'
import { eventHeaders } from './delivery/signature.rules.ts'
import { sendTestEvent } from './events.ts'
import { type DeliveryRow, findDelivery, findDeliveryWithPartner, listDeliveries } from './queries.ts'
import { deliveryDetailSchema, deliveryFilters, deliveryId, deliverySchema, testEventSchema } from './schema.ts'

const operation = operationsFor('operator', 'Webhooks')

export const listWebhooks = operation({
  name: 'list_webhooks',
  summary: 'The delivery log',
  description: 'Attempts to deliver events, newest first; of sandboxes only with test.',
  method: 'GET',
  path: '/webhooks',
  parameters: Type.Object({ ...deliveryFilters, ...listPage }),
  data: Type.Array(deliverySchema),
  exampleFields: { error: null },
  run: async (ctx, input) => ({
    data: (await listDeliveries(ctx.db, { ...input, partnerId: input.client }, input.limit, offsetOf(input))).map(
      shownDelivery,
    ),
  }),
})

export const getWebhook = operation({
  name: 'get_webhook',
  summary: 'One delivery with what was sent',
  description: 'Everything about one attempt: the event, the answer, and where the partner receives now.',
  method: 'GET',
  path: '/webhooks/:id',
  parameters: Type.Object({ id: deliveryId }),
  data: deliveryDetailSchema,
  exampleFields: {
    error: null,
    client: { id: EXAMPLE_PARTNER_ID, name: 'Example Launch Platform', webhookUrl: 'https://partner.example.com/hook' },
    body: '{"event":"directory_submissions.completed"}',
    headers: { 'x-catalog-event': 'directory_submissions.completed', 'webhook-id': 'msg_2f8e6c1a' },
  },
  run: async (ctx, input) => {
    const found = orNotFound(await findDeliveryWithPartner(ctx.db, input.id), 'Delivery')
    const { delivery, client, secrets } = found
    return { data: { ...shownDelivery(delivery), client, headers: headersOf(delivery, secrets, ctx.now()) } }
  },
})

export const resendWebhook = operation({
  name: 'resend_webhook',
  summary: 'Send an event again',
  description:
    "Sends the same bytes once more, to the partner's webhook URL of now, as a delivery of its own. A partner without one is a 400.",
  method: 'POST',
  path: '/webhooks/:id/resend',
  parameters: Type.Object({ id: deliveryId }),
  data: deliverySchema,
  failures: [400, 404],
  exampleFields: { state: 'pending', status: null, error: null, durationMs: null, answer: null, attemptedAt: null },
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => {
      const before = orNotFound(await findDelivery(ctx.db, input.id), 'Delivery')
      return { data: shownDelivery(await resend(ctx, before)) }
    }),
})

export const sendTest = operationsFor(
  'operator',
  'Partners',
)({
  name: 'send_test_event',
  summary: 'Send a test event',
  description:
    'Sends a signed test.ping to the webhook URL of the partner, through the same queue as every event, and waits up to twelve seconds for the outcome. One every five seconds; a partner without a webhook URL is a 400.',
  method: 'POST',
  path: '/partners/:id/test-event',
  parameters: Type.Object({ id: partnerId }),
  data: testEventSchema,
  failures: [400, 404, 429],
  exampleFields: { error: null },
  run: async (ctx, input) => ({ data: await sendTestEvent(ctx, input.id) }),
})

export const webhookOperations = [listWebhooks, getWebhook, resendWebhook, sendTest]

/** The headers of the attempt, signed with the secret of now; null before the attempt. */
function headersOf(
  { eventId, event, body, attemptedAt, test }: DeliveryRow,
  { secret, previousSecret, previousValidUntil }: PartnerSecrets,
  now: Date,
) {
  if (attemptedAt === null) return null
  const previous = previousValidUntil !== null && previousValidUntil > now ? previousSecret : null
  return eventHeaders({ id: eventId, event, body, secret, previousSecret: previous, at: attemptedAt, test })
}

interface PartnerSecrets {
  secret: string
  previousSecret: string | null
  previousValidUntil: Date | null
}

const shownDelivery = ({ partnerId, ...row }: DeliveryRow) => ({ ...row, clientId: partnerId })
