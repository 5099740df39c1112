// Operator API of the queue: lists submissions, changes one, records a directory for one, and marks one Done.
import { type Static, Type } from 'typebox'
import { isMediaAddress, isOwnAddress } from '../../../kernel/addresses/own-addresses.ts'
import { addressProblem } from '../../../kernel/addresses/web-address.ts'
import { workerOf } from '../../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { badRequest, invalid, notFound, orNotFound, unfit } from '../../../kernel/errors.ts'
import { operationsFor } from '../../../kernel/operation.ts'
import { type Problem, problem } from '../../../kernel/problem.ts'
import { booleanType, listPage, offsetOf, stringType } from '../../../kernel/schema.ts'
import { versionGuard } from '../../audit/schema.ts'
import { checkVersion } from '../../audit/version-guard.ts'
import { changesAnything, writeAudit } from '../../audit/write-audit.ts'
import { DIRECT_ORDERS, ORDER_DONE_JOB, planColumns } from '../../partners/rules.ts'
import { storeEvent } from '../../webhooks/events.ts'
import { DONE, firstVersionOf, UNDONE } from '../bench/undo.ts'
import { completedBody, completedEvent, storeProgress, storeWaiting } from '../events.ts'
import * as queries from '../queries.ts'
import {
  changeWork,
  doneProblem,
  isInFuture,
  isStorableTime,
  ownPlanLimitsOf,
  packageOf,
  workAfterRecord,
} from '../rules.ts'
import type {} from '../sandbox.ts' // declares ctx.sandbox
import { listedItemSchema, queueItemSchema, recordedRowSchema } from '../schema.ts'
import { findActors, findQueueItem, selectSubmissions } from './queue.queries.ts'
import { changeBody, doneBody, queueFilters, recordBody, submissionId } from './queue.schema.ts'
import { findReason } from './waiting.queries.ts'
import { isGiven, reasonProblem } from './waiting.rules.ts'

const operation = operationsFor('operator', 'Submissions')

const TIME = '2026-03-01T09:30:00.000Z'
const itemExample = {
  id: '5b1d0c8e-0d4e-4f59-8c3b-0d6c7a9e1f20',
  toolId: '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11',
  clientId: '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10',
  state: 'ASSIGNED',
  paymentType: 'starter',
  assignee: 'op@example.com',
  notes: '',
  internalNotes: '',
  kind: 'web',
  language: 'en',
  plan: null,
  version: 3,
  tool: {
    id: '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11',
    slug: 'acme-writer',
    name: 'Acme Writer',
    website: 'https://acme-writer.example.com',
  },
  client: { id: '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10', name: 'Launch Platform' },
  submittedCount: 12,
  targetDirectoriesCount: 30,
  flaggedFields: [],
  createdAt: TIME,
  updatedAt: TIME,
}

export const listSubmissions = operation({
  name: 'list_submissions',
  summary: 'The queue',
  description: 'Submissions, newest first; those of sandboxes only with test.',
  method: 'GET',
  path: '/submissions',
  parameters: Type.Object({
    ...queueFilters,
    ...listPage,
    withWaitingFor: Type.Optional(booleanType('Adds who each waits for, which takes longer.', true)),
  }),
  data: Type.Array(listedItemSchema),
  example: { success: true, data: [{ ...itemExample, waitingFor: 'us' }] },
  tool: {
    title: 'The queue of submissions',
    description: 'Products to enter into directories, newest first. next_submission has the one to work on.',
    omit: ['test', 'flagged', 'sort', 'client', 'waitingFor', 'withWaitingFor'],
    shows: ['id', 'state', 'paymentType', 'assignee', 'tool', 'client', 'submittedCount', 'targetDirectoriesCount'],
  },
  run: async (ctx, input) => {
    const rows = input.test
      ? await ctx.sandbox.queue(ctx, input, input.limit, offsetOf(input))
      : await selectSubmissions(ctx.db, input, input.limit, offsetOf(input), ctx.now())
    const items = rows.map(withPackage)
    if (!input.withWaitingFor) return { data: items }
    // With the filter all of them wait for that one. Test submissions wait for none.
    const { waitingFor = null } = input
    if (waitingFor || input.test || items.length === 0) return { data: items.map((item) => ({ ...item, waitingFor })) }
    const ids = items.map(({ id }) => id)
    const actors = await findActors(ctx.db, ids, ctx.now())
    return { data: items.map((item) => ({ ...item, waitingFor: actors.get(item.id) ?? null })) }
  },
})

