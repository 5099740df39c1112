// Operator API for the support desk: who answers a conversation, notes about it, saved replies, which question comes next, and which
// submissions a conversation is about.
import { Type } from 'typebox'
import { workerOf } from '../../../kernel/caller.ts'
import { badRequest, notFound, orNotFound } from '../../../kernel/errors.ts'
import { operationsFor, pageOperation } from '../../../kernel/operation.ts'
import {
  integerType,
  NAME_PATTERN,
  NOT_BLANK_PATTERN,
  nullable,
  nullableObject,
  stringType,
  titledObject,
} from '../../../kernel/schema.ts'
import { version, versionGuard } from '../../audit/schema.ts'
import { checkVersion } from '../../audit/version-guard.ts'
import { changesAnything, writeAudit } from '../../audit/write-audit.ts'
import { websiteKeyOf } from '../../listings/website-key.ts'
import { findConversationForUpdate, findInboxItem, listSubmissionsAbout } from '../queries.ts'
import { filled, namedTexts, PLACEHOLDERS, placeholdersOf } from '../rules.ts'
import { CONVERSATION_ID, conversationId, MAX_REPLY } from '../schema.ts'
import * as desk from './desk.queries.ts'

const operation = operationsFor('operator', 'Support')

const assignee = nullable(
  stringType('The administrator who answers it; null: not assigned.', 'op@example.com', { maxLength: 254 }),
)
const internalNotes = stringType(
  'Notes of administrators; neither the partner nor the customer sees them.',
  'Asked the founder.',
  { maxLength: 10_000 },
)
const deskVersion = integerType('Version of the notes; 0: there are none yet.', 1)
const deskSchema = titledObject('ConversationDesk', 'What administrators keep about a conversation.', {
  assignee,
  internalNotes,
  version: deskVersion,
})
const EMPTY_DESK = { assignee: null, internalNotes: '', version: 0 }

export const getDesk = operation({
  name: 'get_conversation_desk',
  summary: 'Who answers a conversation, and notes',
  description: 'The assignee and the internal notes of a conversation. No partner sees them.',
  method: 'GET',
  path: '/support/conversations/:id/desk',
  parameters: Type.Object({ id: conversationId }),
  data: deskSchema,
  run: async (ctx, input) => {
    if (!(await findInboxItem(ctx.db, input.id))) throw notFound('Conversation')
    return { data: (await desk.findDesk(ctx.db, input.id)) ?? EMPTY_DESK }
  },
})

export const changeDesk = operation({
  name: 'change_conversation_desk',
  summary: 'Assign a conversation, take notes',
  description: 'Changes the given fields. ifVersion is the version of the notes; 0: there were none.',
  method: 'PATCH',
  path: '/support/conversations/:id/desk',
  parameters: Type.Object({ id: conversationId, ...versionGuard.parameters }),
  body: Type.Object({ assignee: Type.Optional(assignee), internalNotes: Type.Optional(internalNotes) }),
  data: deskSchema,
  failures: [400, 404, ...versionGuard.failures],
  run: (ctx, input, body) =>
    ctx.transaction(async (ctx) => {
      const item = await findInboxItem(ctx.db, input.id)
      // The conversation is locked, because two administrators who both saw no note yet would otherwise both pass the guard.
      const owner = item && { partnerId: item.clientId, test: item.test }
      if (!owner || !(await findConversationForUpdate(ctx.db, owner, input.id))) throw notFound('Conversation')
      const subject = `conversation:${input.id}`
      const before = await desk.findDesk(ctx.db, input.id)
      const { version } = before ?? EMPTY_DESK
      await checkVersion(ctx, input.ifVersion, {
        name: 'note of this conversation',
        version,
        subject,
        actions: ['support.desk'],
      })
      const given = { ...body, ...(body.assignee === undefined ? {} : { assignee: body.assignee || null }) }
      const values = { ...(before ?? EMPTY_DESK), ...given }
      if (!changesAnything(before ?? EMPTY_DESK, given)) return { data: before ?? EMPTY_DESK }
      await desk.upsertDesk(ctx.db, {
        conversationId: input.id,
        assignee: values.assignee,
        internalNotes: values.internalNotes,
        updatedAt: ctx.now(),
      })
      await writeAudit(ctx, 'support.desk', subject, { fields: Object.keys(given) })
      return { data: { ...values, version: version + 1 } }
    }),
})

export const nextConversation = operation({
  name: 'next_support_conversation',
  summary: 'The question to answer next',
  description: 'The question that has waited longest and is not assigned to another administrator.',
  method: 'GET',
  path: '/support/next',
  parameters: Type.Object({
    after: Type.Optional(stringType('A conversation that is not wanted.', CONVERSATION_ID, { maxLength: 100 })),
  }),
  data: titledObject('NextConversation', 'What comes next.', {
    next: nullableObject(Type.Object({ id: conversationId }), 'The conversation; null: no question waits.'),
  }),
  tool: {
    description: 'The conversation that has waited longest; null when none waits. Then call get_support_conversation.',
  },
  run: async (ctx, input) => ({
    data: { next: (await desk.findNextPending(ctx.db, workerOf(ctx.caller), input.after)) ?? null },
  }),
})

