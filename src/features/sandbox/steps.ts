// Takes the steps of the sandbox when they are due: the next state of a test submission, and the sample reply to a test question. The row has
// the time of its next step, and each step is one transaction, so a process that stops loses no step and repeats none. Of several processes
// the one that locks the row takes the step.
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { isOutage } from '../../kernel/errors.ts'
import type { FeatureParts } from '../../kernel/feature.ts'
import { type BackgroundWorker, createDueWork, longestWait } from '../../kernel/work/due-work.ts'
import { completedBody, completedEvent } from '../submissions/events.ts'
import { packageOf } from '../submissions/rules.ts'
import { SANDBOX_TOPIC } from '../submissions/sandbox.ts'
import { storeReply } from '../support/ask.ts'
import { findSupportModeForShare } from '../support/queries.ts'
import { storeEvent } from '../webhooks/events.ts'
import * as queries from './queries.ts'
import {
  DONE_NOTES,
  dueAfter,
  listIn,
  nextStep,
  recordedRows,
  rowsAfter,
  SAMPLE_REPLY,
  SANDBOX_ASSIGNEE,
} from './rules.ts'
import { storeTestProgress } from './test-submissions.ts'

/** The caller of these steps. It has no access rights, because it calls no operation. */
const sandboxCaller = backgroundCaller('sandbox', SANDBOX_ASSIGNEE)

// How many steps are taken at a time, of all partners and of one. The others follow `NEXT_ROUND_MS` later, so that no partner delays the rest.
const MAX_STEPS = 100
const MAX_OF_PARTNER = 10
const RETRY_MS = 60_000

/** Takes the steps that are due. Returns when the next one is due; null when there is none. Ends early when `isStopped`. */
async function takeDueSteps(ctx: Context, isStopped: () => boolean): Promise<Date | null> {
  for (const step of await queries.listDueSteps(ctx.db, ctx.now(), MAX_OF_PARTNER, MAX_STEPS)) {
    if (isStopped()) break
    try {
      await ctx.transaction((ctx) => STEP_OF[step.kind](ctx, step.id))
    } catch (error) {
      if (isOutage(error)) throw error
      // A broken row must not be tried again and again, and must not keep others waiting.
      ctx.log.error({ err: error, ...step }, 'a step of a sandbox failed; it is tried again in a minute')
      await queries.updateStepTime(ctx.db, step, new Date(ctx.now().getTime() + RETRY_MS))
    }
  }
  return queries.findNextDue(ctx.db)
}

const STEP_OF: Record<queries.DueStep['kind'], (ctx: TransactionContext, id: string) => Promise<void>> = {
  submission: stepSubmission,
  conversation: sendSampleReply,
}

async function stepSubmission(ctx: TransactionContext, id: string): Promise<void> {
  const now = ctx.now()
  const before = await queries.findDueTest(ctx.db, id, now)
  if (!before?.nextStepAt) return
  const step = nextStep(before)
  if (step === null) return void (await queries.updateTest(ctx.db, id, { nextStepAt: null }))
  const change = {
    state: step.state,
    parts: step.parts,
    notes: step.state === 'DONE' ? DONE_NOTES : before.notes,
    rows: step.parts > before.parts ? await moreRows(ctx, before, step.parts, now) : before.rows,
    nextStepAt: step.wait === null ? null : dueAfter(before.nextStepAt, now, step.wait, ctx.sandbox.stepMs),
    updatedAt: now,
  }
  await queries.updateTest(ctx.db, id, change)
  const after = { ...before, ...change }
  if (step.state === 'DONE') await storeCompleted(ctx, after)
  await storeTestProgress(ctx, after, listIn(before.rows).length)
}

/** The directories on record when `parts` parts of them are. */
async function moreRows(ctx: TransactionContext, test: queries.TestRow, parts: number, now: Date) {
  const { targetDirectoriesCount } = packageOf(test.paymentType)
  const directories = await queries.listStrongestDirectories(ctx.db, targetDirectoriesCount)
  return rowsAfter(test.rows, directories, parts, test.slug, now)
}

async function storeCompleted(ctx: TransactionContext, test: queries.TestRow): Promise<void> {
  const { toolId, name, slug, website, paymentType, notes, updatedAt } = test
  const tool = { id: toolId, name, slug, website }
  const body = completedBody({ at: updatedAt, tool, paymentType, notes, rows: recordedRows(test) })
  await storeEvent(ctx, test.partnerId, completedEvent.name, body, { test: true })
}

async function sendSampleReply(ctx: TransactionContext, id: string): Promise<void> {
  const conversation = await queries.findDueConversation(ctx.db, id, ctx.now())
  if (!conversation) return
  const mode = (await findSupportModeForShare(ctx.db, conversation.partnerId)) ?? 'off'
  const message = { source: 'human' as const, content: SAMPLE_REPLY, author: SANDBOX_ASSIGNEE }
  await storeReply(ctx, mode, conversation, message, { openQuestions: 0, isCurrent: true })
}

const NEXT_ROUND_MS = 20
const STOP_MS = 2_000

export function createSandboxWorker({ contextOf, log, isAlone }: FeatureParts): BackgroundWorker {
  const due = createDueWork({
    async look() {
      const ctx = contextOf(sandboxCaller)
      const next = await takeDueSteps(ctx, due.isStopped)
      return next && next.getTime() - ctx.now().getTime()
    },
    topics: [SANDBOX_TOPIC],
    log,
    away: 'the steps of sandboxes cannot be taken at the moment',
    shortestMs: NEXT_ROUND_MS,
    longestMs: longestWait(isAlone),
    stopMs: STOP_MS,
  })
  return due
}
