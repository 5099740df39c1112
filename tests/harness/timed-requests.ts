// Requests with their duration, and readers that go on while something fails.
import { setTimeout as sleep } from 'node:timers/promises'
import { ADMIN_TOKEN, type Reply, type RequestOptions } from './service.ts'

export interface TimedReply extends Reply {
  ms: number
}

/** A request that takes longer hangs and counts as failed. */
const REQUEST_TIMEOUT_MS = 20_000

/** Sends the operator's token unless another key is given; an object becomes JSON, as in `startService`. */
export async function timedRequest(
  { origin }: { origin: string },
  path: string,
  { key = ADMIN_TOKEN, method, headers = {}, body, type = 'application/json' }: RequestOptions = {},
): Promise<TimedReply> {
  const sent: Record<string, string> = { ...headers }
  if (key) sent.authorization = `Bearer ${key}`
  if (body !== undefined) sent['content-type'] = type
  const begun = performance.now()
  const response = await fetch(origin + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: sent,
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  })
  const text = await response.text()
  const ms = performance.now() - begun
  return { status: response.status, headers: response.headers, text, body: parse(text), ms }
}

function parse(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface Reading {
  what: string
  status: number
  ms: number
}

/** Sends requests over REST and MCP, one after the other, until stopped; `stop` returns all results. */
export function keepReading(
  services: readonly { origin: string }[],
  key: string,
  pauseMs = 20,
): { stop(): Promise<Reading[]> } {
  const readings: Reading[] = []
  let running = true
  const search = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search_tools', arguments: {} } }
  const asks: Record<string, (service: { origin: string }) => Promise<TimedReply>> = {
    'GET /tools': (service) => timedRequest(service, '/api/v1/tools', { key }),
    'GET /categories': (service) => timedRequest(service, '/api/v1/categories', { key }),
    search_tools: (service) =>
      timedRequest(service, '/mcp', { key, body: search, headers: { accept: 'application/json, text/event-stream' } }),
  }
  const loops = services.flatMap((service) =>
    Object.entries(asks).map(async ([what, ask]) => {
      while (running) {
        const { status, ms, body } = await ask(service).catch(() => ({ status: 0, ms: REQUEST_TIMEOUT_MS, body: null }))
        const isSuccess = what !== 'search_tools' || body?.result?.structuredContent?.success === true
        readings.push({ what, status: isSuccess ? status : 0, ms })
        await sleep(pauseMs)
      }
    }),
  )
  return {
    async stop() {
      running = false
      await Promise.all(loops)
      return readings
    },
  }
}

export const longest = (all: readonly { ms: number }[]): number => Math.round(Math.max(0, ...all.map(({ ms }) => ms)))

export function percentile(all: readonly { ms: number }[], share: number): number {
  const sorted = all.map(({ ms }) => ms).sort((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}
