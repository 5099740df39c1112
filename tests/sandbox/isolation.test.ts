// @module-tag slow
// The sandbox touches nothing that is live, and neither sees the other.
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { supportMetrics } from '../../src/features/support/feature.ts'
import { webhookMetrics } from '../../src/features/webhooks/feature.ts'
import { type Browser, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { startReceiver } from '../harness/receiver.ts'
import { directories, isComplete, newSandboxPartner, pollUntil, type SandboxPartner } from '../harness/sandbox.ts'
import { ADMIN_TOKEN, type Reply } from '../harness/service.ts'
import { newTool, SUBMISSION_CATALOG, statusOf, submit, submitted } from '../harness/submissions.ts'
import {
  ABOUT_REFUNDS,
  ask,
  asked,
  KNOWLEDGE,
  list,
  NOT_FOUND,
  putArticles,
  read,
  UNRELATED,
} from '../harness/support.ts'
import { use, useService } from '../harness/use.ts'

let partner: SandboxPartner
let other: SandboxPartner
let administrator: Browser
let person: Browser
/** The live and the test side of one partner, with the same names for everything. */
let live: { tool: any; conversation: any }
let tested: { tool: any; conversation: any }

const SAME_TOOL = { name: 'Same', website: 'https://same.example.com', paymentType: 'starter' }
const SAME_QUESTION = { question: UNRELATED, externalId: 'ticket-1', metadata: { peerPushMessageId: 'message-1' } }

const receiver = use(() => startReceiver({ '/broken': (response) => response.writeHead(500).end() }))
const service = useService({
  OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  SANDBOX_STEP_SECONDS: '0.05',
  ENRICHMENT_RETRY_SECONDS: '3600',
})
beforeAll(async () => {
  await service.load([...SUBMISSION_CATALOG, ...directories(8)])
  partner = await newSandboxPartner(service, { webhookUrl: `${receiver.origin}/broken` })
  other = await newSandboxPartner(service)
  await putArticles(service, null, KNOWLEDGE)
  administrator = await signedUpAdmin(service)
  person = await signedUp(service)
  const { id } = await userNamed(service, (person as Browser & { email: string }).email)
  await service.admin('PATCH', `/users/${id}`, { partner: partner.id })
  const side = async (key: string) => ({
    tool: await submitted(service, key, SAME_TOOL),
    conversation: await asked(service, key, SAME_QUESTION),
  })
  // A failed live delivery, which operators see as open.
  const done = await submitted(service, partner.key, { paymentType: 'starter' })
  await service.admin('POST', `/submissions/${done.id}/done`, {})
  live = await side(partner.key)
  tested = await side(partner.testKey)
  await pollUntil(service, partner.testKey, { id: tested.tool.id }, isComplete)
})

const ofTool = (tool: any): Record<string, string>[] => [{ id: tool.id }, { slug: tool.slug }]

describe('one side and the other', () => {
  test('have the same names and are two', () => {
    expect(tested.tool.id).not.toBe(live.tool.id)
    expect(tested.tool.created).toBe(true)
    expect(tested.conversation.id).not.toBe(live.conversation.id)
  })

  test.each([
    ['a live key', 'a test', () => partner.key, () => tested],
    ['a test key', 'a live one', () => partner.testKey, () => live],
    ['a live key of another partner', 'a test', () => other.key, () => tested],
    ['a test key of another partner', 'a test', () => other.testKey, () => tested],
    ['a test key of another partner', 'a live one', () => other.testKey, () => live],
  ])('%s does not find %s', async (_who, _what, keyOf, sideOf) => {
    const [key, { tool, conversation }] = [keyOf(), sideOf()]
    const unknown = await statusOf(service, key, { id: 'nothing' })
    expect(unknown.status).toBe(404)
    expect((await statusOf(service, key, { id: tool.id })).text).toBe(unknown.text)
    expect((await read(service, key, conversation.id)).text).toBe(NOT_FOUND)
    const continued = await ask(service, key, { question: UNRELATED, conversationId: conversation.id })
    expect([continued.status, continued.text]).toEqual([404, NOT_FOUND])
    const ids = (await list(service, key, { id: conversation.id })).body.data
    expect(ids).toEqual([])
  })

  test('a slug or a website finds the own submission alone', async () => {
    const find = async (key: string, by: Record<string, string>) =>
      (await statusOf(service, key, by)).body.data?.tool.id
    const website = SAME_TOOL.website
    expect([await find(partner.key, { website }), await find(partner.testKey, { website })]).toEqual([
      live.tool.id,
      tested.tool.id,
    ])
    expect(await find(partner.testKey, { slug: tested.tool.slug })).toBe(tested.tool.id)
    for (const key of [other.key, other.testKey]) {
      expect(await find(key, { website })).toBeUndefined()
      for (const by of ofTool(tested.tool)) expect(await find(key, by)).toBeUndefined()
    }
  })

  test('a thread id and a message id belong to each side', async () => {
    for (const [key, { conversation }] of [
      [partner.key, live],
      [partner.testKey, tested],
    ] as const) {
      expect((await asked(service, key, SAME_QUESTION)).id).toBe(conversation.id)
      expect((await list(service, key, { externalId: 'ticket-1' })).body.data.map(({ id }: any) => id)).toEqual([
        conversation.id,
      ])
    }
  })

  test('the list of conversations has those of its own side', async () => {
    const ids = async (key: string) => (await list(service, key)).body.data.map(({ id }: any) => id)
    expect(await ids(partner.testKey)).not.toContain(live.conversation.id)
    expect(await ids(partner.key)).not.toContain(tested.conversation.id)
    expect(await ids(other.testKey)).toEqual([])
  })

  test('the list of own submissions has those of its own side', async () => {
    const ctx = service.context()
    const found = await ctx.sandbox.list(ctx, partner.id, {}, 20, 0)
    expect(found.map(({ tool }) => tool.id)).toEqual([tested.tool.id])
    expect(await ctx.sandbox.list(ctx, partner.id, { state: 'WAITING' }, 20, 0)).toEqual([])
    expect(await ctx.sandbox.list(ctx, other.id, {}, 20, 0)).toEqual([])
  })

  test('a key without access to the operator API stays without it', async () => {
    for (const path of ['/api/admin/submissions?test=true', '/api/admin/webhooks?test=true'])
      expect((await service.fetch(path, { key: partner.testKey })).status).toBe(403)
  })
})

describe('operators', () => {
  const ids = async (path: string) => (await service.admin('GET', path)).body.data.map(({ id }: any) => id)
  const toolIds = async (path: string) => (await service.admin('GET', path)).body.data.map((row: any) => row.toolId)

  test('see test submissions only on request, in the shape of the queue', async () => {
    const rows = (await service.admin('GET', '/submissions?test=true')).body.data
    const [row] = rows.filter(({ toolId }: any) => toolId === tested.tool.id)
    const [queued] = (await service.admin('GET', '/submissions?limit=1')).body.data
    expect(Object.keys(row)).toEqual(Object.keys(queued))
    expect(row).toMatchObject({
      clientId: partner.id,
      state: 'DONE',
      assignee: 'sandbox',
      submittedCount: 12,
      targetDirectoriesCount: 30,
      client: { id: partner.id },
      tool: { slug: tested.tool.slug },
    })
    expect(rows.map(({ toolId }: any) => toolId)).not.toContain(live.tool.id)
    for (const none of ['', '?test=false']) expect(await toolIds(`/submissions${none}`)).not.toContain(tested.tool.id)
    expect(await toolIds('/submissions?test=true&state=DONE&assignee=sandbox&q=same')).toEqual([tested.tool.id])
    expect(await toolIds(`/submissions?test=true&client=${other.id}`)).toEqual([])
    expect((await service.admin('GET', '/submissions?test=maybe')).status).toBe(400)
    for (const by of [row.id, tested.tool.id])
      for (const [method, path, body] of [
        ['GET', `/submissions/${by}`, undefined],
        ['PATCH', `/submissions/${by}`, { notes: 'x' }],
        ['POST', `/submissions/${by}/done`, {}],
      ] as const)
        expect((await service.admin(method, path, body)).status).toBe(404)
  })

  test('see test conversations and deliveries only on request', async () => {
    expect(await ids('/support/conversations?test=true')).toEqual([tested.conversation.id])
    for (const query of ['', '?status=pending', '?status=answered', '?q=Lisbon'])
      expect(await ids(`/support/conversations${query}`)).not.toContain(tested.conversation.id)
    const deliveries = (await service.admin('GET', '/webhooks?test=true')).body.data
    expect(deliveries.length).toBeGreaterThan(0)
    for (const { id } of deliveries) {
      expect(await ids('/webhooks')).not.toContain(id)
      expect((await service.admin('GET', `/webhooks/${id}`)).body.data.test).toBe(true)
    }
    expect(await ids('/webhooks?test=true&open=true')).not.toEqual([])
  })

  test('send a test again as a test', async () => {
    const [delivery] = (await service.admin('GET', '/webhooks?test=true')).body.data
    const again = (await service.admin('POST', `/webhooks/${delivery.id}/resend`)).body.data
    expect(await ids('/webhooks')).not.toContain(again.id)
    expect(await ids('/webhooks?test=true')).toContain(again.id)
  })

  test('issue a test key in the console, where it is marked', async () => {
    const page = `/admin/partners/${other.id}`
    const reply = await administrator.submit(page, `${page}/keys`, { test: 'true' })
    expect([reply.status, reply.text]).toEqual([201, expect.stringMatching(/aid_test_[0-9A-Za-z]{38}/)])
    expect((await administrator.open(page)).text).toMatch(/>Test<\/span>/)
  })

  test.each(['/admin/submissions', '/admin/support?status=all', '/admin/webhooks'])(
    'find the tests behind a link of %s',
    async (path) => {
      const page = await administrator.open(path)
      expect(page.status).toBe(200)
      const [, href] = /<a class="clear" href="([^"]+)">Show tests<\/a>/.exec(page.text)!
      const tests = await administrator.open(href!.replaceAll('&amp;', '&'))
      expect([tests.status, tests.text]).toEqual([200, expect.stringContaining('Hide tests')])
    },
  )
})

