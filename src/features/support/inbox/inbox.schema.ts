import { type Static, Type } from 'typebox'
import {
  booleanType,
  integerType,
  NOT_BLANK_PATTERN,
  nullable,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
  WORK_LIST_SORTS,
} from '../../../kernel/schema.ts'
import { version } from '../../audit/schema.ts'
import { testFilter } from '../../keys/schema.ts'
import { EXAMPLE_PARTNER_ID } from '../../partners/schema.ts'
import * as schema from '../schema.ts'

const client = titledObject('ConversationClient', 'The partner.', {
  id: stringType('Identifier of the partner.', EXAMPLE_PARTNER_ID),
  name: stringType('Name of the partner.', 'Example Launch Platform'),
})

const anyObject = (description: string, example: object) =>
  Type.Unsafe<Record<string, unknown> | null>({
    type: ['object', 'null'],
    additionalProperties: true,
    description,
    examples: [example],
  })

const inboxItem = {
  id: schema.conversationId,
  clientId: stringType('Identifier of the partner.', EXAMPLE_PARTNER_ID),
  client,
  status: schema.status,
  externalId: schema.externalId,
  customer: anyObject('The customer, as the partner named them.', { name: 'Ada', email: 'ada@example.com' }),
  metadata: anyObject('What the partner sent along.', { plan: 'pro' }),
  question: stringType('The last question.', 'How long do refunds take?'),
  messageCount: integerType('How many messages there are.', 2),
  unanswered: integerType(
    'Questions that got no reply. Above 0 on an answered conversation: the AI answered a later question only.',
    0,
  ),
  test: booleanType("Whether it is of the partner's sandbox.", false),
  version,
  createdAt: timestamp('When it began.'),
  updatedAt: timestamp('When it was last written to.'),
}

export const inboxItemSchema = titledObject('InboxConversation', 'A conversation in the inbox.', inboxItem)

export const passageSchema = titledObject('Passage', 'A passage of an article.', {
  articleId: stringType('Identifier of the article.', schema.ARTICLE_ID),
  title: stringType('Title of the article.', 'Refunds'),
  text: stringType('The passage.', 'Refunds take three days.'),
})

/** At most this many messages of a conversation are shown, which is more than a person reads. messageCount tells whether there are more. */
export const THREAD_MESSAGES = 1_000
const MESSAGES = `The messages, oldest first; the last ${THREAD_MESSAGES.toLocaleString('en')} of a longer conversation.`

export const threadSchema = titledObject('ConversationThread', 'A conversation with its messages.', {
  ...inboxItem,
  messages: Type.Array(
    objectType('A message.', {
      id: stringType('Identifier of the message.', schema.MESSAGE_ID),
      role: oneOf(schema.MESSAGE_ROLES, 'Who speaks.', 'assistant'),
      source: nullable(schema.source),
      content: stringType('What was written.', 'Refunds take three days.'),
      author: nullable(stringType('Which administrator wrote it.', 'operator')),
      passages: Type.Unsafe<Static<typeof passageSchema>[] | null>({
        description: 'What an AI reply was made from.',
        anyOf: [Type.Array(passageSchema), { type: 'null' }],
      }),
      notAnswered: nullable(
        stringType('Of a question: why the AI did not answer it.', 'No article answers the question.'),
      ),
      createdAt: timestamp('When it was written.'),
    }),
    { description: MESSAGES },
  ),
})

const ownItem = Type.Omit(inboxItemSchema, ['clientId', 'client', 'version', 'test']).properties
const ownMessage = Type.Omit(threadSchema.properties.messages.items, ['author', 'passages', 'notAnswered']).properties

/** `threadSchema` for users of the partner: without the administrator who replied, and with only the titles of the articles. */
export const ownThreadSchema = objectType('A conversation with its messages.', {
  ...ownItem,
  messages: Type.Array(
    objectType('A message.', {
      ...ownMessage,
      sources: Type.Array(Type.String(), { description: 'Titles of the articles that an AI reply was made from.' }),
    }),
    { description: MESSAGES },
  ),
})

export const inboxFilters = {
  status: Type.Optional(
    oneOf(
      schema.STATUSES,
      'pending: whatever has a question without a reply. answered: the last question has one.',
      'pending',
    ),
  ),
  client: Type.Optional(stringType('Only those of this partner.', EXAMPLE_PARTNER_ID)),
  q: Type.Optional(
    stringType(
      'Only those with this in a message, in what is known of the customer or in the thread id.',
      'ada@example.com',
      { maxLength: 200 },
    ),
  ),
  sort: Type.Optional(
    oneOf(
      WORK_LIST_SORTS,
      'newest by default; oldest: by the last message, who has waited longest first; changed: the last written to first.',
      'oldest',
    ),
  ),
  test: testFilter,
}

export const replyBody = objectType('A reply.', {
  content: stringType('The reply, as the customer reads it.', 'Refunds take three days.', {
    pattern: NOT_BLANK_PATTERN,
    maxLength: schema.MAX_REPLY,
  }),
})
