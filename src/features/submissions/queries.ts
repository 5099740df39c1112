// Queries of single submissions, of the directories recorded for them, and of the website keys. The queue has its own: `queue.queries.ts`.
import { and, asc, eq, getTableName, inArray, like, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { eachRange } from '../../kernel/database/block-ranges.queries.ts'
import { rowsOf } from '../../kernel/database/queries.ts'
import { firstVersion, raisedVersion } from '../audit/queries.ts'
import { directories, tools, websiteKeyHost } from '../catalog/tables.ts'
import { syncLink } from './bench/link.queries.ts'
import { UNCHECKED } from './bench/link.rules.ts'
import { ofSubmission, rowReasons } from './queue/waiting.queries.ts'
import { type WaitingReader, type WaitingReason, waitingOf } from './queue/waiting.rules.ts'
import type { QueueState } from './rules.ts'
import { listingLinks, submissionDetails, submissionRows, submissions } from './tables.ts'

export type SubmissionRow = typeof submissions.$inferSelect
export type RecordedDirectoryRow = typeof submissionRows.$inferSelect

export const toolColumns = { id: tools.id, name: tools.name, slug: tools.slug, website: tools.website }
const submittedToolColumns = { ...toolColumns, category: tools.category, tags: tools.tags, pricing: tools.pricing }

/** A query of the submissions of this partner, each with its tool. `which`: a further condition. */
export const selectOfPartner = (db: Database, partnerId: string, which?: SQL) =>
  db
    .select({
      submission: submissions,
      tool: { ...submittedToolColumns, published: tools.published, hiddenReason: tools.hiddenReason },
    })
    .from(submissions)
    .innerJoin(tools, eq(tools.id, submissions.toolId))
    .where(and(eq(submissions.partnerId, partnerId), which))
    .$dynamic()

const firstOfPartner = async (db: Database, partnerId: string, which: SQL) =>
  (await selectOfPartner(db, partnerId, which).orderBy(asc(submissions.createdAt), asc(submissions.id)).limit(1))[0]

/** Finds the submission by the website that was submitted, or else by the one that the listing has now. */
export const findSubmissionByWebsite = async (db: Database, partnerId: string, websiteKey: string) =>
  (await firstOfPartner(db, partnerId, eq(submissions.websiteKey, websiteKey))) ??
  (await firstOfPartner(db, partnerId, eq(tools.websiteKey, websiteKey)))
export const findSubmissionByToolId = (db: Database, partnerId: string, toolId: string) =>
  firstOfPartner(db, partnerId, eq(tools.id, toolId))
/** Finds the submission by the slug that the listing has now, or else by the slug that the partner was told. */
export const findSubmissionBySlug = async (db: Database, partnerId: string, slug: string) =>
  (await firstOfPartner(db, partnerId, eq(tools.slug, slug))) ??
  (await firstOfPartner(db, partnerId, eq(submissions.slug, slug)))

/** The published listing of a website, the oldest if there are several. */
export const findToolByWebsite = async (db: Database, websiteKey: string) =>
  (
    await db
      .select(submittedToolColumns)
      .from(tools)
      .where(and(eq(tools.websiteKey, websiteKey), eq(tools.published, true)))
      .orderBy(asc(tools.createdAt), asc(tools.id))
      .limit(1)
  )[0]

/** Whether an administrator has taken down a listing of one of these hosts. */
export const isTakenDown = async (db: Database, hosts: readonly string[]): Promise<boolean> => {
  const rows = await db
    .select({ id: tools.id })
    .from(tools)
    .where(and(eq(tools.hiddenReason, 'taken-down'), inArray(websiteKeyHost(tools.websiteKey), [...hosts])))
    .limit(1)
  return rows.length > 0
}

/** The tools with this slug, or with this slug and a suffix, by their slugs. `isKnown`: the tool is published or this partner submitted it. */
export const listSlugsLike = async (
  db: Database,
  partnerId: string | null,
  base: string,
): Promise<Map<string, { id: string; isKnown: boolean }>> => {
  const rows = await db
    .select({
      id: tools.id,
      slug: tools.slug,
      isKnown: sql<boolean>`${tools.published} or ${submissions.id} is not null`,
    })
    .from(tools)
    .leftJoin(submissions, and(eq(submissions.toolId, tools.id), eq(submissions.partnerId, partnerId ?? '')))
    .where(or(eq(tools.slug, base), like(tools.slug, `${base}-%`)))
  return new Map(rows.map(({ slug, ...row }) => [slug, row]))
}

/** Gives a hidden tool another slug. Returns its new version; undefined when it was published or renamed meanwhile, or the slug is taken. */
export const updateHiddenSlug = async (
  db: Database,
  id: string,
  from: string,
  to: string,
): Promise<number | undefined> => {
  const taken = db.select({ id: tools.id }).from(tools).where(eq(tools.slug, to))
  const rows = await db
    .update(tools)
    .set({ slug: to, version: sql`greatest(${tools.version} + 1, ${firstVersion(sql`${`tool:${to}`}`)})` })
    .where(and(eq(tools.id, id), eq(tools.slug, from), eq(tools.published, false), notExists(taken)))
    .returning({ version: tools.version })
  return rows[0]?.version
}

export const insertSubmission = (db: Database, submission: typeof submissions.$inferInsert) =>
  db.insert(submissions).values(submission)
export const insertDetails = (db: Database, details: typeof submissionDetails.$inferInsert) =>
  db.insert(submissionDetails).values(details)

/** Changes the given details. */
export const updateDetails = async (
  db: Database,
  submissionId: string,
  details: Partial<typeof submissionDetails.$inferInsert>,
) => {
  if (Object.values(details).every((value) => value === undefined)) return
  await db.update(submissionDetails).set(details).where(eq(submissionDetails.submissionId, submissionId))
}

/** The row stays locked until the transaction ends. */
export const findToolForUpdate = async (db: Database, id: string) =>
  (await db.select().from(tools).where(eq(tools.id, id)).for('update'))[0]

/** Who entered the tool; null until it is entered, even if the row already has a submitter. */
const shownSubmitter = sql<
  RecordedDirectoryRow['submittedBy'] | null
>`case when ${submissionRows.isSubmitted} then ${submissionRows.submittedBy} end`

/** The rows of a submission, highest Domain Rating first, each with its link and, as this reader may see it, what it waits for. */
export const listRows = async (db: Database, submissionId: string, reader: WaitingReader, now: Date) => {
  const rows = await db
    .select({
      name: directories.name,
      slug: directories.slug,
      url: directories.website,
      domainRating: directories.domainRating,
      listingUrl: submissionRows.listingUrl,
      isSubmitted: submissionRows.isSubmitted,
      submittedBy: shownSubmitter,
      submittedAt: submissionRows.submittedAt,
      proofUrl: submissionRows.proofUrl,
      version: submissionRows.version,
      givenReason: submissionRows.waitingReason,
      reason: sql<WaitingReason | null>`waits.reason`,
      link: { state: listingLinks.state, checkedAt: listingLinks.checkedAt, firstLiveAt: listingLinks.firstLiveAt },
    })
    .from(submissionRows)
    .innerJoin(directories, eq(directories.id, submissionRows.directoryId))
    .innerJoin(
      sql`(${rowReasons(now, ofSubmission(submissionId))}) waits`,
      sql`waits.directory_id = ${submissionRows.directoryId}`,
    )
    .leftJoin(
      listingLinks,
      and(
        eq(listingLinks.submissionId, submissionRows.submissionId),
        eq(listingLinks.directoryId, submissionRows.directoryId),
        eq(listingLinks.listingUrl, submissionRows.listingUrl),
      ),
    )
    .where(eq(submissionRows.submissionId, submissionId))
    .orderBy(sql`${directories.domainRating} desc nulls last`, asc(directories.name), asc(directories.id))
  return rows.map(({ givenReason, reason, ...row }) => ({
    ...row,
    ...waitingOf(reason, row.name, reader),
    isReasonGiven: givenReason !== null,
    link: row.link ?? (row.listingUrl === null ? null : UNCHECKED),
  }))
}

export type RecordedValues = Pick<
  RecordedDirectoryRow,
  'isSubmitted' | 'listingUrl' | 'submittedBy' | 'submittedAt' | 'proofUrl' | 'waitingReason' | 'waitingSince'
>

/** The values of a row that recording sets. */
export const recordedValues = (row: RecordedValues): RecordedValues => {
  const { isSubmitted, listingUrl, submittedBy, submittedAt, proofUrl, waitingReason, waitingSince } = row
  return { isSubmitted, listingUrl, submittedBy, submittedAt, proofUrl, waitingReason, waitingSince }
}

/** `version` is used only for a new row; that of an existing row is raised by one. */
export const upsertRow = async (
  db: Database,
  row: Omit<RecordedDirectoryRow, 'version' | 'lostAt'> & Partial<Pick<RecordedDirectoryRow, 'version'>>,
) => {
  await db
    .insert(submissionRows)
    .values(row)
    .onConflictDoUpdate({
      target: [submissionRows.submissionId, submissionRows.directoryId],
      set: { ...recordedValues(row), version: raisedVersion(submissionRows.version), updatedAt: row.updatedAt },
    })
  await syncLink(db, row, row.updatedAt)
}

export const deleteRow = (db: Database, submissionId: string, directoryId: string) =>
  db
    .delete(submissionRows)
    .where(and(eq(submissionRows.submissionId, submissionId), eq(submissionRows.directoryId, directoryId)))

export const findRow = async (db: Database, submissionId: string, directoryId: string) =>
  (
    await db
      .select()
      .from(submissionRows)
      .where(and(eq(submissionRows.submissionId, submissionId), eq(submissionRows.directoryId, directoryId)))
  )[0]

export const findDirectoryId = async (db: Database, slug: string): Promise<string | undefined> =>
  (await db.select({ id: directories.id }).from(directories).where(eq(directories.slug, slug)))[0]?.id

/**
 * Finds a submission by its id, or by the id or slug of its tool if that tool has only one submission. The row stays locked until the
 * transaction ends.
 */
export const findSubmissionForUpdate = async (
  db: Database,
  reference: string,
): Promise<SubmissionRow | 'several' | undefined> => {
  const found = await db
    .select({ id: submissions.id })
    .from(submissions)
    .innerJoin(tools, eq(tools.id, submissions.toolId))
    .where(or(eq(submissions.id, reference), eq(tools.id, reference), eq(tools.slug, reference)))
  const match = found.find((row) => row.id === reference) ?? (found.length === 1 ? found[0] : undefined)
  if (!match) return found.length > 1 ? 'several' : undefined
  return lockSubmission(db, match.id)
}

/** Finds a submission by its own id; the row stays locked until the transaction ends. */
export const lockSubmission = async (db: Database, id: string): Promise<SubmissionRow | undefined> =>
  (await db.select().from(submissions).where(eq(submissions.id, id)).for('update'))[0]

export const updateSubmission = (
  db: Database,
  id: string,
  change: Partial<Omit<SubmissionRow, 'version'>> & Pick<SubmissionRow, 'updatedAt'>,
) =>
  db
    .update(submissions)
    .set({ ...change, version: raisedVersion(submissions.version) })
    .where(eq(submissions.id, id))

/** Used when a directory is recorded: partners see the new time, but no field that operators edit changes, so the version stays. */
export const updateSubmissionTime = (db: Database, id: string, updatedAt: Date) =>
  db.update(submissions).set({ updatedAt }).where(eq(submissions.id, id))

/** WAITING stands for submissions without a package, which have no state. */
export const inState = (state: QueueState | undefined): SQL | undefined => {
  if (state === undefined) return undefined
  return state === 'WAITING' ? sql`${submissions.state} is null` : eq(submissions.state, state)
}

/** The number of submissions in each state; null stands for those without a package. */
export const countSubmissions = (db: Database) =>
  db
    .select({ state: submissions.state, count: sql<number>`count(*)::int` })
    .from(submissions)
    .groupBy(submissions.state)

/** The tables with a website key; both have the columns `id` and `website_key`. */
export const KEYED_TABLES = [tools, submissions] as const

// Parts of a website key that an older version of `websiteKey` may have written differently: characters that may be encoded, ports, `www.`,
// dots at ends, empty segments, index pages.
const UNUSUAL_KEY = `[^a-z0-9._~@+,=&$!'()*/-]|^www\\.|\\.(/|$)|/\\.|//|(index|default)\\.[a-z0-9]+$`

/** Calls `work` with the rows whose key matches UNUSUAL_KEY, for one range of blocks at a time. */
export const forUnusualKeys = (
  db: Database,
  table: (typeof KEYED_TABLES)[number],
  work: (rows: { id: string; key: string }[]) => Promise<void>,
): Promise<void> =>
  eachRange(db, getTableName(table), async (range) =>
    work(
      await rowsOf(
        db,
        sql`select id, website_key as key from ${table} where ${range} and website_key ~* ${UNUSUAL_KEY}`,
      ),
    ),
  )

/** Skips keys that were changed in the meantime. */
export const updateWebsiteKeys = (
  db: Database,
  table: (typeof KEYED_TABLES)[number],
  changes: readonly { id: string; was: string; now: string }[],
) => {
  const column = (name: 'id' | 'was' | 'now') => sql`${sql.param(changes.map((change) => change[name]))}::text[]`
  return db.execute(sql`
    update ${table} set website_key = change.now
    from unnest(${column('id')}, ${column('was')}, ${column('now')}) as change(id, was, now)
    where ${table}.id = change.id and ${table}.website_key = change.was`)
}