export const changeSubmission = operation({
  name: 'change_submission',
  summary: 'Assign, move, set the package, take notes',
  description:
    'Changes the given fields. Any working state may follow any other; ASSIGNED needs an assignee; setting the package of a waiting submission puts it IN_QUEUE; DONE marks it Done, which is final.',
  method: 'PATCH',
  path: '/submissions/:id',
  parameters: Type.Object({ id: submissionId, ...versionGuard.parameters }),
  body: changeBody,
  data: queueItemSchema,
  failures: [400, 404, ...versionGuard.failures],
  example: { success: true, data: itemExample },
  run: async (ctx, input, body) => ({ data: await changeOne(ctx, input, body) }),
})

export const recordDirectory = operation({
  name: 'record_directory',
  summary: 'Record a directory',
  description:
    'Creates or replaces the row of one directory: a field that is omitted is empty afterwards, only submittedAt stays, and is now when the tool was not entered before. The same record sent again changes nothing. Once a directory is recorded as entered, work that was not begun is IN_PROGRESS, and assigned to the caller if it has no assignee. ifVersion is the version of the row; 0: it was not on record.',
  method: 'PUT',
  path: '/submissions/:id/directories/:slug',
  parameters: Type.Object({
    id: submissionId,
    slug: stringType('Slug of the directory.', 'launch-list'),
    ...versionGuard.parameters,
  }),
  body: recordBody,
  data: recordedRowSchema,
  failures: [400, 404, ...versionGuard.failures],
  exampleFields: { proofUrl: null },
  tool: {
    description:
      'Say that the product was entered into a directory (isSubmitted: true), with the address of the listing if it is known. It replaces what was on record; undo_directory brings that back.',
    omit: ['submittedBy', 'submittedAt'],
  },
  run: (ctx, input, body) => {
    const problems = recordProblems(ctx, body)
    if (body.submittedAt != null && !isStorableTime(body.submittedAt))
      problems.push(problem('submittedAt', 'must be a time from 1970 to 9999, without leap seconds.'))
    if (problems.length > 0) throw invalid(problems)
    return ctx.transaction(async (ctx) => {
      const submission = await findForUpdate(ctx, input.id)
      const directoryId = orNotFound(await queries.findDirectoryId(ctx.db, input.slug), 'Directory')
      const before = await queries.findRow(ctx.db, submission.id, directoryId)
      await checkVersion(ctx, input.ifVersion, {
        name: `record of ${input.slug}`,
        version: before?.version,
        subject: `submission:${submission.id}`,
        actions: ['submission.directory', UNDONE],
        details: { directory: input.slug },
      })
      const now = ctx.now()
      const values = rowValues(body, before, now, await waitingValues(ctx, body, before))
      if (before && !changesAnything(before, values)) return { data: await findRecord(ctx, submission.id, input.slug) }
      // A time in the future that is stored already may stay while other fields are changed.
      const isNewTime = changesAnything(before ?? {}, { submittedAt: values.submittedAt })
      if (isNewTime && isInFuture(values.submittedAt, now))
        throw invalid([problem('submittedAt', 'must not be in the future. Leave it out for now.')])
      await queries.upsertRow(ctx.db, {
        ...values,
        submissionId: submission.id,
        directoryId,
        createdAt: before?.createdAt ?? now,
        updatedAt: now,
        // After an undo the versions go on, so that an old `ifVersion` does not fit.
        ...(before ? {} : await firstVersionOf(ctx, submission.id, input.slug)),
      })
      await queries.updateSubmissionTime(ctx.db, submission.id, now)
      await writeAudit(ctx, 'submission.directory', `submission:${submission.id}`, {
        directory: input.slug,
        isSubmitted: body.isSubmitted,
        ...(values.waitingReason ? { reason: values.waitingReason } : {}),
        was: before ? queries.recordedValues(before) : null,
      })
      if (body.isSubmitted) await startWork(ctx, submission)
      await storeProgress(ctx, submission, input.slug)
      await storeWaiting(ctx, submission, input.slug, before?.waitingReason ?? null)
      return { data: await findRecord(ctx, submission.id, input.slug) }
    })
  },
})

