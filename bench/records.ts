// Adds what a service has besides listings (users, keys, partners, submissions, events and conversations) through its API, and
// makes checksums of everything that the operator API shows of them.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, newKey } from './operator.ts'
import { ADMIN_TOKEN, type Server } from './processes.ts'
import { submissionOf } from './traffic.ts'

const KEYS = 300
const PARTNERS = 5
const SUBMISSIONS = 500
const CONVERSATIONS = 500

export async function addRecords(server: Server, directory: string): Promise<void> {
  for (let i = 0; i < KEYS; i++) await newKey(server, `developer-${i}@example.com`, i % 3 ? 'standard' : 'premium')
  const revoked = await call(server, 'GET', `/api/admin/keys?limit=${KEYS / 10}`)
  for (const { id } of revoked) await call(server, 'DELETE', `/api/admin/keys/${id}`)
  const partners: string[] = []
  for (let i = 0; i < PARTNERS; i++) {
    // No server listens at this address, so each event is tried once and stays failed.
    const body = { name: `Platform ${i}`, webhookUrl: 'http://127.0.0.1:9/', support: i % 2 ? 'human' : 'hybrid' }
    partners.push((await call(server, 'POST', '/api/admin/partners', body)).key)
  }
  for (let i = 0; i < SUBMISSIONS; i++) {
    const { id } = await call(server, 'POST', '/api/v1/submit-ai-tool', submissionOf(i), partners[i % PARTNERS])
    const entered = { isSubmitted: true, listingUrl: `https://board.example.org/${i}` }
    await call(server, 'PUT', `/api/admin/submissions/${id}/directories/${directory}`, entered)
    if (i % 2) await call(server, 'POST', `/api/admin/submissions/${id}/done`, { notes: `Done, "all" of ${i}.` })
  }
  for (let i = 0; i < CONVERSATIONS; i++) {
    const body = {
      message: `Where is number ${i}?`,
      externalId: `customer-${i}`,
      metadata: { ticket: i, tags: ['ü', ''] },
    }
    const { id } = await call(server, 'POST', '/api/v1/support/ask', body, partners[i % PARTNERS])
    const reply = { content: `It is on its way.\n\n${i}` }
    if (i % 2) await call(server, 'POST', `/api/admin/support/conversations/${id}/reply`, reply)
  }
  await waitUntilTried(server)
}

/** Waits until events and enrichments were tried once; enrichments are retried a day later. */
async function waitUntilTried(server: Server): Promise<void> {
  const waitWhile = async (path: string, isWaiting: (entry: { attempts: number }) => boolean) => {
    while ((await call(server, 'GET', `/api/admin/${path}?state=pending&limit=1000`)).some(isWaiting)) await sleep(250)
  }
  await waitWhile('webhooks', () => true)
  await waitWhile('enrichments', ({ attempts }) => attempts === 0)
  // The outcome of an attempt is stored only at its end.
  await sleep(3_000)
}

const LISTS = 'keys partners users submissions support/conversations webhooks enrichments audit knowledge'.split(' ')
const PAGE = 1_000

export interface Checksum {
  sum: string
  lines: number
}

/** A checksum of every list of the operator API, including all details of conversations and submissions. */
export async function listSums(server: Server): Promise<Record<string, Checksum>> {
  const sums: Record<string, Checksum> = {}
  for (const list of LISTS) {
    const entries: { id: string }[] = []
    for (let page = 1; entries.length === (page - 1) * PAGE; page++)
      entries.push(...[await call(server, 'GET', `/api/admin/${list}?limit=${PAGE}&page=${page}`)].flat())
    const hash = createHash('sha256').update(JSON.stringify(entries))
    if (list === 'submissions' || list === 'support/conversations')
      for (const { id } of entries) hash.update(JSON.stringify(await call(server, 'GET', `/api/admin/${list}/${id}`)))
    sums[list] = { sum: hash.digest('hex').slice(0, 16), lines: entries.length }
  }
  return sums
}

/** A checksum of the whole export. */
export async function exportSum(server: Server): Promise<Checksum> {
  const response = await fetch(`${server.origin}/api/admin/export`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  const hash = createHash('sha256')
  let lines = 0
  for await (const chunk of response.body!) {
    hash.update(chunk)
    for (const byte of chunk) if (byte === 10) lines++
  }
  return { sum: hash.digest('hex').slice(0, 16), lines }
}
