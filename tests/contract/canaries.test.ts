// Recognisable values in every private column, then everything that the world can read is searched for them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restOperations } from '../../src/operations.ts'
import { addressOf } from '../support/both.ts'
import { outcomesOf } from '../support/done-work.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'
import { DIRECTORIES, newTool, queue, SHELVES, statusOf, submit } from '../support/submissions.ts'

/** Private to everybody but administrators. */
const SECRET = {
  founderEmail: 'zqfounder@private.example.com',
  affiliate: 'zqaffiliate text',
  foundingDate: 'zqfounding spring',
  submissionLink: 'https://zqlink.example.org/submit',
  assignee: 'zqassignee@example.com',
  contactEmail: 'zqcontact@example.com',
  hook: '/zqhook',
}
/** For the partner it belongs to, and for nobody else. */
const OWN = { notes: 'zqnotes of one partner', listing: 'https://zqlisting.example.org/x', partner: 'zqpartner' }
const FIELDS = [
  'founderEmail',
  'foundingDate',
  'isCustomer',
  'isLaunched',
  'submissionLink',
  'assignee',
  'webhookSecret',
]

let service: TestService
let receiver: Receiver
let one: any
let other: any
let catalogKey: string
let tool: any
const idempotencyKey = 'zqidempotency'

beforeAll(async () => {
  receiver = await startReceiver()
  service = await startService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
  await service.load(SHELVES)
  for (const { slug, ...rest } of DIRECTORIES)
    await service.admin('PUT', `/directories/${slug}`, { ...rest, submissionLink: `${SECRET.submissionLink}/${slug}` })
  const options = { contactEmail: SECRET.contactEmail, webhookUrl: receiver.origin + SECRET.hook }
  one = await service.newPartner({ name: OWN.partner, ...options })
  other = await service.newPartner({ webhookUrl: `${receiver.origin}/other` })
  catalogKey = (await service.newKey()).key
  const { founderEmail, affiliate, foundingDate } = SECRET
  const details = { founderEmail, affiliate, foundingDate, isCustomer: true, isLaunched: true, paymentType: 'pro' }
  const body = newTool({ ...details, name: 'Canary Tool', tags: ['api', 'fresh'] })
  const headers = { 'idempotency-key': idempotencyKey }
  tool = (await submit(service, one.key, body, { headers })).body.data
  // The other partner has the same listing and one of its own.
  await submit(service, other.key, newTool({ website: tool.website, paymentType: 'starter' }))
  for (const client of [one, other]) {
    const [submission] = await queue(service, { client: client.id })
    const path = `/submissions/${submission.id}`
    if (client === one) {
      await service.admin('PATCH', path, { assignee: SECRET.assignee, notes: OWN.notes })
      await service.admin('PUT', `${path}/directories/peak`, { isSubmitted: true, listingUrl: OWN.listing })
    }
    await service.admin('PUT', `${path}/directories/alpha-board`, { isSubmitted: true })
    await service.admin('POST', `${path}/done`, {})
    await outcomesOf(service, client)
  }
  await service.settled()
})
afterAll(async () => {
  await service.close()
  await receiver.close()
})

const secrets = () => [
  ...Object.values(SECRET),
  'zqfounder',
  'zqlink',
  one.webhookSecret,
  other.webhookSecret,
  idempotencyKey,
]
const strings = (of: Record<string, string>) => Object.values(of)
/** None of it, whatever the case or the encoding. */
function expectNone(text: string, where: string, forbidden: readonly string[]): void {
  const plain = `${text}\n${unescaped(text)}`.toLowerCase()
  for (const value of forbidden) expect(plain.includes(value.toLowerCase()), `${value} in ${where}`).toBe(false)
}
const unescaped = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll('&#64;', '@').replaceAll('\\u0040', '@'))
  } catch {
    return ''
  }
}

const INPUTS: Record<string, Record<string, unknown>[]> = {
  search_tools: [{ limit: 100 }, { q: 'canary' }, { q: 'zq' }, { category: 'writing' }, { tag: 'fresh' }],
  get_top_tools: [{ limit: 100 }],
  get_tool: [{ slug: 'canary-tool' }, { slug: 'zqnothing' }],
  search_directories: [{ limit: 100 }, { q: 'peak' }],
  get_directory: DIRECTORIES.map(({ slug }) => ({ slug })),
}