/** Every answer that must be the same whatever happens in sandboxes, as `[what, bytes]`. */
async function liveAnswers(): Promise<[string, string][]> {
  const rest = (path: string) => service.rest(path, { key: partner.key })
  const reads: Record<string, (path: string) => Promise<Reply>> = {
    rest,
    operator: (path) => service.admin('GET', path),
    site: (path) => service.fetch(path, { headers: { accept: 'text/html' } }),
    console: (path) => administrator.open(path),
    dashboard: (path) => person.open(path),
  }
  const paths: Record<string, string[]> = {
    rest: [
      ...['/tools', '/tools?q=same', '/tools/top', '/categories', '/tags', '/tags?q=brand', '/directories'],
      ...['/directory-categories', `/tools/${live.tool.slug}`, `/ai-tools/status?id=${live.tool.id}`],
      ...['/support/conversations', `/support/conversations/${live.conversation.id}`],
    ],
    operator: [
      ...[
        '/submissions',
        '/submissions?sort=changed',
        '/support/conversations',
        '/support/conversations?status=pending',
      ],
      ...['/webhooks', '/webhooks?open=true', '/overview', '/tools', '/tags', '/directories', '/export', '/partners'],
      ...['/audit', '/enrichments', '/unfound-questions', '/broken-rows', '/users', `/submissions/${live.tool.id}`],
      ...['/knowledge', `/search?q=same&explain=true&listing=${live.tool.slug}`],
    ],
    site: [
      '/',
      '/tools',
      '/search?q=same',
      `/tools/${live.tool.slug}`,
      '/tags',
      '/categories',
      '/directories',
      '/llms.txt',
    ],
    console: [
      '/admin',
      '/admin/submissions?view=table',
      '/admin/support?status=all',
      '/admin/webhooks',
      '/admin/audit',
    ],
    dashboard: ['/dashboard/partner', '/dashboard/partner/webhooks', '/dashboard/partner/support'],
  }
  const answers: [string, string][] = []
  for (const [where, all] of Object.entries(paths))
    for (const path of all) {
      const reply = await reads[where]!(path)
      answers.push([`${where} ${path}`, `${reply.status} ${withoutToken(reply.text)}`])
    }
  const found = await service.tool('search_tools', { q: 'same' }, partner.key)
  const { text } = await service.fetch('/metrics', { key: ADMIN_TOKEN })
  const metrics = text.split('\n').filter((line) => /^catalog_(listings|jobs|broken)/.test(line))
  const counts = await service.sql(`select (select count(*) from tools) as tools, (select count(*) from tags) as tags,
    (select count(*) from submissions) as submissions, (select count(*) from submission_rows) as rows,
    (select count(*) from directories) as directories, (select count(*) from enrichments) as enrichments,
    (select count(*) from audit) as audit`)
  // The service keeps counted rows for some seconds, so they are counted anew here.
  const query = async (statement: string) => ({ rows: await service.sql(statement) })
  const counted = [...webhookMetrics(query), ...supportMetrics(query)].map(async ({ name, read }) => [
    name,
    await read(),
  ])
  return [
    ...answers,
    ['mcp', found.text],
    ['metrics', metrics.join('\n')],
    ['counted', JSON.stringify(await Promise.all(counted))],
    ['counts', JSON.stringify(counts)],
  ]
}

