// Operator API: the plan of a submission, the decisions of administrators about it, and the bench, the admin page on which an operator
// enters the submission into directories.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { orNotFound } from '../../kernel/errors.ts'
import { operationsFor, pageOperation } from '../../kernel/operation.ts'
import { integerType, listPage, offsetOf, oneOf, stringType } from '../../kernel/schema.ts'
import { versionGuard } from '../audit/schema.ts'
import { checkVersion } from '../audit/version-guard.ts'
import { changesAnything, writeAudit } from '../audit/write-audit.ts'
import { findDirectoryId } from '../submissions/queries.ts'
import { findForUpdate } from '../submissions/queue/queue.operations.ts'
import { submissionId } from '../submissions/queue/queue.schema.ts'
import { waitingOf } from '../submissions/queue/waiting.rules.ts'
import { findSubmissionId } from '../submissions/read/read.operations.ts'
import { findWork } from '../submissions/read/read.queries.ts'
import { makePlan } from './make-plan.ts'
import * as queries from './queries.ts'
import * as schema from './schema.ts'

const operation = operationsFor('operator', 'Submissions')

const getPlan = operation({
  name: 'get_submission_plan',
  summary: 'Which directories fit the product',
  description:
    'The directories that fit the product of a submission, best first and with reasons, as many as its package promises, and why the others are left out. What does not fit is never chosen to fill the number up; shortBy then says how many are missing.',
  method: 'GET',
  path: '/submissions/:id/plan',
  parameters: Type.Object({
    id: submissionId,
    count: Type.Optional(
      integerType('How many directories; as many as the package promises when omitted.', 30, {
        minimum: 0,
        maximum: schema.MOST_PLANNED,
        'x-strict': true,
      }),
    ),
    automation: Type.Optional(
      oneOf(
        schema.AUTOMATION_LIMITS,
        'For programs: only directories that allow programs to submit, or also those that do not say; what is on record or pinned stays.',
        'not-forbidden',
      ),
    ),
  }),
  data: schema.planSchema,
  tool: {
    title: 'The plan of a submission',
    description:
      'The directories to enter the product into, best first, with reasons; recorded says which are done. Give fields: "chosen" for all of a long plan.',
    shows: ['count', 'shortBy', 'chosen'],
  },
  run: async (ctx, input) => ({ data: await makePlan(ctx, await findSubmissionId(ctx, input.id), input) }),
})

/** The same plan for the page of the console, which also shows in which phase of the launch each directory is due. */
export const getPhasedPlan = pageOperation({
  name: 'get_phased_plan',
  access: 'operator',
  parameters: getPlan.parameters,
  data: schema.phasedPlanSchema,
  run: async (ctx, input) => ({ data: await makePlan(ctx, await findSubmissionId(ctx, input.id), input) }),
})

export const listPlanDecisions = operation({
  name: 'list_plan_decisions',
  summary: 'Decisions about the plan of a submission',
  description: 'Which directories administrators pinned or skipped, newest first, with the version to decide again.',
  method: 'GET',
  path: '/submissions/:id/decisions',
  parameters: Type.Object({ id: submissionId, ...listPage }),
  data: Type.Array(schema.decisionSchema),
  run: async (ctx, input) => ({
    data: await queries.listDecisions(ctx.db, await findSubmissionId(ctx, input.id), input.limit, offsetOf(input)),
  }),
})

