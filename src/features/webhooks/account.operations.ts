// Deliveries to a partner, for the users who work for it. Every query is limited to the partner of the caller.
import { Type } from 'typebox'
import { orNotFound } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { booleanType, listPage, objectType, offsetOf } from '../../kernel/schema.ts'
import { partnerOfCaller } from '../partners/webhook-settings.operations.ts'
import { resendOwn } from './delivery/deliver.ts'
import { sendTestEvent } from './delivery/test-event.ts'
import { findOwnDelivery, listDeliveries, wasSentAgain } from './queries.ts'
import { deliveryDetailSchema, deliveryFilters, deliveryId, deliverySchema, testEventSchema } from './schema.ts'

const fields = Type.Omit(deliverySchema, ['clientId']).properties
export const ownDelivery = Type.Object(fields, { title: 'OwnDelivery', description: 'An attempt to deliver an event.' })

export const listOwnDeliveries = pageOperation({
  name: 'list_own_deliveries',
  parameters: Type.Object({ state: deliveryFilters.state, test: deliveryFilters.test, ...listPage }),
  data: Type.Array(ownDelivery),
  run: async (ctx, input) => {
    const partner = await partnerOfCaller(ctx)
    const { state, test } = input
    return { data: await listDeliveries(ctx.db, { partnerId: partner.id, state, test }, input.limit, offsetOf(input)) }
  },
})

export const getOwnDelivery = pageOperation({
  name: 'get_own_delivery',
  parameters: Type.Object({ id: deliveryId }),
  data: objectType('An attempt to deliver an event, with what was sent.', {
    ...fields,
    body: deliveryDetailSchema.properties.body,
    sentAgain: booleanType('Whether the event was sent again since.', false),
  }),
  run: async (ctx, input) => {
    const partner = await partnerOfCaller(ctx)
    const delivery = orNotFound(await findOwnDelivery(ctx.db, partner.id, input.id), 'Delivery')
    return { data: { ...delivery, sentAgain: await wasSentAgain(ctx.db, delivery) } }
  },
})

export const resendOwnDelivery = pageOperation({
  name: 'resend_own_delivery',
  bucket: 'webhooks',
  parameters: Type.Object({ id: deliveryId }),
  data: ownDelivery,
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => ({
      data: await resendOwn(ctx, { partnerId: (await partnerOfCaller(ctx)).id, test: false }, input.id),
    })),
})

export const sendOwnTest = pageOperation({
  name: 'send_own_test_event',
  bucket: 'webhooks',
  data: testEventSchema,
  run: async (ctx) => ({ data: await sendTestEvent(ctx, (await partnerOfCaller(ctx)).id) }),
})

export const ownDeliveryOperations = [listOwnDeliveries, getOwnDelivery, resendOwnDelivery, sendOwnTest]
