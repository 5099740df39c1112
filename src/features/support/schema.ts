import { type Static, type TProperties, Type } from 'typebox'
import { WORK_ORDERS } from '../../kernel/paging.ts'
import { eitherOf, NOT_BLANK_PATTERN, nullable, nullableObject, oneOf, timestamp } from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'
import { testFilter } from '../keys/schema.ts'

export const STATUSES = ['pending', 'answered'] as const
export const MESSAGE_ROLES = ['customer', 'assistant'] as const
/** Who wrote a reply. */
export const MESSAGE_SOURCES = ['ai', 'human'] as const
export type MessageSource = (typeof MESSAGE_SOURCES)[number]
export const MAX_QUESTION = 4000
export const MAX_EXTERNAL_ID = 255
export const MAX_REPLY = 10_000

export const CONVERSATION_ID = '7d1f0f52-3c5e-4f0e-9a55-0c8a7b6d5e4f'
export const MESSAGE_ID = 'b1f7c0de-52c3-4d0b-8a3e-6f2d1c0b9a87'
export const ARTICLE_ID = '4b7b2f0a-9c1d-4e7a-8f35-2d6c1b0a9e88'
const PARTNER_ID = '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10'

const id = Type.String({ description: 'Identifier of the conversation.', examples: [CONVERSATION_ID] })
const status = oneOf(STATUSES, {
  description: 'pending: a person will answer. answered: the last question has its reply.',
  examples: ['answered'],
})
const externalId = nullable(Type.String({ description: "The caller's own thread id.", examples: ['ticket-4711'] }))

export const askBody = Type.Object(
  {
    question: Type.String({
      minLength: 1,
      maxLength: MAX_QUESTION,
      description: "The customer's question.",
      examples: ['How long do refunds take?'],
    }),
    conversationId: Type.Optional(
      Type.String({ maxLength: 255, description: 'Continues a thread returned earlier.', examples: [CONVERSATION_ID] }),
    ),
    externalId: Type.Optional(
      Type.String({
        maxLength: MAX_EXTERNAL_ID,
        description: "The caller's own thread id; reuse continues the same conversation.",
        examples: ['ticket-4711'],
      }),
    ),
    customer: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(Type.String({ maxLength: 200, description: 'Name.', examples: ['Ada'] })),
          email: Type.Optional(
            Type.String({ maxLength: 254, description: 'E-mail address.', examples: ['ada@example.com'] }),
          ),
          id: Type.Optional(
            Type.String({ maxLength: 200, description: "The caller's own id of the customer.", examples: ['c-17'] }),
          ),
        },
        { description: 'The end customer.' },
      ),
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
  },
  { description: 'A question of a customer.' },
)

const { question, ...besides } = askBody.properties
const named = (title: string, fields: TProperties) =>
  Type.Object({ ...fields, ...besides }, { title, description: 'A question of a customer.' })

/** The same as partners may send it: with `question` or `message`. If both are sent, `question` is used. */
export const askBodyOrAlias = Type.Unsafe<Static<typeof askBody>>({
  title: 'CustomerQuestion',
  description: 'A question of a customer, as question or as message.',
  anyOf: [
    named('CustomerQuestionAsQuestion', { question }),
    named('CustomerQuestionAsMessage', { message: { ...question, description: 'Another name for question.' } }),
  ],
})

const source = oneOf(MESSAGE_SOURCES, { description: 'Who wrote the reply.', examples: ['ai'] })

const shownMessage = Type.Object(
  {
    role: oneOf(MESSAGE_ROLES, { description: 'Who speaks.', examples: ['customer'] }),
    content: Type.String({ description: 'What was written.', examples: ['How long do refunds take?'] }),
    source: Type.Optional(source),
  },
  { title: 'ConversationMessage', description: 'A message; those of the assistant say who wrote them.' },
)

