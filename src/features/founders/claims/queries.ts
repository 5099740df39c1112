import { and, asc, desc, eq, inArray, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { deleteOldest, pickColumns, removeWhere } from '../../../kernel/database/queries.ts'
import { users } from '../../accounts/tables.ts'
import { tools } from '../../catalog/tables.ts'
import { claims } from '../tables.ts'
import type { ClaimState } from './rules.ts'

export type ClaimRow = typeof claims.$inferSelect

/** The tool, if readers see it or this user owns it. */
export const findClaimable = async (db: Database, userId: string, slug: string) =>
  (
    await db
      .select({ id: tools.id, slug: tools.slug, name: tools.name, website: tools.website })
      .from(tools)
      .leftJoin(claims, and(eq(claims.toolId, tools.id), eq(claims.userId, userId), isNotNull(claims.provenAt)))
      .where(and(eq(tools.slug, slug), or(eq(tools.published, true), isNotNull(claims.id))))
  )[0]

export const findClaim = async (db: Database, userId: string, toolId: string): Promise<ClaimRow | undefined> =>
  (
    await db
      .select()
      .from(claims)
      .where(and(eq(claims.userId, userId), eq(claims.toolId, toolId)))
  )[0]

export const findClaimForUpdate = async (db: Database, id: string): Promise<ClaimRow | undefined> =>
  (await db.select().from(claims).where(eq(claims.id, id)).for('update'))[0]

export const insertClaim = (db: Database, claim: typeof claims.$inferInsert) =>
  db.insert(claims).values(claim).onConflictDoNothing()

export const updateClaim = (db: Database, id: string, change: Partial<ClaimRow>) =>
  db.update(claims).set(change).where(eq(claims.id, id))

export const deleteClaim = (db: Database, id: string) => db.delete(claims).where(eq(claims.id, id))

/** Deletes the oldest unproven claims of a user, so that at most `most` stay. */
export const deleteOldUnproven = (db: Database, userId: string, most: number) =>
  deleteOldest(db, claims, and(eq(claims.userId, userId), isNull(claims.provenAt)), most)

export const countOwners = (db: Database, toolId: string): Promise<number> =>
  db.$count(claims, and(eq(claims.toolId, toolId), isNotNull(claims.provenAt)))

const shownOwners = (db: Database) =>
  db
    .select({
      id: claims.id,
      tool: { slug: tools.slug, name: tools.name, website: tools.website },
      user: { id: users.id, email: users.email },
      ...pickColumns(claims, 'method', 'provenAt', 'checkedAt', 'failedAt', 'createdAt'),
    })
    .from(claims)
    .innerJoin(tools, eq(tools.id, claims.toolId))
    .innerJoin(users, eq(users.id, claims.userId))
    .$dynamic()

/** `tool` is the slug or the id of a tool. */
export const selectOwners = (
  db: Database,
  { tool, state }: { tool?: string; state: ClaimState },
  limit: number,
  offset: number,
) =>
  shownOwners(db)
    .where(
      and(
        state === 'proven' ? isNotNull(claims.provenAt) : isNull(claims.provenAt),
        tool === undefined ? undefined : sql`${tool} in (${tools.slug}, ${tools.id})`,
      ),
    )
    .orderBy(sql`${claims.provenAt} desc nulls last`, desc(claims.createdAt), desc(claims.id))
    .limit(limit)
    .offset(offset)

export const findOwner = async (db: Database, id: string) =>
  (await shownOwners(db).where(and(eq(claims.id, id), isNotNull(claims.provenAt))))[0]

export const selectOwnClaims = (db: Database, userId: string) =>
  db
    .select({
      tool: { slug: tools.slug, name: tools.name },
      provenAt: claims.provenAt,
      failedAt: claims.failedAt,
      published: tools.published,
      icon: tools.icon,
    })
    .from(claims)
    .innerJoin(tools, eq(tools.id, claims.toolId))
    .where(and(eq(claims.userId, userId), isNotNull(claims.provenAt)))
    .orderBy(desc(claims.provenAt), desc(claims.id))
    .limit(100)

/**
 * Takes the owner whose check is most overdue, or whose listing has got another website since the last check, and sets its next check, so
 * that no other process checks it too.
 */
export const takeDueClaim = (db: Database, now: Date, again: Date) =>
  db
    .update(claims)
    .set({ nextAt: again, checkedAt: now })
    .where(
      inArray(
        claims.id,
        db
          .select({ id: claims.id })
          .from(claims)
          .where(or(lte(claims.nextAt, now), hasOtherWebsite))
          .orderBy(asc(claims.nextAt))
          .limit(1)
          .for('update', { skipLocked: true }),
      ),
    )
    .returning()

const hasOtherWebsite = sql`exists (select from ${tools} where ${tools.id} = ${claims.toolId} and ${tools.website} <> ${claims.website} and ${tools.updatedAt} > ${claims.checkedAt})`

export const findToolOfClaim = async (db: Database, toolId: string) =>
  (
    await db
      .select({ slug: tools.slug, name: tools.name, website: tools.website })
      .from(tools)
      .where(eq(tools.id, toolId))
  )[0]

/** When the next owner is checked; null: there is none. */
export const findNextClaimCheck = async (db: Database): Promise<Date | null> =>
  (
    await db
      .select({ at: claims.nextAt })
      .from(claims)
      .where(isNotNull(claims.nextAt))
      .orderBy(asc(claims.nextAt))
      .limit(1)
  )[0]?.at ?? null

export const removeOldUnproven = (since: Date) =>
  removeWhere(claims, and(isNull(claims.provenAt), lt(claims.createdAt, since)))
