// Reads the tools that a user has proven to own, and how often they were seen and opened.
import { and, eq, gte, isNotNull, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../../../kernel/context.ts'
import { tools } from '../../catalog/tables.ts'
import { toolDays } from '../../listings/tables.ts'
import { claims } from '../tables.ts'

/** A tool that this user has proven to own, with the claim. Without a proven claim nothing is found, so no caller has to check it. */
const ownedTools = (db: Database, userId: string, slug: string) =>
  db
    .select({ tool: tools, claim: claims })
    .from(tools)
    .innerJoin(claims, and(eq(claims.toolId, tools.id), eq(claims.userId, userId), isNotNull(claims.provenAt)))
    .where(eq(tools.slug, slug))
    .$dynamic()

export type OwnedTool = Awaited<ReturnType<typeof ownedTools>>[number]

export const findOwnedTool = async (db: Database, userId: string, slug: string): Promise<OwnedTool | undefined> =>
  (await ownedTools(db, userId, slug))[0]

/** The sums of the days from `since` on, for all listings of the user; zeros for a listing without such days. */
export const listSums = (db: Database, userId: string, since: string) => {
  const sum = (column: AnyPgColumn) => sql<number>`coalesce(sum(${column}), 0)::float8`
  return db
    .select({
      slug: tools.slug,
      website: tools.website,
      ownWebsite: claims.website,
      appearances: sum(toolDays.appearances),
      views: sum(toolDays.views),
      opens: sum(toolDays.opens),
    })
    .from(claims)
    .innerJoin(tools, eq(tools.id, claims.toolId))
    .leftJoin(toolDays, and(eq(toolDays.toolId, tools.id), gte(toolDays.day, since)))
    .where(and(eq(claims.userId, userId), isNotNull(claims.provenAt)))
    .groupBy(tools.id, claims.id)
}

/** Both rows stay locked until the transaction ends, so that an owner who is removed meanwhile changes nothing more. */
export const findOwnedToolForUpdate = async (
  db: Database,
  userId: string,
  slug: string,
): Promise<OwnedTool | undefined> => (await ownedTools(db, userId, slug).for('update'))[0]
