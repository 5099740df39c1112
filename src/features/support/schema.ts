// Schemas of support: the questions that partners forward, and the conversations that they read. A partner whose support mode is `human` (a
// human-only client) reads each reply as a message of a person; a hybrid client reads a text and who wrote it (rules.ts).
import { type Static, type TProperties, Type } from 'typebox'
import {
  eitherOf,
  nullable,
  nullableObject,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'

export const STATUSES = ['pending', 'answered'] as const
export const MESSAGE_ROLES = ['customer', 'assistant'] as const
export const MESSAGE_SOURCES = ['ai', 'human'] as const
export type MessageSource = (typeof MESSAGE_SOURCES)[number]
export const MAX_QUESTION = 4000
const MAX_EXTERNAL_ID = 255
export const MAX_REPLY = 10_000

export const CONVERSATION_ID = '7d1f0f52-3c5e-4f0e-9a55-0c8a7b6d5e4f'
export const MESSAGE_ID = 'b1f7c0de-52c3-4d0b-8a3e-6f2d1c0b9a87'
export const ARTICLE_ID = '4b7b2f0a-9c1d-4e7a-8f35-2d6c1b0a9e88'

export const conversationId = stringType('Identifier of the conversation.', CONVERSATION_ID)
export const status = oneOf(
  STATUSES,
  'pending: a person will answer. answered: the last question has its reply.',
  'answered',
)
export const externalId = nullable(stringType("The caller's own thread id.", 'ticket-4711'))

export const askBody = objectType('A question of a customer.', {
  question: stringType("The customer's question.", 'How long do refunds take?', {
    minLength: 1,
    maxLength: MAX_QUESTION,
  }),
  conversationId: Type.Optional(
    stringType('Continues a thread returned earlier.', CONVERSATION_ID, { maxLength: 255 }),
  ),
  externalId: Type.Optional(
    stringType("The caller's own thread id; reuse continues the same conversation.", 'ticket-4711', {
      maxLength: MAX_EXTERNAL_ID,
    }),
  ),
  customer: Type.Optional(
    objectType('The end customer.', {
      name: Type.Optional(stringType('Name.', 'Ada', { maxLength: 200 })),
      email: Type.Optional(stringType('E-mail address.', 'ada@example.com', { maxLength: 254 })),
      id: Type.Optional(stringType("The caller's own id of the customer.", 'c-17', { maxLength: 200 })),
    }),
  ),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        'Arbitrary JSON, kept on the conversation: at most 8 levels and 16 KiB. A peerPushMessageId that was seen before makes the call a retry: nothing is appended.',
      examples: [{ plan: 'pro', peerPushMessageId: 'm-1' }],
    }),
  ),
})

const { question, ...otherFields } = askBody.properties
const questionBody = (title: string, fields: TProperties) =>
  Type.Object({ ...fields, ...otherFields }, { title, description: 'A question of a customer.' })

/** `askBody` as partners may send it: the text is in `question` or in `message`. If both are sent, they must be equal. */
export const askBodyOrAlias = Type.Unsafe<Static<typeof askBody>>({
  title: 'CustomerQuestion',
  description: 'A question of a customer, as question or as message.',
  anyOf: [
    questionBody('CustomerQuestionAsQuestion', { question }),
    questionBody('CustomerQuestionAsMessage', { message: { ...question, description: 'Another name for question.' } }),
  ],
})

export const source = oneOf(MESSAGE_SOURCES, 'Who wrote the reply.', 'ai')

const shownMessage = titledObject('ConversationMessage', 'A message; those of the assistant say who wrote them.', {
  role: oneOf(MESSAGE_ROLES, 'Who speaks.', 'customer'),
  content: stringType('What was written.', 'How long do refunds take?'),
  source: Type.Optional(source),
})

const agentMessage = titledObject('AgentMessage', "A person's reply.", {
  id: stringType('Identifier of the message.', MESSAGE_ID),
  role: oneOf(['agent'], 'Always agent.', 'agent'),
  source: oneOf(['human'], 'Always human.', 'human'),
  content: stringType('What was written.', 'Refunds take three days.'),
  createdAt: timestamp('When it was written.'),
})

const hybridFields = {
  id: conversationId,
  status,
  externalId,
  reply: nullable(stringType('The reply to the last question; null while pending.', 'Refunds take three days.')),
  replySource: nullable(source),
}

const humanConversation = titledObject('HumanConversation', 'A conversation of a human-only client.', {
  id: conversationId,
  status,
  externalId,
  message: nullableObject(agentMessage, 'The reply to the last question; null until a person replies.'),
})

export const listedSchema = eitherOf(
  [
    titledObject('ListedHybridConversation', 'A conversation of a hybrid client, without its messages.', hybridFields),
    humanConversation,
  ],
  {
    title: 'ListedConversation',
    description:
      'A conversation in a list: with reply and replySource for hybrid clients, message for human-only ones.',
  },
)

export const conversationSchema = eitherOf(
  [
    titledObject('HybridConversation', 'A conversation of a hybrid client.', {
      ...hybridFields,
      messages: Type.Array(shownMessage, { description: 'The thread, oldest first.' }),
    }),
    humanConversation,
  ],
  {
    title: 'Conversation',
    description:
      'A conversation: with reply, replySource and messages for hybrid clients, message for human-only ones.',
  },
)
export type ShownConversation = Static<typeof conversationSchema>
export type ListedConversation = Static<typeof listedSchema>

const eventHead = {
  event: oneOf(['support.replied'], 'The kind of the event.', 'support.replied'),
  occurredAt: timestamp('When the reply was written.'),
}
const eventConversation = (fields: TProperties) =>
  Type.Object(fields, { description: 'The conversation, and the reply that the event tells of.' })

/** The bodies of the event support.replied. The names are the values of `replyAs` in rules.ts. */
export const repliedBodies = {
  text: titledObject('HybridSupportReplied', 'A reply, as hybrid clients get it.', {
    ...eventHead,
    conversation: eventConversation(hybridFields),
  }),
  message: titledObject('HumanSupportReplied', "A person's reply, as human-only clients get it.", {
    ...eventHead,
    conversation: eventConversation({ id: conversationId, externalId, status, message: agentMessage }),
  }),
}

export const conversationFilters = {
  id: Type.Optional(stringType('Only this conversation.', CONVERSATION_ID)),
  externalId: Type.Optional(stringType('Only the conversation of this thread id.', 'ticket-4711')),
  status: Type.Optional(oneOf(STATUSES, 'Only this status.', 'pending')),
}
