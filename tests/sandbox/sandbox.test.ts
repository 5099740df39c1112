// What a partner does with a test key: the same calls, the same checks and the same shapes as with a live one.
// @module-tag slow
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { linkAfter, nextStep, rowsAfter } from '../../src/features/sandbox/rules.ts'
import { checkSignatures } from '../../src/features/webhooks/delivery/signature.rules.ts'
import { expectAudited } from '../harness/audit.ts'
import { forgetOld } from '../harness/forget-old.ts'
import { until } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { directories, isComplete, newSandboxPartner, pollUntil, type SandboxPartner } from '../harness/sandbox.ts'
import type { Reply } from '../harness/service.ts'
import { newTool, statusOf, submit, submitted } from '../harness/submissions.ts'
import { ABOUT_REFUNDS, asked, KNOWLEDGE, putArticles, REFUND_PASSAGE, read, UNRELATED } from '../harness/support.ts'
import { use, useService } from '../harness/use.ts'

let partner: SandboxPartner
const receiver = use(startReceiver)
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', SANDBOX_STEP_SECONDS: '0.2' })
beforeAll(async () => {
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'api', name: 'API' },
    { kind: 'tool', slug: 'taken', name: 'Taken', website: 'https://taken.example.com' },
    ...directories(40),
  ])
  partner = await newSandboxPartner(service, { webhookUrl: `${receiver.origin}/hook` })
  await putArticles(service, partner.id, KNOWLEDGE)
})

const issue = (body?: unknown) => service.admin('POST', `/partners/${partner.id}/keys`, body)
const keyNamed = async (id: string) =>
  (await service.admin('GET', `/keys?partner=${partner.id}`)).body.data.find((key: { id: string }) => key.id === id)
const eventsAt = (path: string) => receiver.at(path).map(({ body }) => JSON.parse(String(body)))

describe('a test key', () => {
  test('is issued with test: true, starts with aid_test_ and is marked in the list', async () => {
    let reply: Reply | undefined
    await expectAudited(service, 'key.create', /^key:/, async () => (reply = await issue({ test: true })))
    const { status, body } = reply!
    expect(status).toBe(201)
    expect(body.data).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^aid_test_[0-9A-Za-z]{38}$/),
      last4: body.data.key.slice(-4),
      test: true,
    })
    expect(await keyNamed(body.data.id)).toMatchObject({ kind: 'partner', test: true, lastUsedAt: null })
  })

  test.each([{ test: 'true' }, { test: 1 }, { test: null }, { test: {} }])('is refused for %j', async (body) => {
    const reply = await issue(body)
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining('test')])
  })

  test.each([undefined, {}, { test: false }])('is not what %j asks for', async (body) => {
    const { data } = (await issue(body)).body
    expect([data.key, data.test]).toEqual([expect.stringMatching(/^aid_p_/), false])
    await service.admin('DELETE', `/keys/${data.id}`)
  })

  test('is revoked like any other, and counts apart from live keys', async () => {
    const other = await newSandboxPartner(service)
    const more = await Promise.all(
      Array.from({ length: 5 }, () => service.admin('POST', `/partners/${other.id}/keys`, { test: true })),
    )
    expect(more.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 400])
    expect((await service.admin('POST', `/partners/${other.id}/keys`)).status).toBe(201)
    const { id, key } = more.find(({ status }) => status === 201)!.body.data
    expect((await service.rest('/tags', { key })).status).toBe(200)
    await service.admin('DELETE', `/keys/${id}`)
    expect((await service.rest('/tags', { key })).status).toBe(401)
    expect((await service.admin('GET', `/partners/${other.id}`)).body.data.last4).not.toBe(other.testKey.slice(-4))
  })

  test('stops with a ban, and needs support to be switched on, like a live key', async () => {
    const other = await newSandboxPartner(service, { support: 'off' })
    const ask = () =>
      service.rest('/support/ask', { method: 'POST', key: other.testKey, body: { question: ABOUT_REFUNDS } })
    expect((await ask()).status).toBe(403)
    await service.admin('PATCH', `/partners/${other.id}`, { banned: true })
    expect((await ask()).status).toBe(401)
  })

  test('reads the live catalog over REST and MCP', async () => {
    const live = await service.rest('/directories?limit=5', { key: partner.key })
    expect((await service.rest('/directories?limit=5', { key: partner.testKey })).text).toBe(live.text)
    const { envelope } = await service.tool('get_tool', { slug: 'taken' }, partner.testKey)
    expect(envelope.data.name).toBe('Taken')
  })
})

