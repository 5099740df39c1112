// What is compared besides the written rows: audit rows and events, each exactly once.
import { until } from '../harness/process.ts'
import type { Receiver } from '../harness/receiver.ts'
import type { Client } from './client.ts'
import type { Ledger } from './ledger.ts'

async function data(client: Client, path: string): Promise<any> {
  const answer = await client.ask(`/api/admin${path}`)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 300)}`)
  return answer.body.data
}

export interface AuditMemory {
  /** The last audit row before the campaign. */
  base: number
  /** Rows up to this one existed before the campaign or are already counted. */
  lastId: number
  found: Map<string, number>
}

export async function beginAudit(client: Client): Promise<AuditMemory> {
  const base = (await data(client, '/audit?limit=1'))[0]?.id ?? 0
  return { base, lastId: base, found: new Map() }
}

/** Makes the next check count all rows again, because a row may have disappeared. */
export function forgetAudit(memory: AuditMemory): void {
  memory.lastId = memory.base
  memory.found.clear()
}

// Background work writes these at its own time.
const NOT_OURS = new Set(['tool.enrich'])

export async function checkAudit(ledger: Ledger, client: Client, memory: AuditMemory): Promise<void> {
  let newest = memory.lastId
  for (let page = 1; ; page++) {
    const rows = (await data(client, `/audit?limit=1000&page=${page}`)) as any[]
    // The rows are in the order of their times, which is nearly that of their numbers.
    const more = rows.filter(({ id }) => id > memory.lastId)
    if (more.length === 0) break
    for (const { id, action, subject } of more) {
      newest = Math.max(newest, id)
      if (NOT_OURS.has(action)) continue
      const name = `${action} ${subject}`
      memory.found.set(name, (memory.found.get(name) ?? 0) + 1)
    }
  }
  memory.lastId = newest
  const [expected, allowed] = [new Map<string, number>(), new Map<string, number>()]
  for (const slot of ledger.slots) {
    for (const name of slot.audits) expected.set(name(), (expected.get(name()) ?? 0) + 1)
    for (const name of slot.mayAudit) allowed.set(name(), (allowed.get(name()) ?? 0) + 1)
  }
  for (const [name, count] of expected) {
    const found = memory.found.get(name) ?? 0
    if (found < count) ledger.violated('audit rows are missing', name, count, found)
  }
  for (const [name, found] of memory.found) {
    const most = (expected.get(name) ?? 0) + (allowed.get(name) ?? 0)
    if (found > most) ledger.violated('audit rows are too many', name, most, found)
  }
  ledger.counts.auditRows = [...memory.found.values()].reduce((sum, count) => sum + count, 0)
}

/** Every event is stored once, and no event arrives twice. */
export async function checkEvents(
  ledger: Ledger,
  client: Client,
  partnerId: string,
  receiver: Receiver,
  timeoutMs: number,
): Promise<void> {
  let rows: any[] = []
  const read = async () => {
    rows = []
    for (let page = 1; ; page++) {
      const more = (await data(client, `/webhooks?client=${partnerId}&limit=1000&page=${page}`)) as any[]
      rows.push(...more)
      if (more.length < 1000) break
    }
    return rows.every(({ state }) => state !== 'pending')
  }
  await until(read, timeoutMs).catch(() =>
    ledger.violated('events wait without end', 'webhooks', 0, rows.filter(({ state }) => state === 'pending').length),
  )
  const expected = new Map<string, number>()
  for (const { events } of ledger.slots)
    for (const name of events) {
      const event = name.split(' ', 1)[0]!
      expected.set(event, (expected.get(event) ?? 0) + 1)
    }
  for (const event of ['directory_submissions.completed', 'support.replied']) {
    const found = rows.filter((row) => row.event === event).length
    const required = expected.get(event) ?? 0
    if (found !== required) ledger.violated('stored events', event, required, found)
  }
  const byId = new Map<string, number>()
  const byContent = new Map<string, number>()
  for (const { headers, body, method } of receiver.arrivals) {
    const id = headers['webhook-id']
    if (method !== 'POST' || typeof id !== 'string') continue
    byId.set(id, (byId.get(id) ?? 0) + 1)
    const name = contentOf(body.toString())
    byContent.set(name, (byContent.get(name) ?? 0) + 1)
  }
  for (const [name, count] of [...byId, ...byContent])
    if (count > 1) ledger.violated('an event arrived more than once', name, 1, count)
  for (const { eventId, state } of rows)
    if (state === 'delivered' && !byId.has(eventId)) ledger.violated('delivered, and never arrived', eventId, 1, 0)
  ledger.counts.events = byId.size
}

/** What distinguishes an event from every other of its kind. */
export function contentOf(body: string): string {
  const { event, tool } = JSON.parse(body)
  return `${event} ${tool?.id ?? /Reply \d+ to [\w-]+/.exec(body)?.[0]}`
}

/** Another worker takes over the jobs of killed workers; no job is left. */
export async function checkJobs(ledger: Ledger, client: Client, timeoutMs: number): Promise<void> {
  const left = async () => ((await data(client, '/enrichments?state=pending&limit=1000')) as any[]).length
  await until(async () => (await left()) === 0, timeoutMs).catch(async () =>
    ledger.violated('enrichments wait without end', 'enrichments', 0, await left()),
  )
}
