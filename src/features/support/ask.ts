// Stores a customer's question first and answers it afterwards, so that the question waits for an administrator if the answer fails.
import { randomUUID } from 'node:crypto'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { orderedId } from '../../kernel/database/ordered-id.ts'
import { lockText } from '../../kernel/database/queries.ts'
import { invalid, notFound, orNotFound, unfit } from '../../kernel/errors.ts'
import { problem } from '../../kernel/problem.ts'
import { findKeyedAnswer, type KeyedRequest, storeKeyedAnswer } from '../partners/idempotency.ts'
import type { SupportMode } from '../partners/schema.ts'
import { SANDBOX_TOPIC } from '../submissions/sandbox.ts'
import { storeEvent } from '../webhooks/events.ts'
import type { FoundAnswer, NoAnswer } from './answers/answerers.ts'
import { asksForPerson } from './answers/person-request.rules.ts'
import {
  type LoadedConversation,
  loadConversation,
  readConversation,
  repeatResponse,
  repliedBody,
  repliedEvent,
  type StoredAnswer,
  toResponse,
  toStored,
} from './conversation-response.ts'
import type {} from './knowledge/knowledge-cache.ts' // declares ctx.knowledge
import * as queries from './queries.ts'
import { type CheckedQuestion, metadataProblems } from './read-question.ts'
import { type Reply, rulesOfMode } from './rules.ts'
import type { MessageSource, ShownConversation } from './schema.ts'

type Conversation = queries.ConversationRow
type Owner = queries.ConversationOwner

/** Only a faulty program writes more messages to one conversation. */
const MAX_MESSAGES = 5_000
// The answerer gets this many messages from before the question.
const THREAD_MESSAGES = 10
// When a sandbox question gets its sample reply at the latest. Longer than the AI usually takes to answer.
const LATEST_SAMPLE_MS = 60_000

/**
 * Stores the question, answers it if the partner's mode and the articles allow that, and returns the conversation. `request` is given if the
 * request has an Idempotency-Key.
 */
export async function ask(
  ctx: Context,
  owner: Owner,
  asked: CheckedQuestion,
  request?: KeyedRequest,
): Promise<{ data: ShownConversation; isReplayed?: boolean }> {
  const stored = await ctx.transaction(async (ctx) => {
    const earlierAnswer = request && (await findKeyedAnswer(ctx, request))
    if (earlierAnswer) return { earlierAnswer }
    const stored = await storeQuestion(ctx, owner, asked)
    // In the same transaction as the question, so that a retry, also a concurrent one, finds it and does not ask it again.
    if (request) await storeKeyedAnswer(ctx, request, UNFINISHED, { id: stored.conversation.id })
    return stored
  })
  if ('earlierAnswer' in stored) return { data: await answerAgain(ctx, owner, stored.earlierAnswer), isReplayed: true }
  const loaded = await answerQuestion(ctx, owner, asked, stored)
  if (request) await storeKeyedAnswer(ctx, request, OK, toStored(loaded))
  return { data: toResponse(loaded) }
}

const OK = 200
/** Stored instead of a status until the question is answered. */
const UNFINISHED = 0

/** The answer to a request that is repeated with the same Idempotency-Key. */
function answerAgain(
  ctx: Context,
  owner: Owner,
  { status, answer }: { status: number; answer: string },
): Promise<ShownConversation> {
  if (status === OK) return repeatResponse(ctx, owner, JSON.parse(answer) as StoredAnswer)
  return readConversation(ctx, owner, (JSON.parse(answer) as { id: string }).id)
}

async function answerQuestion(
  ctx: Context,
  owner: Owner,
  asked: CheckedQuestion,
  { conversation, questionId }: StoredQuestion,
): Promise<LoadedConversation> {
  if (questionId === null) return loadConversation(ctx, owner, conversation.id)
  const mode = await queries.findSupportMode(ctx.db, owner.partnerId)
  const answer = rulesOfMode(mode).answersItself
    ? await findAnswer(ctx, conversation, questionId, asked.question)
    : null
  const reply =
    answer && 'content' in answer
      ? await ctx.transaction((ctx) => storeAnswer(ctx, conversation, questionId, answer))
      : null
  if (answer && 'reason' in answer) await queries.updateNotAnswered(ctx.db, owner, questionId, answer.reason)
  if (!reply && owner.test) await expectSampleReply(ctx, owner, conversation.id)
  const loaded = await loadConversation(ctx, owner, conversation.id)
  // The customer may have asked again in the meantime; this call answers with the reply to its own question.
  return reply && rulesOfMode(loaded.mode).replyAs === 'text' ? { ...loaded, reply } : loaded
}