describe('submitting', () => {
  test('walks to Done by itself, and the event is signed and marked as a test', async () => {
    const { testKey, webhookSecret } = partner
    const tool = await submitted(service, testKey, { paymentType: 'starter', tags: ['api', 'Brand new tag'] })
    expect(tool).toMatchObject({
      url: `${service.origin}/tools/${tool.slug}`,
      category: { slug: 'writing', name: 'Writing' },
      tags: [
        { slug: 'api', name: 'API' },
        { slug: 'brand-new-tag', name: 'Brand new tag' },
      ],
      submissionState: 'IN_QUEUE',
      paymentStatus: 'STARTER',
      targetDirectoriesCount: 30,
      created: true,
    })
    const seen = await pollUntil(service, testKey, { id: tool.id }, isComplete)
    const states = seen.map(({ submissionState }) => submissionState)
    expect([...new Set(states)]).toEqual(['IN_QUEUE', 'ASSIGNED', 'IN_PROGRESS', 'REVIEW', 'DONE'])
    const counts = seen.map(({ summary }) => summary.submittedCount)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(new Set(counts).size).toBeGreaterThan(2)
    const { submissions, summary } = seen.at(-1)
    expect(summary).toMatchObject({ submittedCount: 30, recordedSubmissions: 30 })
    expect(submissions[0]).toEqual({
      name: 'Board 1',
      slug: 'board-1',
      url: 'https://board-1.example.org',
      listingUrl: `https://example.com/board-1/${tool.slug}`,
      domainRating: 99,
      isSubmitted: true,
      submittedBy: 'ADMIN',
      submittedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      proofUrl: null,
      link: { state: 'live', checkedAt: expect.stringMatching(/Z$/), firstLiveAt: submissions[0].link.checkedAt },
      ...{ waitingFor: null, reason: null, action: null },
    })
    await until(() => eventsAt('/hook').some((event) => event.tool?.id === tool.id), 4_000)
    const arrival = receiver.at('/hook').find(({ body }) => String(body).includes(tool.id))!
    const headers = arrival.headers as Record<string, string>
    expect(headers['x-catalog-mode']).toBe('test')
    expect(checkSignatures(webhookSecret, headers, arrival.body)).toEqual({ catalog: 'right', standard: 'right' })
    expect(JSON.parse(String(arrival.body))).toEqual({
      event: 'directory_submissions.completed',
      occurredAt: expect.any(String),
      tool: {
        ...Object.fromEntries(['id', 'name', 'slug', 'website'].map((name) => [name, tool[name]])),
        ...Object.fromEntries(
          ['paymentStatus', 'paymentLabel', 'targetDirectoriesCount'].map((name) => [name, tool[name]]),
        ),
      },
      summary: { submittedCount: 30, recordedSubmissions: 30, notes: summary.notes },
      // The events of the specification never change.
      submissions: submissions.map(
        ({ link: _, waitingFor: __, reason: ___, action: ____, ...row }: Record<string, unknown>) => row,
      ),
    })
  })

  test('sends submission.progress for every state and every row, in order, to a partner that has asked for it', async () => {
    const other = await newSandboxPartner(service, { webhookUrl: `${receiver.origin}/progress` })
    await service.admin('PATCH', `/partners/${other.id}`, { events: ['submission.progress'] })
    const tool = await submitted(service, other.testKey, newTool({ paymentType: 'starter' }))
    await pollUntil(service, other.testKey, { id: tool.id }, isComplete)
    const list = (key: string) => service.rest('/ai-tools?state=DONE', { key })
    expect((await list(other.testKey)).body.data).toMatchObject([{ id: tool.id, submissionState: 'DONE' }])
    expect((await list(other.key)).body.data).toEqual([])
    const progress = () => eventsAt('/progress').filter(({ event }) => event === 'submission.progress')
    await until(() => progress().some(({ submissionState }) => submissionState === 'DONE'), 5_000)
    const states = progress().map(({ submissionState }) => submissionState)
    expect(new Set(states)).toEqual(new Set(['ASSIGNED', 'IN_PROGRESS', 'REVIEW', 'DONE']))
    const waiting = newTool()
    await submit(service, other.testKey, waiting)
    const begun = await submit(service, other.testKey, { ...waiting, paymentType: 'starter' })
    const begins = () => progress().filter(({ submissionState }) => submissionState === 'IN_QUEUE')
    await until(() => begins().length > 0, 5_000)
    expect(begins()).toMatchObject([{ tool: { id: begun.body.data.id, paymentStatus: 'STARTER' } }])
    const { submissions } = (await service.rest(`/ai-tools/status?id=${tool.id}`, { key: other.testKey })).body.data
    const recorded = () => progress().filter((one) => one.submission && one.tool.id === tool.id)
    await until(() => recorded().length === submissions.length, 5_000)
    expect(new Set(recorded().map(({ submission }) => submission.slug))).toEqual(
      new Set(submissions.map(({ slug }: { slug: string }) => slug)),
    )
    // The list of deliveries is newest first, also of those that one step has caused.
    const { data } = (await service.admin('GET', `/webhooks?client=${other.id}&test=true`)).body
    const listed: any[] = []
    for (const { id } of data.toReversed())
      listed.push(JSON.parse((await service.admin('GET', `/webhooks/${id}`)).body.data.body))
    const counts = listed.flatMap((one) =>
      one.submission && one.tool.id === tool.id ? [one.summary.submittedCount] : [],
    )
    expect(counts).toEqual(submissions.map((_: unknown, at: number) => at + 1))
    expect(recorded()[0].submission.listingUrl).toMatch(/^https:\/\/example\.com\//)
    expect(receiver.at('/progress').every(({ headers }) => headers['x-catalog-mode'] === 'test')).toBe(true)
  })

  test('has a report that says it is a test, for the one who has the address', async () => {
    const tool = await submitted(service, partner.testKey, { paymentType: 'starter', name: 'Zqreported' })
    const done = (await pollUntil(service, partner.testKey, { id: tool.id }, isComplete)).at(-1)
    expect(done.reportUrl).toMatch(new RegExp(`^${service.origin}/reports/[0-9a-f]{32}$`))
    const path = new URL(done.reportUrl).pathname
    const report = () => service.fetch(`${path}.json`)
    // Links are found a moment after the work is complete.
    await until(async () => (await report()).body.summary.links.live === 30, 5_000)
    const [page, csv, json] = [await service.fetch(path), await service.fetch(`${path}.csv`), await report()]
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining('This is a test: no directory was contacted'),
    ])
    expect(page.text).toContain('Zqreported')
    expect(csv.text.split('\r\n')).toHaveLength(32)
    expect(json.body).toMatchObject({
      test: true,
      summary: { isComplete: true, submittedCount: 30, links: { live: 30 } },
    })
    const live = await submitted(service, partner.key, { paymentType: 'starter' })
    const { reportUrl } = (await statusOf(service, partner.key, { id: live.id })).body.data
    expect(Object.keys((await service.fetch(`${new URL(reportUrl).pathname}.json`)).body)).not.toContain('test')
  })

  test('checks the body like a live submission', async () => {
    for (const body of [{}, newTool({ category: 'nothing' }), newTool({ website: 'https://10.0.0.1' }), [], 'x']) {
      const [live, made] = [await submit(service, partner.key, body), await submit(service, partner.testKey, body)]
      expect([made.status, made.text]).toEqual([live.status, live.text])
      expect(live.status).toBe(400)
    }
  })

  test('answers with the fields of a live submission, and so does the status', async () => {
    const [live, made] = [await submitted(service, partner.key), await submitted(service, partner.testKey)]
    expect(Object.keys(made)).toEqual(Object.keys(live))
    const [a, b] = [
      (await statusOf(service, partner.key, { id: live.id })).body.data,
      (await statusOf(service, partner.testKey, { id: made.id })).body.data,
    ]
    expect(Object.keys(b)).toEqual(Object.keys(a))
    expect(Object.keys(b.summary)).toEqual(Object.keys(a.summary))
    expect(Object.keys(b.tool)).toEqual(Object.keys(a.tool))
  })

  test('waits without a package, and the same website with one begins the work', async () => {
    const body = newTool()
    const first = await submit(service, partner.testKey, body)
    expect([first.status, first.body.data.submissionState, first.body.data.paymentStatus]).toEqual([
      201,
      null,
      'WAITING',
    ])
    expect((await submit(service, partner.testKey, body)).status).toBe(200)
    const again = await submit(service, partner.testKey, {
      ...body,
      website: `${body.website}/?utm=1`,
      paymentType: 'pro',
    })
    expect([again.status, again.body.data]).toEqual([
      200,
      expect.objectContaining({ id: first.body.data.id, submissionState: 'IN_QUEUE', created: false }),
    ])
    const [other] = await pollUntil(service, partner.testKey, { website: body.website! }, isComplete)
    expect(other.tool.targetDirectoriesCount).toBe(60)
    // There are 40 directories.
    const done = (await statusOf(service, partner.testKey, { slug: first.body.data.slug })).body.data
    expect(done.summary.submittedCount).toBe(40)
    const more = await submit(service, partner.testKey, { ...body, paymentType: 'premium' })
    expect(more.body.data).toMatchObject({ paymentStatus: 'PRO', submissionState: 'DONE' })
  })

  test('chooses a slug that is free among the tests and the public listings', async () => {
    const [a, b, c] = [
      await submitted(service, partner.testKey, { name: 'Taken' }),
      await submitted(service, partner.testKey, { name: 'Twice' }),
      await submitted(service, partner.testKey, { name: 'Twice' }),
    ]
    expect([a.slug, b.slug, c.slug]).toEqual(['taken-2', 'twice', 'twice-2'])
  })

  test('the same website and Idempotency-Key many times at once is one submission', async () => {
    const body = newTool({ paymentType: 'starter' })
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        submit(service, partner.testKey, body, i % 2 ? { headers: { 'idempotency-key': 'k1' } } : {}),
      ),
    )
    expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1)
    expect(replies.filter(({ body }) => body.data.created && true).length).toBeGreaterThanOrEqual(1)
    const other = await submit(service, partner.testKey, newTool(), { headers: { 'idempotency-key': 'k1' } })
    expect(other.status).toBe(400)
    // The live keys know nothing of it.
    const live = await submit(service, partner.key, newTool(), { headers: { 'idempotency-key': 'k1' } })
    expect(live.status).toBe(201)
  })

  test('a host that begins with stuck. never leaves IN_PROGRESS', async () => {
    const website = 'https://stuck.acme.example.com/app'
    const tool = await submitted(service, partner.testKey, { website, paymentType: 'starter' })
    const isStuck = ({ submissionState }: { submissionState: string }) => submissionState === 'IN_PROGRESS'
    await pollUntil(service, partner.testKey, { id: tool.id }, isStuck)
    // The links are found after a step.
    await sleep(300)
    const before = await statusOf(service, partner.testKey, { id: tool.id })
    await sleep(600)
    expect((await statusOf(service, partner.testKey, { id: tool.id })).text).toBe(before.text)
    expect(before.body.data.summary.submittedCount).toBe(8)
  })
})

