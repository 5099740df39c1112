import { bigint, date, doublePrecision, index, pgTable, text, unique } from 'drizzle-orm/pg-core'

/** How often a listing was opened after a question. A row has no caller, and exists only for what several callers did. */
export const searchOpenings = pgTable(
  'search_openings',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    words: text().notNull(),
    listingId: text('listing_id').notNull(),
    /** The sum of `weightAt` over the openings. */
    weight: doublePrecision().notNull(),
    lastDay: date('last_day', { mode: 'string' }).notNull(),
  },
  (table) => [
    unique('search_openings_pair').on(table.words, table.listingId),
    index('search_openings_day').on(table.lastDay),
  ],
)
