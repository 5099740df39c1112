import { and, asc, desc, eq, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { pickColumns, rowsOf } from '../../kernel/database/queries.ts'
import { raisedVersion } from '../audit/queries.ts'
import { directories } from '../catalog/tables.ts'
import { ofSubmission, rowReasons } from '../submissions/queue/waiting.queries.ts'
import type { WaitingReason } from '../submissions/queue/waiting.rules.ts'
import { listingLinks, submissionRows } from '../submissions/tables.ts'
import type { EnteredRow, InTime } from './evidence/evidence.rules.ts'
import { REMEMBERED_REASONS } from './schema.ts'
import { planDecisions } from './tables.ts'

const decisionOfSubmission = (submissionId: string) =>
  and(eq(planDecisions.directoryId, directories.id), eq(planDecisions.submissionId, submissionId))

const rowOfSubmission = (submissionId: string) =>
  and(eq(submissionRows.directoryId, directories.id), eq(submissionRows.submissionId, submissionId))

const IS_IN_PLAN = or(
  and(eq(directories.published, true), isNull(directories.ended)),
  isNotNull(submissionRows.directoryId),
  isNotNull(planDecisions.decision),
)

/** Published directories, and those with a row or a decision for this submission, each with its row and decision. */
export const listPlanDirectories = (db: Database, submissionId: string) =>
  db
    .select({
      directory: {
        ...pickColumns(directories, 'slug', 'name', 'website', 'categories', 'smallDescription'),
        // The rules read only the first characters.
        fullDescription: sql<string | null>`left(${directories.fullDescription}, 600)`,
        ...pickColumns(
          directories,
          'cost',
          'minimumPrice',
          'type',
          'requiresBadge',
          'domainRating',
          'monthlyVisits',
          'submissionExperience',
          'accepts',
          'languages',
          'minimumAge',
          'automation',
        ),
      },
      isSubmitted: submissionRows.isSubmitted,
      // A table of a feature that depends on this one: what the search of the directory said.
      listedAt: sql<
        string | null
      >`(select q.listing_url from directory_searches q where q.submission_id = ${submissionId}
        and q.directory_id = ${directories.id} and q.state = 'listed')`,
      decision: planDecisions.decision,
      reason: planDecisions.reason,
    })
    .from(directories)
    .leftJoin(submissionRows, rowOfSubmission(submissionId))
    .leftJoin(planDecisions, decisionOfSubmission(submissionId))
    .where(IS_IN_PLAN)

interface DirectoryOutcomeRow {
  slug: string
  accepted: number
  lost: number
  refused: number
  isDead: boolean
}

// Older listings say little about what a directory does today, and counting all of them would take longer every month.
const RECENT_LISTINGS = 30

/** What happened to other products in each directory: the last listings on record, and refusals and ends that administrators reported. */
export const listOutcomes = (db: Database, submissionId: string): Promise<DirectoryOutcomeRow[]> =>
  rowsOf<DirectoryOutcomeRow>(
    db,
    sql`
    select d.slug, listed.kept as accepted, listed.lost, coalesce(reported.refused, 0) as refused,
      coalesce(reported.dead_at > coalesce(listed.last, '-infinity'), false) as "isDead"
    from directories d
    cross join lateral (
      select count(*) filter (where not recent.lost)::int as kept, count(*) filter (where recent.lost)::int as lost,
        max(recent.created_at) as last from (
        select r.created_at, r.lost_at is not null as lost from submission_rows r
        where r.directory_id = d.id and ((r.is_submitted and r.listing_url is not null) or r.lost_at is not null)
          and r.submission_id <> ${submissionId}
        order by r.updated_at desc limit ${RECENT_LISTINGS}) recent) listed
    left join (
      select p.directory_id, count(distinct p.submission_id) filter (where p.reason = 'refused')::int as refused,
        max(p.updated_at) filter (where p.reason = 'dead') as dead_at
      from (
        select directory_id, submission_id, reason, updated_at from plan_decisions
        where decision = 'skipped' and reason = any(${sql.param([...REMEMBERED_REASONS])}::text[])
        union all
        select directory_id, submission_id, 'refused', updated_at from submission_rows where waiting_reason = 'rejected') p
      where p.submission_id <> ${submissionId}
      group by p.directory_id) reported on reported.directory_id = d.id
    where listed.kept + listed.lost > 0 or reported.directory_id is not null`,
  )

/** The last products that were entered into a directory: as many as its evidence is made from. */
const MOST_ENTERED = 1000

export async function listEntered(db: Database, directoryId: string): Promise<EnteredRow[]> {
  const [row, link] = [submissionRows, listingLinks]
  const rows = await db
    .select({
      submittedAt: sql<Date>`coalesce(${row.submittedAt}, ${row.createdAt})`.mapWith(row.createdAt),
      liveAt: link.firstLiveAt,
      lostAt: row.lostAt,
      state: link.state,
      checkedAt: link.checkedAt,
    })
    .from(row)
    .leftJoin(link, and(eq(link.submissionId, row.submissionId), eq(link.directoryId, row.directoryId)))
    .where(and(eq(row.directoryId, directoryId), eq(row.isSubmitted, true)))
    .orderBy(sql`${row.submittedAt} desc nulls last`)
    .limit(MOST_ENTERED)
  return rows.map(({ submittedAt, liveAt, lostAt, state, checkedAt }) => {
    const isThere = state === 'live' || state === 'nofollow'
    return {
      submittedAt: submittedAt.getTime(),
      liveAt: liveAt?.getTime() ?? null,
      lostAt: lostAt?.getTime() ?? null,
      isFollowed: isThere ? state === 'live' : null,
      lastLiveAt: isThere ? (checkedAt?.getTime() ?? null) : null,
    }
  })
}

const IN_TIME = sql.raw("interval '30 days'")

/**
 * For each directory: of the last products that were entered more than 30 days ago, how many were live within 30 days of it. Left out are
 * rejected ones, and those with an address of which it is not known whether the product is there. One without an address was not live.
 */
export const listInTime = (db: Database, submissionId: string): Promise<(InTime & { slug: string })[]> =>
  rowsOf(
    db,
    sql`
    select d.slug, recent.live, recent.cases from directories d
    cross join lateral (
      select count(*) filter (where entered.is_in_time)::int as live, count(*)::int as cases from (
        select coalesce(l.first_live_at <= coalesce(r.submitted_at, r.created_at) + ${IN_TIME}, false) as is_in_time
        from submission_rows r
        left join listing_links l on l.submission_id = r.submission_id and l.directory_id = r.directory_id
        where r.directory_id = d.id and r.is_submitted and r.submission_id <> ${submissionId}
          and coalesce(r.submitted_at, r.created_at) <= now() - ${IN_TIME} and r.waiting_reason is distinct from 'rejected'
          and (l.first_live_at is not null or l.state in ('missing', 'gone') or r.listing_url is null)
        order by r.submitted_at desc nulls last limit ${RECENT_LISTINGS}) entered) recent
    where recent.cases > 0`,
  )

const shownDecision = {
  slug: directories.slug,
  name: directories.name,
  ...pickColumns(planDecisions, 'decision', 'reason', 'version', 'updatedAt'),
}

/** Includes withdrawn decisions, because a client needs their version to decide again. */
export const listDecisions = (db: Database, submissionId: string, limit: number, offset: number) =>
  db
    .select(shownDecision)
    .from(planDecisions)
    .innerJoin(directories, eq(directories.id, planDecisions.directoryId))
    .where(eq(planDecisions.submissionId, submissionId))
    .orderBy(desc(planDecisions.updatedAt), asc(directories.slug))
    .limit(limit)
    .offset(offset)

export const findDecision = async (db: Database, submissionId: string, directoryId: string) =>
  (
    await db
      .select()
      .from(planDecisions)
      .where(and(eq(planDecisions.submissionId, submissionId), eq(planDecisions.directoryId, directoryId)))
  )[0]

export const upsertDecision = (db: Database, row: Omit<typeof planDecisions.$inferSelect, 'version'>) =>
  db
    .insert(planDecisions)
    .values(row)
    .onConflictDoUpdate({
      target: [planDecisions.submissionId, planDecisions.directoryId],
      set: {
        decision: row.decision,
        reason: row.reason,
        version: raisedVersion(planDecisions.version),
        updatedAt: row.updatedAt,
      },
    })

export const findShownDecision = async (db: Database, submissionId: string, slug: string) =>
  (
    await db
      .select(shownDecision)
      .from(planDecisions)
      .innerJoin(directories, eq(directories.id, planDecisions.directoryId))
      .where(and(eq(planDecisions.submissionId, submissionId), eq(directories.slug, slug)))
  )[0]

/** Directories that are on record for a submission or were skipped. A row on record takes precedence over a decision. */
export const listBenchRows = (
  db: Database,
  submissionId: string,
  now: Date,
): Promise<{ slug: string; name: string; isOnRecord: boolean; isSubmitted: boolean; reason: WaitingReason | null }[]> =>
  rowsOf(
    db,
    sql`
    select d.slug, d.name, r.directory_id is not null as "isOnRecord", coalesce(r.is_submitted, false) as "isSubmitted", waits.reason
    from (select directory_id from submission_rows where submission_id = ${submissionId}
      union select directory_id from plan_decisions where submission_id = ${submissionId} and decision = 'skipped') known
    join directories d on d.id = known.directory_id
    left join submission_rows r on r.directory_id = d.id and r.submission_id = ${submissionId}
    left join (${rowReasons(now, ofSubmission(submissionId))}) waits on waits.directory_id = d.id
    order by d.slug`,
  )

/** The names of all directories that a plan may mention. */
export const listBenchNames = (db: Database, submissionId: string) =>
  db
    .select({ slug: directories.slug, name: directories.name, domainRating: directories.domainRating })
    .from(directories)
    .leftJoin(submissionRows, rowOfSubmission(submissionId))
    .leftJoin(planDecisions, decisionOfSubmission(submissionId))
    .where(IS_IN_PLAN)