describe('the steps', () => {
  test('a link is found a step after its directory was recorded', () => {
    const linkAt = (ms: number) => linkAfter(new Date(1_000), { now: new Date(ms), stepMs: 200 })
    expect(linkAt(1_199)).toEqual({ state: 'unchecked', checkedAt: null, firstLiveAt: null })
    expect(linkAt(1_200)).toEqual({ state: 'live', checkedAt: new Date(1_200), firstLiveAt: new Date(1_200) })
    expect(linkAt(9_000)).toEqual(linkAt(1_200))
  })

  const walk = (websiteKey: string) => {
    const seen: string[] = []
    let test: { state: any; parts: number; websiteKey: string } = { state: 'IN_QUEUE', parts: 0, websiteKey }
    let waited = 1
    for (let step = nextStep(test); step; step = step.wait === null ? null : nextStep(test)) {
      test = { ...test, ...step }
      seen.push(`${step.state} ${step.parts}`)
      waited += step.wait ?? 0
    }
    return { seen, waited }
  }

  test('take four steps in all, whatever the parts of the work', () => {
    expect(walk('acme.example.com')).toEqual({
      seen: ['ASSIGNED 0', 'IN_PROGRESS 1', 'IN_PROGRESS 2', 'IN_PROGRESS 3', 'IN_PROGRESS 4', 'REVIEW 4', 'DONE 4'],
      waited: 4,
    })
    expect(walk('stuck.example.com').seen).toEqual(['ASSIGNED 0', 'IN_PROGRESS 1'])
    expect(walk('unstuck.example.com').waited).toBe(4)
  })

  test.each([0, 1, 3, 30])('record %j directories once each, in parts', (count) => {
    const now = new Date()
    const found = Array.from({ length: count }, (_, i) => ({
      name: `${i}`,
      slug: `${i}`,
      url: 'x',
      domainRating: null,
    }))
    let rows: ReturnType<typeof rowsAfter> = []
    for (const parts of [1, 2, 3, 4]) rows = rowsAfter(rows, found, parts, 'acme', now)
    expect(rows.map(({ slug }) => slug)).toEqual(found.map(({ slug }) => slug))
  })
})

