// Mixed traffic of developers, agents, visitors and partners, sent at a fixed rate, however slow the answers are.
import { Agent, request } from 'node:http'
import { randomFrom } from './catalog.ts'
import { HOT, variedSearches } from './queries.ts'

export interface Traffic {
  /** The server that gets the next request. */
  pick(): string
  key: string
  partner: string
  slugs: readonly string[]
}

interface PlannedRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: object
  expected: number
  /** Called with the answer when the request succeeded. */
  done?(answer: string): void
}

export interface TrafficOutcome {
  sent: number
  failures: string[]
  times: number[]
  clicks: number
  submitted: string[]
}

const BROWSER_AGENT = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'
const TIMEOUT_MS = 10_000
// At this many open requests the servers are far behind: a further request is not sent and counts as a failure.
const MOST_OPEN = 500

/** Sends `perSecond` requests for as long as `running` returns true. No request is retried. */
export async function send(traffic: Traffic, perSecond: number, running: () => boolean): Promise<TrafficOutcome> {
  const outcome: TrafficOutcome = { sent: 0, failures: [], times: [], clicks: 0, submitted: [] }
  const next = requests(traffic, outcome)
  const agent = new Agent({ keepAlive: true })
  const open = new Set<Promise<void>>()
  const began = performance.now()
  while (running()) {
    const due = ((performance.now() - began) / 1000) * perSecond
    for (; outcome.sent < due; outcome.sent++) {
      if (open.size >= MOST_OPEN) {
        outcome.failures.push(`${MOST_OPEN} requests are waiting`)
        continue
      }
      const pending = sendOne(agent, traffic.pick(), next.next().value, outcome).finally(() => open.delete(pending))
      open.add(pending)
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await Promise.all(open)
  agent.destroy()
  return outcome
}

function sendOne(agent: Agent, origin: string, planned: PlannedRequest, outcome: TrafficOutcome): Promise<void> {
  const began = performance.now()
  return new Promise((resolve) => {
    const fail = (why: string) => {
      outcome.failures.push(`${planned.method} ${planned.path}: ${why}`)
      resolve()
    }
    const body = planned.body && JSON.stringify(planned.body)
    const headers = body ? { ...planned.headers, 'content-type': 'application/json' } : planned.headers
    const clientRequest = request(origin + planned.path, {
      agent,
      method: planned.method,
      headers,
      timeout: TIMEOUT_MS,
    })
    clientRequest.once('timeout', () => clientRequest.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)))
    clientRequest.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message))
    clientRequest.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece) => (text += piece))
      response.once('error', (error) => fail(error.message))
      response.once('end', () => {
        if (response.statusCode !== planned.expected) return fail(`${response.statusCode} ${text.slice(0, 200)}`)
        outcome.times.push(performance.now() - began)
        planned.done?.(text)
        resolve()
      })
    })
    clientRequest.end(body)
  })
}

/** Of a hundred requests: 55 searches, 20 listings, 10 pages, 5 clicks, 5 tool calls, 3 polls, 1 submission, 1 question. */
function* requests({ key, partner, slugs }: Traffic, outcome: TrafficOutcome): Generator<PlannedRequest, never> {
  const random = randomFrom(11)
  const searches = variedSearches(12)
  const reader = { authorization: `Bearer ${key}` }
  const writer = { authorization: `Bearer ${partner}` }
  const slug = () => slugs[Math.floor(random() * slugs.length)]!
  const get = (path: string, headers: Record<string, string>): PlannedRequest => ({
    method: 'GET',
    path,
    headers,
    expected: 200,
  })
  const search = (query: string) => get(`/api/v1/tools?${query}`, reader)
  for (let serial = 0; ; serial++) {
    const position = serial % 100
    if (position < 30) yield search(new URLSearchParams({ q: HOT, limit: '20' }).toString())
    else if (position < 55) yield search(searches.next().value as string)
    else if (position < 75) yield get(`/api/v1/tools/${slug()}`, reader)
    else if (position < 85) yield get(`/tools/${slug()}`, { accept: 'text/html', 'user-agent': BROWSER_AGENT })
    else if (position < 90) yield click(slug(), serial)
    else if (position < 95) yield toolCall()
    else if (position < 98 && outcome.submitted.length > 0)
      yield get(`/api/v1/ai-tools/status?id=${outcome.submitted.at(-1)}`, writer)
    else if (position === 98) yield submission(serial)
    else yield question(serial)
  }

  function click(of: string, serial: number): PlannedRequest {
    // Each click comes from another address, because a visitor counts once a day.
    const address = `10.${(serial >> 16) & 255}.${(serial >> 8) & 255}.${serial & 255}`
    const headers = { 'user-agent': BROWSER_AGENT, 'x-forwarded-for': address }
    return { method: 'GET', path: `/tools/${of}/visit`, headers, expected: 302, done: () => outcome.clicks++ }
  }
  function toolCall(): PlannedRequest {
    const params = { name: 'search_tools', arguments: { q: HOT, limit: 20 } }
    return {
      method: 'POST',
      path: '/mcp',
      headers: { ...reader, accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      expected: 200,
    }
  }
  function submission(serial: number): PlannedRequest {
    return {
      method: 'POST',
      path: '/api/v1/submit-ai-tool',
      headers: writer,
      body: submissionOf(serial),
      expected: 201,
      done: (text) => outcome.submitted.push(JSON.parse(text).data.id),
    }
  }
  function question(serial: number): PlannedRequest {
    const body = { message: `When is number ${serial} listed?`, externalId: `customer-${serial}` }
    return { method: 'POST', path: '/api/v1/support/ask', headers: writer, body, expected: 200 }
  }
}

/** A different product for every number. */
export const submissionOf = (serial: number): object => ({
  name: `Product ${serial}`,
  website: `https://product-${serial}.example.com`,
  tagline: 'Does one thing',
  description: 'Does one thing well.',
  category: 'writing',
  pricing: 'FREE',
  founderName: 'Ada Example',
  founderEmail: 'ada@example.com',
  tags: [],
  paymentType: 'starter',
})
