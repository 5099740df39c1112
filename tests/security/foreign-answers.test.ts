// What other hosts answer costs the main thread little, whatever form it has: a host that is asked must not be able to keep it busy.
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_ROBOTS_BYTES, robotsRules } from '../../src/features/proof/rules.ts'
import { createOutbound } from '../../src/platform/outbound/outbound.ts'

const MOST_MS = 80
const outbound = createOutbound({ allowed: ['127.0.0.0/8'] })
let host: Server
let answer: string

beforeAll(async () => {
  host = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(answer))
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await outbound.close()
  host.close()
})

/** The processor time of the main thread; the best of three, because the machine has other work too. */
async function costOf(work: () => unknown): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 4; i++) {
    const before = process.threadCpuUsage()
    await work()
    const { user, system } = process.threadCpuUsage(before)
    times.push((user + system) / 1000)
  }
  return Math.min(...times.slice(1))
}

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`

test.each([
  ['more headers than are read', `${OK}${'a:b\r\n'.repeat(40_000)}\r\n`],
  ['more trailers than are read', `${CHUNKED}1\r\na\r\n0\r\n${'a:b\r\n'.repeat(40_000)}\r\n`],
  ['pieces of a byte', `${CHUNKED}${'1\r\na\r\n'.repeat(400_000)}0\r\n\r\n`],
  ['interim answers', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100_000)],
])('%s', async (_name, text) => {
  answer = text
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`
  const ask = () => outbound.fetch(url, { maxBytes: 2 ** 21, timeoutMs: 10_000, redirects: 0 }).catch(() => {})
  expect(await costOf(ask)).toBeLessThan(MOST_MS)
})

test.each([
  ['line breaks', '\n'],
  ['carriage returns', '\r'],
  ['lines of a letter', 'a\n'],
  ['empty rules', 'allow:\n'],
  ['blanks', ' '],
])('a robots.txt of nothing but %s', async (_name, text) => {
  const file = text.repeat(MAX_ROBOTS_BYTES / text.length)
  expect(await costOf(() => robotsRules(file))).toBeLessThan(MOST_MS / 2)
})
