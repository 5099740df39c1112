// Delivers stored events: as soon as one is announced, and every few seconds in case an announcement was missed.
import { attemptDelivery, claimDelivery, type DeliveryContext } from '../../features/webhooks/deliver.ts'
import { updateHeld } from '../../features/webhooks/queries.ts'
import type { Change } from '../../kernel/context.ts'

/** How many attempts run at once. An attempt needs little more than an open connection. */
const AT_ONCE = 8
/**
 * One partner uses at most this many lanes. The last free lanes go only to partners without a running attempt, so that a few receivers
 * that hang do not fill all lanes.
 */
const OF_PARTNER = 2
const KEPT_FREE = 3
/** The sandbox of a partner uses one lane, and never one of those that are kept free. */
const OF_SANDBOX = 1
const LOOK_EVERY_MS = 5_000
// A whole stop takes ten seconds at most, and other parts stop after this one. The outcome of an attempt that takes longer stays unknown.
const STOP_MS = 8_500

export interface DeliveryWorker {
  start(): void
  /** `null`: changes may have been missed. */
  onChange(change: Change | null): void
  /** Claims no more deliveries; resolves when the running attempts are stored, or after a time limit. */
  stop(): Promise<void>
}

/** `isAlone`: no other process uses this database, as with the embedded one. */
export function createDeliveryWorker(ctx: DeliveryContext, isAlone: boolean): DeliveryWorker {
  const lanes = new Set<Promise<void>>()
  const abandoned = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running = false
  let isReady = false
  let stopped = false
  let mayBeMore = false
  let isAway = false

  async function begin(): Promise<void> {
    // Done before the first claim: deliveries that are claimed now belong to a process that has ended.
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
    // A lane may be reading the table at this moment, too early to find the new delivery; it must look again.
    mayBeMore = true
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
      mayBeMore = false
      const delivery = await claim()
      if (delivery) {
        // There may be more deliveries, and they must not wait for this one's receiver.
        if (running && lanes.size < AT_ONCE) open()
        await attemptDelivery(ctx, delivery, abandoned.signal)
      } else if (!mayBeMore) return
    }
  }

  async function claim() {
    try {
      const free = AT_ONCE - lanes.size + 1
      const isRoom = free > KEPT_FREE
      const delivery = await claimDelivery(ctx, isRoom ? OF_PARTNER : 1, isRoom ? OF_SANDBOX : 0)
      isAway = false
      return delivery
    } catch (error) {
      mayBeMore = false
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
    onChange(change) {
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
