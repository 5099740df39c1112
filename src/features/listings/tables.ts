import { sql } from 'drizzle-orm'
import { bigint, boolean, date, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/tables.ts'
import { ENDED, KINDS, LISTED_KINDS } from '../catalog/schema.ts'
import { tools } from '../catalog/tables.ts'
import { HEALTH_STATES } from './health.rules.ts'

/** One row for each visitor, tool and day, so that a click-through counts once; the visitor is a keyed hash that changes daily. */
export const visits = pgTable(
  'visits',
  {
    day: date().notNull(),
    toolId: referenceColumn('tool_id', () => tools.id, 'cascade'),
    visitor: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.toolId, table.visitor] })],
)

/** How often people found, viewed and opened a tool on a day (UTC). A row says nothing about them. */
export const toolDays = pgTable(
  'tool_days',
  {
    toolId: referenceColumn('tool_id', () => tools.id, 'cascade'),
    day: date().notNull(),
    appearances: integer().notNull().default(0),
    views: integer().notNull().default(0),
    opens: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.toolId, table.day] }), index('tool_days_day').on(table.day)],
)

/** The copies that this service stores of pictures on other hosts. */
export const pictureCopies = pgTable(
  'picture_copies',
  {
    /** The hash of use and address (`pictures.rules.ts`). */
    key: text().primaryKey(),
    /** The file name in the picture store. */
    name: text().notNull(),
    /** Where the picture can be fetched again when its file is lost. null: nowhere, or the address is too long to be stored. */
    address: text(),
    madeAt: timeColumn('made_at').notNull(),
  },
  (table) => [index('picture_copies_name').on(table.name)],
)

/**
 * What readers of `GET /changes` were told last about each entry of the catalog. A comparison with the entries finds what changed since
 * (`changes.queries.ts`). The mark of a deleted entry stays for 90 days.
 */
export const catalogMarks = pgTable(
  'catalog_marks',
  {
    kind: text({ enum: KINDS }).notNull(),
    slug: text().notNull(),
    version: integer().notNull(),
    gone: boolean().notNull(),
    position: bigint({ mode: 'number' }).notNull(),
    at: timeColumn('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.slug] }), index('catalog_marks_position').on(table.position)],
)

/** One row: the highest position of the marks, and the highest one of a mark that was deleted. */
export const catalogFeed = pgTable('catalog_feed', {
  id: text().primaryKey(),
  last: bigint({ mode: 'number' }).notNull(),
  removed: bigint({ mode: 'number' }).notNull().default(0),
})

/** What the looks at the websites of listings have found (`features/health`). A row without a listing is deleted some time later. */
export const listingHealth = pgTable(
  'listing_health',
  {
    listingId: text('listing_id').primaryKey(),
    kind: text({ enum: LISTED_KINDS }).notNull(),
    /** The address that was looked at. When the listing gets another, what the looks have found is forgotten. */
    website: text().notNull(),
    /** The host under which the requests to the website are counted. */
    host: text().notNull(),
    /** When it is looked at next; while a look is under way, when its claim ends. */
    nextAt: timeColumn('next_at').notNull(),
    claim: text(),
    state: text({ enum: HEALTH_STATES }).notNull().default('unknown'),
    since: timeColumn('since'),
    checkedAt: timeColumn('checked_at'),
    /** The answer of the last look; null when there was none. */
    status: integer(),
    finalUrl: text('final_url'),
    /** Whether the website of a tool showed the badge of this service when it was last read. */
    showsBadge: boolean('shows_badge').notNull().default(false),
    /** The looks in a row that found the product gone, or its domain parked. */
    suspected: text({ enum: ENDED }),
    suspectedAt: timeColumn('suspected_at'),
    suspectedLooks: integer('suspected_looks').notNull().default(0),
    /** The listing that operators or owners recommend instead. */
    successorId: text('successor_id'),
    /** When an operator last decided what to do with the listing in this state. */
    decidedAt: timeColumn('decided_at'),
  },
  (table) => [
    index('listing_health_due').on(table.kind, table.nextAt),
    index('listing_health_news').on(table.since).where(sql`${table.state} in ('gone', 'parked', 'moved')`),
    // For the list of operators.
    index('listing_health_since').on(table.since.desc().nullsLast(), table.listingId.desc().nullsFirst()),
  ],
)
