// How long the lists of operators take with 100,000 listings on the embedded database. It runs one statement at a time, so every other
// caller that needs the database may wait as long. The looks at websites are made up. The best of three counts.
//   node bench/lists.ts
//   node bench/lists.ts --data FOLDER     a folder that was filled before, for example by this command; its rows are changed
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { operatorOperations } from '../src/features.ts'
import { openEmbedded } from '../src/platform/database/embedded.ts'
import { MIGRATIONS } from '../src/platform/database/migrations.ts'
import { createClient } from './load.ts'
import { fillCatalog } from './operator.ts'
import { ADMIN_TOKEN, folder, startServer } from './processes.ts'
import { milliseconds, missed, printResults, row, section } from './table.ts'

const { values } = parseArgs({
  options: { listings: { type: 'string', default: '100000' }, data: { type: 'string' } },
})
const MOST_MS = 400
// A search by words goes through all listings, in statements so short that no other caller waits for long.
const MOST_SEARCH_MS = 2_000
const ROUNDS = 3

const dataDir = values.data ?? join(folder, 'data')
if (!existsSync(join(dataDir, 'database'))) await fillCatalog(dataDir, {}, Number(values.listings))

const log = { request() {}, info() {}, warn() {}, error: console.error }
const store = await openEmbedded(dataDir, log)
await store.migrate(MIGRATIONS)
for (const statement of [
  `insert into listing_health (listing_id, kind, website, host, next_at, state, since, checked_at)
   select id, 'tool', website, 'x', '2100-01-01', case when hashtext(id) % 200 = 0 then 'gone' else 'alive' end, created_at, now()
   from tools where published on conflict do nothing`,
  'analyze',
])
  await store.query(statement)
await store.close()

const server = await startServer(dataDir)
const client = createClient(server.origin, { authorization: `Bearer ${ADMIN_TOKEN}` })

async function measure(path: string): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < ROUNDS; i++) {
    const began = performance.now()
    const { status } = await client.send(`/api/admin${path}`)
    least = Math.min(least, performance.now() - began)
    if (status >= 400) throw new Error(`${path}: ${status}`)
  }
  console.error(`${path}: ${milliseconds(least)}`)
  const most = path.includes('q=') ? MOST_SEARCH_MS : MOST_MS
  row(path, milliseconds(least), `${most} ms`, least < most)
}

const isList = ({ method, path, streams, parameters }: (typeof operatorOperations)[number]) =>
  method === 'GET' && !path.includes(':') && !streams && 'limit' in parameters.properties
section('Lists without a filter')
for (const { path } of operatorOperations.filter(isList)) await measure(path)
section('Filters that fit few')
for (const path of [
  '/tools?q=nosuchword',
  '/tools?q=nosuchword+norhere&published=true',
  '/tools?q=a',
  '/tools?health=gone',
  '/tools?health=unknown',
  '/tools?health=blocked',
  '/health?state=gone',
  '/health?state=blocked',
  '/health?open=true',
  '/links?drift=true',
  '/proposals?author=model',
])
  await measure(path)
client.close()
await server.end()
printResults()
process.exitCode = missed() ? 1 : 0
