import { bigint, date, doublePrecision, index, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core'

/**
 * How much a listing was opened after a question, recent openings counting more. A row names no caller, and exists only if several callers
 * opened the listing.
 */
export const searchOpenings = pgTable(
  'search_openings',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    words: text().notNull(),
    listingId: text('listing_id').notNull(),
    /** The sum of `weightAt` (`rules.ts`) over the openings. */
    weight: doublePrecision().notNull(),
    lastDay: date('last_day', { mode: 'string' }).notNull(),
  },
  (table) => [
    unique('search_openings_pair').on(table.words, table.listingId),
    index('search_openings_day').on(table.lastDay),
  ],
)

/**
 * Who has opened which listing after which question in a month, so that every caller counts once, also after a restart and with several
 * processes. `pair` (question and listing) and `caller` are hashes with a secret key. The hash of a caller differs for every pair and
 * month, so that rows of one caller cannot be linked. The words of a pair are stored in `search_openings` only when several callers have
 * opened it.
 */
export const searchOpeningCallers = pgTable(
  'search_opening_callers',
  {
    pair: text().notNull(),
    caller: text().notNull(),
    /** The first day of the month. */
    month: date({ mode: 'string' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pair, table.caller] }),
    index('search_opening_callers_month').on(table.month),
  ],
)
