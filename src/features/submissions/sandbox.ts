// The interface of the sandbox (`features/sandbox`), which this feature calls through the context and does not import. The sandbox stores
// the submissions of test keys apart from live ones. An operation calls it when the key of the caller is a test key, and answers in the same
// shapes.
import type { Static } from 'typebox'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import type { SubmissionRow } from './queries.ts'
import type { QueueFilter } from './queue/queue.schema.ts'
import type { QueueState } from './rules.ts'
import type { CorrectionBody, linkedRowSchema, queueItemSchema } from './schema.ts'
import type { FoundSubmission } from './status.ts'
import type { CheckedSubmission, KnownTerms } from './submit/read-submission.ts'

/** Topic announced when the next state of a test submission or a sample reply to a test question is scheduled. */
export const SANDBOX_TOPIC = 'sandbox'

export interface TestSubmission {
  submission: Pick<SubmissionRow, 'id' | 'state' | 'paymentType' | 'notes' | 'reportToken' | 'createdAt' | 'updatedAt'>
  tool: FoundSubmission['tool']
  /** The category and the tags of the tool. */
  terms: KnownTerms
  /** The directories on record. */
  rows: Static<typeof linkedRowSchema>[]
}

/** A test submission in the queue, as it is stored. */
type TestQueueItem = Omit<Static<typeof queueItemSchema>, 'targetDirectoriesCount' | 'plan'> &
  Pick<SubmissionRow, 'planBudget' | 'planBadges'>

/** Names a submission by one of three values: the id or the slug of its tool, or the website that was submitted. */
export interface WhichTool {
  id?: string
  slug?: string
  website?: string
}

export interface Sandbox {
  /** The time from one state of a test submission to the next. */
  stepMs: number
  submit(
    ctx: TransactionContext,
    partnerId: string,
    submission: CheckedSubmission,
  ): Promise<TestSubmission & { created: boolean }>
  /** Changes what is stored of a test submission. */
  correct(
    ctx: TransactionContext,
    id: string,
    change: { body: CorrectionBody; category: KnownTerms['categories'][number] | undefined; tags: KnownTerms['tags'] },
  ): Promise<void>
  /** Deletes a test submission whose work has not begun; false when it has. */
  withdraw(ctx: TransactionContext, id: string): Promise<boolean>
  find(ctx: Context, partnerId: string, which: WhichTool): Promise<TestSubmission | undefined>
  report(ctx: Context, token: string): Promise<TestSubmission | undefined>
  /** The partner's test submissions, newest first. */
  list(
    ctx: Context,
    partnerId: string,
    filter: { state?: QueueState },
    limit: number,
    offset: number,
  ): Promise<TestSubmission[]>
  /** Test submissions of all partners, for operators. */
  queue(ctx: Context, filter: QueueFilter, limit: number, offset: number): Promise<TestQueueItem[]>
}

declare module '../../kernel/context.ts' {
  interface Context {
    sandbox: Sandbox
  }
}
