// What a partner's program does by itself: read events in their order, look at deliveries, send one again, try the webhook. Also the
// deliveries for the signed-in users who work for the partner.
import { Type } from 'typebox'
import { cursorAt, cursorParameter, nextCursor, positionOf, wrongCursor } from '../../kernel/database/cursor.ts'
import { orNotFound } from '../../kernel/errors.ts'
import { callingOwner } from '../../kernel/invoke.ts'
import { operationsFor, pageOperation } from '../../kernel/operation.ts'
import {
  booleanType,
  listPage,
  nullable,
  objectType,
  offsetOf,
  oneOf,
  pageParameters,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { partnerOfCaller } from '../partners/webhook-settings.operations.ts'
import { resendOwn } from './delivery/deliver.ts'
import { type Feed, findFeed, listEventsAfter } from './events.queries.ts'
import { sendTestEvent } from './events.ts'
import { findOwnDelivery, listDeliveries, wasSentAgain } from './queries.ts'
import * as schema from './schema.ts'

const operation = operationsFor('partner', 'Webhooks')

const TIME = '2026-03-01T09:30:00.000Z'
const EVENT_ID = 'msg_2f8e6c1a-7b3d-4c55-9d0e-8a1b2c3d4e5f'

const fields = Type.Omit(schema.deliverySchema, ['clientId']).properties
const ownDelivery = Type.Object(fields, { title: 'OwnDelivery', description: 'An attempt to deliver an event.' })

/** How long an event can be read. */
export const EVENT_DAYS = 30

const received = titledObject('PartnerEvent', 'An event, whether it was delivered or not.', {
  id: stringType('Identifier of the event; webhook-id of its deliveries.', EVENT_ID),
  event: oneOf(
    Object.keys(schema.EVENTS) as [schema.EventName, ...schema.EventName[]],
    'Kind of the event.',
    'directory_submissions.completed',
  ),
  occurredAt: timestamp('When it happened.'),
  body: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'The body of the webhook; the kind says which fields it has.',
    examples: [{ event: 'directory_submissions.completed', occurredAt: TIME }],
  }),
})

const listEvents = operation({
  name: 'list_events',
  summary: 'Events in their order',
  description: `Every event of the last ${EVENT_DAYS} days in the order in which it happened, whether it was delivered or not, also without a webhook address. Store next when you have handled data, and ask with it later: nothing is missed and nothing is repeated. The events on request are there from when the partner chose them.`,
  method: 'GET',
  path: '/events',
  parameters: Type.Object({
    limit: pageParameters(100, 500).limit,
    after: cursorParameter('next of an earlier answer; without it the oldest events come first.'),
  }),
  data: Type.Array(received),
  next: nextCursor('The cursor to ask with later, also when data is empty.'),
  failures: [400, 403],
  run: async (ctx, { after, limit }) => {
    const owner = callingOwner(ctx.caller)
    const { last, removed } = await findFeed(ctx.db, owner)
    const start =
      after === undefined ? removed : positionOf(listOf(owner), 'after', after, { least: removed, most: last })
    const events = await listEventsAfter(ctx.db, owner, start, limit)
    return {
      data: events.map(({ id, event, body: text, createdAt }) => {
        const body = JSON.parse(text)
        return { id, event: event as schema.EventName, occurredAt: body.occurredAt ?? createdAt, body }
      }),
      next: cursorAt(listOf(owner), events.at(-1)?.position ?? start),
    }
  },
})

const listOf = ({ partnerId, test }: Feed): string => `events ${partnerId} ${test}`

const deliveryExample = {
  id: schema.DELIVERY_ID,
  eventId: EVENT_ID,
  event: 'directory_submissions.completed',
  state: 'failed',
  status: 500,
  error: 'The receiver answered 500.',
  durationMs: 84,
  answer: '',
  test: false,
  attemptedAt: TIME,
  createdAt: TIME,
}

