// Several servers on one machine: this process starts them, starts again what ends, and replaces them one by one on SIGHUP. They share
// the port; whatever else they share is in PostgreSQL and Redis.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { Log } from './kernel/context.ts'
import type { Metrics } from './kernel/metrics.ts'

// One that ends at once would otherwise be started without end, as fast as the machine can.
const AGAIN_MS = 1_000

export const READY = 'ready'

export function startSeveral(count: number, log: Log): { close(): Promise<void>; takesHangUp: boolean } {
  let closing = false
  let rolling: Promise<void> = Promise.resolve()
  const leaving = new Set<Worker>()

  function start(): Worker {
    const worker = cluster.fork()
    worker.on('message', (message: { wantsMetrics?: number }) => void sendMetrics(worker, message?.wantsMetrics))
    const lastGiven = handingOver(worker)
    worker.on('exit', async (code, signal) => {
      lastGiven()?.close()
      if (closing || leaving.delete(worker)) return
      log.error({ pid: worker.process.pid, code, signal }, 'a server ended; starting another')
      await sleep(AGAIN_MS)
      if (!closing) start()
    })
    return worker
  }

  /** The next one is ready before the one before it is told to end. */
  async function roll(): Promise<void> {
    log.info({ servers: count }, 'replacing all servers, one after the other')
    for (const old of Object.values(cluster.workers ?? {}) as Worker[]) {
      if (closing) return
      await isReady(start())
      leaving.add(old)
      await stop(old)
    }
    log.info({ servers: count }, 'all servers are replaced')
  }

  process.on('SIGHUP', () => {
    rolling = rolling.then(roll).catch((error) => log.error({ err: error }, 'the servers could not be replaced'))
  })
  for (let i = 0; i < count; i++) start()

  return {
    takesHangUp: true,
    async close() {
      closing = true
      await Promise.all((Object.values(cluster.workers ?? {}) as Worker[]).map(stop))
    },
  }
}

/** The connection that a server was last given. Node forgets the one that a server dies with, and whoever is behind it would wait for ever. */
function handingOver({ process: server }: Worker): () => { close(): void } | undefined {
  const send = server.send.bind(server) as (...words: unknown[]) => boolean
  let last: { close(): void } | undefined
  server.send = ((message: unknown, connection?: { close(): void }, ...rest: unknown[]) => {
    if (connection) last = connection
    return send(message, connection, ...rest)
  }) as typeof server.send
  return () => last
}

// Made where it is needed: it listens to what the processes say to each other.
let summing: AggregatorRegistry<'text/plain; version=0.0.4; charset=utf-8'> | undefined

async function sendMetrics(worker: Worker, asked: number | undefined): Promise<void> {
  if (asked === undefined) return
  summing ??= new AggregatorRegistry()
  const text = await summing.clusterMetrics().catch(() => null)
  if (worker.isConnected()) worker.send({ gotMetrics: asked, text })
}

let asks = 0

/** Those of this process, or of all servers on this machine: whichever of them is asked. */
export async function metricsOfAll(own: Metrics): Promise<string> {
  if (!cluster.isWorker) return own.text()
  const asked = ++asks
  const answer = new Promise<string | null>((resolve) => {
    const hear = (message: { gotMetrics?: number; text?: string | null }) => {
      if (message?.gotMetrics !== asked) return
      process.off('message', hear)
      resolve(message.text ?? null)
    }
    process.on('message', hear)
    setTimeout(() => {
      process.off('message', hear)
      resolve(null)
    }, 5_000).unref()
  })
  process.send?.({ wantsMetrics: asked })
  return (await answer) ?? own.text()
}

async function isReady(worker: Worker): Promise<void> {
  for (;;) {
    const [message] = await Promise.race([
      once(worker, 'message'),
      once(worker, 'exit').then(() => {
        throw new Error('A server ended before it was ready.')
      }),
    ])
    if (message === READY) return
  }
}

async function stop(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const gone = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await gone
}

/** Said by a server to whoever started it. */
export const sayReady = (): void => {
  process.send?.(READY)
}

/** Among several servers, the one that speaks for all of them; also a server that is alone. */
export const speaksForAll = (): boolean => cluster.isPrimary || cluster.worker?.id === 1
export const isFirstProcess = (): boolean => cluster.isPrimary