interface StoredQuestion {
  conversation: Conversation
  /** null when the same message was stored before. */
  questionId: string | null
}

/** In a sandbox no person replies: a worker writes a sample reply to an open question after `stepMs`. */
const expectSampleReply = (ctx: Context, owner: Owner, id: string): Promise<void> =>
  ctx.transaction(async (ctx) => {
    const at = new Date(ctx.now().getTime() + ctx.sandbox.stepMs)
    await queries.updateSampleReplyTime(ctx.db, owner, id, at)
    await ctx.announce({ topic: SANDBOX_TOPIC, ids: [id] })
  })

async function storeQuestion(ctx: TransactionContext, owner: Owner, asked: CheckedQuestion): Promise<StoredQuestion> {
  const { peerMessageId, externalId } = asked
  const { partnerId, test } = owner
  const lockScope = test ? `${partnerId}:test` : partnerId
  // Locks are always taken in this order (message, thread, row), so that two calls cannot deadlock.
  if (peerMessageId !== undefined) {
    await lockText(ctx.db, `support-message:${lockScope}:${peerMessageId}`)
    const before = await queries.findConversationByPeerMessage(ctx.db, owner, peerMessageId)
    if (before) return { conversation: before, questionId: null }
  }
  if (externalId !== undefined) await lockText(ctx.db, `support-thread:${lockScope}:${externalId}`)
  const conversation = (await findThread(ctx, owner, asked)) ?? (await createThread(ctx, owner, asked))
  const now = ctx.now()
  const questionId = randomUUID()
  await queries.insertMessage(ctx.db, {
    id: questionId,
    conversationId: conversation.id,
    partnerId,
    test,
    role: 'customer',
    content: asked.question,
    peerMessageId,
    createdAt: now,
  })
  await queries.updateConversation(ctx.db, owner, conversation.id, {
    status: 'pending',
    updatedAt: now,
    externalId: externalId ?? conversation.externalId,
    customer: asked.customer ? { ...conversation.customer, ...asked.customer } : conversation.customer,
    metadata: mergedMetadata(conversation.metadata, asked.metadata),
    messageCount: conversation.messageCount + 1,
    openQuestions: conversation.openQuestions + 1,
    lastQuestionId: questionId,
    replyId: null,
    // `expectSampleReply` sets an earlier time if the AI has no answer; this one counts if the process ends before that.
    ...(test ? { sampleReplyAt: new Date(now.getTime() + LATEST_SAMPLE_MS) } : {}),
  })
  return { conversation, questionId }
}

/** Finds the conversation first and then locks only that row: two calls that lock the same two rows in another order would deadlock. */
async function findThread(ctx: TransactionContext, owner: Owner, { conversationId, externalId }: CheckedQuestion) {
  const byExternalId =
    externalId === undefined ? undefined : await queries.findConversationId(ctx.db, owner, externalId)
  const id = conversationId ?? byExternalId
  if (id === undefined) return undefined
  if (byExternalId !== undefined && byExternalId !== id) {
    if (!(await queries.findConversation(ctx.db, owner, id))) throw notFound('Conversation')
    throw unfit(
      'conversationId and externalId belong to different conversations. Send one of them, or the externalId of this conversation.',
      'conversationId',
      'externalId',
    )
  }
  const conversation = orNotFound(await queries.findConversationForUpdate(ctx.db, owner, id), 'Conversation')
  if (externalId !== undefined && conversation.externalId !== null && conversation.externalId !== externalId)
    throw unfit(
      'The conversation of conversationId has another externalId already, and keeps it. Leave externalId out, or send the one it has.',
      'externalId',
    )
  if (conversation.messageCount >= MAX_MESSAGES)
    throw unfit(
      `This conversation has ${MAX_MESSAGES.toLocaleString('en')} messages, which is the most. Start a new one with another externalId.`,
      conversationId === undefined ? 'externalId' : 'conversationId',
    )
  return conversation
}

