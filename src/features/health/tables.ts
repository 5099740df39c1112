// What looks at websites have found is in the table listing_health of features/listings/tables.ts.
import { index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { timeColumn } from '../../kernel/database/tables.ts'
import { versionColumn } from '../audit/tables.ts'
import { LISTED_KINDS } from '../catalog/schema.ts'
import { REPORT_STATES, type ReportCounts, type ReportMessage } from './reports/reports.rules.ts'

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
    answeredAt: timeColumn('answered_at'),
    firstAt: timeColumn('first_at').notNull(),
    lastAt: timeColumn('last_at').notNull(),
    version: versionColumn(),
  },
  (table) => [
    uniqueIndex('visitor_reports_listing').on(table.listingId),
    index('visitor_reports_state').on(table.state, table.lastAt),
  ],
)
