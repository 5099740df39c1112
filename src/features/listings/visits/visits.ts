// Counts click-throughs to tools, once for each visitor, tool and day. They are gathered for a moment and written together. While the
// database is down, they wait in memory.
import { createHmac } from 'node:crypto'
import type { Context } from '../../../kernel/context.ts'
import { dayOf } from '../../../kernel/values/days.ts'
import { addOpens, addToolDays, type CountedVisit, insertVisits } from './visits.queries.ts'

export interface VisitCounter {
  /** Does not wait for the database, so that visitors reach a tool's website while the database is down. */
  count(toolId: string, visitor: string): void
  /** Writes the remaining click-throughs before the process ends. */
  close(): Promise<void>
}

declare module '../../../kernel/context.ts' {
  interface Context {
    visits: VisitCounter
  }
}

// Short enough that readers see a click-through within a second.
const GATHER_MS = 250
// PostgreSQL takes 65,535 values in a statement, and a visit has three.
const MAX_PER_STATEMENT = 1_000
// Further visits are not counted, so that they do not fill the memory while the database is down.
const MAX_WAITING = 100_000

/** A visitor's address is stored only as a hash, keyed with `secret`, that changes every day. */
export function createVisitCounter(context: () => Context, secret: string): VisitCounter {
  let waiting: CountedVisit[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_PER_STATEMENT)
      await storeVisits(context(), batch)
      waiting = waiting.slice(batch.length)
    }
  }

  function scheduleWrite(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      writing = writing.then(write).catch((error) => {
        context().log.warn({ err: error, waiting: waiting.length }, 'click-throughs could not be counted yet')
        if (waiting.length > 0) scheduleWrite()
      })
    }, GATHER_MS)
    timer.unref()
  }

  return {
    count(toolId, visitor) {
      const day = dayOf(context().now().getTime())
      const hash = createHmac('sha256', secret).update(`${day}\n${visitor}`).digest('base64url').slice(0, 22)
      if (waiting.length < MAX_WAITING) waiting.push({ day, toolId, visitor: hash })
      scheduleWrite()
    },
    async close() {
      clearTimeout(timer)
      await writing
      await write().catch((error) => context().log.warn({ err: error }, 'the last click-throughs could not be counted'))
    },
  }
}

const storeVisits = (ctx: Context, batch: readonly CountedVisit[]): Promise<void> =>
  ctx.transaction(async (ctx) => {
    const stored = await insertVisits(ctx.db, batch)
    const counted = Map.groupBy(stored, ({ toolId }) => toolId)
    if (counted.size === 0) return
    await addOpens(ctx.db, new Map([...counted].map(([toolId, { length }]) => [toolId, length])))
    const visitsOfDays = Map.groupBy(stored, ({ toolId, day }) => `${day} ${toolId}`)
    const rows = [...visitsOfDays.values()].flatMap(([first, ...more]) =>
      first ? [{ ...first, appearances: 0, views: 0, opens: 1 + more.length }] : [],
    )
    await addToolDays(ctx.db, rows)
    await ctx.announce({ topic: 'opens', ids: [...counted.keys()] })
  })
