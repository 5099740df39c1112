// Sends requests and measures how long they take.
import { createReadStream } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
// @ts-expect-error autocannon has no types.
import autocannon from 'autocannon'
import type { RunningProcess } from './processes.ts'

export interface LoadTarget {
  name: string
  server: RunningProcess
  path: string
  /** Several addresses, requested in turn, instead of one. */
  paths?: readonly string[]
  headers?: Record<string, string>
  /** A target with a body is requested with POST. */
  body?: string
  /** The status that every answer must have; another one makes the measurement worthless. */
  status: number
}

export interface Rate {
  perSecond: number
  /** Microseconds of the server's processor time for a request; other work on the machine hardly changes it. */
  processor: number
  /** How busy the server was. Well below 1 the client was the slower one, and the rate says little about the server. */
  busy: number
}

/** The rate of each target: the medians of its rounds. */
export async function compareRates(targets: readonly LoadTarget[], rounds: number, seconds: number): Promise<Rate[]> {
  return (await measureRounds(targets, rounds, seconds)).map(medianRate)
}

export const medianRate = (rates: readonly Rate[]): Rate => ({
  perSecond: median(rates.map((rate) => rate.perSecond)),
  processor: median(rates.map((rate) => rate.processor)),
  busy: median(rates.map((rate) => rate.busy)),
})

/**
 * The rates of each target, one for each round. All targets are loaded in turn, round after round, so that other work on the machine
 * affects all of them equally. Each round begins with another target.
 */
export async function measureRounds(
  targets: readonly LoadTarget[],
  rounds: number,
  seconds: number,
): Promise<Rate[][]> {
  for (const target of targets) await loadOnce(target, 2)
  const measured: Rate[][] = targets.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < targets.length; turn++) {
      const i = (round + turn) % targets.length
      measured[i]!.push(await loadOnce(targets[i]!, seconds))
    }
  }
  return measured
}

// As many connections as the proxy of a busy site keeps open; with fewer, the server sometimes waits for the client.
const CONNECTIONS = 10

export async function loadOnce(
  { name, server, path, paths, headers, body, status }: LoadTarget,
  seconds: number,
): Promise<Rate> {
  const processorBefore = await server.ask<number>({ ask: 'processor' })
  const began = performance.now()
  const result = await autocannon({
    url: server.origin + path,
    method: body === undefined ? 'GET' : 'POST',
    headers,
    body,
    requests: paths?.map((path) => ({ path })),
    connections: CONNECTIONS,
    duration: seconds,
  })
  const elapsed = (performance.now() - began) / 1000
  const processor = (await server.ask<number>({ ask: 'processor' })) - processorBefore
  const statuses = Object.keys(result.statusCodeStats)
  if (result.errors > 0 || statuses.join() !== String(status))
    throw new Error(`${name}: ${result.errors} errors, statuses ${statuses.join(', ')} where all should be ${status}.`)
  const total = result.requests.total as number
  return { perSecond: total / elapsed, processor: processor / total, busy: processor / 1e6 / elapsed }
}

export interface TimedAnswer {
  status: number
  body: Buffer
  headers: IncomingMessage['headers']
  ms: number
}

/** A client that sends one request after the other over one connection and measures each. */
export function createClient(origin: string, headers: Record<string, string>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (path: string, more: { method?: string; headers?: Record<string, string>; file?: string } = {}) =>
    new Promise<TimedAnswer>((resolve, reject) => {
      const began = performance.now()
      const sent = request(origin + path, {
        agent,
        method: more.method ?? 'GET',
        headers: { ...headers, ...more.headers },
      })
      sent.once('error', reject)
      sent.once('response', (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece) => pieces.push(piece))
        response.once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode!,
            body: Buffer.concat(pieces),
            headers: response.headers,
            ms: performance.now() - began,
          }),
        )
      })
      if (more.file) createReadStream(more.file, { highWaterMark: 1 << 18 }).pipe(sent)
      else sent.end()
    })
  return {
    async get(path: string): Promise<TimedAnswer> {
      const answer = await send(path)
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body.toString().slice(0, 300)}`)
      return answer
    },
    send,
    close: () => agent.destroy(),
  }
}

export type Client = ReturnType<typeof createClient>

export const median = (numbers: readonly number[]): number => percentile(numbers, 50)

/** The smallest number that is at least as large as `percent` of the numbers. */
export function percentile(numbers: readonly number[], percent: number): number {
  const sorted = Float64Array.from(numbers).sort()
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}
