// Decides for which reason a directory on record waits. One SQL expression does, so that lists can filter by it. In this SQL `r` is the row
// of the directory, `s` its submission and `l` its link.
import { and, asc, eq, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { pickColumns, rowsOf } from '../../../kernel/database/queries.ts'
import { directories, tools } from '../../catalog/tables.ts'
import { partners } from '../../partners/tables.ts'
import { submissionRows, submissions } from '../tables.ts'
import {
  ACTORS,
  type Actor,
  LEAST_SUBMITTED,
  QUEUE_DAYS,
  REVIEW_DAYS,
  reasonsWaitingFor,
  type WaitingReason,
  waitingOf,
} from './waiting.rules.ts'

const time = (at: Date) => sql`${at.toISOString()}::timestamptz`
const days = (count: SQL | number) => sql`make_interval(secs => 86400 * (${count})::float8)`

/** Since when the row has waited: since its reason was given; otherwise since the product was entered, or the row was made. */
const SINCE = sql.raw('coalesce(r.waiting_since, r.submitted_at, r.created_at)')

/** The usual time of a directory is that of so many of the products that were entered last. */
const RECENT = 30

/** The usual time of a directory in days: nine of ten of the listings that were found were found within it. null: too few products. */
const usualDaysOf = (directoryId: SQL): SQL => sql`(
    select percentile_cont(0.9) within group (order by greatest(0, extract(epoch from recent.live_at - recent.entered_at)) / 86400)
      filter (where recent.live_at is not null)
    from (
      select l.first_live_at as live_at, coalesce(e.submitted_at, e.created_at) as entered_at from submission_rows e
      left join listing_links l on l.submission_id = e.submission_id and l.directory_id = e.directory_id
      where e.directory_id = ${directoryId} and e.is_submitted
      order by e.submitted_at desc nulls last limit ${RECENT}) recent
    having count(*) >= ${LEAST_SUBMITTED})`

/** The usual time, in days, of each directory whose rows may be overdue by it. */
const usualDays = (now: Date, which: SQL): SQL => sql`
  select asked.directory_id, ${usualDaysOf(sql`asked.directory_id`)} as days
  from (
    select distinct r.directory_id from submission_rows r join submissions s on s.id = r.submission_id
    where (${which}) and r.is_submitted and (r.listing_url is null or r.waiting_reason is not null)
      and ${SINCE} <= ${time(now)} - ${days(REVIEW_DAYS.least)}) asked`

/** Only these rows can be overdue. PostgreSQL uses the index `submission_rows_overdue` only if this is worded as in the index. */
const MAY_BE_OVERDUE = sql.raw(
  `(r.waiting_reason = 'paid-queue' or r.is_submitted and (r.waiting_reason = 'review' or r.waiting_reason is null and r.listing_url is null))`,
)

/**
 * SQL of the rows with their reason (null: nothing is waited for) and since when. `which` is a condition on `r` and `s`. The last look at the
 * listing decides first, then the reason that an administrator gave, then what is on record. A recorded address counts as a listing unless a
 * look has found otherwise; a page that is blocked or does not answer says nothing. `isFew`: the caller needs only the first rows, so the
 * usual time of a directory is found row by row.
 */
export const rowReasons = (now: Date, which: SQL, isFew = false): SQL => sql`
  ${isFew ? sql`` : sql`with usual as materialized (${usualDays(now, which)})`}
  select r.submission_id, r.directory_id, ${SINCE} as since, case
    when l.state in ('live', 'nofollow') then null
    when r.lost_at > coalesce(r.waiting_since, '-infinity') then 'link-missing'
    when r.waiting_reason = 'paid-queue' and ${SINCE} <= ${time(now)} - ${days(QUEUE_DAYS)} then 'overdue'
    when r.waiting_reason is not null and r.waiting_reason <> 'review' then r.waiting_reason
    when not r.is_submitted then case when s.state = 'DONE' then null else 'to-enter' end
    when r.waiting_reason is null and l.first_live_at is null and l.state in ('missing', 'gone') then 'link-missing'
    when r.waiting_reason is null and r.listing_url is not null then null
    when ${SINCE} <= ${time(now)} - ${days(
      sql`least(${REVIEW_DAYS.most}, greatest(${REVIEW_DAYS.least}, coalesce(usual.days, ${REVIEW_DAYS.unknown})))`,
    )} then 'overdue'
    else 'review' end as reason
  from submission_rows r
  join submissions s on s.id = r.submission_id
  left join listing_links l on l.submission_id = r.submission_id and l.directory_id = r.directory_id and l.listing_url = r.listing_url
  left join ${isFew ? sql`lateral (select ${usualDaysOf(sql`r.directory_id`)} as days offset 0) usual on true` : sql`usual on usual.directory_id = r.directory_id`}
  where ${which}`

/** A condition for `rowReasons`: the rows of one submission. */
export const ofSubmission = (id: string): SQL => sql`r.submission_id = ${id}`

/** A condition on `rowReasons` under the name `waits`. */
export const waitsFor = (actor: Actor): SQL => sql`waits.reason = any(${sql.param(reasonsWaitingFor(actor))}::text[])`

/** The reason that holds for one row now. */
export const findReason = async (
  db: Database,
  submissionId: string,
  directoryId: string,
  now: Date,
): Promise<WaitingReason | null> => {
  const which = sql`${ofSubmission(submissionId)} and r.directory_id = ${directoryId}`
  return (await rowsOf<{ reason: WaitingReason | null }>(db, rowReasons(now, which)))[0]?.reason ?? null
}

/** The rows that wait, those that have waited longest first. A row that was rejected or is listed is included only when `reason` asks for it. */
export const listWaitingRows = async (
  db: Database,
  { waitingFor, reason, client }: { waitingFor?: Actor; reason?: WaitingReason; client?: string },
  limit: number,
  offset: number,
  now: Date,
) => {
  const isOverdue = reason === 'overdue'
  const ofPartner = client === undefined ? sql`true` : sql`s.partner_id = ${client}`
  const which = isOverdue
    ? sql`${ofPartner} and ${MAY_BE_OVERDUE} and ${SINCE} <= ${time(now)} - ${days(REVIEW_DAYS.least)}`
    : ofPartner
  const rows = await db
    .select({
      submissionId: submissionRows.submissionId,
      tool: { id: tools.id, name: tools.name, slug: tools.slug, website: tools.website },
      client: { id: partners.id, name: partners.name },
      directory: directories.slug,
      directoryName: directories.name,
      ...pickColumns(submissionRows, 'isSubmitted', 'listingUrl', 'submittedAt'),
      reason: sql<WaitingReason>`waits.reason`,
      since: sql<Date>`waits.since`.mapWith(submissionRows.createdAt),
    })
    .from(submissionRows)
    .innerJoin(
      sql`(${rowReasons(now, which, isOverdue)}) waits`,
      sql`waits.submission_id = ${submissionRows.submissionId} and waits.directory_id = ${submissionRows.directoryId}`,
    )
    .innerJoin(submissions, eq(submissions.id, submissionRows.submissionId))
    .innerJoin(tools, eq(tools.id, submissions.toolId))
    .innerJoin(partners, eq(partners.id, submissions.partnerId))
    .innerJoin(directories, eq(directories.id, submissionRows.directoryId))
    .where(
      and(
        reason === undefined ? or(...ACTORS.map(waitsFor)) : sql`waits.reason = ${reason}`,
        waitingFor && waitsFor(waitingFor),
      ),
    )
    .orderBy(sql`waits.since`, asc(submissionRows.submissionId), asc(submissionRows.directoryId))
    .limit(limit)
    .offset(offset)
  return rows.map((row) => ({ ...row, ...waitingOf(row.reason, row.directoryName, 'operator') }))
}
