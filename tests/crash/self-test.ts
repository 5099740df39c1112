// Plants damage to show that the checks find it and name it.
import { until } from '../harness/process.ts'
import { checkAudit, checkEvents, forgetAudit } from './checks.ts'
import { type Client, createClient } from './client.ts'
import { checkFeed } from './events.ts'
import { type Slot, takeStep } from './ledger.ts'
import { embedded, type Installation, onPostgres } from './processes.ts'
import type { Campaign } from './run.ts'

type Begin = (installation: Installation, isQuiet: boolean) => Promise<Campaign>
type Check = (campaign: Campaign, slots: Iterable<Slot>) => Promise<void>

interface Damage {
  name: string
  /** The name that the checks must give it. */
  called: RegExp
  plant(run: Campaign): Promise<Slot[]>
}

const slotOf = ({ ledger }: Campaign, kind: string, suits: (slot: Slot) => boolean = () => true): Slot => {
  const slot = ledger.slots.find(
    (one) => one.kind.name === kind && one.state !== null && one.maybe === null && suits(one),
  )
  if (!slot) throw new Error(`the run made no ${kind} that damage can be planted in`)
  return slot
}

const sql = (run: Campaign, statement: string) => run.installation.sql(statement)

/** Damages the row of one slot of this kind. */
const inRow = (kind: string, statement: (slot: Slot) => string) => async (run: Campaign) => {
  const slot = slotOf(run, kind)
  await sql(run, statement(slot))
  return [slot]
}

const DAMAGES: readonly Damage[] = [
  {
    name: 'an acknowledged listing is deleted',
    called: /not as it was acknowledged/,
    plant: inRow('tool', (slot) => `delete from tools where slug = '${slot.id}'`),
  },
  {
    name: 'a listing is an earlier state of itself',
    called: /not as it was acknowledged/,
    plant: inRow(
      'directory',
      (slot) => `update directories set small_description = 'an earlier state' where slug = '${slot.id}'`,
    ),
  },
  {
    name: 'one line of an import is missing',
    called: /not as it was acknowledged/,
    plant: inRow('import', (slot) => `delete from tools where slug = '${slot.id}-3'`),
  },
  {
    name: 'a submission is there twice',
    called: /not as it was acknowledged/,
    async plant(run) {
      const slot = slotOf(run, 'submission', ({ facts }) => facts.toolId !== undefined)
      await sql(
        run,
        `insert into submissions (id, partner_id, tool_id, website_key, slug, payment_type, state, notes, created_at, updated_at)
         select id || '-2', (select id from partners where id <> partner_id limit 1), tool_id, website_key, slug, payment_type, state, notes, created_at, updated_at
         from submissions where tool_id = '${slot.facts.toolId}'`,
      )
      return [slot]
    },
  },
  {
    name: 'a question is there twice',
    called: /not as it was acknowledged/,
    async plant(run) {
      const slot = slotOf(run, 'support', ({ facts }) => facts.id !== undefined)
      await sql(
        run,
        `insert into support_messages (id, conversation_id, partner_id, role, content, created_at)
         select id || '-2', conversation_id, partner_id, role, content, created_at
         from support_messages where conversation_id = '${slot.facts.id}' and role = 'customer' limit 1`,
      )
      return [slot]
    },
  },
  {
    name: 'a revoked key works again',
    called: /not as it was acknowledged/,
    async plant(run) {
      const slot = slotOf(run, 'key', ({ state }) => (state as { live: boolean }).live === false)
      await sql(run, `update keys set revoked_at = null where id = '${slot.facts.id}'`)
      return [slot]
    },
  },
  {
    name: 'an audit row is there twice',
    called: /audit rows are too many/,
    async plant(run) {
      await sql(
        run,
        `insert into audit (at, actor, action, subject, details) select now(), actor, action, subject, details from audit where action = 'tool.put' order by id desc limit 1`,
      )
      return []
    },
  },
  {
    name: 'an audit row is missing',
    called: /audit rows are missing/,
    async plant(run) {
      await sql(run, `delete from audit where id = (select max(id) from audit where action = 'submission.create')`)
      forgetAudit(run.audit)
      return []
    },
  },
  {
    name: 'an event is missing',
    called: /stored events/,
    async plant(run) {
      await sql(run, `delete from webhook_deliveries where id = (select id from webhook_deliveries limit 1)`)
      return []
    },
  },
  {
    name: 'an event arrived twice',
    called: /arrived more than once/,
    async plant(run) {
      run.receiver.arrivals.push(run.receiver.arrivals.find(({ headers }) => headers['webhook-id'])!)
      return []
    },
  },
  {
    name: 'an event is missing in the list of events',
    called: /an event is not kept once/,
    async plant(run) {
      await sql(run, `delete from partner_events where id = (select id from partner_events order by position limit 1)`)
      return []
    },
  },
  {
    name: 'a program saw an event twice',
    called: /a reader saw other events/,
    async plant(run) {
      run.reader.seen.splice(1, 0, run.reader.seen[0]!)
      return []
    },
  },
  {
    name: 'a reader sees what was there before',
    called: /a stale read right after/,
    async plant(run) {
      const slot = slotOf(run, 'tool', ({ kind }) => kind.readPublic !== undefined)
      const client = staleReader(() => run.installation.origin)
      for (let i = 0; i < 3; i++) await takeStep(run.ledger, client, slot)
      return []
    },
  },
]

