// Takes the steps of sandboxes when they are due.
import { sandboxCaller, takeDueSteps } from '../../features/sandbox/steps.ts'
import { SANDBOX_TOPIC } from '../../features/submissions/sandbox.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import { type BackgroundWorker, createDueWork } from '../../kernel/due-work.ts'

// Steps that were due and not taken, because their partner had its share, are looked for after this time.
const LOOK_MS = 20
const STOP_MS = 2_000

export function createSandboxWorker(context: (caller: Caller) => Context, longestMs: number): BackgroundWorker {
  const due = createDueWork({
    async look() {
      const ctx = context(sandboxCaller)
      const next = await takeDueSteps(ctx, due.isStopped)
      return next && next.getTime() - ctx.now().getTime()
    },
    topics: [SANDBOX_TOPIC],
    log: context(sandboxCaller).log,
    away: 'the steps of sandboxes cannot be taken at the moment',
    shortestMs: LOOK_MS,
    longestMs,
    stopMs: STOP_MS,
  })
  return due
}
