// Two processes share the link checks of one database, and one of them is killed (SIGKILL) in every round while it looks. A year of rounds:
// each first find and each loss is stored as one event, and nothing is lost that is there. Run by `npm run test:faults`.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSubmission } from '../harness/done-work.ts'
import { html } from '../harness/listing-pages.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { createDatabase } from '../harness/service.ts'

const PRODUCT = 'https://killed.example.com/'
const LISTINGS = 12
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const ROUNDS = [0, 1, 7, 30, 60, 90, 120, 365]

const folder = mkdtempSync(join(tmpdir(), 'catalog-links-'))
const clockFile = join(folder, 'clock')
const preload = new URL('../harness/stepped-clock.ts', import.meta.url).href
let database: Awaited<ReturnType<typeof createDatabase>>
let client: pg.Client
let processes: ServiceProcess[]
const removed = new Set<number>()
const hostOf = (i: number) => `127.1.7.${i + 1}`
const directories = createServer((request, response) => {
  const i = Number(request.socket.localAddress!.split('.').at(-1)) - 1
  if (request.url === '/robots.txt') return void response.writeHead(404).end()
  // Slow enough that a kill finds looks under way.
  setTimeout(() => {
    response.setHeader('content-type', 'text/html')
    if (removed.has(i) && i % 2 === 0) response.writeHead(404)
    response.end(html(removed.has(i) ? '' : `<a href="${PRODUCT}">Killed</a>`))
  }, 200)
})

function setClock(ms: number): Promise<void> {
  writeFileSync(`${clockFile}.new`, String(ms))
  renameSync(`${clockFile}.new`, clockFile)
  return sleep(150)
}

async function start(): Promise<ServiceProcess> {
  const service = await spawnService({
    DATA_DIR: mkdtempSync(join(folder, 'data-')),
    DATABASE_URL: database.url,
    KEY_PEPPER: 'a pepper that all processes share, long enough',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LINK_CHECKS: 'on',
    CLOCK_FILE: clockFile,
    NODE_OPTIONS: `--import=${preload}`,
  })
  await service.ready()
  return service
}

const rows = async (text: string): Promise<any[]> => (await client.query(text)).rows

beforeAll(async () => {
  await setClock(0)
  await new Promise<void>((resolve) => directories.listen(0, '0.0.0.0', resolve))
  const { port } = directories.address() as AddressInfo
  database = await createDatabase(process.env.TEST_DATABASE_URL!)
  client = new pg.Client(database.url)
  await client.connect()
  processes = [await start()]
  processes.push(await start())
  const admin = async (method: string, path: string, body: object) => {
    const reply = await processes[0]!.call(`/api/admin${path}`, { method, body })
    if (reply.status > 201) throw new Error(JSON.stringify(reply.body))
    return reply.body.data
  }
  await admin('PUT', '/categories/writing', { name: 'Writing' })
  const partner = await admin('POST', '/partners', { name: 'Killed', webhookUrl: `http://127.0.0.1:${port}/hook` })
  await client.query(`update partners set events = '{listing.live,listing.lost}'`)
  const body = newSubmission({ website: PRODUCT })
  const { data } = (await processes[0]!.call('/api/v1/submit-ai-tool', { method: 'POST', token: partner.key, body }))
    .body
  for (let i = 0; i < LISTINGS; i++) {
    await admin('PUT', `/directories/d-${i}`, { name: `D ${i}`, website: `https://d-${i}.example.org` })
    const row = { isSubmitted: true, listingUrl: `http://${hostOf(i)}:${port}/listing` }
    await admin('PUT', `/submissions/${data.id}/directories/d-${i}`, row)
  }
})
afterAll(async () => {
  await Promise.all((processes ?? []).map((service) => service.kill('SIGTERM')))
  await client?.end()
  await database?.drop()
  directories.closeAllConnections()
  directories.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Waits until nothing is due and no look is under way. */
const settled = (clock: number) =>
  until(async () => {
    const now = new Date(Date.now() + clock).toISOString()
    const [{ open }] = await rows(
      `select count(*)::int as open from listing_links where next_at <= '${now}' or claim is not null`,
    )
    return open === 0
  }, 120_000)

test('a process that is killed while it looks causes no false loss and no second event', {
  timeout: 1_500_000,
}, async () => {
  let interrupted = 0
  for (const [round, days] of ROUNDS.entries()) {
    if (days === 60) for (const i of [0, 1, 2, 3]) removed.add(i)
    // A page that is gone for one look only.
    if (days === 30) removed.add(5)
    else removed.delete(5)
    // The schedule is spread by up to 30 hours.
    const clock = days === 0 ? 0 : days * DAY + 31 * 60 * MINUTE
    await setClock(clock)
    await until(async () => (await rows('select 1 from listing_links where claim is not null')).length > 0, 60_000)
    const victim = processes[round % 2]!
    await sleep(Math.random() * 300)
    await victim.kill('SIGKILL')
    interrupted += (await rows('select 1 from listing_links where claim is not null')).length
    processes[round % 2] = await start()
    // After the lease of the killed process its links are due again.
    await setClock(clock + 6 * MINUTE)
    await settled(clock + 6 * MINUTE)
  }
  const events = (await rows('select body from webhook_deliveries')).map(({ body }) => JSON.parse(body))
  const of = (event: string) =>
    events
      .filter((one) => one.event === event)
      .map(({ submission }) => Number(submission.slug.slice(2)))
      .sort((a, b) => a - b)
  expect(of('listing.live')).toEqual(Array.from({ length: LISTINGS }, (_, i) => i))
  expect(of('listing.lost')).toEqual([0, 1, 2, 3])
  console.log(`${ROUNDS.length} kills, up to ${interrupted} looks under way when a process was killed`)
  expect(interrupted).toBeGreaterThan(0)
})
