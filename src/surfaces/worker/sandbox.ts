// Takes the steps of sandboxes when they are due: a timer waits for the next one, an announcement sets it anew, and every few seconds the
// worker looks again in case an announcement was missed.
import { sandboxCaller, takeDueSteps } from '../../features/sandbox/steps.ts'
import { SANDBOX_TOPIC } from '../../features/submissions/sandbox.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Change, Context } from '../../kernel/context.ts'

const LOOK_EVERY_MS = 5_000
// Steps that were due and not taken, because their partner had its share, are looked for after this time.
const SHORTEST_WAIT_MS = 20
const STOP_MS = 2_000

export interface SandboxWorker {
  start(): void
  /** `null`: changes may have been missed. */
  onChange(change: Change | null): void
  /** Resolves when the running step has ended, or after a time limit. */
  stop(): Promise<void>
}

export function createSandboxWorker(context: (caller: Caller) => Context): SandboxWorker {
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null
  let running = false
  let mayBeMore = false
  let isAway = false

  function look(): void {
    if (!running) return
    // The steps that are listed at this moment may not include the new one.
    mayBeMore = true
    looking ??= lookUntilNone().finally(() => {
      looking = null
      if (mayBeMore) look()
    })
  }

  async function lookUntilNone(): Promise<void> {
    clearTimeout(timer)
    let waitMs = LOOK_EVERY_MS
    while (running && mayBeMore) {
      mayBeMore = false
      waitMs = await takeSteps()
    }
    if (!running) return
    timer = setTimeout(look, waitMs)
    timer.unref()
  }

  /** Returns after how many milliseconds to look again. */
  async function takeSteps(): Promise<number> {
    const ctx = context(sandboxCaller)
    try {
      const next = await takeDueSteps(ctx, () => !running)
      isAway = false
      const waitMs = next === null ? LOOK_EVERY_MS : next.getTime() - ctx.now().getTime()
      // A broken row may have a time that is no date.
      return Number.isNaN(waitMs) ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, Math.max(SHORTEST_WAIT_MS, waitMs))
    } catch (error) {
      if (!isAway) ctx.log.warn({ err: error }, 'the steps of sandboxes cannot be taken at the moment')
      isAway = true
      return LOOK_EVERY_MS
    }
  }

  return {
    start() {
      running = true
      look()
    },
    onChange(change) {
      if (change === null || change.topic === SANDBOX_TOPIC) look()
    },
    async stop() {
      running = false
      clearTimeout(timer)
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const limit = setTimeout(resolve, STOP_MS)
      await Promise.race([looking, late])
      clearTimeout(limit)
    },
  }
}
