// Counts which listing visitors open after which question. Every minute the hashes of the callers are stored. The words of the question and
// the number of openings are stored only when callers of several networks have opened the listing in one month.
import { createHmac } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'
import type { Log, Transaction } from '../../kernel/context.ts'
import { dayOf } from '../../kernel/values/days.ts'
import { createRowWriter, noWriter, type RegularWriter } from '../../kernel/work/regular-writer.ts'
import { contentWordsOf } from '../unfound/rules.ts'
import * as queries from './queries.ts'
import { monthOf, networkOf, newlyCounted, weightAt } from './rules.ts'

export interface OpeningCounter extends RegularWriter {
  /** `isFound`: whether the question finds the listing; asked only if the opening would count. */
  note(q: string, listingId: string, caller: Pick<Caller, 'kind' | 'id'>, isFound: () => boolean): void
}

declare module '../../kernel/context.ts' {
  interface Context {
    openings: OpeningCounter
  }
}

const FLUSH_MS = 60_000
/** At most this many openings wait in memory while the database is unavailable. */
const MAX_WAITING = 5_000
/** A process counts at most this many pairs of question and listing for a network in a month. */
const MAX_PAIRS_OF_NETWORK = 100
/** At most this many hashes are in memory; each takes about a hundred bytes. The database still has the callers that are forgotten here. */
const MAX_HASHES = 50_000

export interface Opened extends queries.OpeningCaller, queries.NewOpening {}

interface CounterOptions {
  store(opened: readonly Opened[]): Promise<unknown>
  /** The key of the hashes. */
  secret: string
  log: Log
  now?: () => number
}

export function createOpeningCounter({ store, secret, log, now = Date.now }: CounterOptions): OpeningCounter {
  const hashOf = (...parts: string[]): string =>
    createHmac('sha256', secret)
      .update(`openings\n${parts.join('\n')}`)
      .digest('base64url')
      .slice(0, 22)
  /** The hashes that were counted, by network. */
  const counted = new Map<string, Set<string>>()
  let hashes = 0
  let month = ''

  function forgetNetworks(): void {
    counted.clear()
    hashes = 0
  }

  const mayCount = (network: string, caller: string): boolean => {
    const countedHashes = counted.get(network)
    return !countedHashes || (!countedHashes.has(caller) && countedHashes.size < MAX_PAIRS_OF_NETWORK)
  }

  function remember(network: string, caller: string): void {
    if (hashes >= MAX_HASHES) forgetNetworks()
    counted.set(network, (counted.get(network) ?? new Set()).add(caller))
    hashes++
  }

  const { add, isFull, ...writer } = createRowWriter<Opened>({
    keyOf: ({ caller }) => caller,
    most: MAX_WAITING,
    store,
    everyMs: FLUSH_MS,
    log,
    lost: 'the last openings could not be counted',
  })

  return {
    note(q, listingId, { kind, id }, isFound) {
      const words = contentWordsOf(q)
      if (words === '' || kind !== 'visitor' || isFull()) return
      const time = now()
      if (monthOf(time) !== month) {
        month = monthOf(time)
        forgetNetworks()
      }
      const network = hashOf(month, networkOf(id))
      const pair = hashOf(month, listingId, words)
      const caller = hashOf(pair, networkOf(id))
      if (!mayCount(network, caller) || !isFound()) return
      remember(network, caller)
      add({ words, listingId, weight: weightAt(time), lastDay: dayOf(time), pair, caller, month })
    },
    ...writer,
  }
}

/** Stores the callers, and the openings that count now because enough callers have made them. Returns whether there are any. */
export async function storeOpenings(db: Transaction, opened: readonly Opened[]): Promise<boolean> {
  await queries.lockOpenings(db)
  const callers = opened.map(({ pair, caller, month }) => ({ pair, caller, month }))
  const added = Map.groupBy(await queries.addOpeningCallers(db, callers), (pair) => pair)
  if (added.size === 0) return false
  const rows = countedOpenings(
    opened,
    await queries.countOpeningCallers(db, [...added.keys()]),
    (pair) => added.get(pair)?.length,
  )
  if (rows.length > 0) await queries.addOpenings(db, rows)
  return rows.length > 0
}

/** The rows to add when pairs have new callers. `callers`: how many each pair has now. `addedTo`: how many of them are new. */
export function countedOpenings(
  opened: readonly Opened[],
  callers: ReadonlyMap<string, number>,
  addedTo: (pair: string) => number | undefined,
): queries.NewOpening[] {
  const byPair = new Map(opened.map((one) => [one.pair, one]))
  return [...byPair].flatMap(([pair, { words, listingId, weight, lastDay }]) => {
    const count = newlyCounted(callers.get(pair) ?? 0, addedTo(pair) ?? 0)
    return count > 0 ? { words, listingId, weight: count * weight, lastDay } : []
  })
}

/** Counts nothing; used unless SEARCH_LEARNING=on. */
export const noOpeningCounter: OpeningCounter = { note() {}, ...noWriter }