// Form tokens and nonces differ in every answer.
const withoutToken = (text: string) =>
  text.replace(/name="token" value="[^"]*"/g, '').replace(/nonce="[^"]*"|nonce-[\w+/=-]+/g, '')

/** What programs do with test keys, by number. */
const ACTIONS: readonly ((key: string, n: number) => Promise<Reply>)[] = [
  (key, n) => submit(service, key, newTool({ ...SAME_TOOL, website: `https://random-${n}.example.com` })),
  (key, n) =>
    submit(
      service,
      key,
      newTool({ website: `https://random-${n}.example.com`, tags: [`Brand new ${n}`], slug: 'same' }),
      {
        headers: { 'idempotency-key': `order-${n % 3}` },
      },
    ),
  (key) => submit(service, key, newTool(SAME_TOOL)),
  (key) => submit(service, key, {}),
  (key) =>
    submit(service, key, newTool({ website: `https://stuck.${live.tool.slug}.example.com`, paymentType: 'pro' })),
  (key) => statusOf(service, key, { id: live.tool.id }),
  (key, n) => ask(service, key, { question: n % 2 ? UNRELATED : ABOUT_REFUNDS, externalId: `ticket-${n % 4}` }),
  (key) => ask(service, key, { ...SAME_QUESTION, customer: { email: 'x@example.com' } }),
  (key) => ask(service, key, { question: UNRELATED, conversationId: live.conversation.id }),
  (key) => read(service, key, live.conversation.id),
  (key) => service.rest('/tools?q=nosuchthing', { key }),
  (key) => service.rest(`/tools/${live.tool.slug}`, { key }),
]

