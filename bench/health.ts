// Looks at websites: what they cost, and how often they are right.
//   node bench/health.ts                  both
//   node bench/health.ts --only year      the simulated year of a thousand websites alone, which needs no server
//   node bench/health.ts --listings 1000  more listings for the cost
// The cost is that of a service on the embedded database which looks once at every website; the websites are another process on loopback,
// each with an address of its own in 127.0.0.0/8, so that the pace of a host is the real one.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { planFirstLooks } from '../src/features/health/worker.ts'
import { startService } from '../tests/harness/service.ts'
import { IN_TIME_DAYS, type Outcome, shareInTime, simulateYear } from './health-year.ts'
import { information, missed, printResults, row, section } from './table.ts'

const WEEK_MS = 7 * 24 * 60 * 60 * 1000
const MANY = 100_000

/** A page of a usual size: about 80 KB of markup with scripts, links and texts. */
const PAGE = `<!doctype html><title>A product</title><link rel="stylesheet" href="/a.css"><script src="/a.js"></script>
<nav>${'<a href="/pricing">Pricing</a><a href="/docs">Docs</a>'.repeat(20)}</nav>
${'<section class="part"><h2>What it does</h2><p>It writes texts for people who have little time.</p><img src="/a.png" alt=""></section>\n'.repeat(600)}`

/** The websites. Counts the requests and says so when it is asked. */
async function serveWebsites(): Promise<void> {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    if (request.url === '/robots.txt') return void response.end('User-agent: *\nDisallow: /private\n')
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(PAGE)
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  process.on('message', () => process.send?.({ requests }))
  process.on('disconnect', () => process.exit())
  process.send?.({ port: (server.address() as AddressInfo).port })
}

async function measureCost(listings: number): Promise<void> {
  const websites = fork(new URL(import.meta.url).pathname, ['--websites'])
  const [{ port }] = (await once(websites, 'message')) as [{ port: number }]
  const service = await startService({ HEALTH_CHECKS: 'on', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
  const count = async (condition: string): Promise<number> =>
    Number((await service.sql(`select count(*) as n from listing_health where ${condition}`))[0].n)
  try {
    await service.load(
      Array.from({ length: listings }, (_, n) => ({
        kind: n % 4 === 0 ? 'directory' : 'tool',
        slug: `listing-${n}`,
        name: `Listing ${n}`,
        website: `http://127.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}:${port}/`,
      })),
    )
    await planFirstLooks(service.context(), () => false)
    await sleep(2_000)
    const before = process.cpuUsage()
    const began = performance.now()
    await service.sql('update listing_health set next_at = now()')
    await service.wake()
    while ((await count('checked_at is null')) > 0) await sleep(1_000)
    const { user, system } = process.cpuUsage(before)
    websites.send('count')
    const [{ requests }] = (await once(websites, 'message')) as [{ requests: number }]
    const milliseconds = (user + system) / 1000 / listings
    const share = (milliseconds * MANY) / WEEK_MS
    section(`Looks at ${listings} websites`)
    information('Time', `${((performance.now() - began) / 1000).toFixed(0)} s`)
    row('Alive', String(await count(`state = 'alive'`)), `all`, (await count(`state = 'alive'`)) === listings)
    row('Requests a look', (requests / listings).toFixed(2), 'at most 2', requests <= 2 * listings)
    information('Processor time a look', `${milliseconds.toFixed(1)} ms`)
    row(`${MANY.toLocaleString('en')} listings`, `${(100 * share).toFixed(2)} % of a core`, 'under 2 %', share < 0.02)
  } finally {
    websites.disconnect()
    await service.close()
  }
}

function showYear(): void {
  const outcomes = simulateYear(1_000)
  const groups = Map.groupBy(outcomes, ({ group }) => group)
  section('A year of 1,000 websites: looks each, found in time, median and longest time until found or seen again')
  for (const [group, found] of [...groups].sort()) information(`${found.length} × ${group}`, lineOf(found))
  const wrong = outcomes.filter((outcome) => outcome.wrong > 0).length
  const share = shareInTime(outcomes)
  row('Living products that were called gone or parked', String(wrong), 'none', wrong === 0)
  row(
    `Ended products found within ${IN_TIME_DAYS} days`,
    `${(100 * share).toFixed(1)} %`,
    'at least 95 %',
    share >= 0.95,
  )
}

function lineOf(outcomes: readonly Outcome[]): string {
  const looks = outcomes.reduce((sum, one) => sum + one.looks, 0) / outcomes.length
  const times = (days: readonly (number | undefined)[]) => {
    const sorted = days.filter((one) => one !== undefined).sort((a, b) => a - b)
    return sorted.length === 0 ? '' : `${sorted[sorted.length >> 1]?.toFixed(1)} and ${sorted.at(-1)?.toFixed(1)} days`
  }
  const found = times(outcomes.map(({ daysToFind }) => daysToFind))
  const back = times(outcomes.map(({ daysToReturn }) => daysToReturn))
  const inTime = outcomes.some(({ mustBeFound }) => mustBeFound) && `${(100 * shareInTime(outcomes)).toFixed(1)} %`
  return [`${looks.toFixed(1)} looks`, inTime, found && `found after ${found}`, back && `seen again after ${back}`]
    .filter(Boolean)
    .join(', ')
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    listings: { type: 'string', default: '300' },
    websites: { type: 'boolean' },
  },
})
if (values.websites) await serveWebsites()
else {
  if (values.only !== 'cost') showYear()
  if (values.only !== 'year') await measureCost(Number(values.listings))
  printResults()
  process.exitCode = missed() ? 1 : 0
}
