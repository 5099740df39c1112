import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { partners } from '../keys/tables.ts'
import { DELIVERY_STATES } from './schema.ts'

/**
 * One row an attempt to deliver an event. The row is written in the transaction that caused the event; a worker claims it by
 * marking it unknown before it sends, so a crash in between leaves it unknown and it is never sent twice by itself. Until
 * `heldUntil` the process that claimed it may still be at work, and readers see it as pending.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: text().primaryKey(),
    /** The same for an event and for sending it again: receivers tell repetitions by it. */
    eventId: text('event_id').notNull(),
    partnerId: text('partner_id')
      .notNull()
      .references(() => partners.id),
    event: text().notNull(),
    /** The very bytes that are signed and sent. */
    body: text().notNull(),
    state: text({ enum: DELIVERY_STATES }).notNull(),
    status: integer(),
    error: text(),
    durationMs: integer('duration_ms'),
    answer: text(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    attemptedAt: timestamp('attempted_at', { withTimezone: true }),
    heldUntil: timestamp('held_until', { withTimezone: true }),
  },
  (table) => [
    index('webhook_deliveries_state').on(table.state, table.createdAt),
    index('webhook_deliveries_event').on(table.eventId, table.createdAt),
    index('webhook_deliveries_partner').on(table.partnerId, table.createdAt),
    // Whose turn it is, asked before every attempt.
    index('webhook_deliveries_pending').on(table.partnerId, table.createdAt).where(sql`${table.state} = 'pending'`),
    index('webhook_deliveries_attempted').on(table.partnerId, table.attemptedAt),
  ],
)
