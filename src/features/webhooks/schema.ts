import { Type } from 'typebox'
import {
  booleanType,
  integerType,
  nullable,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { testFilter } from '../keys/schema.ts'
import { EXAMPLE_PARTNER_ID, OPTIONAL_EVENTS } from '../partners/schema.ts'

/** Sent on request, to test whether events arrive. */
export const TEST_EVENT = 'test.ping'

/** Every event, and when it is sent. The feature that sends an event declares its body (`events.ts`). */
export const EVENTS = {
  'directory_submissions.completed': 'when the work on a tool is done',
  'support.replied': 'when a support question has its reply',
  ...OPTIONAL_EVENTS,
  [TEST_EVENT]: 'when a test event was asked for',
} as const
export type EventName = keyof typeof EVENTS

/** What pages call each event. */
export const EVENT_LABELS: Readonly<Record<EventName, string>> = {
  'directory_submissions.completed': 'Work done',
  'support.replied': 'Question answered',
  'submission.progress': 'Progress of the work',
  'row.waiting': 'Waits for the founder',
  'listing.live': 'Link found',
  'listing.lost': 'Link lost',
  [TEST_EVENT]: 'Test',
}

/** The headers of a call, for the code that writes them and for documentation. Every call has those without `isOfSandbox`. */
export const EVENT_HEADERS = {
  'Content-Type': { meaning: 'Always application/json.', example: 'application/json' },
  'User-Agent': { meaning: 'Always the same.', example: 'Catalog-Webhook/1.0' },
  'X-Catalog-Event': { meaning: 'The kind of the event.', example: 'directory_submissions.completed' },
  'X-Catalog-Signature': {
    meaning:
      'sha256= and the HMAC-SHA256 of the body in hex. The key is the whole secret as issued, whsec_ included; after a rotation the new one.',
    example: 'sha256=5d5b8f0c3b7e4a2d9c61f0e8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8',
  },
  'webhook-id': {
    meaning: 'Identifier of the event; the same when it is sent again.',
    example: 'msg_2f8e6c1a-7b3d-4c55-9d0e-8a1b2c3d4e5f',
  },
  'webhook-timestamp': { meaning: 'When it was sent, in Unix seconds.', example: '1772357400' },
  'webhook-signature': {
    meaning:
      'Standard Webhooks: v1, and the HMAC-SHA256 of id.timestamp.body in base64. The key is what the base64 after whsec_ encodes. While a previous secret signs too, a second signature follows after a space.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
  'X-Catalog-Mode': { meaning: 'Always test. Only events of the sandbox have it.', example: 'test', isOfSandbox: true },
} as const satisfies Record<string, { meaning: string; example: string; isOfSandbox?: boolean }>

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'unknown'] as const

export const DELIVERY_ID = '2f8e6c1a-7b3d-4c55-9d0e-8a1b2c3d4e5f'
export const deliveryId = stringType('Identifier of the delivery.', DELIVERY_ID)

export const deliverySchema = titledObject('Delivery', 'An attempt to deliver an event.', {
  id: deliveryId,
  eventId: stringType('Identifier of the event (webhook-id); the same when it is sent again.', 'msg_2f8e6c1a'),
  event: stringType('Kind of the event.', 'directory_submissions.completed'),
  clientId: stringType('Identifier of the partner.', EXAMPLE_PARTNER_ID),
  state: oneOf(
    DELIVERY_STATES,
    'pending: not sent yet, or under way; unknown: the process that sent it was gone before it noted the answer.',
    'delivered',
  ),
  status: nullable(integerType("Status of the receiver's answer.", 200)),
  error: nullable(stringType('Why it failed.', 'The receiver answered 500.')),
  durationMs: nullable(integerType('How long the attempt took.', 84)),
  answer: nullable(stringType("The answer's first bytes.", 'ok')),
  test: booleanType("Whether it is of the partner's sandbox.", false),
  attemptedAt: nullable(timestamp('When it was sent.')),
  createdAt: timestamp('When the event happened.'),
})

export const deliveryFilters = {
  client: Type.Optional(stringType('Only those of this partner.', EXAMPLE_PARTNER_ID)),
  state: Type.Optional(oneOf(DELIVERY_STATES, 'Only this state.', 'failed')),
  open: Type.Optional(
    booleanType('Only those that failed or are unknown and were not sent again since; test events are left out.', true),
  ),
  test: testFilter,
}

export const deliveryDetailSchema = titledObject(
  'DeliveryDetail',
  'An attempt to deliver an event, with what was sent.',
  {
    ...deliverySchema.properties,
    client: objectType('The partner.', {
      id: stringType('Identifier of the partner.', EXAMPLE_PARTNER_ID),
      name: stringType('Name of the partner.', 'Example Launch Platform'),
      webhookUrl: nullable(stringType('Where events are sent now.', 'https://partner.example.com/hooks/catalog')),
    }),
    body: stringType('What was sent, byte for byte.', '{"event":"support.replied"}'),
    headers: Type.Unsafe<Record<string, string> | null>({
      type: ['object', 'null'],
      additionalProperties: { type: 'string' },
      description:
        'The headers of the attempt, signed with the secret of now; null until it is taken to be sent. catalog webhooks listen --forward-to sends them on.',
      examples: [{ 'x-catalog-event': 'support.replied' }],
    }),
  },
)

export const testEventSchema = titledObject(
  'TestEvent',
  'The delivery of a test event. pending: it has not ended yet.',
  {
    id: deliverySchema.properties.id,
    state: deliverySchema.properties.state,
    status: deliverySchema.properties.status,
    error: deliverySchema.properties.error,
  },
)
