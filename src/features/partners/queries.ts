import { and, desc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { countedRows, type RemoveBatch } from '../../kernel/old-rows.queries.ts'
import { onlyRow } from '../../kernel/rows.ts'
import { hasWords } from '../../kernel/words.queries.ts'
import { raisedVersion } from '../audit/queries.ts'
import { partners } from './tables.ts'

export type PartnerRow = typeof partners.$inferSelect

export const findPartner = async (db: Database, id: string): Promise<PartnerRow | undefined> =>
  (await db.select().from(partners).where(eq(partners.id, id)))[0]

export const findPartnerForUpdate = async (db: Database, id: string): Promise<PartnerRow | undefined> =>
  (await db.select().from(partners).where(eq(partners.id, id)).for('update'))[0]

export const insertPartner = (db: Database, partner: PartnerRow) => db.insert(partners).values(partner)

export interface PartnerFilter {
  /** Part of the name or of the contact's address. */
  q?: string
  banned?: boolean
}

export const selectPartners = (db: Database, { q, banned }: PartnerFilter, limit: number, offset: number) =>
  shownPartners(db)
    .where(
      and(
        hasWords(q, [partners.name, partners.contactEmail]),
        banned === undefined ? undefined : eq(partners.banned, banned),
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
      id: partners.id,
      name: partners.name,
      contactEmail: partners.contactEmail,
      webhookUrl: partners.webhookUrl,
      support: partners.support,
      events: partners.events,
      banned: partners.banned,
      plan: { budget: partners.planBudget, badges: partners.planBadges },
      // The only read of a later feature's table. Plain SQL, because the query builder omits the table's name here and the subquery
      // would take `id` for its own column.
      last4: sql<
        string | null
      >`(select k.last4 from keys k where k.partner_id = partners.id and not k.test and k.revoked_at is null and k.ends_at is null order by k.created_at desc limit 1)`,
      version: partners.version,
      createdAt: partners.createdAt,
      updatedAt: partners.updatedAt,
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

/** A secret that no longer signs is not kept. */
/** Secrets before a rotation whose overlap has ended. */
export const removeEndedSecrets =
  (now: Date): RemoveBatch =>
  (db, limit) =>
    countedRows(
      db,
      sql`update partners set previous_secret = null, previous_valid_until = null where id in (
        select id from partners where previous_valid_until < ${now.toISOString()}::timestamptz
        limit ${limit} for update skip locked) returning 1`,
    )
