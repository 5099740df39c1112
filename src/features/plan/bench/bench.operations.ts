// Operator API of the bench, the admin page on which an operator enters a submission into directories: the directories in the order of
// the plan, and a short list of what is on record, which the page reads often.
import { Type } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import { orNotFound } from '../../../kernel/errors.ts'
import { operationsFor } from '../../../kernel/operation.ts'
import { submissionId } from '../../submissions/queue/queue.schema.ts'
import { waitingOf } from '../../submissions/queue/waiting.rules.ts'
import { findSubmissionId } from '../../submissions/read/read.operations.ts'
import { findWork } from '../../submissions/read/read.queries.ts'
import { makePlan } from '../make-plan.ts'
import * as queries from '../queries.ts'
import { PHASES } from '../schema.ts'
import { type BenchRow, type BenchState, benchListSchema, benchRecordsSchema, stateOnRecord } from './bench.schema.ts'

const operation = operationsFor('operator', 'Submissions')

export const getBench = operation({
  name: 'get_submission_bench',
  summary: 'The directories of a submission in the order of work',
  description:
    'The directories of the plan by phase, best first, then those on record, then all others, each with what became of it.',
  method: 'GET',
  path: '/submissions/:id/bench',
  parameters: Type.Object({ id: submissionId }),
  data: benchListSchema,
  failures: [400, 404],
  run: async (ctx, input) => {
    const id = await findSubmissionId(ctx, input.id)
    const plan = await makePlan(ctx, id)
    const states = new Map((await listBenchStates(ctx, id)).map(({ slug, state }) => [slug, state]))
    const names = new Map((await queries.listBenchNames(ctx.db, id)).map((row) => [row.slug, row]))
    const stateOf = (slug: string): BenchState => states.get(slug) ?? 'open'
    const chosen = PHASES.flatMap((phase) =>
      plan.chosen
        .filter((one) => one.phase === phase)
        .map(({ slug, name, domainRating, reasons }): BenchRow => {
          return { slug, name, domainRating, state: stateOf(slug), isPlanned: true, reason: reasons.join(' · ') }
        }),
    )
    const others = plan.left.flatMap(({ slug, reason }): BenchRow[] => {
      const shown = names.get(slug)
      return shown ? [{ ...shown, state: stateOf(slug), isPlanned: false, reason }] : []
    })
    const isOnRecord = ({ state }: BenchRow) => state !== 'open' && state !== 'skipped'
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
  data: benchRecordsSchema,
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
    const state: BenchState = row.isOnRecord ? stateOnRecord({ ...row, ...waiting }) : 'skipped'
    return { ...row, state }
  })