describe('asking', () => {
  test('a question that an article answers is answered at once, and its event is a test', async () => {
    const conversation = await asked(service, partner.testKey, { question: ABOUT_REFUNDS, externalId: 'thread-1' })
    expect(conversation).toMatchObject({ status: 'answered', reply: REFUND_PASSAGE, replySource: 'ai' })
    await until(() => eventsAt('/hook').some((event) => event.conversation?.id === conversation.id), 4_000)
    const arrival = receiver.at('/hook').find(({ body }) => String(body).includes(conversation.id))!
    expect(arrival.headers['x-catalog-mode']).toBe('test')
  })

  test('another question gets a sample reply of a person after a step', async () => {
    const conversation = await asked(service, partner.testKey, UNRELATED)
    expect(conversation).toMatchObject({ status: 'pending', reply: null })
    const now = async () => (await read(service, partner.testKey, conversation.id)).body.data
    await until(async () => (await now()).status === 'answered', 4_000)
    expect(await now()).toMatchObject({ replySource: 'human', reply: expect.stringContaining('sample reply') })
    await until(() => eventsAt('/hook').some((event) => event.conversation?.id === conversation.id), 4_000)
  })

  test('human-only partners get the slim shape, with the sample reply as the message', async () => {
    const human = await newSandboxPartner(service, { support: 'human', webhookUrl: `${receiver.origin}/human` })
    const conversation = await asked(service, human.testKey, {
      question: UNRELATED,
      metadata: { peerPushMessageId: 'm1' },
    })
    expect(conversation).toEqual({ id: expect.any(String), externalId: null, status: 'pending', message: null })
    const now = async () => (await read(service, human.testKey, conversation.id)).body.data
    await until(async () => (await now()).status === 'answered', 4_000)
    expect((await now()).message).toMatchObject({ role: 'agent', source: 'human' })
    await until(() => receiver.at('/human').length === 1, 4_000)
  })

  test('a sample reply cannot become an article', async () => {
    const conversation = await asked(service, partner.testKey, UNRELATED)
    const path = `/support/conversations/${conversation.id}`
    await service.admin('POST', `${path}/reply`, { content: 'By hand.' })
    expect((await service.admin('POST', `${path}/article`, {})).status).toBe(400)
    expect((await service.admin('GET', path)).body.data.test).toBe(true)
  })
})