export const decidePlan = operation({
  name: 'decide_plan_directory',
  summary: 'Pin or skip a directory',
  description: `Keeps a directory in the plan of a submission, keeps it out, or withdraws the decision. A skip for the reasons ${schema.REMEMBERED_REASONS.join(' and ')} counts in the plans of later products. ifVersion is the version of the decision; 0: there was none.`,
  method: 'PUT',
  path: '/submissions/:id/plan/:slug',
  parameters: Type.Object({
    id: submissionId,
    slug: stringType('Slug of the directory.', 'launch-list'),
    ...versionGuard.parameters,
  }),
  body: schema.planDecisionBody,
  data: schema.decisionSchema,
  failures: [400, 404, ...versionGuard.failures],
  tool: {
    title: 'Skip or pin a directory',
    description:
      'Take a directory out of the plan (skipped, with the reason), keep it in (pinned), or withdraw that (null). The reasons refused and dead count for later products too.',
    omit: ['ifVersion'],
  },
  run: (ctx, input, body) =>
    ctx.transaction(async (ctx) => {
      const submission = await findForUpdate(ctx, input.id)
      const directoryId = orNotFound(await findDirectoryId(ctx.db, input.slug), 'Directory')
      const before = await queries.findDecision(ctx.db, submission.id, directoryId)
      await checkVersion(ctx, input.ifVersion, {
        name: `decision about ${input.slug}`,
        version: before?.version,
        subject: `submission:${submission.id}`,
        actions: ['submission.plan'],
        details: { directory: input.slug },
      })
      const { decision } = body
      const values = { decision, reason: decision === null ? null : reasonOf(body.reason) }
      if (!before || changesAnything(before, values)) {
        const now = ctx.now()
        await queries.upsertDecision(ctx.db, {
          ...values,
          submissionId: submission.id,
          directoryId,
          createdAt: before?.createdAt ?? now,
          updatedAt: now,
        })
        await writeAudit(ctx, 'submission.plan', `submission:${submission.id}`, { directory: input.slug, ...values })
      }
      return { data: orNotFound(await queries.findShownDecision(ctx.db, submission.id, input.slug), 'Directory') }
    }),
})

export const planOperations = [getPlan, listPlanDecisions, decidePlan]

/** REMEMBERED_REASONS are recognised in upper and lower case. */
function reasonOf(given: string | null | undefined): string | null {
  const text = (given ?? '').trim()
  return schema.REMEMBERED_REASONS.find((reason) => reason === text.toLowerCase()) ?? (text || null)
}

export const getBench = operation({
  name: 'get_submission_bench',
  summary: 'The directories of a submission in the order of work',
  description:
    'The directories of the plan by phase, best first, then those on record, then all others, each with what became of it.',
  method: 'GET',
  path: '/submissions/:id/bench',
  parameters: Type.Object({ id: submissionId }),
  data: schema.benchListSchema,
  failures: [400, 404],
  run: async (ctx, input) => {
    const id = await findSubmissionId(ctx, input.id)
    const plan = await makePlan(ctx, id)
    const states = new Map((await listBenchStates(ctx, id)).map(({ slug, state }) => [slug, state]))
    const names = new Map((await queries.listBenchNames(ctx.db, id)).map((row) => [row.slug, row]))
    const stateOf = (slug: string): schema.BenchState => states.get(slug) ?? 'open'
    const chosen = schema.PHASES.flatMap((phase) =>
      plan.chosen
        .filter((one) => one.phase === phase)
        .map(({ slug, name, domainRating, reasons }): schema.BenchRow => {
          return { slug, name, domainRating, state: stateOf(slug), isPlanned: true, reason: reasons.join(' · ') }
        }),
    )
    const others = plan.left.flatMap(({ slug, reason }): schema.BenchRow[] => {
      const shown = names.get(slug)
      return shown ? [{ ...shown, state: stateOf(slug), isPlanned: false, reason }] : []
    })
    const isOnRecord = ({ state }: schema.BenchRow) => state !== 'open' && state !== 'skipped'
    const rows = [...chosen, ...others.filter(isOnRecord), ...others.filter((row) => !isOnRecord(row))]
    return { data: { count: plan.count, shortBy: plan.shortBy, rows } }
  },
})

export const getBenchRecords = operation({
  name: 'get_submission_records',
  summary: 'What is on record, in short',
  description:
    'The directories of a submission that are on record or skipped, and its state: as little as a page needs to show what others do.',
  method: 'GET',
  path: '/submissions/:id/records',
  parameters: Type.Object({ id: submissionId }),
  data: schema.benchRecordsSchema,
  failures: [400, 404],
  run: async (ctx, input) => {
    const id = await findSubmissionId(ctx, input.id)
    const work = orNotFound(await findWork(ctx.db, id), 'Submission')
    const rows = await listBenchStates(ctx, id)
    const { state, version } = work.submission
    return { data: { state, version, enteredCount: rows.filter((row) => row.isSubmitted).length, rows } }
  },
})

export const benchListOperations = [getBench, getBenchRecords]

/** The directories that are on record or skipped, each with its state. */
const listBenchStates = async (ctx: Context, submissionId: string) =>
  (await queries.listBenchRows(ctx.db, submissionId, ctx.now())).map(({ reason, ...row }) => {
    const waiting = waitingOf(reason, row.name, 'operator')
    const state: schema.BenchState = row.isOnRecord ? schema.stateOnRecord({ ...row, ...waiting }) : 'skipped'
    return { ...row, state }
  })