describe('nothing private is in', () => {
  test.each(restOperations.filter(({ access }) => access === 'catalog').map(({ name }) => name))(
    '%s, over REST and MCP, for any key',
    async (name) => {
      const operation = restOperations.find((candidate) => candidate.name === name)!
      const forbidden = [
        ...secrets(),
        ...strings(OWN),
        ...FIELDS.map((field) => `"${field}"`),
        '"notes"',
        '"paymentType"',
      ]
      for (const input of INPUTS[name] ?? [{}])
        for (const key of [catalogKey, one.key, other.key]) {
          expectNone((await service.rest(addressOf(operation, input), { key })).text, name, forbidden)
          expectNone(JSON.stringify((await service.tool(name, input, key)).result), name, forbidden)
        }
    },
  )

  test('a search: no private word finds anything', async () => {
    for (const q of [...secrets(), ...strings(OWN), 'zqfounder', 'zqaffiliate'])
      for (const name of ['search_tools', 'search_directories'])
        expect((await service.tool(name, { q })).envelope.pagination.total, `${name} ${q}`).toBe(0)
  })

  test('a page, the discovery document and the OpenAPI document', async () => {
    const paths = [
      '/',
      '/docs',
      '/tools/canary-tool',
      ...DIRECTORIES.map(({ slug }) => `/directories/${slug}`),
      '/api/v1/',
      '/api/v1/openapi.json',
    ]
    for (const path of paths) {
      const reply = await service.fetch(path, { headers: { accept: 'text/html' } })
      expect(reply.status, path).toBe(200)
      expectNone(reply.text, path, [...secrets(), ...strings(OWN)])
    }
  })

  test('an answer to a partner, except what is its own', async () => {
    const fields = FIELDS.map((field) => `"${field}"`)
    const mine = (await statusOf(service, one.key, { id: tool.id })).text
    expectNone(mine, 'own status', [...secrets(), ...fields, OWN.partner])
    expect(mine).toContain(OWN.notes)
    const again = await submit(service, one.key, newTool({ website: tool.website }))
    expectNone(again.text, 'a second submission', [...secrets(), ...fields])
    const theirs = await submit(service, other.key, newTool({ website: tool.website }))
    for (const text of [(await statusOf(service, other.key, { id: tool.id })).text, theirs.text])
      expectNone(text, 'the other partner', [...secrets(), ...strings(OWN), ...fields])
  })

  test('an event, except what is the partner’s own', async () => {
    const [mine] = receiver.at(SECRET.hook)
    const [theirs] = receiver.at('/other')
    const fields = FIELDS.map((field) => `"${field}"`)
    expect(mine!.body.toString()).toContain(OWN.notes)
    expectNone(mine!.body.toString(), 'own event', [...secrets(), ...fields, other.id])
    expectNone(theirs!.body.toString(), "the other's event", [...secrets(), ...strings(OWN), ...fields, one.id])
    for (const { headers } of [mine!, theirs!])
      expectNone(JSON.stringify(headers), 'headers', [one.webhookSecret, other.webhookSecret])
  })

  test('a log line', async () => {
    // Also when things go wrong.
    await submit(service, one.key, newTool({ ...SECRET, website: 'x' }))
    await submit(service, one.key, `{"founderEmail":"${SECRET.founderEmail}",`)
    await statusOf(service, one.key, { website: 'https://zqlink.example.org' })
    const lines = service.logged.map((line) =>
      JSON.stringify(line, (_name, value) =>
        value instanceof Error ? { ...value, text: value.stack, cause: value.cause } : value,
      ),
    )
    expect(lines.length).toBeGreaterThan(50)
    for (const line of lines) expectNone(line, line, [...secrets(), ...strings(OWN), one.key, other.key])
  })
})

test('administrators see what they need', async () => {
  const lines = (await service.fetch('/api/admin/export', { key: 'test-operator-token' })).text
  expect(lines).toContain(SECRET.founderEmail)
  expect(lines).toContain(SECRET.submissionLink)
  expect(JSON.stringify(await queue(service))).toContain(SECRET.assignee)
})
