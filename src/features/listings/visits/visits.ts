// What visitors do with tools. Click-throughs are counted once for each visitor, tool and day; they are gathered for a moment and written
// together. While the database is down, they wait in memory. How many people found a tool and viewed its page is counted for its owners.
import { createHmac, hash, randomBytes } from 'node:crypto'
import type { Context } from '../../../kernel/context.ts'
import { createDayClock, dayOf } from '../../../kernel/values/days.ts'
import { createRowWriter, type RegularWriter, type WriterParts } from '../../../kernel/work/regular-writer.ts'
import { addOpens, addToolDays, type CountedVisit, insertVisits, type ToolDay } from './visits.queries.ts'

export interface VisitCounter {
  /** Does not wait for the database, so that visitors reach a tool's website while the database is down. */
  count(toolId: string, visitor: string): void
  /** Writes the remaining click-throughs before the process ends. */
  close(): Promise<void>
}

declare module '../../../kernel/context.ts' {
  interface Context {
    visits: VisitCounter
    toolDays: ToolDayCounter
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

/**
 * Counts for the owners of a tool how many people found it in a search (appearances) and viewed its page (views). A person counts once for
 * each tool and day. Neither the database nor the memory says who a person is.
 */
interface ToolDayCounter extends RegularWriter {
  /** `person`: what tells one person from another, such as the network address. */
  note(seen: 'appearances' | 'views', toolIds: readonly string[], person: string): void
}

const FLUSH_MS = 5_000
/** How many rows wait at most while the database is unavailable. */
const MOST_WAITING = 20_000

export function createToolDayCounter({ db, log, now = Date.now }: WriterParts): ToolDayCounter {
  const noted = createDailySet()
  const today = createDayClock(now, noted.clear)
  const { add, ...writer } = createRowWriter<ToolDay>({
    keyOf: ({ day, toolId }) => `${day} ${toolId}`,
    sum(into, { appearances, views }) {
      into.appearances += appearances
      into.views += views
    },
    most: MOST_WAITING,
    store: (rows) => addToolDays(db, rows),
    everyMs: FLUSH_MS,
    log,
    lost: 'the last views of tools could not be counted',
  })
  return {
    note(seen, toolIds, person) {
      const day = today()
      for (const toolId of toolIds)
        if (noted.add(`${seen} ${toolId} ${person}`))
          add({ toolId, day, appearances: 0, views: 0, opens: 0, [seen]: 1 })
    },
    ...writer,
  }
}

const BITS = 2 ** 25
const HASHES = 4

/**
 * A Bloom filter of 4 MiB: it knows whether a given text was added, but cannot list the texts. With three million texts in it, it takes one
 * in a hundred new texts for a known one; that person is then not counted.
 */
function createDailySet() {
  let bits: Uint8Array | undefined
  let salt = ''
  return {
    /** False: it was added before. */
    add(text: string): boolean {
      bits ??= new Uint8Array(BITS / 8)
      salt ||= randomBytes(32).toString('base64url')
      const digest = hash('sha256', `${salt}\n${text}`, 'buffer')
      let isNew = false
      for (let i = 0; i < HASHES; i++) {
        const bit = digest.readUInt32LE(4 * i) % BITS
        const mask = 1 << (bit & 7)
        const byte = bits[bit >>> 3] ?? 0
        if ((byte & mask) !== 0) continue
        bits[bit >>> 3] = byte | mask
        isNew = true
      }
      return isNew
    },
    clear() {
      bits = undefined
      salt = ''
    },
  }
}
