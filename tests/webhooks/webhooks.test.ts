// Events from an administrator's Done to a real receiver.
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkSignatures } from '../../src/features/webhooks/delivery/signature.rules.ts'
import * as work from '../harness/done-work.ts'
import { letMistakesHappen } from '../harness/process.ts'
import { type ReceivedRequest, type ReceiverAnswer, startReceiver } from '../harness/receiver.ts'
import { freePort } from '../harness/service.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { use, useService } from '../harness/use.ts'

const HEADERS = [
  'content-type',
  'user-agent',
  'x-catalog-event',
  'x-catalog-signature',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]

/** Sends the text again and again, as fast as the other side reads it. */
const flooding =
  (first: string, text: string): ReceiverAnswer =>
  (_response, { socket }) => {
    const bytes = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)))
    const send = () => {
      while (!socket.destroyed && socket.write(bytes));
    }
    socket.on('error', () => {}).on('drain', send)
    socket.write(first)
    send()
  }

let hanging: { partner: work.WebhookPartner; started: number }
const folder = temporaryFolder('webhooks')

const receiver = use(() =>
  startReceiver({
    '/500': (response) => response.writeHead(500).end('broken, sorry'),
    '/302': (response) => response.writeHead(302, { location: '/moved' }).end(),
    '/204': (response) => response.writeHead(204).end(),
    '/hang': () => {},
    '/close': (_response, request) => request.socket.destroy(),
    '/garbage': (_response, request) => request.socket.end('\0\x01 garbage\r\n\r\n'),
    '/binary': (response) => response.end(Buffer.concat([Buffer.from('ok\0\x1b[2J'), Buffer.alloc(600, 0xff)])),
    '/hints': flooding('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    '/extension': flooding('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'x'),
    '/wrong-gzip': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('not packed'),
    '/huge': (response) => response.end(Buffer.alloc(5_000_000, 'x')),
    '/half': (response, request) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => request.socket.destroy())
    },
  }),
)
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.1/32' })
beforeAll(async () => {
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    {
      kind: 'directory',
      slug: 'launch-list',
      name: 'Launch List',
      website: 'https://launch-list.example.org',
      domainRating: 71,
    },
    { kind: 'directory', slug: 'never-entered', name: 'Never Entered', website: 'https://never.example.org' },
  ])
  // This receiver hangs for ten seconds; other tests run in the meantime.
  hanging = { partner: await partnerAt('/hang'), started: Date.now() }
  await work.markDone(service, await work.submitTool(service, hanging.partner))
})

const partnerAt = (path: string | null): Promise<work.WebhookPartner> =>
  service.newPartner(path === null ? {} : { webhookUrl: receiver.origin + path }) as Promise<work.WebhookPartner>

/** Computes the signature with openssl, from the bytes as they were received. */
function opensslSignature(secret: string, body: Buffer): string {
  const file = join(folder, 'body')
  writeFileSync(file, body)
  const printed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, file], { encoding: 'utf8' })
  return `sha256=${/([0-9a-f]{64})\s*$/.exec(printed)![1]}`
}

function expectSigned(arrival: ReceivedRequest, secret: string): void {
  expect(arrival.headers['x-catalog-signature']).toBe(opensslSignature(secret, arrival.body))
  const headers = arrival.headers as Record<string, string>
  expect(checkSignatures(secret, headers, arrival.body)).toEqual({ catalog: 'right', standard: 'right' })
  expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
}

async function deliver(path: string): Promise<work.Delivery> {
  const partner = await partnerAt(path)
  const toolId = await work.submitTool(service, partner)
  const { status, body } = await work.markDone(service, toolId)
  // Done succeeds whatever the receiver does.
  expect([status, body.data.state]).toEqual([200, 'DONE'])
  const [delivery] = await work.outcomesOf(service, partner)
  return delivery!
}

