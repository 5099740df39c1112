import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { partners } from '../partners/tables.ts'
import { DELIVERY_STATES } from './schema.ts'

/**
 * One row for each attempt to deliver an event. The row is written in the transaction that caused the event. A worker claims it by
 * marking it unknown before it sends, so after a crash it is unknown and the service never sends it again by itself. Until `heldUntil`
 * the worker that claimed it may still be sending, and readers see it as pending.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: text().primaryKey(),
    /** The same when an event is sent again, so that receivers recognize repetitions. */
    eventId: text('event_id').notNull(),
    partnerId: referenceColumn('partner_id', () => partners.id),
    /** Whether the event belongs to the partner's sandbox. */
    test: boolean().notNull().default(false),
    event: text().notNull(),
    /** The exact bytes that are signed and sent. */
    body: text().notNull(),
    state: text({ enum: DELIVERY_STATES }).notNull(),
    status: integer(),
    error: text(),
    durationMs: integer('duration_ms'),
    answer: text(),
    createdAt: timeColumn('created_at').notNull(),
    attemptedAt: timeColumn('attempted_at'),
    heldUntil: timeColumn('held_until'),
  },
  (table) => [
    index('webhook_deliveries_state').on(table.state, table.createdAt),
    index('webhook_deliveries_event').on(table.eventId, table.createdAt),
    index('webhook_deliveries_partner').on(table.partnerId, table.createdAt),
    // For the query that chooses the next partner before every attempt.
    index('webhook_deliveries_pending')
      .on(table.partnerId, table.test, table.createdAt)
      .where(sql`${table.state} = 'pending'`),
    index('webhook_deliveries_attempted').on(table.partnerId, table.test, table.attemptedAt),
    index('webhook_deliveries_test').on(table.createdAt).where(sql`${table.test}`),
  ],
)

/**
 * Every event of a partner, or of its sandbox, whether it is sent or not, for 30 days. The position is given at the end of the transaction
 * that causes the event, while the row of `eventFeeds` is locked until the commit: an event is never visible before one with a lower position.
 */
export const partnerEvents = pgTable(
  'partner_events',
  {
    partnerId: referenceColumn('partner_id', () => partners.id),
    test: boolean().notNull(),
    position: bigint({ mode: 'number' }).notNull(),
    /** `webhook-id` of its deliveries. */
    id: text().notNull(),
    event: text().notNull(),
    body: text().notNull(),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.partnerId, table.test, table.position] }),
    index('partner_events_created').on(table.createdAt),
  ],
)

/** The highest position of the events of a partner or sandbox, and the highest one that was deleted because of its age. */
export const eventFeeds = pgTable(
  'event_feeds',
  {
    partnerId: referenceColumn('partner_id', () => partners.id),
    test: boolean().notNull(),
    last: bigint({ mode: 'number' }).notNull(),
    removed: bigint({ mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.test] })],
)
