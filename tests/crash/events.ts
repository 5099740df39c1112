// A program of the partner that reads GET /events during the whole campaign and stores `next` with what it has handled: whatever is killed,
// it must see every event once and in order.
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../harness/process.ts'
import { contentOf } from './checks.ts'
import { type Client, createClient } from './client.ts'
import { type Ledger, same } from './ledger.ts'

export interface EventReader {
  /** The identifiers of the events that the program has handled. */
  seen: string[]
  end(): Promise<void>
}

const pick = (most: number): number => 1 + Math.floor(Math.random() * most)

export function startEventReader(origin: () => string, key: string, ledger: Ledger): EventReader {
  const client = createClient(origin)
  const seen: string[] = []
  let after = ''
  let ended = false
  const reading = (async () => {
    while (!ended) {
      const { status, body, text } = await client.ask(`/api/v1/events?limit=${pick(4)}${after}`, { key })
      // The program is killed here now and then: neither the events nor the cursor are stored.
      const isKilled = Math.random() < 0.1
      if (status === 200 && !isKilled) {
        seen.push(...body.data.map(({ id }: { id: string }) => id))
        after = `&after=${body.next}`
      }
      // Cut off, refused while it starts, or without its database: the program asks again.
      if (status > 0 && status < 500 && status !== 200) ledger.violated(`events: ${status}`, after, 200, text)
      await sleep(Math.random() * 40)
    }
  })()
  return {
    seen,
    async end() {
      ended = true
      await reading
      client.close()
    },
  }
}

async function keptEvents(client: Client, key: string): Promise<{ id: string; body: object }[]> {
  const events: { id: string; body: object }[] = []
  for (let after = ''; ; ) {
    const answer = await client.ask(`/api/v1/events?limit=500${after}`, { key })
    if (answer.status !== 200) throw new Error(`/events: ${answer.status} ${answer.text.slice(0, 300)}`)
    if (answer.body.data.length === 0) return events
    events.push(...answer.body.data)
    after = `&after=${answer.body.next}`
  }
}

/** Every event that was acknowledged is kept once, and the reader has seen those that are kept, once and in their order. */
export async function checkFeed(
  ledger: Ledger,
  client: Client,
  key: string,
  { seen }: EventReader,
  timeoutMs: number,
): Promise<void> {
  const kept = await keptEvents(client, key)
  const end = Date.now() + timeoutMs
  await until(() => seen.length >= kept.length || Date.now() > end)
  const ids = kept.map(({ id }) => id)
  if (!same(seen, ids)) {
    const at = ids.findIndex((id, i) => id !== seen[i])
    ledger.violated('a reader saw other events than are kept', `event ${at} of ${ids.length}`, ids[at], seen.at(at))
  }
  const found = new Map<string, number>()
  for (const { body } of kept) {
    const name = contentOf(JSON.stringify(body))
    found.set(name, (found.get(name) ?? 0) + 1)
  }
  for (const name of ledger.slots.flatMap(({ events }) => events)) {
    const count = found.get(name) ?? 0
    if (count !== 1) ledger.violated('an event is not kept once', name, 1, count)
    found.delete(name)
  }
  for (const [name, count] of found) ledger.violated('an event was never caused', name, 0, count)
  // The replies of one conversation are in the order in which they were sent.
  const order = kept.map(({ body }) => contentOf(JSON.stringify(body)))
  for (const { id, events } of ledger.slots) {
    const places = events.map((name) => order.indexOf(name))
    if (
      !same(
        places,
        places.toSorted((a, b) => a - b),
      )
    )
      ledger.violated('events are in another order', id, events, places)
  }
  ledger.counts.eventsRead = seen.length
}
