import { sql } from 'drizzle-orm'
import { index, integer, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { timeColumn } from '../../kernel/database/tables.ts'
import { LISTED_KINDS } from '../catalog/schema.ts'
import { WORK_STATES, type WorkPart } from './rules.ts'

/** Listings that have or had pictures on other hosts: whether they wait to be copied, and the outcome of the last attempt. */
export const pictureWork = pgTable(
  'picture_work',
  {
    kind: text({ enum: LISTED_KINDS }).notNull(),
    listingId: text('listing_id').notNull(),
    /** The host of the first picture: only a few listings of one host are worked on at once. */
    host: text().notNull(),
    /** The hash of the addresses. While they stay the same, a listing that is done or has failed is left alone. */
    hash: text().notNull(),
    state: text({ enum: WORK_STATES }).notNull(),
    /** Attempts since the addresses changed or an operator asked again. */
    attempts: integer().notNull(),
    dueAt: timeColumn('due_at').notNull(),
    /** A process has claimed the listing until then. */
    leasedUntil: timeColumn('leased_until'),
    parts: json().$type<WorkPart[]>().notNull(),
    updatedAt: timeColumn('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.listingId] }),
    index('picture_work_due').on(table.dueAt, table.listingId).where(sql`${table.state} = 'waiting'`),
    index('picture_work_leased').on(table.leasedUntil).where(sql`${table.leasedUntil} is not null`),
    index('picture_work_state').on(table.state, table.updatedAt),
  ],
)
