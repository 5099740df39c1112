import { index, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import { versionColumn } from '../audit/tables.ts'
import { LISTED_KINDS } from '../catalog/schema.ts'
import { REPORT_STATES, type ReportCounts, type ReportMessage } from './reports.rules.ts'

const time = (name: string) => timestamp(name, { withTimezone: true })

/** What visitors report about listings, one row for each listing. */
export const visitorReports = pgTable(
  'visitor_reports',
  {
    id: text().primaryKey(),
    kind: text({ enum: LISTED_KINDS }).notNull(),
    listingId: text('listing_id').notNull(),
    state: text({ enum: REPORT_STATES }).notNull(),
    /** How many reports there were since the last answer, by reason. */
    counts: jsonb().$type<ReportCounts>().notNull(),
    /** The latest of them that have a text or an address. The addresses are removed with the answer. */
    messages: jsonb().$type<ReportMessage[]>().notNull(),
    answer: text().notNull(),
    answeredBy: text('answered_by'),
    answeredAt: time('answered_at'),
    firstAt: time('first_at').notNull(),
    lastAt: time('last_at').notNull(),
    version: versionColumn(),
  },
  (table) => [
    uniqueIndex('visitor_reports_listing').on(table.listingId),
    index('visitor_reports_state').on(table.state, table.lastAt),
  ],
)
