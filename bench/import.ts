// Imports as an operator sends them: file after file over HTTP to another process.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listing, taxonomy } from './catalog.ts'
import { type Client, createClient, percentile } from './load.ts'
import { importFile, writeLines } from './operator.ts'
import { folder, type Server } from './processes.ts'
import { HOT_PATH, variedSearches } from './queries.ts'
import { information, milliseconds, row, section } from './table.ts'

const LISTINGS_PER_CALL = 10_000
const REST = '/api/v1'

/** Imports the listings from `from` to before `to`, and the taxonomy before the first. */
export async function importInCalls(server: Server, key: string, from: number, to: number): Promise<void> {
  const client = createClient(server.origin, { authorization: `Bearer ${key}` })
  let [ms, thread, processor, slowestToShow] = [0, 0, 0, 0]
  let isShownWithAnswer = true
  for (let start = from; start < to; start += LISTINGS_PER_CALL) {
    const end = Math.min(to, start + LISTINGS_PER_CALL)
    const file = join(folder, 'call.ndjson')
    await writeLines(file, start === 0 ? [...taxonomy()] : [], start, end, 0)
    const before = await times(server)
    ms += (await importFile(server, file)).ms
    const after = await times(server)
    thread += after.thread - before.thread
    processor += after.processor - before.processor
    const answered = performance.now()
    // Each call begins and ends with another listing, and the first may be visible long before the last.
    for (const number of [start, end - 1])
      while (!(await isVisible(client, number))) {
        isShownWithAnswer = false
        await sleep(20)
      }
    slowestToShow = Math.max(slowestToShow, performance.now() - answered)
  }
  client.close()
  const count = to - from
  const rate = count / (ms / 1000)
  const each = (microseconds: number) => `${Math.round(microseconds / count)} µs`
  row(`Import in calls of ${LISTINGS_PER_CALL}`, `${Math.round(rate)} listings/s`, '≥ 4000', rate >= 4000)
  information('  main thread, processor time for each', each(thread))
  information('  all threads, without another database process', each(processor))
  row('  visible with the answer', isShownWithAnswer ? 'yes' : 'no', 'yes', isShownWithAnswer)
  information('  longest until it was', milliseconds(slowestToShow))
}

/** A client keeps reading while as many listings are imported as there are. */
export async function readDuringImport(server: Server, key: string, client: Client, listings: number): Promise<void> {
  section(`Import of ${listings} into ${listings}`)
  const searches = variedSearches(2)
  const [hotTimes, variedTimes]: [number[], number[]] = [[], []]
  await server.ask({ ask: 'watch' })
  let isImporting = true
  const importing = importInCalls(server, key, listings, 2 * listings).finally(() => {
    isImporting = false
  })
  while (isImporting) {
    hotTimes.push((await client.get(HOT_PATH)).ms)
    await sleep(5)
    variedTimes.push((await client.get(`${REST}/tools?${searches.next().value}`)).ms)
    await sleep(5)
  }
  await importing
  const stall = await server.ask<number>({ ask: 'stalls' })
  const spread = (ms: number[]) => [50, 99, 100].map((p) => milliseconds(percentile(ms, p))).join(', ')
  information(`hot reads meanwhile, ${hotTimes.length}: p50, p99, slowest`, spread(hotTimes))
  information(`varied reads, ${variedTimes.length}: p50, p99, slowest`, spread(variedTimes))
  const slowest = Math.max(...hotTimes, ...variedTimes)
  row('slowest read', milliseconds(slowest), '≤ 50 ms', slowest <= 50)
  information("longest stop of the server's event loop", milliseconds(stall))
}

const times = async (server: Server) => ({
  thread: await server.ask<number>({ ask: 'thread' }),
  processor: await server.ask<number>({ ask: 'processor' }),
})

async function isVisible(client: Client, number: number): Promise<boolean> {
  const { kind, slug } = listing(number)
  const { status } = await client.send(`${REST}/${kind === 'tool' ? 'tools' : 'directories'}/${slug}`)
  return status === 200
}
