// Queries of test submissions, of the steps that are due, and of the test rows that are removed after a time.
import { and, asc, desc, eq, getTableColumns, lte, min, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { countedRows, hasWords, onlyRow, type RemoveBatch, rowsOf } from '../../kernel/database/queries.ts'
import { directories } from '../catalog/tables.ts'
import { partners } from '../partners/tables.ts'
import { queueOrders } from '../submissions/queue/queue.queries.ts'
import type { QueueFilter } from '../submissions/queue/queue.schema.ts'
import type { QueueState } from '../submissions/rules.ts'
import { removeConversations } from '../support/queries.ts'
import { conversations } from '../support/tables.ts'
import { MOST_KEPT_TESTS, SANDBOX_ASSIGNEE } from './rules.ts'
import { sandboxSubmissions as tests } from './tables.ts'

export type TestRow = typeof tests.$inferSelect

export const insertTest = (db: Database, row: TestRow) => db.insert(tests).values(row)

/** The test submission of this partner with this value in one column. */
export async function findTest(
  db: Database,
  partnerId: string,
  column: 'toolId' | 'slug' | 'websiteKey',
  value: string,
): Promise<TestRow | undefined> {
  const isWanted = and(eq(tests.partnerId, partnerId), eq(tests[column], value))
  return (await db.select().from(tests).where(isWanted))[0]
}

/** Finds a test submission of any partner, because the token alone gives access to a report. */
export const findTestByReport = async (db: Database, token: string): Promise<TestRow | undefined> =>
  (await db.select().from(tests).where(eq(tests.reportToken, token)))[0]

/** The slugs of the partner's tests that are `base`, or `base` and a suffix. */
export const listTestSlugs = async (db: Database, partnerId: string, base: string): Promise<Set<string>> => {
  const rows = await db
    .select({ slug: tests.slug })
    .from(tests)
    .where(and(eq(tests.partnerId, partnerId), or(eq(tests.slug, base), sql`${tests.slug} like ${`${base}-%`}`)))
  return new Set(rows.map(({ slug }) => slug))
}

/** WAITING stands for submissions without a package, which have no state. */
function inState(state: QueueState | undefined): SQL | undefined {
  if (state === undefined) return undefined
  return state === 'WAITING' ? sql`${tests.state} is null` : eq(tests.state, state)
}

export const listTestsOf = (
  db: Database,
  partnerId: string,
  { state }: { state?: QueueState },
  limit: number,
  offset: number,
): Promise<TestRow[]> =>
  db
    .select()
    .from(tests)
    .where(and(eq(tests.partnerId, partnerId), inState(state)))
    .orderBy(desc(tests.createdAt), desc(tests.id))
    .limit(limit)
    .offset(offset)

const assignee = sql<
  string | null
>`case when ${tests.state} is null or ${tests.state} = 'IN_QUEUE' then null else ${SANDBOX_ASSIGNEE}::text end`

// A broken row may contain something other than a list.
const submittedCount = sql<number>`case jsonb_typeof(${tests.rows}) when 'array' then jsonb_array_length(${tests.rows}) else 0 end`

const ORDERS = queueOrders({
  ...getTableColumns(tests),
  toolName: tests.name,
  partnerName: partners.name,
  assignee,
  submittedCount,
  // Always false: test submissions go on by themselves, so an administrator has nothing to do.
  isReady: sql`${tests.id} is null`,
})

/** Test submissions of all partners, in the shape of the queue. */
export const listTestQueue = (
  db: Database,
  { state, client, assignee: assignedTo, flagged, waitingFor, q, sort = 'newest' }: QueueFilter,
  limit: number,
  offset: number,
) =>
  db
    .select({
      id: tests.id,
      toolId: tests.toolId,
      clientId: tests.partnerId,
      state: tests.state,
      paymentType: tests.paymentType,
      assignee,
      notes: tests.notes,
      internalNotes: sql<string>`''`,
      version: sql<number>`1`,
      createdAt: tests.createdAt,
      updatedAt: tests.updatedAt,
      tool: { id: tests.toolId, name: tests.name, slug: tests.slug, website: tests.website },
      client: { id: partners.id, name: partners.name },
      flaggedFields: sql<string[]>`array[]::text[]`,
      submittedCount,
    })
    .from(tests)
    .innerJoin(partners, eq(partners.id, tests.partnerId))
    .where(
      and(
        inState(state),
        client === undefined ? undefined : eq(tests.partnerId, client),
        assignedTo === undefined ? undefined : sql`${assignee} = lower(${assignedTo})`,
        flagged || waitingFor ? sql`false` : undefined,
        hasWords(q, [tests.name, tests.slug, tests.website]),
      ),
    )
    .orderBy(...ORDERS[sort])
    .limit(limit)
    .offset(offset)

/** The published directories, strongest first. */
export const listStrongestDirectories = (db: Database, limit: number) =>
  db
    .select({
      name: directories.name,
      slug: directories.slug,
      url: directories.website,
      domainRating: directories.domainRating,
    })
    .from(directories)
    .where(eq(directories.published, true))
    .orderBy(sql`${directories.domainRating} desc nulls last`, asc(directories.name), asc(directories.id))
    .limit(limit)

export const updateTest = (db: Database, id: string, change: Partial<TestRow>) =>
  db.update(tests).set(change).where(eq(tests.id, id))

/** Returns how many were deleted: none when the work has begun. */
export const deleteUnbegunTest = async (db: Database, id: string): Promise<number> =>
  (
    await db
      .delete(tests)
      .where(and(eq(tests.id, id), or(eq(tests.state, 'IN_QUEUE'), sql`${tests.state} is null`)))
      .returning({ id: tests.id })
  ).length

export interface DueStep {
  kind: 'submission' | 'conversation'
  id: string
}

/** Steps that are due, oldest first. At most `maxOfPartner` of each partner, so that none delays all others. */
export const listDueSteps = (db: Database, now: Date, maxOfPartner: number, limit: number): Promise<DueStep[]> =>
  rowsOf<DueStep>(
    db,
    sql`
    select kind, id from (
      select kind, id, due, row_number() over (partition by partner_id order by due, id) as place from (
        select 'submission' as kind, id, partner_id, next_step_at as due from sandbox_submissions
        where next_step_at <= ${now.toISOString()}::timestamptz
        union all
        select 'conversation', id, partner_id, sample_reply_at from support_conversations
        where test and sample_reply_at <= ${now.toISOString()}::timestamptz
      ) steps
    ) ranked where place <= ${maxOfPartner} order by due, id limit ${limit}`,
  )

/** When the next step is due; null when none is. */
export const findNextDue = async (db: Database): Promise<Date | null> => {
  const submission = onlyRow(await db.select({ at: min(tests.nextStepAt) }).from(tests)).at
  const conversation = onlyRow(await db.select({ at: min(conversations.sampleReplyAt) }).from(conversations)).at
  const times = [submission, conversation].flatMap((at) => (at === null ? [] : at.getTime()))
  return times.length === 0 ? null : new Date(Math.min(...times))
}

/**
 * The submission if its step is still due. The row stays locked until the transaction ends. Undefined while another process has it locked,
 * because that process takes the step.
 */
export const findDueTest = async (db: Database, id: string, now: Date): Promise<TestRow | undefined> =>
  (
    await db
      .select()
      .from(tests)
      .where(and(eq(tests.id, id), lte(tests.nextStepAt, now)))
      .for('update', { skipLocked: true })
  )[0]

/** The same for a conversation that waits for a sample reply. */
export const findDueConversation = async (db: Database, id: string, now: Date) =>
  (
    await db
      .select()
      .from(conversations)
      .where(and(eq(conversations.id, id), eq(conversations.test, true), lte(conversations.sampleReplyAt, now)))
      .for('update', { skipLocked: true })
  )[0]

/** Postpones a step that failed. */
export const updateStepTime = (db: Database, { kind, id }: DueStep, until: Date) =>
  kind === 'submission'
    ? db.update(tests).set({ nextStepAt: until }).where(eq(tests.id, id))
    : db
        .update(conversations)
        .set({ sampleReplyAt: until })
        .where(and(eq(conversations.id, id), eq(conversations.test, true)))

/** SQL of the ids of test rows that are older than `before`, or beyond the newest `MOST_KEPT_TESTS` of their partner. */
const outdated = (table: SQL, time: SQL, isTest: SQL, before: Date, limit: number) => sql`
  select id from (
    select id, ${time} as at, row_number() over (partition by partner_id order by ${time} desc, id) as place
    from ${table} where ${isTest}
  ) ranked where at < ${before.toISOString()}::timestamptz or place > ${MOST_KEPT_TESTS} limit ${limit}`

export const removeOldTestSubmissions =
  (before: Date): RemoveBatch =>
  (db, limit) =>
    countedRows(
      db,
      sql`delete from sandbox_submissions where id in (
        ${outdated(sql`sandbox_submissions`, sql`created_at`, sql`true`, before, limit)}) returning 1`,
    )

export const removeOldTestDeliveries =
  (before: Date): RemoveBatch =>
  (db, limit) =>
    countedRows(
      db,
      sql`delete from webhook_deliveries where test and id in (
        ${outdated(sql`webhook_deliveries`, sql`created_at`, sql`test`, before, limit)}) returning 1`,
    )

export const removeOldTestConversations = (before: Date): RemoveBatch =>
  removeConversations((limit) => outdated(sql`support_conversations`, sql`updated_at`, sql`test`, before, limit))