const title = stringType('Title of the saved reply.', 'Refunds', { maxLength: 100, pattern: NAME_PATTERN })
const body = stringType(
  `The text; ${PLACEHOLDERS.map((name) => `{${name}}`).join(' and ')} are replaced when it is put into a reply.`,
  'Hello {customer}, refunds of {product} take three days.',
  { maxLength: MAX_REPLY, pattern: NOT_BLANK_PATTERN },
)
const savedSchema = titledObject('SavedReply', 'A text that administrators put into replies.', { title, body, version })
const MAX_SAVED = 200

export const listSavedReplies = operation({
  name: 'list_saved_replies',
  summary: 'Saved replies',
  description:
    'The texts that administrators put into replies, by title; with a conversation, with its values filled in.',
  method: 'GET',
  path: '/support/saved-replies',
  parameters: Type.Object({
    conversation: Type.Optional(stringType('Fills in the values of this one.', CONVERSATION_ID, { maxLength: 100 })),
  }),
  data: Type.Array(savedSchema),
  failures: [400, 404],
  run: async (ctx, input) => {
    const replies = await desk.listReplies(ctx.db)
    if (input.conversation === undefined) return { data: replies }
    const values = placeholdersOf(orNotFound(await findInboxItem(ctx.db, input.conversation), 'Conversation'))
    return { data: replies.map((reply) => ({ ...reply, body: filled(reply.body, values) })) }
  },
})

export const putSavedReply = operation({
  name: 'put_saved_reply',
  summary: 'Save a reply',
  description: 'Saves a text under a title, or replaces it.',
  method: 'PUT',
  path: '/support/saved-replies/:title',
  parameters: Type.Object({ title: { ...title, 'x-strict': true }, ...versionGuard.parameters }),
  body: Type.Object({ body }),
  data: savedSchema,
  failures: [400, ...versionGuard.failures],
  run: (ctx, input, given) =>
    ctx.transaction(async (ctx) => {
      const values = { title: input.title, body: given.body }
      await desk.lockReplies(ctx.db)
      const before = await desk.findReply(ctx.db, values.title)
      const subject = desk.savedReplySubject(values.title)
      const actions = ['support.saved', 'support.unsaved']
      await checkVersion(ctx, input.ifVersion, { name: 'saved reply', version: before?.version, subject, actions })
      if (before?.body === values.body) return { data: before }
      if (!before && (await desk.listReplies(ctx.db)).length >= MAX_SAVED)
        throw badRequest(`There are ${MAX_SAVED} saved replies, which is the most. Delete one first.`)
      const stored = orNotFound(await desk.upsertReply(ctx.db, { ...values, updatedAt: ctx.now() }), 'Saved reply')
      await writeAudit(ctx, 'support.saved', subject)
      return { data: stored }
    }),
})

export const deleteSavedReply = operation({
  name: 'delete_saved_reply',
  summary: 'Delete a saved reply',
  description: 'Deletes a text that administrators put into replies.',
  method: 'DELETE',
  path: '/support/saved-replies/:title',
  parameters: Type.Object({ title, ...versionGuard.parameters }),
  data: savedSchema,
  failures: [400, 404, ...versionGuard.failures],
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => {
      await desk.lockReplies(ctx.db)
      const before = orNotFound(await desk.findReply(ctx.db, input.title), 'Saved reply')
      const subject = desk.savedReplySubject(before.title)
      await checkVersion(ctx, input.ifVersion, {
        name: 'saved reply',
        version: before.version,
        subject,
        actions: ['support.saved'],
      })
      await desk.deleteReply(ctx.db, before.title)
      await writeAudit(ctx, 'support.unsaved', subject, { version: before.version })
      return { data: before }
    }),
})

export const deskOperations = [getDesk, changeDesk, nextConversation, listSavedReplies, putSavedReply, deleteSavedReply]

const MOST_SUBMISSIONS = 3

export const findSubmissionsAbout = pageOperation({
  name: 'find_submissions_about',
  access: 'operator',
  parameters: Type.Object({ id: stringType('Identifier of the conversation.', CONVERSATION_ID) }),
  data: Type.Array(Type.String(), {
    description:
      'Identifiers, newest first: submissions of the same partner whose product the metadata names by id, slug, website or name, or whose founder is the customer.',
  }),
  run: async (ctx, { id }) => {
    const item = orNotFound(await findInboxItem(ctx.db, id), 'Conversation')
    // Submissions of sandboxes are not in the queue.
    if (item.test) return { data: [] }
    const { texts, email } = namedTexts(item)
    const websiteKeys = texts.flatMap((text) => websiteKeyOf(text) ?? [])
    return { data: await listSubmissionsAbout(ctx.db, item.clientId, { texts, websiteKeys, email }, MOST_SUBMISSIONS) }
  },
})
