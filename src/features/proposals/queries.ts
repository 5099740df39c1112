import { and, desc, eq, inArray, lt, ne, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { deleteOldest, groupsByLength, removeWhere } from '../../kernel/database/queries.ts'
import { users } from '../accounts/tables.ts'
import { raisedVersion } from '../audit/queries.ts'
import { directories, tools } from '../catalog/tables.ts'
import { partners } from '../partners/tables.ts'
import type { AUTHOR_KINDS, PROPOSAL_STATES } from './schema.ts'
import { proposals } from './tables.ts'

export type ProposalRow = typeof proposals.$inferSelect
const NEWEST_FIRST = [desc(proposals.createdAt), desc(proposals.id)]

interface NewProposal
  extends Pick<ProposalRow, 'id' | 'authorKind' | 'authorId' | 'field' | 'oldValue' | 'newValue' | 'createdAt'> {
  toolId: string
}

/** Stores a proposal that waits, or one that was refused at once, without an administrator. */
export const insertProposal = (db: Database, proposal: NewProposal & Pick<ProposalRow, 'state' | 'reason'>) =>
  db.insert(proposals).values(proposal)

/** Whether a proposal came from reading the site of the directory. `authorId` names the program that read it. */
const isFromLook = (directoryId: string, authorId: string) =>
  and(eq(proposals.directoryId, directoryId), eq(proposals.authorKind, 'look'), eq(proposals.authorId, authorId))

/** The waiting and refused proposals for a directory that came from reading its site. */
export const listLookProposals = (db: Database, directoryId: string, authorId: string) =>
  db
    .select({ field: proposals.field, newValue: proposals.newValue, state: proposals.state })
    .from(proposals)
    .where(and(isFromLook(directoryId, authorId), inArray(proposals.state, ['waiting', 'refused'])))

/** Stores a proposal that came from reading the site of a directory. One that waits for the same field must have been deleted. */
export const insertLookProposal = (
  db: Database,
  proposal: Pick<
    ProposalRow,
    'id' | 'directoryId' | 'authorId' | 'field' | 'oldValue' | 'newValue' | 'quote' | 'createdAt'
  >,
) =>
  db
    .insert(proposals)
    .values({ ...proposal, authorKind: 'look', state: 'waiting', reason: '' })
    .onConflictDoNothing()

/** Deletes the waiting proposals for these fields that came from reading the site of a directory. */
export const deleteWaitingLookProposals = (
  db: Database,
  directoryId: string,
  authorId: string,
  fields: readonly string[],
) =>
  db
    .delete(proposals)
    .where(
      and(isFromLook(directoryId, authorId), eq(proposals.state, 'waiting'), inArray(proposals.field, [...fields])),
    )

// A directory that still shows an old text shows one of the last few, so 50 are enough.
const MOST_FORMER_TEXTS = 50

/** Earlier versions of a text of a tool, the newest first. Each is the value that the text had when a change of it was proposed or made. */
export const listFormerTexts = async (db: Database, toolId: string, field: string): Promise<string[]> => {
  const rows = await db
    .select({ oldValue: proposals.oldValue })
    .from(proposals)
    .where(and(eq(proposals.toolId, toolId), eq(proposals.field, field)))
    .orderBy(...NEWEST_FIRST)
    .limit(MOST_FORMER_TEXTS)
  return rows.flatMap(({ oldValue }) => (typeof oldValue === 'string' && oldValue !== '' ? [oldValue] : []))
}

/** Stores the proposal, or replaces the waiting one of the same author for the same field. */
export const upsertProposal = (db: Database, proposal: NewProposal) =>
  db
    .insert(proposals)
    .values({ ...proposal, state: 'waiting', reason: '' })
    .onConflictDoUpdate({
      target: [proposals.toolId, proposals.authorKind, proposals.authorId, proposals.field],
      targetWhere: sql`${proposals.state} = 'waiting'`,
      // The row gets a new identifier, so that an operator who has read the old value and decides about it gets a 404.
      set: {
        id: proposal.id,
        oldValue: proposal.oldValue,
        newValue: proposal.newValue,
        createdAt: proposal.createdAt,
        version: raisedVersion(proposals.version),
      },
    })

/** Stores changes that their author made without asking, for the history. */
export const insertApplied = (db: Database, changes: readonly NewProposal[]) =>
  db.insert(proposals).values(changes.map((change) => ({ ...change, state: 'applied' as const, reason: '' })))

interface Author extends Pick<ProposalRow, 'authorKind' | 'authorId'> {
  toolId: string
}

const isBy = ({ toolId, authorKind, authorId }: Author) =>
  and(eq(proposals.toolId, toolId), eq(proposals.authorKind, authorKind), eq(proposals.authorId, authorId))

/** The changes of an author, newest first; with `state` only those in it. */
export const listChangesBy = (
  db: Database,
  { state, ...author }: Author & { state?: ProposalRow['state'] },
  limit: number,
  offset = 0,
): Promise<ProposalRow[]> =>
  db
    .select()
    .from(proposals)
    .where(and(isBy(author), state && eq(proposals.state, state)))
    .orderBy(...NEWEST_FIRST)
    .limit(limit)
    .offset(offset)

export const findChangeBy = async (db: Database, author: Author, id: string): Promise<ProposalRow | undefined> =>
  (
    await db
      .select()
      .from(proposals)
      .where(and(isBy(author), eq(proposals.id, id)))
  )[0]

export const updateUndone = (db: Database, id: string) =>
  db
    .update(proposals)
    .set({ state: 'undone', version: raisedVersion(proposals.version) })
    .where(eq(proposals.id, id))

/** Deletes the oldest changes of an author that do not wait, so that at most `most` stay. */
export const deleteOldChanges = (db: Database, author: Author, most: number) =>
  deleteOldest(db, proposals, and(isBy(author), ne(proposals.state, 'waiting')), most)

/** Deletes all that a user has changed or proposed as an owner; the listings stay as they are. */
export const deleteChangesOfOwner = (db: Database, userId: string) =>
  db.delete(proposals).where(and(eq(proposals.authorKind, 'owner'), eq(proposals.authorId, userId)))

/** Deletes the waiting proposals of this author, with `fields` only those for these fields. */
export const deleteWaitingProposals = (db: Database, author: Author, fields?: readonly string[]) =>
  db
    .delete(proposals)
    .where(and(isBy(author), eq(proposals.state, 'waiting'), fields && inArray(proposals.field, [...fields])))

const proposalsWithListing = (db: Database) =>
  db
    .select({
      proposal: proposals,
      tool: tools,
      directory: directories,
      authorName: sql<string>`coalesce(${partners.name}, ${users.email}, ${proposals.authorId})`,
    })
    .from(proposals)
    .leftJoin(tools, eq(tools.id, proposals.toolId))
    .leftJoin(directories, eq(directories.id, proposals.directoryId))
    .leftJoin(partners, and(eq(proposals.authorKind, 'partner'), eq(partners.id, proposals.authorId)))
    .leftJoin(users, and(eq(proposals.authorKind, 'owner'), eq(users.id, proposals.authorId)))
    .$dynamic()

interface ProposalFilter {
  state?: (typeof PROPOSAL_STATES)[number]
  author?: (typeof AUTHOR_KINDS)[number]
  tool?: string
  directory?: string
}

/** Newest first, in groups, because a proposal comes with the whole listing. */
export async function* listProposals(
  db: Database,
  { state, author, tool, directory }: ProposalFilter,
  limit: number,
  offset: number,
) {
  // The limit is in a subquery, because otherwise the database would measure every matching row.
  const page = db
    .select({ id: proposals.id })
    .from(proposals)
    .where(
      and(
        state === undefined ? undefined : eq(proposals.state, state),
        author === undefined ? undefined : eq(proposals.authorKind, author),
        tool === undefined ? undefined : sql`tool_id = (select id from ${tools} where slug = ${tool})`,
        directory === undefined
          ? undefined
          : sql`directory_id = (select id from ${directories} where slug = ${directory})`,
      ),
    )
    .orderBy(...NEWEST_FIRST)
    .limit(limit)
    .offset(offset)
  const lengths = await db
    .select({
      id: proposals.id,
      length: sql<number>`length(concat(${proposals}::text, ${tools}::text, ${directories}::text))`,
    })
    .from(proposals)
    .leftJoin(tools, eq(tools.id, proposals.toolId))
    .leftJoin(directories, eq(directories.id, proposals.directoryId))
    .where(inArray(proposals.id, page))
    .orderBy(...NEWEST_FIRST)
  for (const group of groupsByLength(lengths)) {
    const ids = group.map(({ id }) => id)
    yield await proposalsWithListing(db)
      .where(inArray(proposals.id, ids))
      .orderBy(...NEWEST_FIRST)
  }
}

export const findProposal = async (db: Database, id: string) =>
  (await proposalsWithListing(db).where(eq(proposals.id, id)))[0]

/** Locks the tool until the transaction ends. It is locked before its proposals, in the same order as when a partner proposes. */
export const lockTool = (db: Database, toolId: string) =>
  db.select({ id: tools.id }).from(tools).where(eq(tools.id, toolId)).for('update')

/** A published tool with this website, other than the given one. */
export const findOtherWithWebsite = async (db: Database, toolId: string, websiteKey: string) =>
  (
    await db
      .select({ slug: tools.slug, name: tools.name })
      .from(tools)
      .where(and(eq(tools.websiteKey, websiteKey), eq(tools.published, true), ne(tools.id, toolId)))
      .limit(1)
  )[0]

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
