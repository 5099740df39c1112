// Several server processes on one machine. The first process starts them, replaces one that ends, and replaces all one by one on SIGHUP.
// Each server opens the same port, and the operating system distributes connections; shared state is in PostgreSQL and Redis.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { Log } from '../kernel/context.ts'
import type { Counts, Metrics } from '../kernel/interfaces/metrics.ts'

// Without a pause, a server that ends at once would be restarted in a tight loop.
const RESTART_MS = 1_000

const READY = 'ready'

export function startServers(count: number, log: Log): { close(): Promise<void>; handlesHangUp: boolean } {
  let closing = false
  let wasReady = false
  let rolling: Promise<void> = Promise.resolve()
  // The servers that should run. Replacements that are not ready yet and servers that are being stopped are not in it.
  const serving = new Set<Worker>()

  function start(): { worker: Worker; ready: Promise<void> } {
    const worker = cluster.fork()
    const ready = new Promise<void>((resolve, reject) => {
      worker.on('message', (message: typeof READY | { wantsMetrics?: number; leaves?: Counts }) => {
        if (message === READY) {
          resolve()
          startOthers()
          return
        }
        if (message?.leaves) passCountsOn(message.leaves)
        void sendMetrics(worker, message?.wantsMetrics)
      })
      worker.once('exit', () => reject(new Error('A server ended before it was ready.')))
    })
    ready.catch(() => {})
    worker.once('exit', (code, signal) => void ended(worker, code, signal))
    return { worker, ready }
  }

  /** Called when a server is ready: the first one that is lets the others start. */
  function startOthers(): void {
    if (wasReady) return
    wasReady = true
    fill()
  }

  async function ended(worker: Worker, code: number, signal: string): Promise<void> {
    if (!serving.delete(worker) || closing) return
    // What kept the first server from starting would stop the next one too, and the first has logged it.
    if (!wasReady && code === 1) return giveUp()
    log.error({ pid: worker.process.pid, code, signal }, 'a server ended; starting another')
    await sleep(RESTART_MS)
    await rolling
    fill()
  }

  /**
   * Starts the missing servers. Until the first is ready only one runs: of two, one would be ready earlier, and clients would get answers
   * of a ready and of a starting server in turn.
   */
  function fill(): void {
    while (!closing && serving.size < (wasReady ? count : 1)) serving.add(start().worker)
  }

  /** Gives the counts of a server that ends to one that still runs. */
  function passCountsOn(counts: Counts): void {
    for (const worker of serving) if (worker.isConnected()) return void worker.send({ inherits: counts })
  }

  async function giveUp(): Promise<void> {
    await close()
    process.exit(1)
  }

  /** Starts each replacement and waits until it is ready before it stops the old server. */
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
  // The caller must not stop on SIGHUP, because it replaces the servers.
  return { handlesHangUp: true, close }
}

/** Throws if the port is in use. Our servers open it as a shared port, which would succeed even if an unrelated service shares it. */
export async function checkPort(host: string, port: number): Promise<void> {
  const server = createServer()
  server.listen({ host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

/** Each of several servers listens itself: connections that the first process passed to a server that ends would be lost. */
export const portOptions = (): { reusePort?: true } =>
  cluster.isWorker && process.platform === 'linux' ? { reusePort: true } : {}

// Created on first use, because it listens to all messages between the processes.
let aggregator: AggregatorRegistry<'text/plain; version=0.0.4; charset=utf-8'> | undefined

async function sendMetrics(worker: Worker, asked: number | undefined): Promise<void> {
  if (asked === undefined) return
  aggregator ??= new AggregatorRegistry()
  const text = await aggregator.clusterMetrics().catch(() => null)
  if (worker.isConnected()) worker.send({ gotMetrics: asked, text })
}

let lastRequest = 0

/** The metrics of a single process, or the sums over all servers on this machine, which the first process computes. */
export async function metricsOfAll(own: Metrics): Promise<string> {
  if (!cluster.isWorker) return own.text()
  const asked = ++lastRequest
  const answer = new Promise<string | null>((resolve) => {
    const onMessage = (message: { gotMetrics?: number; text?: string | null }) => {
      if (message?.gotMetrics !== asked) return
      process.off('message', onMessage)
      resolve(message.text ?? null)
    }
    process.on('message', onMessage)
    setTimeout(() => {
      process.off('message', onMessage)
      resolve(null)
    }, 5_000).unref()
  })
  process.send?.({ wantsMetrics: asked })
  return (await answer) ?? own.text()
}

/** A server that ends passes its counts to another. Otherwise the sum would fall, which Prometheus reads as a restart of the counter. */
export function shareCounts(metrics: Metrics): { passOn(): void } {
  if (!cluster.isWorker) return { passOn: () => {} }
  process.on('message', (message: { inherits?: Counts }) => {
    if (message?.inherits) metrics.addCounts(message.inherits)
  })
  return {
    passOn: () => {
      if (process.connected) process.send?.({ leaves: metrics.takeCounts() })
    },
  }
}

async function stop(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const gone = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await gone
}

/** A server tells the first process that it is ready. */
export const sayReady = (): void => {
  process.send?.(READY)
}

/** Whether this process does what is done once, when the service starts. True for the server that was started first, not for one that replaces it, and for a single server. */
export const isFirstServer = (): boolean => cluster.isPrimary || cluster.worker?.id === 1
export const isPrimaryProcess = (): boolean => cluster.isPrimary
