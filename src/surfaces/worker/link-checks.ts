// Looks at listings when they are due. Every process that does background work shares the work through the database.
import { adoptLinks } from '../../features/proof/adopt-links.ts'
import { checkLink, claimDueLink, linkChecker } from '../../features/proof/check.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import { isOutage } from '../../kernel/errors.ts'

/** How many looks run at once. A look mostly waits for a directory. */
const AT_ONCE = 8
/**
 * One partner uses at most this many lanes. The last free lanes go only to partners without a look under way, so that directories that hang
 * do not fill all lanes with one partner's listings.
 */
const OF_PARTNER = 5
const KEPT_FREE = 2
const LOOK_EVERY_MS = 2_000
const ADOPT_EVERY_MS = 30 * 60_000
const STOP_MS = 3_000

export interface LinkCheckWorker {
  start(): void
  /** Starts no more looks; those under way are aborted and are due again at once. */
  stop(): Promise<void>
}

export function createLinkCheckWorker(contextOf: (caller: Caller) => Context): LinkCheckWorker {
  const context = () => contextOf(linkChecker)
  const lanes = new Set<Promise<void>>()
  const stopping = new AbortController()
  const timers: NodeJS.Timeout[] = []
  let isAway = false
  let adopting: Promise<void> | null = null

  const isStopped = () => stopping.signal.aborted

  function wake(): void {
    if (!isStopped() && lanes.size < AT_ONCE) open()
  }

  function open(): void {
    const lane: Promise<void> = drain()
      .catch(report)
      .finally(() => lanes.delete(lane))
    lanes.add(lane)
  }

  async function drain(): Promise<void> {
    while (!isStopped()) {
      const free = AT_ONCE - lanes.size + 1
      const claimed = await claimDueLink(context(), free > KEPT_FREE ? OF_PARTNER : 1)
      isAway = false
      if (!claimed) return
      // There may be more that are due, and they must not wait for this directory.
      if (!isStopped() && lanes.size < AT_ONCE) open()
      await checkLink(context(), claimed, { hasTurn: true, signal: stopping.signal })
    }
  }

  function report(error: unknown): void {
    if (isStopped()) return
    const { log } = context()
    if (!isOutage(error)) log.error({ err: error }, 'link checks: a fault of our own')
    else if (!isAway) log.warn({ err: error }, 'link checks cannot be made at the moment')
    isAway = isOutage(error)
  }

  function adopt(): void {
    adopting ??= adoptLinks(context(), isStopped)
      .catch(report)
      .finally(() => {
        adopting = null
      })
  }

  return {
    start() {
      if (isStopped() || !context().links.isOn) return
      timers.push(setInterval(wake, LOOK_EVERY_MS), setInterval(adopt, ADOPT_EVERY_MS))
      for (const timer of timers) timer.unref()
      adopt()
      wake()
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      stopping.abort()
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const limit = setTimeout(resolve, STOP_MS)
      await Promise.race([Promise.all([...lanes, adopting]), late])
      clearTimeout(limit)
    },
  }
}