async function createThread(
  ctx: TransactionContext,
  { partnerId, test }: Owner,
  { externalId }: CheckedQuestion,
): Promise<Conversation> {
  const now = ctx.now()
  const conversation: Conversation = {
    id: orderedId(),
    partnerId,
    test,
    externalId: externalId ?? null,
    status: 'pending',
    customer: null,
    metadata: null,
    messageCount: 0,
    openQuestions: 0,
    lastQuestionId: null,
    replyId: null,
    sampleReplyAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  }
  await queries.insertConversation(ctx.db, conversation)
  return conversation
}

/** New values replace earlier ones of the same name, null removes one, and the others stay. The limits hold for the result, too. */
function mergedMetadata(
  before: Conversation['metadata'],
  given: CheckedQuestion['metadata'],
): Conversation['metadata'] {
  if (given === undefined) return before
  if (before === null) return given
  const merged = Object.fromEntries(Object.entries({ ...before, ...given }).filter(([name]) => given[name] !== null))
  if (metadataProblems(merged).length > 0)
    throw invalid([
      problem(
        'metadata',
        'together with what was sent earlier on this conversation is larger than 16 KiB. Send less, or null for names that are no longer needed.',
      ),
    ])
  return merged
}

/** Does not throw: an error must not fail the call, because the question is stored already. */
async function findAnswer(
  ctx: Context,
  { id, partnerId, test }: Conversation,
  questionId: string,
  question: string,
): Promise<FoundAnswer | NoAnswer> {
  if (asksForPerson(question)) return { reason: 'The customer asks for a person.' }
  try {
    const knowledge = await ctx.knowledge.of(ctx.db, partnerId)
    if (knowledge.passages.length === 0) return { reason: 'There are no articles to answer from.' }
    const messages = await queries.listLastMessages(ctx.db, { partnerId, test }, id, THREAD_MESSAGES + 1)
    const thread = messages.filter((message) => message.id !== questionId)
    return await ctx.answerer({ question, thread, knowledge })
  } catch (error) {
    ctx.log.warn({ err: error, conversation: id }, 'no answer was found; a person has to answer')
    return { reason: 'An error of the service kept it from answering; the log has it.' }
  }
}

/** Returns null if an administrator has replied in the meantime, or if the partner's mode no longer lets the service answer. */
async function storeAnswer(
  ctx: TransactionContext,
  { id, partnerId, test }: Conversation,
  questionId: string,
  { content, passages }: FoundAnswer,
): Promise<Reply | null> {
  const owner = { partnerId, test }
  const conversation = orNotFound(await queries.findConversationForUpdate(ctx.db, owner, id), 'Conversation')
  const mode = await queries.findSupportModeForShare(ctx.db, partnerId)
  if (!mode || !rulesOfMode(mode).answersItself || (await queries.hasLaterReply(ctx.db, owner, id, questionId)))
    return null
  const message = { source: 'ai' as const, content, passages: [...passages], answersId: questionId }
  const isLast = conversation.lastQuestionId === questionId
  return storeReply(ctx, mode, conversation, message, {
    openQuestions: Math.max(0, conversation.openQuestions - 1),
    isCurrent: isLast,
  })
}

/** Call this while the conversation is locked. `isCurrent`: the message replies to the last question. */
export async function storeReply(
  ctx: TransactionContext,
  mode: SupportMode,
  { id: conversationId, partnerId, test, externalId, ...conversation }: Conversation,
  message: Pick<queries.NewMessage, 'content' | 'author' | 'passages' | 'answersId'> & { source: MessageSource },
  { openQuestions, isCurrent }: { openQuestions: number; isCurrent: boolean },
): Promise<Reply> {
  const now = ctx.now()
  const reply = { ...message, id: randomUUID(), createdAt: now }
  const status = isCurrent ? 'answered' : conversation.status
  await queries.insertMessage(ctx.db, { ...reply, conversationId, partnerId, test, role: 'assistant' })
  await queries.updateConversation(ctx.db, { partnerId, test }, conversationId, {
    status,
    updatedAt: now,
    openQuestions,
    messageCount: conversation.messageCount + 1,
    replyId: isCurrent ? reply.id : conversation.replyId,
    sampleReplyAt: openQuestions > 0 ? conversation.sampleReplyAt : null,
  })
  const body = repliedBody(mode, { id: conversationId, externalId, status }, reply, now)
  if (rulesOfMode(mode).sendsEvents) await storeEvent(ctx, partnerId, repliedEvent.name, body, { test })
  return reply
}