describe('Done on a submission', () => {
  test('delivers directory_submissions.completed once, signed, with the headers and the body of the specification', async () => {
    const partner = await partnerAt('/first')
    const toolId = await work.submitTool(service, partner, { name: 'First', paymentType: 'pro' })
    const entered = { isSubmitted: true, listingUrl: 'https://launch-list.example.org/first', submittedBy: 'OWNER' }
    await service.admin('PUT', `/submissions/${toolId}/directories/launch-list`, entered)
    await service.admin('PUT', `/submissions/${toolId}/directories/never-entered`, { isSubmitted: false })
    expect(receiver.at('/first')).toEqual([])
    await work.markDone(service, toolId, { notes: 'All entered.' })
    const [delivery] = await work.outcomesOf(service, partner)
    const [arrival] = receiver.at('/first')
    expect(receiver.at('/first')).toHaveLength(1)

    expectSigned(arrival!, partner.webhookSecret)
    expect(arrival!.method).toBe('POST')
    expect(arrival!.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Catalog-Webhook/1.0',
      'x-catalog-event': 'directory_submissions.completed',
      'webhook-id': delivery!.eventId,
    })
    const transport = ['host', 'connection', 'content-length', 'accept-encoding']
    expect(Object.keys(arrival!.headers).sort()).toEqual([...HEADERS, ...transport].sort())
    const body = JSON.parse(arrival!.body.toString())
    expect(body).toEqual({
      event: 'directory_submissions.completed',
      occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      tool: {
        ...{ id: toolId, name: 'First', slug: 'first', website: expect.stringMatching(/^https:/) },
        ...{ paymentStatus: 'PRO', paymentLabel: 'Pro (60+ directories)', targetDirectoriesCount: 60 },
      },
      summary: { submittedCount: 1, recordedSubmissions: 2, notes: 'All entered.' },
      submissions: [
        {
          ...{ name: 'Launch List', slug: 'launch-list', url: 'https://launch-list.example.org', domainRating: 71 },
          ...{ ...entered, submittedAt: expect.stringMatching(/Z$/), proofUrl: null },
        },
      ],
    })
    expect(delivery).toMatchObject({ state: 'delivered', status: 200, error: null, answer: 'ok', clientId: partner.id })
    expect(delivery!.durationMs).toBeGreaterThanOrEqual(0)
    expect(new Date(delivery!.attemptedAt!) >= new Date(delivery!.createdAt)).toBe(true)
  })

  test('any Unicode arrives as it was written, with a valid signature', async () => {
    const partner = await partnerAt('/unicode')
    const notes =
      'Grüße 世界 👩🏽‍🚀 \u202eabc\u202c \u2028\u2029 "quoted" \\ </script> é ÿ \u{10ffff} \t\n ﷽ \u00ad\ufeff.'
    const toolId = await work.submitTool(service, partner, { name: 'Ünïcødé 世界 👩🏽‍🚀' })
    await work.markDone(service, toolId, { notes })
    await work.outcomesOf(service, partner)
    const [arrival] = receiver.at('/unicode')
    expectSigned(arrival!, partner.webhookSecret)
    const { tool, summary } = JSON.parse(arrival!.body.toString())
    expect([tool.name, summary.notes]).toEqual(['Ünïcødé 世界 👩🏽‍🚀', notes])
    expect(arrival!.headers['content-length']).toBe(String(arrival!.body.length))
  })

  test('ten times at once, by POST and PATCH: one event; a second Done sends nothing', async () => {
    const partner = await partnerAt('/at-once')
    const toolId = await work.submitTool(service, partner)
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        i % 2 ? work.markDone(service, toolId) : service.admin('PATCH', `/submissions/${toolId}`, { state: 'DONE' }),
      ),
    )
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    await work.outcomesOf(service, partner)
    expect((await work.markDone(service, toolId)).status).toBe(200)
    await letMistakesHappen()
    expect(await work.deliveriesOf(service, partner)).toHaveLength(1)
    expect(receiver.at('/at-once')).toHaveLength(1)
  })

  test('without a webhook URL nothing is stored, and nothing is sent when one is set later', async () => {
    const partner = await partnerAt(null)
    await work.markDone(service, await work.submitTool(service, partner))
    await service.admin('PATCH', `/partners/${partner.id}`, { webhookUrl: `${receiver.origin}/later` })
    await letMistakesHappen()
    expect(await work.deliveriesOf(service, partner)).toEqual([])
    expect(receiver.at('/later')).toEqual([])
  })

  test('many events at once all arrive, each once, although one receiver hangs', async () => {
    const partner = await partnerAt('/many')
    const tools = await Promise.all(Array.from({ length: 12 }, () => work.submitTool(service, partner)))
    await Promise.all(tools.map((toolId) => work.markDone(service, toolId)))
    await work.outcomesOf(service, partner, 12)
    const ids = receiver.at('/many').map(({ headers }) => headers['webhook-id'])
    expect([ids.length, new Set(ids).size]).toEqual([12, 12])
  })
})

describe('a receiver that', () => {
  test('answers 204 has acknowledged the event', async () => {
    expect(await deliver('/204')).toMatchObject({ state: 'delivered', status: 204, error: null, answer: '' })
  })

  test('answers 500 has not acknowledged it, and the event is not sent again', async () => {
    expect(await deliver('/500')).toMatchObject({
      ...{ state: 'failed', status: 500, error: 'The receiver answered 500.', answer: 'broken, sorry' },
    })
    await letMistakesHappen()
    expect(receiver.at('/500')).toHaveLength(1)
  })

  test('no redirect is followed', async () => {
    expect(await deliver('/302')).toMatchObject({
      ...{ state: 'failed', status: 302, error: 'The receiver answered 302; redirects are not followed.' },
    })
    expect(receiver.at('/moved')).toEqual([])
  })

  test.each([
    ['/close', 'The connection was closed before the answer was complete.'],
    ['/half', 'The connection was closed before the answer was complete.'],
    ['/garbage', 'The answer is not valid HTTP.'],
    ['/hints', 'The host sends too many interim answers.'],
    ['/extension', 'The answer is too long.'],
  ])('does %s has failed', async (path, error) => {
    expect(await deliver(path)).toMatchObject({ state: 'failed', status: null, error, answer: null })
    expect(receiver.at(path)).toHaveLength(1)
  })

  test('cannot be reached has failed', async () => {
    const partner = (await service.newPartner({
      webhookUrl: `http://127.0.0.1:${await freePort()}/`,
    })) as work.WebhookPartner
    await work.markDone(service, await work.submitTool(service, partner))
    const [delivery] = await work.outcomesOf(service, partner)
    expect(delivery).toMatchObject({ state: 'failed', status: null, error: 'The connection was refused.' })
  })

  test('an answer that is no text is stored as safe text of at most 500 bytes', async () => {
    const { state, answer } = await deliver('/binary')
    expect([state, answer!.slice(0, 8)]).toEqual(['delivered', 'ok\ufffd\ufffd[2J\ufffd'])
    expect(answer!.length).toBeLessThanOrEqual(500)
    expect(await deliver('/huge')).toMatchObject({ state: 'delivered', answer: 'x'.repeat(500) })
    expect(await deliver('/wrong-gzip')).toMatchObject({ state: 'delivered', answer: 'not packed' })
  })
})

