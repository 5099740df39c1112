// The removal of unused pictures at scale, in a PostgreSQL that is given: how long it takes, its longest statement, and how long a small
// statement of somebody else waits meanwhile.
//   bash tests/with-servers.sh node bench/unused-pictures.ts
//   bash tests/with-servers.sh node bench/unused-pictures.ts --listings 1000 --deliveries 2000
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { removeUnused } from '../src/features/pictures/unused.jobs.ts'
import type { Context } from '../src/kernel/context.ts'
import { extend } from '../src/kernel/values/objects.ts'
import { startService } from '../tests/harness/service.ts'
import { percentile } from './load.ts'

const { values } = parseArgs({
  options: {
    listings: { type: 'string', default: '100000' },
    deliveries: { type: 'string', default: '200000' },
    messages: { type: 'string', default: '200000' },
    unused: { type: 'string', default: '5000' },
  },
})
const [listings, deliveries, messages, unused] = [
  values.listings,
  values.deliveries,
  values.messages,
  values.unused,
].map(Number) as [number, number, number, number]

const service = await startService({ SEED: 'none' })
const [{ name: database }] = await service.sql('select current_database() as name')
const address = new URL(process.env.TEST_DATABASE_URL!)
address.pathname = `/${database}`
const client = new pg.Client(address.href)
await client.connect()

await service.load([{ kind: 'tool', slug: 'first', name: 'First', description: 'About it. '.repeat(50) }])
const partner = await service.newPartner({ webhookUrl: 'https://hook.example.com/' })
const pictureOf = (serial: string) => `'${service.origin}/media/' || lpad(to_hex(${serial}), 40, '0') || '.webp'`
await client.query(`insert into tools select (jsonb_populate_record(t, jsonb_build_object('id', 'tool-' || n, 'slug', 'tool-' || n, 'name', 'Tool ' || n,
  'website_key', null, 'icon', ${pictureOf('3 * n')}, 'frame', ${pictureOf('3 * n + 1')}, 'screenshots', jsonb_build_array(${pictureOf('3 * n + 2')})))).*
  from tools t cross join generate_series(1, ${listings}) n where t.slug = 'first'`)
await client.query(`insert into webhook_deliveries (id, partner_id, event_id, event, body, state, test, created_at)
  select md5(n::text), '${partner.id}', 'event-' || n, 'submission.completed', jsonb_build_object('proofUrl', ${pictureOf('n')}, 'text', repeat('x', 2000))::text,
    'delivered', false, now() from generate_series(1, ${deliveries}) n`)
await client.query(`insert into support_conversations (id, partner_id, external_id, customer, metadata, status, message_count, created_at, updated_at)
  values ('conversation', '${partner.id}', 'x', '{}', '{}', 'pending', 0, now(), now())`)
await client.query(`insert into support_messages (id, conversation_id, partner_id, role, content, created_at)
  select md5(n::text), 'conversation', '${partner.id}', 'customer', repeat('Where is it? ', 40), now() from generate_series(1, ${messages}) n`)
await client.query('vacuum analyze')

const total = 3 * listings + unused
const nameOf = (serial: number) => `${serial.toString(16).padStart(40, '0')}.webp`
let removed = 0
const times: number[] = []
const ctx = service.context()
const measured = extend(ctx, {
  // No files: what is measured is the database.
  pictureStore: {
    ...ctx.pictureStore,
    async *names() {
      for (let at = 3; at < 3 + total; at += 1_000)
        yield Array.from({ length: Math.min(1_000, 3 + total - at) }, (_, i) => nameOf(at + i))
    },
    storedAt: async () => new Date(0),
    remove: async () => void removed++,
  },
  db: new Proxy(ctx.db, {
    get(db, property) {
      const value = Reflect.get(db, property)
      if (property !== 'execute') return value
      return async (statement: never) => {
        const began = performance.now()
        try {
          return await db.execute(statement)
        } finally {
          times.push(performance.now() - began)
        }
      }
    },
  }),
}) as Context

const waits: number[] = []
let isOver = false
const other = (async () => {
  while (!isOver) {
    const began = performance.now()
    await service.sql('select 1')
    waits.push(performance.now() - began)
    await sleep(20)
  }
})()
let mostHeap = 0
const heap = setInterval(() => {
  mostHeap = Math.max(mostHeap, process.memoryUsage().heapUsed)
}, 100)
globalThis.gc?.()
const heapBefore = process.memoryUsage().heapUsed
const began = performance.now()
await removeUnused(measured)
const seconds = (performance.now() - began) / 1000
isOver = true
await other
clearInterval(heap)
console.log(
  `${listings} listings, ${deliveries} deliveries, ${messages} messages, ${total} pictures of which ${unused} are unused`,
)
console.log(`removed ${removed} in ${seconds.toFixed(1)} s with ${times.length} statements`)
console.log(`statements: longest ${Math.max(...times).toFixed(0)} ms, p99 ${percentile(times, 99).toFixed(1)} ms`)
console.log(
  `select 1 of another meanwhile: longest ${Math.max(...waits).toFixed(0)} ms, p99 ${percentile(waits, 99).toFixed(1)} ms`,
)
console.log(`heap: at most ${((mostHeap - heapBefore) / 2 ** 20).toFixed(0)} MiB more`)
await client.end()
await service.close()