const listOwnWebhookDeliveries = operation({
  name: 'list_webhook_deliveries',
  summary: 'Deliveries of events',
  description: "Attempts to deliver events to the calling client's webhook address, newest first.",
  method: 'GET',
  path: '/webhook-deliveries',
  parameters: Type.Object({
    state: schema.deliveryFilters.state,
    after: Type.Optional(
      stringType(
        'next of an earlier answer, or the id of a delivery: those that follow it in the list.',
        schema.DELIVERY_ID,
        { maxLength: 100 },
      ),
    ),
    limit: pageParameters(20, 100).limit,
  }),
  data: Type.Array(ownDelivery),
  next: nullable(stringType('What to send as after for those that follow; null: none do.', schema.DELIVERY_ID)),
  failures: [400, 403],
  example: { success: true, data: [deliveryExample], next: null },
  run: async (ctx, { state, after: afterId, limit }) => {
    const { partnerId, test } = callingOwner(ctx.caller)
    const after = afterId === undefined ? undefined : await findOwnDelivery(ctx.db, partnerId, afterId)
    if (afterId !== undefined && after?.test !== test)
      throw wrongCursor(
        'after',
        'is not a delivery of this client that is still kept. Ask without it to begin with the newest.',
      )
    const found = await listDeliveries(ctx.db, { partnerId, state, test, after }, limit + 1, 0)
    const data = found.slice(0, limit)
    return { data, next: found.length > limit ? (data.at(-1)?.id ?? null) : null }
  },
})

const resendOwnWebhookDelivery = operation({
  name: 'resend_webhook_delivery',
  summary: 'Send an event again',
  description:
    'Sends the same bytes once more, to the webhook address of now, as a delivery of its own. Only what failed or has an unknown outcome can be sent again, once for each attempt.',
  method: 'POST',
  path: '/webhook-deliveries/:id/resend',
  parameters: Type.Object({ id: schema.deliveryId }),
  data: ownDelivery,
  failures: [400, 403, 404],
  example: {
    success: true,
    data: {
      ...deliveryExample,
      ...{ state: 'pending', status: null, error: null, durationMs: null, answer: null, attemptedAt: null },
    },
  },
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => ({ data: await resendOwn(ctx, callingOwner(ctx.caller), input.id) })),
})

const testWebhook = operation({
  name: 'test_webhook',
  summary: 'Try the webhook',
  description:
    'Sends a signed test.ping to the webhook address, through the same queue as every event, and waits up to twelve seconds for the outcome. One every five seconds; without a webhook address: 400.',
  method: 'POST',
  path: '/webhook/test',
  data: schema.testEventSchema,
  failures: [400, 403, 429],
  exampleFields: { error: null },
  run: async (ctx) => {
    const { partnerId, test } = callingOwner(ctx.caller)
    return { data: await sendTestEvent(ctx, partnerId, test) }
  },
})

export const partnerWebhookOperations = [listEvents, listOwnWebhookDeliveries, resendOwnWebhookDelivery, testWebhook]

export const listOwnDeliveries = pageOperation({
  name: 'list_own_deliveries',
  parameters: Type.Object({ state: schema.deliveryFilters.state, test: schema.deliveryFilters.test, ...listPage }),
  data: Type.Array(ownDelivery),
  run: async (ctx, input) => {
    const partner = await partnerOfCaller(ctx)
    const { state, test } = input
    return { data: await listDeliveries(ctx.db, { partnerId: partner.id, state, test }, input.limit, offsetOf(input)) }
  },
})

export const getOwnDelivery = pageOperation({
  name: 'get_own_delivery',
  parameters: Type.Object({ id: schema.deliveryId }),
  data: objectType('An attempt to deliver an event, with what was sent.', {
    ...fields,
    body: schema.deliveryDetailSchema.properties.body,
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
  parameters: Type.Object({ id: schema.deliveryId }),
  data: ownDelivery,
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => ({
      data: await resendOwn(ctx, { partnerId: (await partnerOfCaller(ctx)).id, test: false }, input.id),
    })),
})

export const sendOwnTest = pageOperation({
  name: 'send_own_test_event',
  bucket: 'webhooks',
  data: schema.testEventSchema,
  run: async (ctx) => ({ data: await sendTestEvent(ctx, (await partnerOfCaller(ctx)).id) }),
})

export const ownDeliveryOperations = [listOwnDeliveries, getOwnDelivery, resendOwnDelivery, sendOwnTest]
