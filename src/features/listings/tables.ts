// Tables about listings. The tables of the listings themselves are in `features/catalog/tables.ts`.
import { sql } from 'drizzle-orm'
import { bigint, boolean, date, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { ENDED, KINDS, LISTED_KINDS } from '../catalog/schema.ts'
import { tools } from '../catalog/tables.ts'
import { HEALTH_STATES } from './schema.ts'

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

/** How often people found, viewed and opened a tool on a day (UTC). A row does not say who they were. */
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
 * The version of each entry of the catalog when it was last compared (`changes.queries.ts`). `GET /changes` lists these marks by `position`;
 * an entry that changed gets a new, higher position. The mark of a deleted entry is `gone` and stays for 90 days.
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

/** One row: `last` is the highest position of all marks, `removed` the highest position of the marks that were deleted. */
export const catalogFeed = pgTable('catalog_feed', {
  id: text().primaryKey(),
  last: bigint({ mode: 'number' }).notNull(),
  removed: bigint({ mode: 'number' }).notNull().default(0),
})

/** What the looks at the websites of listings have found (`features/health`). The row of a deleted listing is deleted some time later. */
export const listingHealth = pgTable(
  'listing_health',
  {
    listingId: text('listing_id').primaryKey(),
    kind: text({ enum: LISTED_KINDS }).notNull(),
    /** The address that was looked at. When the listing gets another address, what the looks have found is forgotten. */
    website: text().notNull(),
    /** The host under which the requests to the website are counted. */
    host: text().notNull(),
    /** When it is looked at next; while a look is under way, when its claim ends. */
    nextAt: timeColumn('next_at').notNull(),
    /** Identifies the look that is under way. null: none is. */
    claim: text(),
    state: text({ enum: HEALTH_STATES }).notNull().default('unknown'),
    /** When the state was first found. */
    since: timeColumn('since'),
    checkedAt: timeColumn('checked_at'),
    /** The HTTP status that the last look got. null: the website did not answer. */
    status: integer(),
    finalUrl: text('final_url'),
    /** Whether the website of a tool showed the badge of this service when it was last read. */
    showsBadge: boolean('shows_badge').notNull().default(false),
    /** What the last looks in a row found, before there are enough of them to change the state; since when, and how many they are. */
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
