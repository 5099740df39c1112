// Queries that read one submission, the directories that it may be entered into, and the submissions of a partner.
import { and, asc, desc, eq, getTableColumns, gte, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { Static, TObject } from 'typebox'
import type { Database } from '../../../kernel/context.ts'
import { hasWords } from '../../../kernel/database/queries.ts'
import { categories, directories, tags, tools } from '../../catalog/tables.ts'
import { partners } from '../../partners/tables.ts'
import { inState, selectOfPartner } from '../queries.ts'
import { ofSubmission, rowReasons, waitsFor } from '../queue/waiting.queries.ts'
import { type WaitingReason, waitingOf } from '../queue/waiting.rules.ts'
import type { QueueState } from '../rules.ts'
import { submissionDetails, submissionRows, submissions } from '../tables.ts'
import type { candidateFilters } from './read.schema.ts'

/** Finds submissions by their id or by the id or slug of their tool. Two rows are enough to know that there are several. */
export const findSubmissionIds = (db: Database, reference: string) =>
  db
    .select({ id: submissions.id })
    .from(submissions)
    // Not a join: with the conditions of two tables in one `or` no index could be used.
    .where(
      or(
        eq(submissions.id, reference),
        sql`${submissions.toolId} = any(array(select id from tools where id = ${reference} or slug = ${reference}))`,
      ),
    )
    .orderBy(sql`${submissions.id} = ${reference} desc`)
    .limit(2)

// The id of the submission must be the first column: drizzle takes a joined row whose first column is null for a missing row.
const detailColumns = getTableColumns(submissionDetails)
const NO_DETAILS = Object.fromEntries(Object.keys(detailColumns).map((name) => [name, null])) as Record<
  keyof typeof detailColumns,
  null
>

/** All fields that the forms of directories ask for, private ones included; for administrators only. */
export const findWork = async (db: Database, id: string) => {
  const [found] = await db
    .select({
      submission: submissions,
      tool: tools,
      details: detailColumns,
      client: { id: partners.id, name: partners.name, webhookUrl: partners.webhookUrl },
      categoryName: categories.name,
    })
    .from(submissions)
    .innerJoin(tools, eq(tools.id, submissions.toolId))
    .innerJoin(partners, eq(partners.id, submissions.partnerId))
    .leftJoin(submissionDetails, eq(submissionDetails.submissionId, submissions.id))
    .leftJoin(categories, eq(categories.slug, tools.category))
    .where(eq(submissions.id, id))
  if (!found) return undefined
  const slugs = found.tool.tags
  const named = slugs.length > 0 ? await db.select().from(tags).where(inArray(tags.slug, slugs)) : []
  const details = { ...NO_DETAILS, ...found.details }
  return { ...found, details, tags: slugs.flatMap((slug) => named.find((tag) => tag.slug === slug) ?? []) }
}

const ORDERS = {
  rating: [sql`${directories.domainRating} desc nulls last`],
  visits: [sql`${directories.monthlyVisits} desc nulls last`],
  name: [],
}

const VIEW_CONDITIONS = {
  open: isNull(submissionRows.directoryId),
  recorded: isNotNull(submissionRows.directoryId),
  submitted: eq(submissionRows.isSubmitted, true),
}

/**
 * Published directories and those with a row for this submission, each with its row. Directories without a row come first, and those that
 * the tool was entered into come last.
 */
export const listCandidates = async (
  db: Database,
  submissionId: string,
  {
    slug,
    q,
    category,
    cost,
    rating,
    badge,
    show,
    waitingFor,
    sort = 'rating',
  }: Static<TObject<typeof candidateFilters>>,
  limit: number,
  offset: number,
  now: Date,
) => {
  const found = await db
    .select({ directory: directories, row: submissionRows, reason: sql<WaitingReason | null>`waits.reason` })
    .from(directories)
    .leftJoin(
      submissionRows,
      and(eq(submissionRows.directoryId, directories.id), eq(submissionRows.submissionId, submissionId)),
    )
    .leftJoin(sql`(${rowReasons(now, ofSubmission(submissionId))}) waits`, sql`waits.directory_id = ${directories.id}`)
    .where(
      and(
        or(eq(directories.published, true), isNotNull(submissionRows.directoryId)),
        slug === undefined ? undefined : eq(directories.slug, slug),
        hasWords(q, [directories.name, directories.website]),
        category === undefined ? undefined : sql`${directories.categories} @> array[${category}]::text[]`,
        cost === undefined ? undefined : eq(directories.cost, cost),
        rating === undefined ? undefined : gte(directories.domainRating, rating),
        badge === undefined ? undefined : eq(directories.requiresBadge, badge === 'required'),
        show === undefined ? undefined : VIEW_CONDITIONS[show],
        waitingFor && waitsFor(waitingFor),
      ),
    )
    .orderBy(
      sql`case when ${submissionRows.directoryId} is null then 0 when ${submissionRows.isSubmitted} then 2 else 1 end`,
      ...ORDERS[sort],
      asc(directories.name),
      asc(directories.id),
    )
    .limit(limit)
    .offset(offset)
  return found.map(({ directory, row, reason }) => ({
    ...directory,
    row: row && {
      ...row,
      submittedBy: row.isSubmitted ? row.submittedBy : null,
      ...waitingOf(reason, directory.name, 'operator'),
      isReasonGiven: row.waitingReason !== null,
    },
  }))
}

/** The submissions of a partner, newest first. */
export const listSubmissionsOfPartner = (
  db: Database,
  partnerId: string,
  state: QueueState | undefined,
  limit: number,
  offset: number,
) =>
  selectOfPartner(db, partnerId, inState(state))
    .orderBy(desc(submissions.createdAt), desc(submissions.id))
    .limit(limit)
    .offset(offset)
