import { Type } from 'typebox'
import { nullable, oneOf, timestamp } from '../../kernel/schema.ts'

/** Every event, and when it is sent. The feature that sends an event declares its body. */
export const EVENTS = {
  'directory_submissions.completed': 'when the work on a tool is done',
  'support.replied': 'when a support question has its reply',
  'listing.live': 'when the link on a listing is first found, if the partner asked for it',
  'listing.lost': 'when a link that was there is lost, if the partner asked for it',
} as const
export type EventName = keyof typeof EVENTS

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'unknown'] as const

export const DELIVERY_ID = '2f8e6c1a-7b3d-4c55-9d0e-8a1b2c3d4e5f'
const PARTNER_ID = '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10'

export const deliverySchema = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the delivery.', examples: [DELIVERY_ID] }),
    eventId: Type.String({
      description: 'Identifier of the event (webhook-id); the same when it is sent again.',
      examples: ['msg_2f8e6c1a'],
    }),
    event: Type.String({ description: 'Kind of the event.', examples: ['directory_submissions.completed'] }),
    clientId: Type.String({ description: 'Identifier of the partner.', examples: [PARTNER_ID] }),
    state: oneOf(DELIVERY_STATES, {
      description:
        'pending: not sent yet, or under way; unknown: the process that sent it was gone before it noted the answer.',
      examples: ['delivered'],
    }),
    status: nullable(Type.Integer({ description: "Status of the receiver's answer.", examples: [200] })),
    error: nullable(Type.String({ description: 'Why it failed.', examples: ['The receiver answered 500.'] })),
    durationMs: nullable(Type.Integer({ description: 'How long the attempt took.', examples: [84] })),
    answer: nullable(Type.String({ description: "The answer's first bytes.", examples: ['ok'] })),
    attemptedAt: nullable(timestamp('When it was sent.')),
    createdAt: timestamp('When the event happened.'),
  },
  { title: 'Delivery', description: 'An attempt to deliver an event.' },
)

export const deliveryFilters = {
  client: Type.Optional(Type.String({ description: 'Only those of this partner.', examples: [PARTNER_ID] })),
  state: Type.Optional(oneOf(DELIVERY_STATES, { description: 'Only this state.', examples: ['failed'] })),
  open: Type.Optional(
    Type.Boolean({
      description: 'Only those that failed or are unknown and were not sent again since.',
      examples: [true],
    }),
  ),
}

export const deliveryDetailSchema = Type.Object(
  {
    ...deliverySchema.properties,
    client: Type.Object(
      {
        id: Type.String({ description: 'Identifier of the partner.', examples: [PARTNER_ID] }),
        name: Type.String({ description: 'Name of the partner.', examples: ['Example Launch Platform'] }),
        webhookUrl: nullable(
          Type.String({
            description: 'Where events are sent now.',
            examples: ['https://partner.example.com/hooks/catalog'],
          }),
        ),
      },
      { description: 'The partner.' },
    ),
    body: Type.String({ description: 'What was sent, byte for byte.', examples: ['{"event":"support.replied"}'] }),
  },
  { title: 'DeliveryDetail', description: 'An attempt to deliver an event, with what was sent.' },
)
