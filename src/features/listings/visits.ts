// Click-throughs: one a visitor, tool and day. They are gathered for a moment and written together; what a database that is away cannot
// take waits here until it can.
import { createHmac } from 'node:crypto'
import type { Context, Database } from '../../kernel/context.ts'
import { deleteVisitsBefore, insertVisits, updateOpens, type Visit } from './queries.ts'

export interface VisitCounter {
  /** Not waited for: the way out to a tool stays open whatever the database does. */
  count(toolId: string, visitor: string): void
  /** Writes what is left; for a graceful end. */
  close(): Promise<void>
}

// Soon enough to be seen within a second.
const GATHER_MS = 250
// A statement takes 65,535 values; and a database that is away for a day must not fill the memory.
const AT_ONCE = 1_000
const MOST_WAITING = 100_000

/** `secret`: the address is stored only as a keyed hash that changes with the day. */
export function createVisitCounter(context: () => Context, secret: string): VisitCounter {
  let waiting: Visit[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, AT_ONCE)
      await store(context(), batch)
      waiting = waiting.slice(batch.length)
    }
  }

  function later(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      writing = writing.then(write).catch((error) => {
        context().log.warn({ err: error, waiting: waiting.length }, 'click-throughs could not be counted yet')
        if (waiting.length > 0) later()
      })
    }, GATHER_MS)
    timer.unref()
  }

  return {
    count(toolId, visitor) {
      const day = dayOf(context().now())
      const hash = createHmac('sha256', secret).update(`${day}\n${visitor}`).digest('base64url').slice(0, 22)
      if (waiting.length < MOST_WAITING) waiting.push({ day, toolId, visitor: hash })
      later()
    },
    async close() {
      clearTimeout(timer)
      await writing
      await write().catch((error) => context().log.warn({ err: error }, 'the last click-throughs could not be counted'))
    },
  }
}

const store = (ctx: Context, batch: readonly Visit[]): Promise<void> =>
  ctx.transaction(async (ctx) => {
    const counted = Map.groupBy(await insertVisits(ctx.db, batch), (toolId) => toolId)
    if (counted.size === 0) return
    // Always in the same order, or two processes could wait for each other.
    for (const [toolId, { length }] of [...counted].sort(([a], [b]) => (a < b ? -1 : 1)))
      await updateOpens(ctx.db, toolId, length)
    await ctx.announce({ topic: 'opens', ids: [...counted.keys()] })
  })

/** Who came on an earlier day is counted and needs to be known no longer. */
export const forgetOldVisits = (db: Database, now: Date) => deleteVisitsBefore(db, dayOf(now))

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)