const agentMessage = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the message.', examples: [MESSAGE_ID] }),
    role: oneOf(['agent'], { description: 'Always agent.', examples: ['agent'] }),
    source: oneOf(['human'], { description: 'Always human.', examples: ['human'] }),
    content: Type.String({ description: 'What was written.', examples: ['Refunds take three days.'] }),
    createdAt: timestamp('When it was written.'),
  },
  { title: 'AgentMessage', description: "A person's reply." },
)

const listedHybrid = {
  id,
  status,
  externalId,
  reply: nullable(
    Type.String({
      description: 'The reply to the last question; null while pending.',
      examples: ['Refunds take three days.'],
    }),
  ),
  replySource: nullable(source),
}

const humanConversation = Type.Object(
  {
    id,
    status,
    externalId,
    message: nullableObject(agentMessage, 'The reply to the last question; null until a person replies.'),
  },
  { title: 'HumanConversation', description: 'A conversation of a human-only client.' },
)

/** A conversation in the list; its shape depends on the partner's support mode. */
export const listedSchema = eitherOf(
  [
    Type.Object(listedHybrid, {
      title: 'ListedHybridConversation',
      description: 'A conversation of a hybrid client, without its messages.',
    }),
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
    Type.Object(
      { ...listedHybrid, messages: Type.Array(shownMessage, { description: 'The thread, oldest first.' }) },
      { title: 'HybridConversation', description: 'A conversation of a hybrid client.' },
    ),
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
  event: oneOf(['support.replied'], { description: 'The kind of the event.', examples: ['support.replied'] }),
  occurredAt: timestamp('When the reply was written.'),
}
const eventConversation = (fields: TProperties) =>
  Type.Object(fields, { description: 'The conversation, and the reply that the event tells of.' })

/** The bodies of the event support.replied, by how the partner sees a reply. */
export const repliedBodies = {
  text: Type.Object(
    { ...eventHead, conversation: eventConversation(listedHybrid) },
    { title: 'HybridSupportReplied', description: 'A reply, as hybrid clients get it.' },
  ),
  message: Type.Object(
    { ...eventHead, conversation: eventConversation({ id, externalId, status, message: agentMessage }) },
    { title: 'HumanSupportReplied', description: "A person's reply, as human-only clients get it." },
  ),
}

export const conversationFilters = {
  id: Type.Optional(Type.String({ description: 'Only this conversation.', examples: [CONVERSATION_ID] })),
  externalId: Type.Optional(
    Type.String({ description: 'Only the conversation of this thread id.', examples: ['ticket-4711'] }),
  ),
  status: Type.Optional(oneOf(STATUSES, { description: 'Only this status.', examples: ['pending'] })),
}

const client = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the partner.', examples: [PARTNER_ID] }),
    name: Type.String({ description: 'Name of the partner.', examples: ['Example Launch Platform'] }),
  },
  { title: 'ConversationClient', description: 'The partner.' },
)

const anything = (description: string, example: object) =>
  Type.Unsafe<Record<string, unknown> | null>({
    type: ['object', 'null'],
    additionalProperties: true,
    description,
    examples: [example],
  })

const inboxItem = {
  id,
  clientId: Type.String({ description: 'Identifier of the partner.', examples: [PARTNER_ID] }),
  client,
  status,
  externalId,
  customer: anything('The customer, as the partner named them.', { name: 'Ada', email: 'ada@example.com' }),
  metadata: anything('What the partner sent along.', { plan: 'pro' }),
  question: Type.String({ description: 'The last question.', examples: ['How long do refunds take?'] }),
  messageCount: Type.Integer({ description: 'How many messages there are.', examples: [2] }),
  unanswered: Type.Integer({
    description:
      'Questions that got no reply. Above 0 on an answered conversation: the AI answered a later question only.',
    examples: [0],
  }),
  test: Type.Boolean({ description: "Whether it is of the partner's sandbox.", examples: [false] }),
  version,
  createdAt: timestamp('When it began.'),
  updatedAt: timestamp('When it was last written to.'),
}

