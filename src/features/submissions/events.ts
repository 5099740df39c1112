// The webhook events about a submission: their bodies, and storing them in the transaction of the change.
import { type Static, Type } from 'typebox'
import type { TransactionContext } from '../../kernel/context.ts'
import { oneOf, timestamp, titledObject } from '../../kernel/schema.ts'
import { declareEvent, storeWantedEvent } from '../webhooks/events.ts'
import type { EventName } from '../webhooks/schema.ts'
import * as queries from './queries.ts'
import type { GivenReason } from './queue/waiting.rules.ts'
import { type PaymentType, packageOf, type SubmissionState, summaryOf } from './rules.ts'
import { eventSummary, eventTool, rowSchema, submissionState, waitingRowSchema } from './schema.ts'

const nameField = <const N extends EventName>(name: N) => oneOf([name], 'The kind of the event.', name)

export const completedEvent = declareEvent(
  'directory_submissions.completed',
  titledObject('DirectorySubmissionsCompleted', 'The directory work on a tool is done.', {
    event: nameField('directory_submissions.completed'),
    occurredAt: timestamp('When the work was marked Done.'),
    tool: eventTool,
    summary: eventSummary,
    submissions: Type.Array(rowSchema, { description: 'The directories that the tool was entered into.' }),
  }),
)

export const progressEvent = declareEvent(
  'submission.progress',
  titledObject(
    'SubmissionProgress',
    'The work on a tool has a new state, or a directory was recorded; then submission is the row of that directory.',
    {
      event: nameField('submission.progress'),
      occurredAt: timestamp('When it happened.'),
      tool: eventTool,
      submissionState,
      summary: eventSummary,
      submission: Type.Optional(waitingRowSchema),
    },
  ),
)

export const waitingEvent = declareEvent(
  'row.waiting',
  titledObject(
    'RowWaiting',
    'A directory waits for something that only the founder can do; submission.action says what.',
    {
      event: nameField('row.waiting'),
      occurredAt: timestamp('When it happened.'),
      tool: eventTool,
      submission: waitingRowSchema,
    },
  ),
)

/** The exact body of directory_submissions.completed. */
export const completedBody = (given: {
  at: Date
  tool: Pick<Static<typeof completedEvent.body>['tool'], 'id' | 'name' | 'slug' | 'website'>
  paymentType: PaymentType | null
  notes: string
  rows: readonly Static<typeof rowSchema>[]
}): string =>
  completedEvent.write({
    event: completedEvent.name,
    occurredAt: given.at,
    tool: { ...given.tool, ...packageOf(given.paymentType) },
    summary: summaryOf(given.rows, given.notes),
    submissions: given.rows.filter((row) => row.isSubmitted),
  })

/**
 * Stores the event submission.progress, if the partner wants it. Call it inside the transaction, after the state was changed or a directory
 * was recorded, and once for a change that does both. `slug` is the directory that was recorded.
 */
export async function storeProgress(
  ctx: TransactionContext,
  { id, partnerId, toolId }: Pick<queries.SubmissionRow, 'id' | 'partnerId' | 'toolId'>,
  slug?: string,
): Promise<void> {
  await storeWantedEvent(ctx, partnerId, progressEvent.name, async () => {
    const found = await queries.findSubmissionByToolId(ctx.db, partnerId, toolId)
    if (!found) return null
    const { submission, tool } = found
    const rows = await queries.listRows(ctx.db, id, 'founder', ctx.now())
    const row = slug === undefined ? undefined : rows.find((one) => one.slug === slug)
    return progressBody({ ...submission, at: ctx.now(), tool, rows, row })
  })
}

/**
 * Stores the event row.waiting, if the partner wants it and the row now waits for the founder for another reason than before. Call it inside
 * the transaction that wrote the row of this directory. `before` is the reason that was stored until then.
 */
export async function storeWaiting(
  ctx: TransactionContext,
  { id, partnerId, toolId }: Pick<queries.SubmissionRow, 'id' | 'partnerId' | 'toolId'>,
  slug: string,
  before: GivenReason | null,
): Promise<void> {
  await storeWantedEvent(ctx, partnerId, waitingEvent.name, async () => {
    const found = await queries.findSubmissionByToolId(ctx.db, partnerId, toolId)
    const rows = await queries.listRows(ctx.db, id, 'founder', ctx.now())
    const submission = rows.find((row) => row.slug === slug)
    if (!found || submission?.waitingFor !== 'founder' || submission.reason === before) return null
    const tool = { ...found.tool, ...packageOf(found.submission.paymentType) }
    return waitingEvent.write({ event: waitingEvent.name, occurredAt: ctx.now(), tool, submission })
  })
}

/** The exact body of submission.progress. `row` is the directory that was recorded. */
export const progressBody = (given: {
  at: Date
  tool: Pick<Static<typeof progressEvent.body>['tool'], 'id' | 'name' | 'slug' | 'website'>
  paymentType: PaymentType | null
  state: SubmissionState | null
  notes: string
  rows: readonly Static<typeof rowSchema>[]
  row: Static<typeof waitingRowSchema> | undefined
}): string =>
  progressEvent.write({
    event: progressEvent.name,
    occurredAt: given.at,
    tool: { ...given.tool, ...packageOf(given.paymentType) },
    submissionState: given.state,
    summary: summaryOf(given.rows, given.notes),
    submission: given.row,
  })
