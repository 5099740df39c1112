import { and, desc, eq, inArray, lt, ne, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { removeWhere } from '../../kernel/queries.ts'
import { users } from '../accounts/tables.ts'
import { raisedVersion } from '../audit/queries.ts'
import { tools } from '../catalog/tables.ts'
import { partners } from '../partners/tables.ts'
import type { PROPOSAL_STATES } from './schema.ts'
import { proposals } from './tables.ts'

export type ProposalRow = typeof proposals.$inferSelect
export type NewProposal = Pick<
  ProposalRow,
  'id' | 'toolId' | 'authorKind' | 'authorId' | 'field' | 'oldValue' | 'newValue' | 'createdAt'
>

/** Stores the proposal, or replaces the one of the same author that waits. */
export const upsertProposal = (db: Database, proposal: NewProposal) =>
  db
    .insert(proposals)
    .values({ ...proposal, state: 'waiting', reason: '' })
    .onConflictDoUpdate({
      target: [proposals.toolId, proposals.authorKind, proposals.authorId, proposals.field],
      targetWhere: sql`${proposals.state} = 'waiting'`,
      set: {
        oldValue: proposal.oldValue,
        newValue: proposal.newValue,
        createdAt: proposal.createdAt,
        version: raisedVersion(proposals.version),
      },
    })

/** Deletes what this author has proposed for these fields and what waits. */
export const deleteWaiting = (
  db: Database,
  { toolId, authorKind, authorId }: Pick<ProposalRow, 'toolId' | 'authorKind' | 'authorId'>,
  fields?: readonly string[],
) =>
  db
    .delete(proposals)
    .where(
      and(
        eq(proposals.toolId, toolId),
        eq(proposals.authorKind, authorKind),
        eq(proposals.authorId, authorId),
        eq(proposals.state, 'waiting'),
        fields && inArray(proposals.field, [...fields]),
      ),
    )

const shown = (db: Database) =>
  db
    .select({
      proposal: proposals,
      tool: tools,
      authorName: sql<string>`coalesce(${partners.name}, ${users.email}, ${proposals.authorId})`,
    })
    .from(proposals)
    .innerJoin(tools, eq(tools.id, proposals.toolId))
    .leftJoin(partners, and(eq(proposals.authorKind, 'partner'), eq(partners.id, proposals.authorId)))
    .leftJoin(users, and(eq(proposals.authorKind, 'owner'), eq(users.id, proposals.authorId)))
    .$dynamic()

export interface ProposalFilter {
  state?: (typeof PROPOSAL_STATES)[number]
  tool?: string
}

export const listProposals = (db: Database, { state, tool }: ProposalFilter, limit: number, offset: number) =>
  shown(db)
    .where(
      and(
        state === undefined ? undefined : eq(proposals.state, state),
        tool === undefined ? undefined : eq(tools.slug, tool),
      ),
    )
    .orderBy(desc(proposals.createdAt), desc(proposals.id))
    .limit(limit)
    .offset(offset)

export const findProposal = async (db: Database, id: string) => (await shown(db).where(eq(proposals.id, id)))[0]

/** The listing is locked before the proposal, as when a partner proposes. */
export const lockToolOf = (db: Database, toolId: string) =>
  db.select({ id: tools.id }).from(tools).where(eq(tools.id, toolId)).for('update')

export const updateDecision = (
  db: Database,
  id: string,
  decision: Pick<ProposalRow, 'state' | 'reason' | 'decidedBy' | 'decidedAt'>,
) =>
  db
    .update(proposals)
    .set({ ...decision, version: raisedVersion(proposals.version) })
    .where(eq(proposals.id, id))

/** Deletes decided proposals that are old. */
export const removeOldProposals = (before: Date) =>
  removeWhere(proposals, and(ne(proposals.state, 'waiting'), lt(proposals.createdAt, before)))
