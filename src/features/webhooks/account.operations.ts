// What a partner's people see of the deliveries to it.
import { Type } from 'typebox'
import { operation } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/paging.ts'
import { partnerOfCaller } from '../keys/account.operations.ts'
import { listDeliveries } from './queries.ts'
import { DELIVERY_ID, deliveryFilters, deliverySchema } from './schema.ts'

const { clientId: _, ...fields } = deliverySchema.properties
const TIME = '2026-03-01T09:30:00.000Z'

export const listOwnDeliveries = operation({
  name: 'list_own_deliveries',
  summary: "Deliveries to the user's partner",
  description: "Attempts to deliver events to the partner's webhook URL, newest first.",
  group: 'Account',
  access: 'account',
  method: 'GET',
  path: '/account/partner/webhooks',
  parameters: Type.Object({ state: deliveryFilters.state, ...listPage }),
  data: Type.Array(Type.Object(fields, { description: 'An attempt to deliver an event.' })),
  failures: [400, 403],
  example: {
    success: true,
    data: [
      {
        id: DELIVERY_ID,
        eventId: 'msg_2f8e6c1a',
        event: 'directory_submissions.completed',
        state: 'delivered',
        status: 200,
        error: null,
        durationMs: 84,
        answer: 'ok',
        attemptedAt: TIME,
        createdAt: TIME,
      },
    ],
  },
  run: async (ctx, input) => {
    const partner = await partnerOfCaller(ctx)
    return {
      data: await listDeliveries(ctx.db, { client: partner.id, state: input.state }, input.limit, offsetOf(input)),
    }
  },
})

export const ownDeliveryOperations = [listOwnDeliveries]
