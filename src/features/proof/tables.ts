import { sql } from 'drizzle-orm'
import { boolean, foreignKey, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { directories } from '../catalog/tables.ts'
import { LINK_STATES } from '../submissions/bench/link.rules.ts'
import { submissionRows, submissions } from '../submissions/tables.ts'

/** Every check of a listing. After a year only changes of state and the last check of each quarter are kept (`removeOldChecks`). */
export const linkChecks = pgTable(
  'link_checks',
  {
    id: text().primaryKey(),
    submissionId: text('submission_id').notNull(),
    directoryId: text('directory_id').notNull(),
    listingUrl: text('listing_url').notNull(),
    state: text({ enum: LINK_STATES }).notNull(),
    checkedAt: timeColumn('checked_at').notNull(),
    /** The status of the page; null when it was not fetched or did not answer. */
    status: integer(),
    finalUrl: text('final_url'),
    rel: text(),
    anchorText: text('anchor_text'),
    noindex: boolean(),
    /** true: `removeOldChecks` has decided to keep this check forever; false: it has not decided yet. */
    kept: boolean().notNull().default(false),
  },
  (table) => [
    foreignKey({
      name: 'link_checks_row',
      columns: [table.submissionId, table.directoryId],
      foreignColumns: [submissionRows.submissionId, submissionRows.directoryId],
    }).onDelete('cascade'),
    index('link_checks_row_time').on(table.submissionId, table.directoryId, table.checkedAt),
    index('link_checks_unfolded').on(table.checkedAt).where(sql`not ${table.kept}`),
  ],
)

/** When the next request to a host may be sent, by the clock of the database, which all processes share. */
export const linkHosts = pgTable('link_hosts', {
  host: text().primaryKey(),
  nextAt: timeColumn('next_at').notNull(),
})

/** The robots.txt of an origin, cached for a day. */
export const robotsFiles = pgTable('robots_files', {
  origin: text().primaryKey(),
  /** Only the lines that say what programs may fetch; empty: programs may fetch everything. */
  rules: text().notNull(),
  fetchedAt: timeColumn('fetched_at').notNull(),
})

const SEARCH_STATES = ['asking', 'listed', 'absent', 'unknown'] as const

/** What the search of a directory said about a product before the work on it began. Each is asked once; plans leave out what is listed. */
export const directorySearches = pgTable(
  'directory_searches',
  {
    submissionId: referenceColumn('submission_id', () => submissions.id, 'cascade'),
    directoryId: referenceColumn('directory_id', () => directories.id, 'cascade'),
    /** asking: a process asks, or has ended before it knew. */
    state: text({ enum: SEARCH_STATES }).notNull(),
    /** The page that links to the product. */
    listingUrl: text('listing_url'),
    askedAt: timeColumn('asked_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.submissionId, table.directoryId] })],
)
