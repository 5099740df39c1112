// The traffic of a day in small: what developers, agents, visitors and partners send, so many a second whatever the answers do.
import { Agent, request } from 'node:http'
import { randomFrom } from './catalog.ts'
import { HOT, variedSearches } from './queries.ts'

export interface Traffic {
  /** Which server the next request goes to. */
  pick(): string
  key: string
  partner: string
  slugs: readonly string[]
}

interface Sent {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: object
  expected: number
  /** What an acknowledged one means. */
  done?(answer: string): void
}

export interface Outcome {
  sent: number
  failures: string[]
  times: number[]
  clicks: number
  submitted: string[]
}

const PERSON = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'
const PATIENCE_MS = 10_000
// More open at once than this means that the servers are far behind: a failure, not a reason to fill the memory.
const MOST_OPEN = 500

/** Sends `perSecond` for as long as `running` says so. No request is tried twice. */
export async function send(traffic: Traffic, perSecond: number, running: () => boolean): Promise<Outcome> {
  const outcome: Outcome = { sent: 0, failures: [], times: [], clicks: 0, submitted: [] }
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
      const asked = ask(agent, traffic.pick(), next.next().value, outcome).finally(() => open.delete(asked))
      open.add(asked)
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await Promise.all(open)
  agent.destroy()
  return outcome
}

function ask(agent: Agent, origin: string, sent: Sent, outcome: Outcome): Promise<void> {
  const began = performance.now()
  return new Promise((resolve) => {
    const fail = (why: string) => {
      outcome.failures.push(`${sent.method} ${sent.path}: ${why}`)
      resolve()
    }
    const body = sent.body && JSON.stringify(sent.body)
    const headers = body ? { ...sent.headers, 'content-type': 'application/json' } : sent.headers
    const asked = request(origin + sent.path, { agent, method: sent.method, headers, timeout: PATIENCE_MS })
    asked.once('timeout', () => asked.destroy(new Error(`no answer in ${PATIENCE_MS} ms`)))
    asked.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message))
    asked.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece) => (text += piece))
      response.once('error', (error) => fail(error.message))
      response.once('end', () => {
        if (response.statusCode !== sent.expected) return fail(`${response.statusCode} ${text.slice(0, 200)}`)
        outcome.times.push(performance.now() - began)
        sent.done?.(text)
        resolve()
      })
    })
    asked.end(body)
  })
}

/** Of a hundred: 55 searches, 20 listings, 10 pages, 5 clicks, 5 tool calls, 3 polls, 1 submission, 1 question. */
function* requests({ key, partner, slugs }: Traffic, outcome: Outcome): Generator<Sent, never> {
  const random = randomFrom(11)
  const searches = variedSearches(12)
  const reader = { authorization: `Bearer ${key}` }
  const writer = { authorization: `Bearer ${partner}` }
  const slug = () => slugs[Math.floor(random() * slugs.length)]!
  const get = (path: string, headers: Record<string, string>): Sent => ({ method: 'GET', path, headers, expected: 200 })
  const search = (query: string) => get(`/api/v1/tools?${query}`, reader)
  for (let serial = 0; ; serial++) {
    const way = serial % 100
    if (way < 30) yield search(new URLSearchParams({ q: HOT, limit: '20' }).toString())
    else if (way < 55) yield search(searches.next().value as string)
    else if (way < 75) yield get(`/api/v1/tools/${slug()}`, reader)
    else if (way < 85) yield get(`/tools/${slug()}`, { accept: 'text/html', 'user-agent': PERSON })
    else if (way < 90) yield click(slug(), serial)
    else if (way < 95) yield toolCall()
    else if (way < 98 && outcome.submitted.length > 0)
      yield get(`/api/v1/ai-tools/status?id=${outcome.submitted.at(-1)}`, writer)
    else if (way === 98) yield submission(serial)
    else yield question(serial)
  }

  function click(of: string, serial: number): Sent {
    // Somebody else each time: a visitor counts once a day.
    const address = `10.${(serial >> 16) & 255}.${(serial >> 8) & 255}.${serial & 255}`
    const headers = { 'user-agent': PERSON, 'x-forwarded-for': address }
    return { method: 'GET', path: `/tools/${of}/visit`, headers, expected: 302, done: () => outcome.clicks++ }
  }
  function toolCall(): Sent {
    const params = { name: 'search_tools', arguments: { q: HOT, limit: 20 } }
    return {
      method: 'POST',
      path: '/mcp',
      headers: { ...reader, accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      expected: 200,
    }
  }
  function submission(serial: number): Sent {
    return {
      method: 'POST',
      path: '/api/v1/submit-ai-tool',
      headers: writer,
      body: submissionOf(serial),
      expected: 201,
      done: (text) => outcome.submitted.push(JSON.parse(text).data.id),
    }
  }
  function question(serial: number): Sent {
    const body = { message: `When is number ${serial} listed?`, externalId: `customer-${serial}` }
    return { method: 'POST', path: '/api/v1/support/ask', headers: writer, body, expected: 200 }
  }
}

/** Another product for every number. */
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
