// Two services on one PostgreSQL, each behind its own proxy, and every kind of write that clients send to them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { type ServiceProcess, spawnService, until } from './process.ts'
import { type ProductSite, productSite } from './product-site.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { createDatabase } from './service.ts'
import { type TimedReply, timedRequest } from './timed-requests.ts'

const PASSWORD = 'correct horse battery'

export interface Pair {
  services: [ServiceProcess, ServiceProcess]
  /** One proxy between each service and the database. */
  proxies: [FaultProxy, FaultProxy]
  /** The settings for one more process on the same database, through the given proxy. */
  environment(proxy: FaultProxy): Record<string, string>
  /** A key that reads the catalog. */
  key: string
  partner: { id: string; key: string }
  receiver: Receiver
  writes: Record<string, (service: ServiceProcess) => Promise<TimedReply>>
  /** The ids of everything that the service acknowledged with a success. */
  acknowledged: Record<'listings' | 'keys' | 'submissions' | 'conversations' | 'done', string[]>
  /** The website of every submission that was sent, whatever the answer. */
  websites: string[]
  newKey(service?: ServiceProcess): Promise<{ id: string; key: string }>
  /** Runs SQL directly on the database, without the services. */
  query<Row extends object>(text: string): Promise<Row[]>
  close(): Promise<void>
}

export async function startPair(environment: Record<string, string> = {}): Promise<Pair> {
  const database = await createDatabase(process.env.TEST_DATABASE_URL!)
  const { hostname: host, port } = new URL(database.url)
  const start = () => startFaultProxy({ host, port: Number(port) })
  const proxies: Pair['proxies'] = [await start(), await start()]
  const receiver = await startReceiver()
  const site = await productSite({})
  const folders: string[] = []
  const environmentOf = (proxy: FaultProxy) => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'catalog-pair-'))
    folders.push(DATA_DIR)
    const url = new URL(database.url)
    url.port = String(proxy.port)
    return {
      DATA_DIR,
      DATABASE_URL: url.href,
      KEY_PEPPER: 'a pepper that both processes share, long enough',
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      RATE_LIMIT_SCALE: '100000',
      ENRICHMENT_RETRY_SECONDS: '1',
      ...environment,
    }
  }
  const services: Pair['services'] = [
    await spawnService(environmentOf(proxies[0])),
    await spawnService(environmentOf(proxies[1])),
  ]
  await Promise.all(services.map((service) => service.ready()))
  const [a] = services

  const must = async (path: string, body: object, method = 'POST') => {
    const reply = await timedRequest(a, `/api/admin${path}`, { method, body })
    if (reply.status > 201) throw new Error(`${method} ${path} answered ${reply.status}: ${reply.text}`)
    return reply.body.data
  }
  await must('/categories/writing', { name: 'Writing' }, 'PUT')
  const partner = await must('/partners', { name: 'Pair', support: 'hybrid', webhookUrl: `${receiver.origin}/` })
  const { key } = await must('/keys', { email: 'reader@example.com', plan: 'premium' })
  const form = (service: ServiceProcess, path: string) =>
    timedRequest(service, path, {
      key: null,
      type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams({ email: 'person@example.com', password: PASSWORD }).toString(),
      headers: { origin: service.origin, 'sec-fetch-site': 'same-origin', accept: 'application/json' },
    })
  await form(a, '/sign-up')

  const pair: Omit<Pair, 'writes'> = {
    services,
    proxies,
    environment: environmentOf,
    key,
    partner,
    receiver,
    acknowledged: { listings: [], keys: [], submissions: [], conversations: [], done: [] },
    websites: [],
    async newKey(service = a) {
      const email = `user-${Math.random()}@example.com`
      return (await timedRequest(service, '/api/admin/keys', { body: { email } })).body.data
    },
    async query<Row extends object>(text: string) {
      const client = new pg.Client(database.url)
      client.on('error', () => {})
      await client.connect()
      const { rows } = await client.query<Row>(text)
      await client.end()
      return rows
    },
    async close() {
      for (const proxy of proxies) await proxy.restore()
      await Promise.all(services.map((service) => service.kill('SIGTERM')))
      await Promise.all([...proxies, receiver, site].map((one) => one.close()))
      await database.drop()
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    },
  }
  const writes = writesOf(pair, site, (service) => form(service, '/sign-in'))
  // The write that marks a submission Done needs submissions.
  for (let i = 0; i < 3; i++) await writes['submit a tool']!(a)
  await until(
    async () => (await timedRequest(services[1], '/api/v1/tools', { key })).body.pagination?.total === 3,
    5_000,
  )
  return { ...pair, writes }
}

let serial = 0

function writesOf(
  { acknowledged, websites, partner }: Pick<Pair, 'acknowledged' | 'websites' | 'partner'>,
  site: ProductSite,
  signIn: (service: ServiceProcess) => Promise<TimedReply>,
): Pair['writes'] {
  const keep = (reply: TimedReply, list: keyof Pair['acknowledged'], what: () => string) => {
    if (reply.status < 300) acknowledged[list].push(what())
    return reply
  }
  return {
    async 'put a listing'(service) {
      const slug = `listing-${++serial}`
      const reply = await timedRequest(service, `/api/admin/tools/${slug}`, { method: 'PUT', body: { name: slug } })
      return keep(reply, 'listings', () => slug)
    },
    async 'make a key'(service) {
      const reply = await timedRequest(service, '/api/admin/keys', { body: { email: `user${++serial}@example.com` } })
      return keep(reply, 'keys', () => reply.body.data.key)
    },
    async 'submit a tool'(service) {
      const website = `${site.url}/${++serial}`
      websites.push(website)
      const texts = {
        name: `Tool ${serial}`,
        tagline: 't',
        description: 'd',
        founderName: 'F',
        founderEmail: 'f@x.com',
      }
      const body = { ...texts, website, category: 'writing', pricing: 'FREE', tags: [], paymentType: 'starter' }
      const reply = await timedRequest(service, '/api/v1/submit-ai-tool', { key: partner.key, body })
      return keep(reply, 'submissions', () => reply.body.data.id)
    },
    async 'ask support'(service) {
      const reply = await timedRequest(service, '/api/v1/support/ask', {
        key: partner.key,
        body: { question: `Question ${++serial}?` },
      })
      return keep(reply, 'conversations', () => reply.body.data.id)
    },
    async 'mark Done'(service) {
      const id = acknowledged.submissions[serial++ % acknowledged.submissions.length]!
      return keep(await timedRequest(service, `/api/admin/submissions/${id}/done`, { body: {} }), 'done', () => id)
    },
    'sign in': signIn,
  }
}
