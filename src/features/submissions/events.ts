// The webhook events about a submission.
import { type Static, Type } from 'typebox'
import { oneOf, timestamp } from '../../kernel/schema.ts'
import { declareEvent } from '../webhooks/events.ts'
import type { EventName } from '../webhooks/schema.ts'
import { type PaymentType, packageOf, summaryOf } from './rules.ts'
import { eventSummary, eventTool, rowSchema, submissionState, waitingRowSchema } from './schema.ts'

const nameField = <const N extends EventName>(name: N) =>
  oneOf([name], { description: 'The kind of the event.', examples: [name] })

export const completedEvent = declareEvent(
  'directory_submissions.completed',
  Type.Object(
    {
      event: nameField('directory_submissions.completed'),
      occurredAt: timestamp('When the work was marked Done.'),
      tool: eventTool,
      summary: eventSummary,
      submissions: Type.Array(rowSchema, { description: 'The directories that the tool was entered into.' }),
    },
    { title: 'DirectorySubmissionsCompleted', description: 'The directory work on a tool is done.' },
  ),
)

export const progressEvent = declareEvent(
  'submission.progress',
  Type.Object(
    {
      event: nameField('submission.progress'),
      occurredAt: timestamp('When it happened.'),
      tool: eventTool,
      submissionState,
      summary: eventSummary,
      submission: Type.Optional(waitingRowSchema),
    },
    {
      title: 'SubmissionProgress',
      description:
        'The work on a tool has a new state, or a directory was recorded; then submission is the row of that directory.',
    },
  ),
)

export const waitingEvent = declareEvent(
  'row.waiting',
  Type.Object(
    {
      event: nameField('row.waiting'),
      occurredAt: timestamp('When it happened.'),
      tool: eventTool,
      submission: waitingRowSchema,
    },
    {
      title: 'RowWaiting',
      description: 'A directory waits for something that only the founder can do; submission.action says what.',
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