export const completeSubmission = operation({
  name: 'complete_submission',
  summary: 'Mark the work Done',
  description:
    'Marks the directory work Done from any working state and sends directory_submissions.completed if the partner has a webhook URL. Done is final: a second Done changes nothing and sends nothing.',
  method: 'POST',
  path: '/submissions/:id/done',
  parameters: Type.Object({ id: submissionId, ...versionGuard.parameters }),
  body: doneBody,
  data: queueItemSchema,
  failures: [400, 404, ...versionGuard.failures],
  example: { success: true, data: { ...itemExample, state: 'DONE' } },
  tool: {
    description:
      'The work on a submission is finished, and its partner is told. Done is final: call it only when every directory of the plan is recorded or skipped.',
    omit: ['ifVersion'],
    isFinal: true,
    isRepeatable: true,
    shows: ['id', 'state', 'submittedCount', 'targetDirectoriesCount', 'version'],
  },
  run: (ctx, input, body) =>
    ctx.transaction(async (ctx) => {
      const submission = await findForUpdate(ctx, input.id)
      if (submission.state !== 'DONE') {
        await checkSubmissionVersion(ctx, submission, input.ifVersion)
        await markDone(ctx, submission, { notes: body.notes ?? submission.notes })
      }
      return { data: await readQueueItem(ctx, submission.id) }
    }),
})

export const queueOperations = [listSubmissions, changeSubmission, recordDirectory, completeSubmission]

/** The values of the row that the body asks for. */
function rowValues(
  body: Static<typeof recordBody>,
  before: queries.RecordedDirectoryRow | undefined,
  now: Date,
  waiting: Awaited<ReturnType<typeof waitingValues>>,
) {
  const { isSubmitted, listingUrl = null, proofUrl = null } = body
  const values = { isSubmitted, listingUrl, proofUrl, submittedBy: body.submittedBy ?? ('ADMIN' as const), ...waiting }
  if (body.submittedAt !== undefined)
    return { ...values, submittedAt: body.submittedAt === null ? null : new Date(body.submittedAt) }
  // When a record is corrected later, the time at which the tool was entered stays.
  return { ...values, submittedAt: isSubmitted ? (before?.isSubmitted && before.submittedAt) || now : null }
}

/**
 * The reason to wait that is stored with the row, and since when it holds; both are null when none is stored. A reason that this service
 * derives from the row is not stored, because clients send rows back as they have read them. A stored reason that is sent again keeps its
 * time. Its time begins again only when the row is overdue.
 */
async function waitingValues(
  ctx: Context,
  { reason = null }: Static<typeof recordBody>,
  before: queries.RecordedDirectoryRow | undefined,
) {
  const now = ctx.now()
  const none = { waitingReason: null, waitingSince: null }
  if (reason === null) return none
  const reasonNow = before && (await findReason(ctx.db, before.submissionId, before.directoryId, now))
  if (reason === reasonNow && before?.waitingReason === null) return none
  if (!isGiven(reason))
    throw invalid([problem('reason', `cannot be ${reason}, which follows from the record. Leave it out.`)])
  const keepsTime = before?.waitingReason === reason && reasonNow !== 'overdue'
  return { waitingReason: reason, waitingSince: keepsTime ? before.waitingSince : now }
}

/** Changes the given fields of one submission. Throws the reason if they cannot be changed. */
export const changeOne = (
  ctx: Context,
  { id, ifVersion }: { id: string; ifVersion?: number },
  { state, notes, internalNotes, kind, language, plan, ...change }: Static<typeof changeBody>,
) =>
  ctx.transaction(async (ctx) => {
    const before = await findForUpdate(ctx, id)
    // A second Done changes nothing and sends no event.
    if (state === 'DONE' && before.state === 'DONE') return readQueueItem(ctx, before.id)
    await checkSubmissionVersion(ctx, before, ifVersion)
    const next = changeWork(before, { ...change, ...(state === undefined || state === 'DONE' ? {} : { state }) })
    if ('problem' in next) throw unfit(next.problem, next.field)
    // Fields that the partner does not see.
    const hiddenValues = {
      ...(internalNotes === undefined ? {} : { internalNotes }),
      ...(kind === undefined ? {} : { kind }),
      ...(language === undefined ? {} : { language }),
      ...planColumns(plan === null ? { budget: null, badges: null } : plan),
    }
    const shownValues = { ...next.work, ...(notes === undefined ? {} : { notes }) }
    const values = { ...shownValues, ...hiddenValues }
    const details = { ...change, notes, ...hiddenValues }
    if (state === 'DONE') await markDone(ctx, before, values, details)
    else if (changesAnything(before, values)) {
      // The partner sees updatedAt, so an internal note alone must not change it.
      const updatedAt = changesAnything(before, shownValues) ? ctx.now() : before.updatedAt
      await queries.updateSubmission(ctx.db, before.id, { ...values, updatedAt })
      await writeAudit(ctx, 'submission.change', `submission:${before.id}`, { ...details, state })
      if (next.work.state !== before.state) await storeProgress(ctx, before)
    }
    return readQueueItem(ctx, before.id)
  })