export const inboxExample = {
  id: CONVERSATION_ID,
  clientId: PARTNER_ID,
  client: { id: PARTNER_ID, name: 'Example Launch Platform' },
  status: 'answered',
  externalId: 'ticket-4711',
  customer: { name: 'Ada', email: 'ada@example.com' },
  metadata: { plan: 'pro' },
  question: 'How long do refunds take?',
  messageCount: 2,
  unanswered: 0,
  test: false,
  version: 3,
  createdAt: '2026-03-01T09:30:00.000Z',
  updatedAt: '2026-03-01T09:30:00.000Z',
}

export const inboxItemSchema = Type.Object(inboxItem, {
  title: 'InboxConversation',
  description: 'A conversation in the inbox.',
})

export const passageSchema = Type.Object(
  {
    articleId: Type.String({ description: 'Identifier of the article.', examples: [ARTICLE_ID] }),
    title: Type.String({ description: 'Title of the article.', examples: ['Refunds'] }),
    text: Type.String({ description: 'The passage.', examples: ['Refunds take three days.'] }),
  },
  { title: 'Passage', description: 'A passage of an article.' },
)

/** At most this many messages of a conversation are shown, which is more than a person reads. messageCount tells whether there are more. */
export const THREAD_MESSAGES = 1_000
const MESSAGES = `The messages, oldest first; the last ${THREAD_MESSAGES.toLocaleString('en')} of a longer conversation.`

export const threadSchema = Type.Object(
  {
    ...inboxItem,
    messages: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Identifier of the message.', examples: [MESSAGE_ID] }),
          role: oneOf(MESSAGE_ROLES, { description: 'Who speaks.', examples: ['assistant'] }),
          source: nullable(source),
          content: Type.String({ description: 'What was written.', examples: ['Refunds take three days.'] }),
          author: nullable(Type.String({ description: 'Which administrator wrote it.', examples: ['operator'] })),
          passages: Type.Unsafe<Static<typeof passageSchema>[] | null>({
            description: 'What an AI reply was made from.',
            anyOf: [Type.Array(passageSchema), { type: 'null' }],
          }),
          createdAt: timestamp('When it was written.'),
        },
        { description: 'A message.' },
      ),
      { description: MESSAGES },
    ),
  },
  { title: 'ConversationThread', description: 'A conversation with its messages.' },
)

const { clientId: _, client: __, version: ___, test: ____, ...ownItem } = inboxItem
const { author: _____, passages: ______, ...ownMessage } = threadSchema.properties.messages.items.properties

/** The same for the users who work for the partner: without the administrator who replied and the passages that the AI used. */
export const ownThreadSchema = Type.Object(
  {
    ...ownItem,
    messages: Type.Array(Type.Object(ownMessage, { description: 'A message.' }), {
      description: MESSAGES,
    }),
  },
  { description: 'A conversation with its messages.' },
)

export const inboxFilters = {
  status: Type.Optional(
    oneOf(STATUSES, {
      description: 'pending: whatever has a question without a reply. answered: the last question has one.',
      examples: ['pending'],
    }),
  ),
  client: Type.Optional(Type.String({ description: 'Only those of this partner.', examples: [PARTNER_ID] })),
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Only those with this in a message, in what is known of the customer or in the thread id.',
      examples: ['ada@example.com'],
    }),
  ),
  sort: Type.Optional(
    oneOf(WORK_ORDERS, {
      description:
        'newest by default; oldest: by the last message, who has waited longest first; changed: the last written to first.',
      examples: ['oldest'],
    }),
  ),
  test: testFilter,
}

export const replyBody = Type.Object(
  {
    content: Type.String({
      pattern: NOT_BLANK_PATTERN,
      maxLength: MAX_REPLY,
      description: 'The reply, as the customer reads it.',
      examples: ['Refunds take three days.'],
    }),
  },
  { description: 'A reply.' },
)
