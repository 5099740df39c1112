import { and, eq, isNotNull } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { tools } from '../../catalog/tables.ts'
import { claims } from '../tables.ts'

/** A tool with the claim of this user. Without a proven claim nothing is found, so that no caller can forget the check. */
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

/** Both rows stay locked until the transaction ends, so that an owner who is removed meanwhile changes nothing more. */
export const findOwnedToolForUpdate = async (
  db: Database,
  userId: string,
  slug: string,
): Promise<OwnedTool | undefined> => (await ownedTools(db, userId, slug).for('update'))[0]
