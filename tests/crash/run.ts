// Kills the service during mixed writes of every kind and compares every read with the record of acknowledged writes: nothing may be lost,
// nothing done twice. It ends by itself.
//   npm run test:crash                           two minutes on each database that can be tried here
//   npm run test:crash -- 10                     ten minutes on each
//   npm run test:crash -- --kills 500 --database embedded
//   npm run test:crash -- 5 --database power     power cuts on the embedded database
// After Ctrl-C (SIGINT) it kills no more, checks everything and reports.
// Before the first kill it plants damage, to show that the checks find it. `bash tests/with-servers.sh npm run test:crash` adds PostgreSQL.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { productSite } from '../harness/product-site.ts'
import { startReceiver } from '../harness/receiver.ts'
import { type AuditMemory, beginAudit, checkAudit, checkEvents, checkJobs, forgetAudit } from './checks.ts'
import { type Client, createClient } from './client.ts'
import { checkFeed, type EventReader, startEventReader } from './events.ts'
import { type CampaignSetup, createKinds } from './kinds.ts'
import { compare, createLedger, type Ledger, resolveStep, type Slot, takeStep } from './ledger.ts'
import { embedded, type Installation, onPostgres } from './processes.ts'
import { selfTest } from './self-test.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string' },
    database: { type: 'string', default: 'all' },
    'no-self-test': { type: 'boolean', default: false },
  },
})
const MINUTES = Number(positionals[0] ?? 2)
const MOST_KILLS = values.kills === undefined ? Number.POSITIVE_INFINITY : Number(values.kills)
const { TEST_DATABASE_URL } = process.env

export interface Campaign {
  installation: Installation
  ledger: Ledger
  client: Client
  audit: AuditMemory
  world: CampaignSetup
  receiver: Awaited<ReturnType<typeof startReceiver>>
  reader: EventReader
  /** Lets all writers continue, or waits until each has stopped between two steps. */
  resume(): void
  pause(): Promise<void>
  end(): Promise<void>
}

/** Creates everything that must exist before the first recorded write. */
async function begin(installation: Installation, isQuiet = false): Promise<Campaign> {
  const receiver = await startReceiver()
  const site = await productSite({})
  const client = createClient(() => installation.origin)
  const must = async (path: string, body: object, method = 'POST') => {
    const answer = await client.ask(path, { method, body })
    if (answer.status >= 300 || answer.status <= 0) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.body.data
  }
  await must('/api/admin/categories/writing', { name: 'Writing' }, 'PUT')
  await must('/api/admin/directories/board', { name: 'Board' }, 'PUT')
  const partner = await must('/api/admin/partners', {
    name: 'Campaign',
    support: 'human',
    webhookUrl: `${receiver.origin}/`,
  })
  const { key: readKey } = await must('/api/admin/keys', { email: 'reader@example.com', plan: 'premium' })
  const users: string[] = []
  for (let i = 0; i < 6; i++) {
    await must('/api/admin/keys', { email: `changed-${i}@example.com` })
    users.push((await client.ask(`/api/admin/users?q=changed-${i}@example.com`)).body.data[0].id)
  }
  const world: CampaignSetup = {
    origin: () => installation.origin,
    readKey,
    partner,
    users,
    board: 'board',
    site: site.url,
  }
  const ledger = createLedger((violation) => {
    if (!isQuiet) console.error('VIOLATION', JSON.stringify(violation))
  })
  const audit = await beginAudit(client)
  const reader = startEventReader(() => installation.origin, partner.key, ledger)

  let going = false
  let ended = false
  let idle = 0
  const loops = createKinds(world).flatMap((kind) =>
    Array.from({ length: kind.writers }, async (_, writer) => {
      const own = createClient(() => installation.origin)
      const slots: Slot[] = []
      for (let turn = 0, made = 0; !ended; turn++) {
        if (!going) {
          idle++
          while (!going && !ended) await sleep(5)
          idle--
          continue
        }
        while (slots.length < kind.slots)
          slots.push(ledger.open(kind, `${kind.name.toLowerCase()}-${writer}-${made++}`))
        const slot = slots[turn % slots.length]!
        // A step that was cut off is resolved in the pause after the kill.
        if (!slot.maybe) await takeStep(ledger, own, slot)
        if (slot.isFinished) slots.splice(slots.indexOf(slot), 1)
        await sleep(Math.random() * kind.pause)
      }
      own.close()
    }),
  )
  return {
    installation,
    ledger,
    client,
    audit,
    world,
    receiver,
    reader,
    resume: () => void (going = true),
    async pause() {
      going = false
      while (idle < loops.length) await sleep(5)
    },
    async end() {
      ended = true
      await Promise.all([...loops, reader.end()])
      client.close()
      await Promise.all([receiver.close(), site.close()])
    },
  }
}

