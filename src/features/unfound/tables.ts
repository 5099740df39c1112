import { bigint, date, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { SEARCHED } from './schema.ts'

/**
 * How often a question found nothing, or only partial matches. No caller is stored. A question is stored only once several callers have
 * asked it.
 */
export const unfoundQuestions = pgTable(
  'unfound_questions',
  {
    words: text().notNull(),
    searched: text({ enum: SEARCHED }).notNull(),
    nothing: bigint({ mode: 'number' }).notNull(),
    partial: bigint({ mode: 'number' }).notNull(),
    lastDay: date('last_day', { mode: 'string' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.words, table.searched] }), index('unfound_questions_day').on(table.lastDay)],
)
