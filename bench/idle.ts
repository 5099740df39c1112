// What the service costs while nothing happens: processor time and statements of a quiet minute, and memory, with the empty and with the
// demo catalog on the embedded database.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { folder, residentMemory, type Server, startServer } from './processes.ts'
import { information, row, section } from './table.ts'

// The first removal of old rows, a minute after the start, is not part of the quiet minute.
const SETTLED_MS = 75_000
const QUIET_MS = 60_000
const MOST_PERCENT = 1
const MOST_MEGABYTES = 250

export async function measureIdle(): Promise<void> {
  const servers = await Promise.all(
    ['none', 'demo'].map(async (seed) => ({
      seed,
      server: await startServer(join(folder, `idle-${seed}`), { SEED: seed }),
    })),
  )
  await sleep(SETTLED_MS)
  const before = await Promise.all(servers.map(({ server }) => begin(server)))
  await sleep(QUIET_MS)
  for (const [i, { seed, server }] of servers.entries()) {
    const threads = threadTimes(server.pid).map(({ id, ms }) => ({ id, ms: ms - (before[i]!.get(id) ?? 0) }))
    const statements = await server.ask<string[]>({ ask: 'statements' })
    const total = percent(threads.reduce((sum, { ms }) => sum + ms, 0))
    const main = percent(threads.find(({ id }) => id === server.pid)!.ms)
    const busiest = percent(Math.max(...threads.filter(({ id }) => id !== server.pid).map(({ ms }) => ms)))
    const memory = residentMemory(server.pid)
    section(`A quiet minute, embedded database, ${seed === 'none' ? 'empty' : 'demo'} catalog`)
    row('Processor, of one core', `${total.toFixed(2)} %`, `≤ ${MOST_PERCENT} %`, total <= MOST_PERCENT)
    information('  main thread, busiest other thread', `${main.toFixed(2)} %, ${busiest.toFixed(2)} %`)
    // Pictures that the websites of the demo catalog show are fetched for hours after the first start, so something is due there.
    if (seed === 'none') row('Statements', String(statements.length), '0', statements.length === 0)
    else information('Statements', String(statements.length))
    for (const text of new Set(statements))
      information(`  ${statements.filter((one) => one === text).length} times`, text.replace(/\s+/g, ' ').slice(0, 60))
    if (seed === 'demo')
      row('Resident memory', `${Math.round(memory)} MB`, `≤ ${MOST_MEGABYTES} MB`, memory <= MOST_MEGABYTES)
    else information('Resident memory', `${Math.round(memory)} MB`)
    await server.end()
  }
}

async function begin(server: Server): Promise<Map<number, number>> {
  await server.ask({ ask: 'statements' })
  return new Map(threadTimes(server.pid).map(({ id, ms }) => [id, ms]))
}

/** Milliseconds of processor time of each thread so far. */
const threadTimes = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).map((id) => ({
    id: Number(id),
    ms: Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
  }))

const percent = (ms: number) => (ms / QUIET_MS) * 100
