// Several servers on one machine: this process starts them, starts again what ends, and replaces them one by one on SIGHUP. Each opens the
// same port for itself, and the system shares connections out among them; whatever else they share is in PostgreSQL and Redis.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { Log } from '../kernel/context.ts'
import type { Counts, Metrics } from '../kernel/metrics.ts'

// One that ends at once would otherwise be started without end, as fast as the machine can.
const AGAIN_MS = 1_000

const READY = 'ready'

export function startSeveral(count: number, log: Log): { close(): Promise<void>; takesHangUp: boolean } {
  let closing = false
  let wasReady = false
  let rolling: Promise<void> = Promise.resolve()
  // Those that count: neither one that is to take another's place and is not ready yet, nor one that was told to end.
  const serving = new Set<Worker>()

  function start(): { worker: Worker; ready: Promise<void> } {
    const worker = cluster.fork()
    const ready = new Promise<void>((resolve, reject) => {
      worker.on('message', (message: typeof READY | { wantsMetrics?: number; leaves?: Counts }) => {
        if (message !== READY) {
          if (message?.leaves) passOn(message.leaves)
          return void sendMetrics(worker, message?.wantsMetrics)
        }
        resolve()
        if (wasReady) return
        wasReady = true
        fill()
      })
      worker.once('exit', () => reject(new Error('A server ended before it was ready.')))
    })
    ready.catch(() => {})
    worker.once('exit', (code, signal) => void ended(worker, code, signal))
    return { worker, ready }
  }

  async function ended(worker: Worker, code: number, signal: string): Promise<void> {
    if (!serving.delete(worker) || closing) return
    // What keeps the first of them from starting will keep the next one too, and it has said what.
    if (!wasReady && code === 1) return giveUp()
    log.error({ pid: worker.process.pid, code, signal }, 'a server ended; starting another')
    await sleep(AGAIN_MS)
    await rolling
    fill()
  }

  /** One at first: it says that it is not ready yet. With another ready before it, callers would hear now this and now that. */
  function fill(): void {
    while (!closing && serving.size < (wasReady ? count : 1)) serving.add(start().worker)
  }

  function passOn(counts: Counts): void {
    for (const worker of serving) if (worker.isConnected()) return void worker.send({ inherits: counts })
  }

  async function giveUp(): Promise<void> {
    await close()
    process.exit(1)
  }

  /** The next one is ready before the one before it is told to end. */
  async function roll(): Promise<void> {
    log.info({ servers: count }, 'replacing all servers, one after the other')
    for (const old of [...serving]) {
      if (closing) return
      if (old.isDead()) continue
      const { worker, ready } = start()
      await ready
      serving.add(worker)
      serving.delete(old)
      await stop(old)
    }
    log.info({ servers: count }, 'all servers are replaced')
  }

  async function close(): Promise<void> {
    closing = true
    await Promise.all((Object.values(cluster.workers ?? {}) as Worker[]).map(stop))
  }

  process.on('SIGHUP', () => {
    rolling = rolling
      .then(roll)
      .catch((error) => log.error({ err: error }, 'the servers could not be replaced; those that serve go on'))
      .then(fill)
  })
  fill()
  return { takesHangUp: true, close }
}

/** A port that several may open is not refused to a service that has nothing to do with them; so it is asked for once by itself. */
export async function checkPort(host: string, port: number): Promise<void> {
  const server = createServer()
  server.listen({ host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

/**
 * How a server opens its port. Of several, each has one of its own: handed out by the first process, connections on their way to a
 * server that ends would be lost.
 */
export const portOptions = (): { reusePort?: true } =>
  cluster.isWorker && process.platform === 'linux' ? { reusePort: true } : {}

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

/** A server that ends leaves what it counted to another; or the sum of all would fall, which Prometheus takes for a new beginning. */
export function shareCounts(metrics: Metrics): { leave(): void } {
  if (!cluster.isWorker) return { leave: () => {} }
  process.on('message', (message: { inherits?: Counts }) => {
    if (message?.inherits) metrics.inherit(message.inherits)
  })
  return {
    leave: () => {
      if (process.connected) process.send?.({ leaves: metrics.leave() })
    },
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
