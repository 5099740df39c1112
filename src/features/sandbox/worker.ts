// Takes the steps of sandboxes when they are due.

import { type BackgroundWorker, createDueWork, longestWait } from '../../kernel/due-work.ts'
import type { FeatureParts } from '../../kernel/feature.ts'
import { SANDBOX_TOPIC } from '../submissions/sandbox.ts'
import { sandboxCaller, takeDueSteps } from './steps.ts'

// Steps that were due and not taken, because their partner had its share, are looked for after this time.
const LOOK_MS = 20
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
    shortestMs: LOOK_MS,
    longestMs: longestWait(isAlone),
    stopMs: STOP_MS,
  })
  return due
}
