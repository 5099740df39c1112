// Delivers stored events: as soon as one is announced, and every few seconds in case an announcement was missed.
import { attemptDelivery, claimDelivery, type DeliveryContext } from '../../features/webhooks/deliver.ts'
import { updateHeld } from '../../features/webhooks/queries.ts'
import type { Change } from '../../kernel/context.ts'

/** An attempt is little more than an open connection. */
const AT_ONCE = 8
/** The last lanes to be free go only to partners without an attempt under way: a few with receivers that hang do not fill them all. */
const OF_PARTNER = 2
const KEPT_FREE = 3
const LOOK_EVERY_MS = 5_000
// A stop takes ten seconds at most, and something is left to do afterwards. An attempt that takes longer stays unknown.
const STOP_MS = 8_500

export interface DeliveryWorker {
  start(): void
  /** `null`: changes may have been missed. */
  hear(change: Change | null): void
  /** Takes no more; resolves when what is under way is noted, or after a while. */
  stop(): Promise<void>
}

/** `isAlone`: no other process works on this database, as with the embedded one. */
export function createDeliveryWorker(ctx: DeliveryContext, isAlone: boolean): DeliveryWorker {
  const lanes = new Set<Promise<void>>()
  const abandoned = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running = false
  let isReady = false
  let stopped = false
  let heardMore = false
  let isAway = false

  async function begin(): Promise<void> {
    // Before the first claim: what is held now was under way in a process that is gone.
    if (isAlone)
      await updateHeld(ctx.db).catch((error) => ctx.log.warn({ err: error }, 'deliveries under way stay pending'))
    isReady = true
    if (!running) return
    timer = setInterval(wake, LOOK_EVERY_MS)
    timer.unref()
    wake()
  }

  function wake(): void {
    if (!running || !isReady) return
    // A lane may be looking at this very moment, too early to see what woke us.
    heardMore = true
    if (lanes.size < AT_ONCE) open()
  }

  function open(): void {
    const lane: Promise<void> = drain()
      .catch((error) => ctx.log.error({ err: error }, 'webhooks: a fault of our own'))
      .finally(() => lanes.delete(lane))
    lanes.add(lane)
  }

  async function drain(): Promise<void> {
    while (running) {
      heardMore = false
      const delivery = await claim()
      if (delivery) {
        // Where one is there may be more: they must not wait for this one's receiver.
        if (running && lanes.size < AT_ONCE) open()
        await attemptDelivery(ctx, delivery, abandoned.signal)
      } else if (!heardMore) return
    }
  }

  async function claim() {
    try {
      const free = AT_ONCE - lanes.size + 1
      const delivery = await claimDelivery(ctx, free > KEPT_FREE ? OF_PARTNER : 1)
      isAway = false
      return delivery
    } catch (error) {
      heardMore = false
      if (!isAway) ctx.log.warn({ err: error }, 'webhooks cannot be looked for at the moment')
      isAway = true
      return undefined
    }
  }

  return {
    start() {
      if (stopped) return
      running = true
      void begin()
    },
    hear(change) {
      if (change === null || change.topic === 'webhooks') wake()
    },
    async stop() {
      running = false
      stopped = true
      clearInterval(timer)
      if (lanes.size === 0) return
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const limit = setTimeout(resolve, STOP_MS)
      await Promise.race([Promise.all(lanes), late])
      clearTimeout(limit)
      abandoned.abort()
    },
  }
}
