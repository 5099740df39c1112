import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { onlyRow, removeWhere } from '../../kernel/database/queries.ts'
import type { ModelPurpose } from '../../kernel/interfaces/language-model.ts'
import { modelCalls } from './tables.ts'

export const insertModelCall = (db: Database, call: typeof modelCalls.$inferInsert) =>
  db.insert(modelCalls).values(call)

/** The newest first. */
export const listModelCalls = (db: Database, limit: number, offset: number) =>
  db.select().from(modelCalls).orderBy(desc(modelCalls.createdAt), desc(modelCalls.id)).limit(limit).offset(offset)

/** Summed as numeric, because the sum of numbers that were written to the database directly may be too large for other types. */
const sum = (column: typeof modelCalls.inputTokens | typeof modelCalls.outputTokens) =>
  sql<number>`coalesce(sum(${column}::numeric), 0)`.mapWith(Number)

export const summariseModelCalls = async (db: Database, since: Date) =>
  onlyRow(
    await db
      .select({
        answered: sql<number>`count(*) filter (where ${modelCalls.failure} is null)`.mapWith(Number),
        failed: sql<number>`count(*) filter (where ${modelCalls.failure} is not null)`.mapWith(Number),
        median: sql<number | null>`percentile_disc(0.5) within group (order by ${modelCalls.milliseconds})`,
        slowest: sql<number | null>`max(${modelCalls.milliseconds})`,
        inputTokens: sum(modelCalls.inputTokens),
        outputTokens: sum(modelCalls.outputTokens),
        cost: sql<number | null>`sum(${modelCalls.cost})`,
      })
      .from(modelCalls)
      .where(gte(modelCalls.createdAt, since)),
  )

export const countModelCalls = (db: Database, purpose: ModelPurpose, since: Date): Promise<number> =>
  db.$count(modelCalls, and(gte(modelCalls.createdAt, since), eq(modelCalls.purpose, purpose)))

export const removeOldModelCalls = (before: Date) => removeWhere(modelCalls, lt(modelCalls.createdAt, before))
