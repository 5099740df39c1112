// Queries of the queue: its lists with their filters and orders, who a submission waits for, which one comes next, and the saved views.
import { and, asc, desc, eq, getTableColumns, inArray, isNull, ne, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { hasWords, lockText } from '../../../kernel/database/queries.ts'
import { tools } from '../../catalog/tables.ts'
import { partners } from '../../partners/tables.ts'
import { inState, toolColumns } from '../queries.ts'
import { PAYMENT_TYPES, packageOf, type QueueState, STATES, type SubmissionState } from '../rules.ts'
import { queueViews, submissions } from '../tables.ts'
import type { QueueFilter, QueueOrder, SortedColumn } from './queue.schema.ts'
import { rowReasons, waitsFor } from './waiting.queries.ts'
import { ACTORS, type Actor } from './waiting.rules.ts'

const submittedCount = sql<number>`(select count(*)::int from submission_rows r where r.submission_id = submissions.id and r.is_submitted)`

const queueItem = (db: Database) =>
  db
    .select({
      id: submissions.id,
      toolId: submissions.toolId,
      clientId: submissions.partnerId,
      state: submissions.state,
      paymentType: submissions.paymentType,
      assignee: submissions.assignee,
      notes: submissions.notes,
      internalNotes: submissions.internalNotes,
      kind: submissions.kind,
      language: submissions.language,
      planBudget: submissions.planBudget,
      planBadges: submissions.planBadges,
      version: submissions.version,
      createdAt: submissions.createdAt,
      updatedAt: submissions.updatedAt,
      // The partner's own list needs these two fields; the schema of the queue leaves them out.
      tool: { ...toolColumns, published: tools.published, hiddenReason: tools.hiddenReason },
      client: { id: partners.id, name: partners.name },
      flaggedFields: tools.flaggedFields,
      submittedCount,
    })
    .from(submissions)
    .innerJoin(tools, eq(tools.id, submissions.toolId))
    .innerJoin(partners, eq(partners.id, submissions.partnerId))
    .$dynamic()

/** A condition for `rowReasons`, where `s` is the submission. It only saves time: rows of submissions in other states are not read. */
const rowsInState = (state: QueueState | undefined): SQL =>
  state === undefined ? sql`true` : sql`s.state is not distinct from ${state === 'WAITING' ? null : state}`

/** A condition: some row of the submission waits for this actor. `which` limits the rows that are read, as in `rowReasons`. */
const hasRowWaitingFor = (actor: Actor, now: Date, which: SQL): SQL =>
  sql`${submissions.id} in (select submission_id from (${rowReasons(now, which)}) waits where ${waitsFor(actor)})`

/** How many directories the package of the submission promises. */
const TARGET = sql.join(
  [
    sql`case ${submissions.paymentType}`,
    ...PAYMENT_TYPES.map((type) => sql`when ${type} then ${packageOf(type).targetDirectoriesCount}::int`),
    sql`else 0 end`,
  ],
  sql` `,
)

/** The submission waits for us whatever its rows wait for: no package yet, work in review, or fewer directories on record than promised. */
const WAITS_FOR_US_ITSELF = sql`(${submissions.state} is null or ${submissions.state} = 'REVIEW' or (${submissions.state} <> 'DONE'
  and (select count(*) from submission_rows r where r.submission_id = ${submissions.id}) < ${TARGET}))`

/** Whether an administrator can do something now. */
const isReady = (now: Date, which: SQL): SQL => sql`(${hasRowWaitingFor('us', now, which)} or ${WAITS_FOR_US_ITSELF})`

const ordersOf = (now: Date, state?: QueueState) =>
  queueOrders({
    ...getTableColumns(submissions),
    toolName: tools.name,
    partnerName: partners.name,
    submittedCount,
    isReady: isReady(now, rowsInState(state)),
  })

/** A condition: the actor has something to do. The state WAITING is something else: the submission has no package. */
const isWaitingFor = (actor: Actor, now: Date, which: SQL): SQL =>
  actor === 'us' ? isReady(now, which) : hasRowWaitingFor(actor, now, which)

/** The first of `ACTORS` that each of these submissions waits for, by its id. */
export async function findActors(db: Database, ids: readonly string[], now: Date): Promise<Map<string, Actor | null>> {
  const which = inArray(sql`r.submission_id`, [...ids])
  const cases = ACTORS.map((actor) => sql`when bool_or(${waitsFor(actor)}) then ${actor}`)
  const rows = await db
    .select({
      id: submissions.id,
      actor: sql<Actor | null>`case when ${WAITS_FOR_US_ITSELF} then 'us' ${sql.join(cases, sql` `)} end`,
    })
    .from(submissions)
    .leftJoin(sql`(${rowReasons(now, which)}) waits`, sql`waits.submission_id = ${submissions.id}`)
    .where(inArray(submissions.id, [...ids]))
    .groupBy(submissions.id)
  return new Map(rows.map(({ id, actor }) => [id, actor]))
}

export const selectSubmissions = (
  db: Database,
  { state, client, assignee, flagged, waitingFor, q, sort = 'newest' }: QueueFilter,
  limit: number,
  offset: number,
  now: Date,
) =>
  queueItem(db)
    .where(
      and(
        inState(state),
        client === undefined ? undefined : eq(submissions.partnerId, client),
        assignee === undefined ? undefined : sql`lower(${submissions.assignee}) = lower(${assignee})`,
        flagged === undefined ? undefined : sql`(cardinality(${tools.flaggedFields}) > 0) = ${flagged}`,
        waitingFor && isWaitingFor(waitingFor, now, rowsInState(state)),
        hasWords(q, [tools.name, tools.slug, tools.website]),
      ),
    )
    .orderBy(...ordersOf(now, state)[sort])
    .limit(limit)
    .offset(offset)

export const findQueueItem = async (db: Database, id: string) => (await queueItem(db).where(eq(submissions.id, id)))[0]

interface NextFilter {
  state: SubmissionState
  /** null: without an assignee. */
  assignee: string | null
  /** The id of a submission that must not be found. */
  except?: string
  /** Only those with something that an administrator can do at this time. */
  readyAt?: Date
}

/** The oldest submission in this state with this assignee. Test submissions are never found, because they are in another table. */
export const findNextSubmission = async (db: Database, { state, assignee, except = '', readyAt }: NextFilter) =>
  (
    await queueItem(db)
      .where(
        and(
          eq(submissions.state, state),
          assignee === null ? isNull(submissions.assignee) : sql`lower(${submissions.assignee}) = lower(${assignee})`,
          ne(submissions.id, except),
          readyAt && isReady(readyAt, rowsInState(state)),
        ),
      )
      .orderBy(asc(submissions.createdAt), asc(submissions.id))
      .limit(1)
  )[0]

/** The columns that the orders need; test submissions have others. `isReady`: whether an administrator can do something now. */
type QueueColumns = Record<
  | ('id' | 'createdAt' | 'updatedAt' | 'toolName' | 'partnerName' | 'state' | 'assignee' | 'paymentType')
  | ('submittedCount' | 'isReady'),
  SQLWrapper
>

/** SQL of the place of a value in a list, from 1; 0: it is not in it. */
const placeIn = (values: readonly string[], value: SQLWrapper) =>
  sql`coalesce(array_position(${sql.param([...values])}::text[], ${value}), 0)`

/** The terms of `order by` for each order of the queue. */
export function queueOrders(columns: QueueColumns): Record<QueueOrder, SQL[]> {
  const { id, createdAt, updatedAt } = columns
  const oldestFirst = [asc(createdAt), asc(id)]
  const sorted: Record<SortedColumn, SQLWrapper> = {
    tool: sql`lower(${columns.toolName})`,
    state: placeIn(STATES, columns.state),
    entered: columns.submittedCount,
    assignee: sql`lower(coalesce(${columns.assignee}, ''))`,
    partner: sql`lower(${columns.partnerName})`,
    package: placeIn(PAYMENT_TYPES, columns.paymentType),
  }
  const byColumn = Object.entries(sorted).flatMap(([name, value]) => [
    [name, [asc(value), ...oldestFirst]],
    [`-${name}`, [desc(value), ...oldestFirst]],
  ])
  return {
    newest: [desc(createdAt), desc(id)],
    oldest: oldestFirst,
    changed: [desc(updatedAt), desc(id)],
    ready: [desc(columns.isReady), ...oldestFirst],
    ...(Object.fromEntries(byColumn) as Record<SortedColumn | `-${SortedColumn}`, SQL[]>),
  }
}

const viewColumns = { name: queueViews.name, query: queueViews.query }

/** Locks the views of an administrator until the transaction ends, so that their number stays within its limit. */
export const lockViews = (db: Database, owner: string) => lockText(db, `views:${owner}`)

export const listViews = (db: Database, owner: string) =>
  db.select(viewColumns).from(queueViews).where(eq(queueViews.owner, owner)).orderBy(asc(queueViews.name))

export const upsertView = (db: Database, view: typeof queueViews.$inferInsert) =>
  db
    .insert(queueViews)
    .values(view)
    .onConflictDoUpdate({ target: [queueViews.owner, queueViews.name], set: { query: view.query } })

export const deleteView = async (db: Database, owner: string, name: string) =>
  (
    await db
      .delete(queueViews)
      .where(and(eq(queueViews.owner, owner), eq(queueViews.name, name)))
      .returning(viewColumns)
  )[0]