describe('test data', () => {
  test('is deleted after thirty days, and beyond the newest thousand of a partner; live data stays', async () => {
    const other = await newSandboxPartner(service, { webhookUrl: `${receiver.origin}/old` })
    const live = await submitted(service, other.key)
    const liveThread = await asked(service, other.key, UNRELATED)
    const old = await submitted(service, other.testKey, { paymentType: 'starter' })
    const thread = await asked(service, other.testKey, UNRELATED)
    await pollUntil(service, other.testKey, { id: old.id }, isComplete)
    await until(() => receiver.at('/old').length === 2, 4_000)
    const fresh = await submitted(service, other.testKey)
    for (const [table, column] of [
      ['sandbox_submissions', 'created_at'],
      ['webhook_deliveries', 'created_at'],
      ['support_conversations', 'updated_at'],
    ])
      await service.sql(
        `update ${table} set ${column} = now() - interval '31 days' where partner_id = '${other.id}' ${
          table === 'sandbox_submissions' ? `and tool_id = '${old.id}'` : ''
        }`,
      )
    await forgetOld(service)
    expect((await statusOf(service, other.testKey, { id: old.id })).status).toBe(404)
    expect((await statusOf(service, other.testKey, { id: fresh.id })).status).toBe(200)
    expect((await read(service, other.testKey, thread.id)).status).toBe(404)
    expect((await service.admin('GET', `/webhooks?test=true&client=${other.id}`)).body.data).toEqual([])
    expect((await statusOf(service, other.key, { id: live.id })).status).toBe(200)
    expect((await read(service, other.key, liveThread.id)).status).toBe(200)

    await service.sql(`insert into sandbox_submissions (id, partner_id, tool_id, name, slug, website, website_key, pricing, category, tags, notes, rows, parts, created_at, updated_at)
      select 'n' || i, '${other.id}', 'n' || i, 'n', 'n' || i, 'https://n.example.com', 'n' || i, 'FREE', '{}', '[]', '', '[]', 0, now() + i * interval '1 ms', now()
      from generate_series(1, 1000) i`)
    await forgetOld(service)
    expect((await statusOf(service, other.testKey, { id: fresh.id })).status).toBe(404)
    expect((await service.admin('GET', `/submissions?test=true&client=${other.id}&limit=1000`)).body.data.length).toBe(
      1000,
    )
  })

  test('a broken row fails alone, and the others go on', async () => {
    const bad = await submitted(service, partner.testKey, { paymentType: 'starter' })
    await service.sql(
      `update sandbox_submissions set rows = '5', category = 'null', tags = '7' where tool_id = '${bad.id}'`,
    )
    const good = await submitted(service, partner.testKey, { paymentType: 'starter' })
    await pollUntil(service, partner.testKey, { id: good.id }, isComplete)
    expect((await statusOf(service, partner.testKey, { id: bad.id })).status).toBe(200)
    expect((await service.admin('GET', '/submissions?test=true')).status).toBe(200)
  })
})