/** Answers every public read with the first answer it got. */
function staleReader(origin: () => string): Client {
  const real = createClient(origin)
  const first = new Map<string, Awaited<ReturnType<Client['ask']>>>()
  return {
    async ask(path, ask) {
      const answer = await real.ask(path, ask)
      if (!path.startsWith('/api/v1/')) return answer
      const before = first.get(path) ?? answer
      first.set(path, before)
      return { ...before, socket: answer.socket }
    },
    close: real.close,
  }
}

/** Whether there are enough rows to plant each damage in. */
function hasEnough(slots: readonly Slot[], arrivals: number): boolean {
  const has = (kind: string, suits: (slot: Slot) => boolean) =>
    slots.some((slot) => slot.kind.name === kind && slot.state !== null && suits(slot))
  return (
    arrivals > 0 &&
    ['tool', 'directory', 'import'].every((kind) => has(kind, () => true)) &&
    has('submission', ({ events }) => events.length > 0) &&
    has('support', ({ steps }) => steps > 3) &&
    has('key', ({ state }) => (state as { live: boolean }).live === false)
  )
}

export async function selfTest(begin: Begin, check: Check, url: string | undefined): Promise<boolean> {
  const run = await begin(url ? await onPostgres(url) : await embedded(false), true)
  const { ledger } = run
  run.resume()
  await until(() => hasEnough(ledger.slots, run.receiver.arrivals.length), 600_000)
  await run.pause()
  await check(run, ledger.slots)
  await checkAudit(ledger, run.client, run.audit)
  const { id, key } = run.world.partner
  await checkEvents(ledger, run.client, id, run.receiver, 30_000)
  await checkFeed(ledger, run.client, key, run.reader, 30_000)
  let isWell = ledger.violations.length === 0
  console.log(
    `\nThe checks themselves, after ${ledger.counts.acknowledged} writes: ${isWell ? 'nothing is wrong' : 'something is wrong before anything was planted'}`,
  )
  for (const { name, called, plant } of DAMAGES) {
    ledger.violations.length = 0
    const slots = await plant(run)
    await check(run, slots)
    await checkAudit(ledger, run.client, run.audit)
    await checkEvents(ledger, run.client, id, run.receiver, 5_000)
    await checkFeed(ledger, run.client, key, run.reader, 5_000)
    const isFound = ledger.violations.some(({ what }) => called.test(what))
    isWell &&= isFound
    console.log(`  ${isFound ? 'found' : 'NOT FOUND'}: ${name}`)
  }
  await run.end()
  await run.installation.remove()
  return isWell
}
