import { and, desc, eq, gt, lt, ne, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import {
  countedRows,
  hasWords,
  onlyRow,
  pickColumns,
  type RemoveBatch,
  removeWhere,
} from '../../kernel/database/queries.ts'
import { raisedVersion } from '../audit/queries.ts'
import { DIRECT_ORDERS } from './rules.ts'
import { idempotentAnswers, partners } from './tables.ts'

export type PartnerRow = typeof partners.$inferSelect

export const findPartner = async (db: Database, id: string): Promise<PartnerRow | undefined> =>
  (await db.select().from(partners).where(eq(partners.id, id)))[0]

export const findPartnerForUpdate = async (db: Database, id: string): Promise<PartnerRow | undefined> =>
  (await db.select().from(partners).where(eq(partners.id, id)).for('update'))[0]

export const insertPartner = (db: Database, partner: PartnerRow) => db.insert(partners).values(partner)

/** Returns false when the partner exists already, because another process has inserted it. */
export const insertMissingPartner = async (db: Database, partner: PartnerRow): Promise<boolean> =>
  (await db.insert(partners).values(partner).onConflictDoNothing().returning({ id: partners.id })).length > 0

interface PartnerFilter {
  q?: string
  banned?: boolean
  builtIn?: boolean
}

export const selectPartners = (db: Database, { q, banned, builtIn }: PartnerFilter, limit: number, offset: number) =>
  shownPartners(db)
    .where(
      and(
        hasWords(q, [partners.name, partners.contactEmail]),
        banned === undefined ? undefined : eq(partners.banned, banned),
        builtIn ? undefined : ne(partners.id, DIRECT_ORDERS.id),
      ),
    )
    .orderBy(desc(partners.createdAt), desc(partners.id))
    .limit(limit)
    .offset(offset)

export const findShownPartner = async (db: Database, id: string) =>
  (await shownPartners(db).where(eq(partners.id, id)))[0]

const shownPartners = (db: Database) =>
  db
    .select({
      ...pickColumns(partners, 'id', 'name', 'contactEmail', 'webhookUrl', 'support', 'events', 'banned'),
      plan: { budget: partners.planBudget, badges: partners.planBadges },
      // `keys` is a table of a feature that depends on this one. Plain SQL, because the query builder would omit the table name of
      // `partners.id`, and the subquery would use its own `id`.
      last4: sql<
        string | null
      >`(select k.last4 from keys k where k.partner_id = partners.id and not k.test and k.revoked_at is null and k.ends_at is null order by k.created_at desc limit 1)`,
      ...pickColumns(partners, 'version', 'createdAt', 'updatedAt'),
    })
    .from(partners)
    .$dynamic()

export const updatePartner = async (
  db: Database,
  id: string,
  change: Partial<Omit<PartnerRow, 'version'>>,
): Promise<PartnerRow> =>
  onlyRow(
    await db
      .update(partners)
      .set({ ...change, version: raisedVersion(partners.version) })
      .where(eq(partners.id, id))
      .returning(),
  )

/** Deletes previous signing secrets whose overlap has ended. */
export const removeEndedSecrets =
  (now: Date): RemoveBatch =>
  (db, limit) =>
    countedRows(
      db,
      sql`update partners set previous_secret = null, previous_valid_until = null where id in (
        select id from partners where previous_valid_until < ${now.toISOString()}::timestamptz
        limit ${limit} for update skip locked) returning 1`,
    )

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
