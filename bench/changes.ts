// 200 different hot questions beside changes of single listings, compared with the same questions on a quiet catalog.
import { setTimeout as sleep } from 'node:timers/promises'
import { listing } from './catalog.ts'
import { type LoadTarget, loadOnce, median } from './load.ts'
import { call } from './operator.ts'
import type { Server } from './processes.ts'
import { variedSearches } from './queries.ts'
import { information, milliseconds, row, section } from './table.ts'

const QUESTIONS = 200
const ROUNDS = 3
const SECONDS = 3
const ALONE = 100
/** Changes a second, and the least part of its quiet speed that a search keeps beside them. */
const BESIDE = [
  { changes: 5, least: 0.7 },
  { changes: 50, least: 0.4 },
]

export async function measureChanges(server: Server, key: string): Promise<void> {
  const searches = variedSearches(3)
  const paths = Array.from({ length: QUESTIONS }, () => `/api/v1/tools?${searches.next().value}`)
  const questions: LoadTarget = {
    name: 'questions',
    server,
    path: paths[0]!,
    paths,
    headers: { authorization: `Bearer ${key}` },
    status: 200,
  }
  let changes = 0
  // Each tool gets all of its words anew, also in a data folder that an earlier run has changed.
  const version = Math.floor(Date.now() / 1000)
  const changeOne = (): Promise<unknown> => {
    const { kind, slug, ...body } = listing(changes++, version)
    return kind === 'tool' ? call(server, 'PUT', `/api/admin/tools/${slug}`, body) : changeOne()
  }
  section(`${QUESTIONS} different hot questions beside changes of single listings`)
  for (let i = 0; i < ALONE; i++) await changeOne()
  // What the service does meanwhile by itself, such as looking for pictures of imported listings.
  const unasked = await threadTime(server, () => sleep(2_000))
  await server.ask({ ask: 'watch' })
  const alone = await threadTime(server, async () => {
    for (let i = 0; i < ALONE; i++) await changeOne()
  })
  const each = (alone.used - (unasked.used * alone.took) / unasked.took) / ALONE
  information('One change, processor time of the main thread', milliseconds(each))
  information("  longest stop of the server's event loop", milliseconds(await server.ask<number>({ ask: 'stalls' })))
  await loadOnce(questions, SECONDS)
  for (const { changes, least } of BESIDE) {
    const [quiet, beside]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      quiet.push((await loadOnce(questions, SECONDS)).perSecond)
      const stop = new AbortController()
      const changing = changeRegularly(changeOne, 1000 / changes, stop.signal)
      beside.push((await loadOnce(questions, SECONDS)).perSecond)
      stop.abort()
      await changing
    }
    const part = median(beside) / median(quiet)
    row(
      `Beside ${changes} changes a second, of ${Math.round(median(quiet))}/s`,
      part.toFixed(2),
      `≥ ${least}`,
      part >= least,
    )
  }
}

/** Milliseconds that the work took, and of the main thread's processor time meanwhile. */
async function threadTime(server: Server, work: () => Promise<unknown>): Promise<{ took: number; used: number }> {
  const [began, before] = [performance.now(), await server.ask<number>({ ask: 'thread' })]
  await work()
  const used = ((await server.ask<number>({ ask: 'thread' })) - before) / 1000
  return { took: performance.now() - began, used }
}

/** Starts a change every `ms` milliseconds, also while earlier ones wait; resolves when the last one is answered. */
async function changeRegularly(changeOne: () => Promise<unknown>, ms: number, stop: AbortSignal): Promise<void> {
  const running: Promise<unknown>[] = []
  while (!stop.aborted) {
    running.push(changeOne())
    await sleep(ms)
  }
  await Promise.all(running)
}