describe('sending again on an operator’s request', () => {
  test('makes a new row with the same id and bytes, for the current URL, signed with the current secret', async () => {
    const partner = await partnerAt('/500?before')
    await work.markDone(service, await work.submitTool(service, partner))
    const [before] = await work.outcomesOf(service, partner)
    await service.admin('PATCH', `/partners/${partner.id}`, { webhookUrl: `${receiver.origin}/after` })
    const rotation = await service.admin('POST', `/partners/${partner.id}/rotate-secret`, { overlapHours: 0 })
    const { webhookSecret } = rotation.body.data
    const { status, body } = await service.admin('POST', `/webhooks/${before!.id}/resend`)
    expect([status, body.data.state, body.data.eventId]).toEqual([200, 'pending', before!.eventId])
    const [again, untouched] = await work.outcomesOf(service, partner, 2)
    expect([again!.id, again!.state, untouched]).toEqual([body.data.id, 'delivered', before])
    const [first] = receiver.at('/500?before')
    const [second] = receiver.at('/after')
    expect(second!.body.equals(first!.body)).toBe(true)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expectSigned(first!, partner.webhookSecret)
    expectSigned(second!, webhookSecret)
    expect(checkSignatures(partner.webhookSecret, second!.headers as Record<string, string>, second!.body)).toEqual({
      ...{ catalog: 'wrong', standard: 'wrong' },
    })
    const [entry] = (await service.admin('GET', '/audit?action=webhook.resend&limit=1')).body.data
    expect(entry).toMatchObject({
      action: 'webhook.resend',
      subject: `webhook:${before!.id}`,
      details: { as: again!.id },
    })
  })

  test('is refused when the partner has no URL any more, and nothing is sent; an unknown delivery is a 404', async () => {
    const partner = await partnerAt('/gone')
    await work.markDone(service, await work.submitTool(service, partner))
    const [before] = await work.outcomesOf(service, partner)
    await service.admin('PATCH', `/partners/${partner.id}`, { webhookUrl: null })
    const reply = await service.admin('POST', `/webhooks/${before!.id}/resend`)
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining('has no webhook URL any more')])
    expect(await work.outcomesOf(service, partner)).toHaveLength(1)
    expect(receiver.at('/gone')).toHaveLength(1)
    expect((await service.admin('POST', '/webhooks/none/resend')).status).toBe(404)
  })

  test('the list of deliveries can be filtered by state', async () => {
    const failed = (await service.admin<'list_webhooks'>('GET', '/webhooks?state=failed')).body.data
    expect(failed.length).toBeGreaterThan(3)
    expect(new Set(failed.map(({ state }) => state))).toEqual(new Set(['failed']))
  })
})

test('a receiver that hangs has failed after ten seconds, and was pending until then', async () => {
  const during = await work.deliveriesOf(service, hanging.partner)
  if (Date.now() - hanging.started < 9_000)
    expect(during).toMatchObject([{ state: 'pending', status: null, attemptedAt: expect.any(String) }])
  const [delivery] = await work.outcomesOf(service, hanging.partner)
  expect(delivery).toMatchObject({ state: 'failed', status: null, error: 'No complete answer within 10 seconds.' })
  expect(delivery!.durationMs).toBeGreaterThan(9_900)
  expect(receiver.at('/hang')).toHaveLength(1)
})

test('the log names event, delivery, state, status and time, never a secret, an address or a body', async () => {
  const lines = service.logged.filter(({ message }) => message === 'webhook')
  expect(lines.length).toBeGreaterThan(10)
  for (const line of lines)
    expect(Object.keys(line).sort()).toEqual(['delivery', 'event', 'level', 'message', 'ms', 'state', 'status'])
  const all = JSON.stringify(service.logged)
  expect(all).not.toMatch(/whsec_|sha256=|All entered|occurredAt|127\.0\.0\.1:\d+\/(first|many)/)
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
})