/**
 * Stores the state Done with the other changes, the audit entry and the events, or throws why it cannot be Done. The submission must be
 * locked, so that two administrators at the same time cause one event.
 */
async function markDone(
  ctx: TransactionContext,
  before: queries.SubmissionRow,
  change: Partial<queries.SubmissionRow>,
  details: object = {},
): Promise<void> {
  const submission = { ...before, ...change }
  const reason = doneProblem(submission)
  if (reason) throw badRequest(reason)
  const now = ctx.now()
  await queries.updateSubmission(ctx.db, before.id, { ...change, state: 'DONE', updatedAt: now })
  await writeAudit(ctx, DONE, `submission:${before.id}`, { ...details })
  const found = orNotFound(
    await queries.findSubmissionByToolId(ctx.db, submission.partnerId, submission.toolId),
    'Tool',
  )
  const { paymentType, notes } = submission
  const rows = await queries.listRows(ctx.db, submission.id, 'founder', now)
  const body = completedBody({ at: now, tool: found.tool, paymentType, notes, rows })
  await storeEvent(ctx, submission.partnerId, completedEvent.name, body)
  await storeProgress(ctx, submission)
  if (ctx.mailer && submission.partnerId === DIRECT_ORDERS.id)
    await ctx.enqueue(ORDER_DONE_JOB, { submissionId: submission.id }, DIRECT_ORDERS.id)
}

async function findRecord(ctx: Context, submissionId: string, slug: string) {
  const found = (await queries.listRows(ctx.db, submissionId, 'operator', ctx.now())).find((row) => row.slug === slug)
  if (!found) throw notFound('Directory')
  return found
}

/** Locks and returns the submission that a caller names. Throws a 404, or a 400 when several partners submitted the tool. */
export async function findForUpdate(ctx: TransactionContext, reference: string): Promise<queries.SubmissionRow> {
  const found = await queries.findSubmissionForUpdate(ctx.db, reference)
  if (found === 'several') throw badRequest('Several partners submitted this tool. Name the submission by its own id.')
  if (!found) throw notFound('Submission')
  return found
}

const checkSubmissionVersion = async (ctx: TransactionContext, submission: queries.SubmissionRow, ifVersion?: number) =>
  checkVersion(ctx, ifVersion, {
    name: 'submission',
    version: submission.version,
    subject: `submission:${submission.id}`,
    actions: ['submission.create', 'submission.change', DONE],
  })

/** A submission of the queue with its own limits of the plan, and how many directories its package promises. */
export const withPackage = <T extends Pick<queries.SubmissionRow, 'paymentType' | 'planBudget' | 'planBadges'>>(
  row: T,
) => ({ ...row, plan: ownPlanLimitsOf(row), targetDirectoriesCount: packageOf(row.paymentType).targetDirectoriesCount })

async function readQueueItem(ctx: Context, submissionId: string) {
  return withPackage(orNotFound(await findQueueItem(ctx.db, submissionId), 'Submission'))
}

function recordProblems(ctx: Context, body: Static<typeof recordBody>): Problem[] {
  const wrongReason = body.reason && reasonProblem(body.reason, body.isSubmitted)
  const wrongAddresses = (['listingUrl', 'proofUrl'] as const).flatMap((field) => {
    const value = body[field]
    if (value == null) return []
    // The rules for outbound addresses do not apply to this service itself, which may run in a private network. But a proof is shown as a
    // picture, so an address of this service must be one of its pictures.
    if (isOwnAddress(ctx.publicUrl, value))
      return field === 'listingUrl' || isMediaAddress(ctx.publicUrl, value)
        ? []
        : [problem('proofUrl', 'must be a picture; of this service only those under /media/ are.')]
    const wrong = addressProblem(value, { allowed: ctx.outboundAllowed })
    return wrong ? [problem(field, wrong)] : []
  })
  return [...wrongAddresses, ...(wrongReason ? [problem('reason', wrongReason)] : [])]
}

/**
 * Call it when a directory was recorded as entered. Work that had not begun is then in progress, and the caller is its assignee if it had
 * none. The submission must be locked.
 */
async function startWork(ctx: TransactionContext, submission: queries.SubmissionRow): Promise<void> {
  const { state, assignee } = workAfterRecord(submission, workerOf(ctx.caller))
  if (!changesAnything(submission, { state, assignee })) return
  await queries.updateSubmission(ctx.db, submission.id, { state, assignee, updatedAt: ctx.now() })
  await writeAudit(ctx, 'submission.change', `submission:${submission.id}`, { state, assignee })
}
