// Keeps in memory which listings visitors open after which question, for the ranking of search results. It is read from the database at the
// start and after every change.
import type { Database, Log } from '../../kernel/context.ts'
import { DAY_MS } from '../../kernel/values/days.ts'
import { createReads, type View } from '../../kernel/views.ts'
import { contentWordsOf, MOST_ROWS } from '../unfound/rules.ts'
import { listOpenings, type OpeningRow } from './queries.ts'
import { leastWeightAt, weightAt } from './rules.ts'

export const OPENINGS_TOPIC = 'openings'

/** How often each listing was opened, by its id. Earlier openings count less. */
export type OpenedListings = ReadonlyMap<string, number>

export interface Learned extends View {
  /** The listings that were opened after the question; undefined when none is known. The same object until something changes. */
  openedAfter(q: string): OpenedListings | undefined
  /** The questions after which visitors open the most, as their words, the most opened first. */
  mostOpened(): readonly { words: string; opened: number }[]
  /** Raised with every change, and every day, because openings count less with time. */
  revision(): number
}

declare module '../../kernel/context.ts' {
  interface Context {
    learned: Pick<Learned, 'openedAfter' | 'mostOpened' | 'revision'>
  }
}

export function createLearned({ db, log, now = Date.now }: { db: Database; log: Log; now?: () => number }): Learned {
  let rows: readonly OpeningRow[] = []
  let byWords: ReadonlyMap<string, OpenedListings> = new Map()
  let day = 0
  let revision = 0
  let ready = false
  const reads = createReads(log, 'what visitors opened could not be read; trying again')

  async function read(): Promise<void> {
    rows = await listOpenings(db, leastWeightAt(now()), MOST_ROWS)
    day = 0
    ready = true
  }

  function current(): typeof byWords {
    const today = Math.floor(now() / DAY_MS)
    if (day === today) return byWords
    day = today
    revision++
    byWords = openingsByWords(rows, now())
    return byWords
  }

  return {
    mostOpened: () =>
      [...current()]
        .map(([words, listings]) => ({ words, opened: listings.values().reduce((sum, count) => sum + count, 0) }))
        .sort((a, b) => b.opened - a.opened),
    openedAfter: (q) => (current().size === 0 ? undefined : byWords.get(contentWordsOf(q))),
    revision() {
      current()
      return revision
    },
    apply: (change) => (change === null || change.topic === OPENINGS_TOPIC ? reads.add(read) : Promise.resolve()),
    settled: reads.settled,
    isLoaded: () => ready,
    close: reads.close,
  }
}

/** Used unless SEARCH_LEARNING=on. */
export const nothingLearned = { openedAfter: () => undefined, mostOpened: () => [], revision: () => 0 }

/** The openings that count enough at this time, by the words of their question. */
function openingsByWords(rows: readonly OpeningRow[], time: number): Map<string, OpenedListings> {
  const found = new Map<string, Map<string, number>>()
  for (const { words, listingId, weight } of rows) {
    if (weight < leastWeightAt(time)) continue
    const listings = found.get(words) ?? new Map<string, number>()
    found.set(words, listings.set(listingId, weight / weightAt(time)))
  }
  return found
}
