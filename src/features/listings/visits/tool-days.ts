// Counts for the owners of a tool how many people found it in a search (appearances) and viewed its page (views). A person counts once for
// each tool and day. The counts are gathered in memory and written every few seconds. Neither the database nor the memory says who a person
// is.
import { hash, randomBytes } from 'node:crypto'
import { createDayClock } from '../../../kernel/values/days.ts'
import { createRowWriter, type RegularWriter, type WriterParts } from '../../../kernel/work/regular-writer.ts'
import { addToolDays, type ToolDay } from './visits.queries.ts'

type Seen = 'appearances' | 'views'

interface ToolDayCounter extends RegularWriter {
  /** `person`: what tells one person from another, such as the network address. */
  note(seen: Seen, toolIds: readonly string[], person: string): void
}

declare module '../../../kernel/context.ts' {
  interface Context {
    toolDays: ToolDayCounter
  }
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
