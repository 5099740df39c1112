import { and, asc, desc, eq, lt, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { pickColumns, removeWhere } from '../../kernel/database/queries.ts'
import { MOST_ROWS } from './rules.ts'
import type { SearchedCatalog } from './schema.ts'
import { unfoundQuestions } from './tables.ts'

export type UnfoundRow = typeof unfoundQuestions.$inferSelect

/**
 * Adds the counts to those of other processes, in one statement. The rows are sorted, so that two processes that write the same questions
 * cannot deadlock.
 */
export const addUnfound = (db: Database, rows: readonly UnfoundRow[]) =>
  db.execute(sql`
    insert into unfound_questions as stored (words, searched, nothing, partial, last_day)
    select u.words, u.searched, u.nothing, u.partial, u."lastDay"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as u(words text, searched text, nothing bigint, partial bigint, "lastDay" date)
    where (select count(*) from unfound_questions) + ${rows.length} <= ${MOST_ROWS}
      or exists (select from unfound_questions k where k.words = u.words and k.searched = u.searched)
    order by 1, 2
    on conflict (words, searched) do update set
      nothing = least(stored.nothing::numeric + excluded.nothing, ${Number.MAX_SAFE_INTEGER}),
      partial = least(stored.partial::numeric + excluded.partial, ${Number.MAX_SAFE_INTEGER}),
      last_day = greatest(stored.last_day, excluded.last_day)`)

// As numeric, because a row that was written to the database directly may have counts whose sum is too large for a bigint.
const times = sql<number>`${unfoundQuestions.nothing}::numeric + ${unfoundQuestions.partial}`.mapWith(Number)

/** The most asked first. */
export const listUnfound = (db: Database, searched: SearchedCatalog | undefined, limit: number, offset: number) =>
  db
    .select({
      words: unfoundQuestions.words,
      searched: unfoundQuestions.searched,
      times,
      ...pickColumns(unfoundQuestions, 'nothing', 'partial', 'lastDay'),
    })
    .from(unfoundQuestions)
    .where(and(searched === undefined ? undefined : eq(unfoundQuestions.searched, searched)))
    .orderBy(desc(times), desc(unfoundQuestions.lastDay), asc(unfoundQuestions.words), asc(unfoundQuestions.searched))
    .limit(limit)
    .offset(offset)

export const removeOldUnfound = (day: string) => removeWhere(unfoundQuestions, lt(unfoundQuestions.lastDay, day))