/** Runs while all writers are paused: resolves steps that were cut off, and compares every changed row. */
async function check({ ledger, client }: Campaign, slots: Iterable<Slot>): Promise<void> {
  for (const slot of slots)
    for (let attempt = 1; ; attempt++) {
      try {
        await resolveStep(ledger, client, slot)
        await compare(ledger, client, slot)
        break
      } catch (error) {
        // A killed server is started again within seconds; until then its connections are cut off.
        if (attempt === 20) {
          ledger.violated('it cannot be read', slot, 'an answer', String(error))
          break
        }
        await sleep(250)
      }
    }
}

const FULL_EVERY = 25
const SAMPLE = 200

async function campaign(installation: Installation, minutes: number, mostKills: number): Promise<boolean> {
  const run = await begin(installation)
  const { ledger, client } = run
  const kills = new Map<string, number>()
  const began = performance.now()
  let count = 0
  let isInterrupted = false
  process.once('SIGINT', () => (isInterrupted = true))
  while (!isInterrupted && performance.now() - began < minutes * 60_000 && count < mostKills) {
    run.resume()
    await sleep(100 + Math.random() * 900)
    const how = await installation.kill()
    kills.set(how, (kills.get(how) ?? 0) + 1)
    count++
    await run.pause()
    await check(run, ledger.touched)
    ledger.touched.clear()
    if (count % FULL_EVERY === 0) {
      await check(run, sample(ledger.slots, SAMPLE))
      await checkAudit(ledger, client, run.audit)
      for (const line of installation.errors().slice(0, 3)) console.error(line.slice(0, 1_000))
      console.error(
        `… ${installation.name}: ${count} kills, ${JSON.stringify(ledger.counts)}, ${ledger.violations.length} violations`,
      )
    }
  }
  await check(run, ledger.slots)
  forgetAudit(run.audit)
  await checkAudit(ledger, client, run.audit)
  await checkEvents(ledger, client, run.world.partner.id, run.receiver, 60_000)
  await checkFeed(ledger, client, run.world.partner.key, run.reader, 60_000)
  await checkJobs(ledger, client, 300_000)
  await run.end()
  await installation.remove()
  report(installation.name, count, kills, ledger, (performance.now() - began) / 60_000)
  return ledger.violations.length === 0
}

const sample = <T>(list: readonly T[], most: number): T[] =>
  list.length <= most ? [...list] : Array.from({ length: most }, () => list[Math.floor(Math.random() * list.length)]!)

function report(name: string, count: number, kills: Map<string, number>, ledger: Ledger, minutes: number): void {
  const { counts, violations } = ledger
  const n = (value: number) => value.toLocaleString('en')
  console.log(`\n${name}: ${n(count)} kills in ${minutes.toFixed(0)} minutes`)
  for (const [how, times] of [...kills].sort(([, a], [, b]) => b - a)) console.log(`  ${how}: ${n(times)}`)
  console.log(
    [
      `  ${n(counts.acknowledged)} writes acknowledged, ${n(counts.cutOff)} cut off: of these ${n(counts.happened)} had happened, ${n(counts.didNotHappen)} had not, ${n(counts.repeated)} were sent again`,
      `  ${n(counts.readsAtOnce)} reads right after a write over the same connection, ${n(counts.reads)} reads afterwards, ${n(counts.pending)} writes that said they cannot be read yet`,
      `  ${n(ledger.slots.length)} things compared, ${n(counts.auditRows)} audit rows, ${n(counts.events)} events that arrived, ${n(counts.eventsRead)} that were read with cursors`,
      `  ${violations.length === 0 ? 'nothing lost, nothing doubled, nothing stale' : `${violations.length} VIOLATIONS`}`,
    ].join('\n'),
  )
}

let isWell = true
const isChosen = (what: string) => values.database === 'all' || values.database === what
if (!values['no-self-test']) isWell = (await selfTest(begin, check, TEST_DATABASE_URL)) && isWell
if (isChosen('embedded')) isWell = (await campaign(await embedded(false), MINUTES, MOST_KILLS)) && isWell
if (isChosen('power')) isWell = (await campaign(await embedded(true), MINUTES, MOST_KILLS)) && isWell
if (isChosen('postgres')) {
  if (TEST_DATABASE_URL) isWell = (await campaign(await onPostgres(TEST_DATABASE_URL), MINUTES, MOST_KILLS)) && isWell
  else console.log('\nPostgreSQL was not tried: TEST_DATABASE_URL is not set.')
}
process.exitCode = isWell ? 0 : 1
