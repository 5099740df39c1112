// Stores an event in the transaction of the change that caused it, so that either both are stored or neither. A test event is sent like any
// other: it is stored as a delivery, which a worker claims, signs and sends.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Static, TSchema } from 'typebox'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { orderedId } from '../../kernel/database/ordered-id.ts'
import { badRequest, Failure, orNotFound } from '../../kernel/errors.ts'
import type { DeclaredEvent } from '../../kernel/feature.ts'
import { writer } from '../../kernel/output.ts'
import { oneOf, stringType, timestamp, titledObject } from '../../kernel/schema.ts'
import { writeAudit } from '../audit/write-audit.ts'
import type { OptionalEvent } from '../partners/schema.ts'
import { insertPartnerEvent } from './events.queries.ts'
import * as queries from './queries.ts'
import { EVENTS, type EventName, TEST_EVENT } from './schema.ts'

/**
 * Stores an event. Call this inside the transaction of the change. Without a webhook URL the event is only in the partner's list of events.
 * `test`: an event of the partner's sandbox.
 */
export async function storeEvent(
  ctx: TransactionContext,
  partnerId: string,
  event: EventName,
  body: string,
  { test = false }: { test?: boolean } = {},
): Promise<void> {
  const hasWebhook = (await queries.findWebhookUrl(ctx.db, partnerId)) !== null
  await storeNew(ctx, { partnerId, event, body, test }, hasWebhook)
}

/**
 * Like `storeEvent`, for an event that a partner gets only if it has chosen it. `makeBody` is called only if it has, because it may need
 * several queries. If `makeBody` returns null, there is no event.
 */
export async function storeWantedEvent(
  ctx: TransactionContext,
  partnerId: string,
  event: OptionalEvent,
  makeBody: () => Promise<string | null> | string,
  { test = false }: { test?: boolean } = {},
): Promise<void> {
  const settings = await queries.findEventSettings(ctx.db, partnerId)
  if (!settings?.events.includes(event)) return
  const body = await makeBody()
  if (body !== null) await storeNew(ctx, { partnerId, event, body, test }, settings.webhookUrl !== null)
}

/** While this many events of a partner's sandbox wait, because its receiver does not accept them, further ones are not sent. */
const MAX_WAITING_TESTS = 1_000

async function storeNew(ctx: TransactionContext, given: StoredEvent, hasWebhook: boolean): Promise<void> {
  const isLeftOut = given.test && (await queries.hasWaitingTests(ctx.db, given.partnerId, MAX_WAITING_TESTS))
  const added = addToFeed(ctx, given)
  if (hasWebhook && !isLeftOut) await storeDelivery(ctx, added)
}

interface StoredEvent {
  partnerId: string
  event: EventName
  body: string
  test: boolean
}

/** Gives the event an id, and adds it to the partner's list of events when the transaction ends. */
export function addToFeed(ctx: TransactionContext, given: StoredEvent): StoredEvent & { eventId: string } {
  const eventId = `msg_${randomUUID()}`
  const createdAt = ctx.now()
  ctx.beforeCommit(`events ${given.partnerId}`, () => insertPartnerEvent(ctx.db, { ...given, id: eventId, createdAt }))
  return { ...given, eventId }
}

/** Stores a delivery, which the worker then attempts. Returns its id. */
export async function storeDelivery(
  ctx: TransactionContext,
  delivery: { eventId: string; partnerId: string; event: string; body: string; test: boolean },
): Promise<string> {
  const id = orderedId()
  await queries.insertDelivery(ctx.db, {
    ...delivery,
    id,
    state: 'pending',
    status: null,
    error: null,
    durationMs: null,
    answer: null,
    createdAt: ctx.now(),
    attemptedAt: null,
    heldUntil: null,
  })
  await ctx.announce({ topic: 'webhooks', ids: [id] })
  return id
}

/** An event with the schema of its body. The OpenAPI document and the page for developers describe the event by this schema. */
interface WrittenEvent<N extends EventName, B extends TSchema> extends DeclaredEvent {
  name: N
  body: B
  /** The bytes that are signed and sent. */
  write(body: Static<B>): string
}

export const declareEvent = <const N extends EventName, B extends TSchema>(name: N, body: B): WrittenEvent<N, B> => ({
  name,
  when: EVENTS[name],
  body,
  write: writer(body),
})

export const testEvent = declareEvent(
  TEST_EVENT,
  titledObject('TestPing', 'A test event. It says nothing about any tool or conversation.', {
    event: oneOf([TEST_EVENT], 'The kind of the event.', TEST_EVENT),
    occurredAt: timestamp('When it was asked for.'),
    message: stringType('A sentence for people.', 'This is a test event.'),
  }),
)

/**
 * A partner gets at most one test event at a time and one in this many seconds, in all processes together. So at most one request of each
 * partner waits for an outcome, and test events cannot be used to send many requests to an address.
 */
const EVERY_SECONDS = 5
// How long a request waits for the outcome. Longer than an attempt may take.
const WAIT_MS = 12_000
const POLL_MS = 100

/**
 * Stores a test event and waits for its outcome. Returns it as pending when the wait ends first. `test`: it is an event of the partner's
 * sandbox.
 */
export async function sendTestEvent(ctx: Context, partnerId: string, test = false) {
  const id = await ctx.transaction((ctx) => storeTestEvent(ctx, partnerId, test))
  const end = performance.now() + WAIT_MS
  for (;;) {
    const delivery = orNotFound(await queries.findDelivery(ctx.db, id), 'Delivery')
    const { state, status, error } = delivery
    if (state !== 'pending' || performance.now() > end) return { id, state, status, error }
    await sleep(POLL_MS)
  }
}

const tooSoon = () =>
  new Failure(
    429,
    `A test event was sent less than ${EVERY_SECONDS} seconds ago, or one is still being sent. Try again in ${EVERY_SECONDS} seconds.`,
    { headers: { 'retry-after': String(EVERY_SECONDS) } },
  )

async function storeTestEvent(ctx: TransactionContext, partnerId: string, test: boolean): Promise<string> {
  // Locked, so that the check below sees a test event that another request has just stored.
  const settings = orNotFound(await queries.findEventSettingsForUpdate(ctx.db, partnerId), 'Partner')
  if (settings.webhookUrl === null) throw badRequest('There is no webhook URL to send a test event to. Set one first.')
  const now = ctx.now()
  if (await queries.hasRecentDelivery(ctx.db, partnerId, TEST_EVENT, now, EVERY_SECONDS)) throw tooSoon()
  const body = testEvent.write({ event: TEST_EVENT, occurredAt: now, message: 'This is a test event.' })
  const id = await storeDelivery(ctx, addToFeed(ctx, { partnerId, event: TEST_EVENT, body, test }))
  await writeAudit(ctx, 'webhook.test', `partner:${partnerId}`, { delivery: id })
  return id
}
