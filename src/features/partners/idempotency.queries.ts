import { and, eq, gt, lt } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { removeWhere } from '../../kernel/old-rows.queries.ts'
import { idempotentAnswers } from './tables.ts'

export type IdempotentAnswer = typeof idempotentAnswers.$inferSelect

export const findIdempotentAnswer = async (db: Database, partnerId: string, key: string, since: Date) =>
  (
    await db
      .select()
      .from(idempotentAnswers)
      .where(
        and(
          eq(idempotentAnswers.partnerId, partnerId),
          eq(idempotentAnswers.key, key),
          gt(idempotentAnswers.createdAt, since),
        ),
      )
  )[0]

export const upsertIdempotentAnswer = (db: Database, answer: IdempotentAnswer) =>
  db
    .insert(idempotentAnswers)
    .values(answer)
    .onConflictDoUpdate({ target: [idempotentAnswers.partnerId, idempotentAnswers.key], set: answer })

export const removeOldAnswers = (before: Date) =>
  removeWhere(idempotentAnswers, lt(idempotentAnswers.createdAt, before))