test('a random sequence of calls with test keys leaves every answer of live reads as it was, byte for byte', async () => {
  // Enrichment of the live listings and the failed delivery are over.
  await expect.poll(async () => (await service.admin('GET', '/webhooks')).body.data[0].state).toBe('failed')
  const unfinished = `select (select count(*) from enrichments where attempts = 0) + (select count(*) from jobs.job where state = 'active') as n`
  await expect.poll(async () => Number((await service.sql(unfinished))[0].n), { timeout: 20_000 }).toBe(0)
  const before = await liveAnswers()
  expect(await liveAnswers()).toEqual(before)
  for (const [what, text] of before)
    expect([what, text.slice(0, 4)]).toEqual([what, what.includes(' ') ? '200 ' : text.slice(0, 4)])
  const step = fc.tuple(fc.nat(ACTIONS.length - 1), fc.nat(9), fc.boolean())
  const [steps] = fc.sample(fc.array(step, { minLength: 60, maxLength: 60 }), {
    numRuns: 1,
    seed: Number(process.env.FUZZ_SEED ?? 7),
  })
  for (const [action, n, ofOther] of steps!) {
    const reply = await ACTIONS[action]!((ofOther ? other : partner).testKey, n)
    expect(reply.status).toBeLessThan(500)
  }
  // The walks and the sample replies are over, too.
  await new Promise((resolve) => setTimeout(resolve, 600))
  // Test questions that wait are in no count either.
  await service.sql(`update support_conversations set status = 'pending', open_questions = 1 where test`)
  const after = new Map(await liveAnswers())
  for (const [what, text] of before) expect([what, after.get(what)]).toEqual([what, text])
  expect((await service.admin('GET', '/submissions?test=true')).body.data.length).toBeGreaterThan(3)
})

test('changing many submissions, what comes next and the counts of the menu leave tests out', async () => {
  const tests = (await service.admin('GET', '/submissions?test=true')).body.data
  const ids = tests.map(({ id }: any) => id)
  expect(ids.length).toBeGreaterThan(0)
  const body = { submissions: ids.map((id: string) => ({ id })), assignee: 'op@example.com' }
  const answers = (await service.admin('POST', '/submissions/bulk', body)).body.data
  for (const { error } of answers) expect(error).toContain('not found')
  expect((await service.admin('GET', '/submissions?test=true&sort=-assignee')).body.data).toHaveLength(ids.length)
  const { next } = (await service.admin('GET', '/queue/next')).body.data
  expect(ids).not.toContain(next?.id)
  const question = (await service.admin('GET', '/support/next')).body.data.next
  const inbox = (await service.admin('GET', '/support/conversations?status=pending')).body.data
  expect(inbox.map(({ id }: any) => id)).toContain(question.id)
  expect((await service.admin('GET', '/overview/waiting')).body.data).toEqual({
    queue: (await service.admin('GET', '/submissions?state=IN_QUEUE')).body.data.length,
    inbox: inbox.length,
    lostLinks: 0,
    orders: 0,
    reviews: 0,
    proposals: 0,
    health: 0,
    visitorReports: 0,
  })
})
