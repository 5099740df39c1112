// The command `catalog webhooks`, and the example code for partners.
// @module-tag long
import { type ChildProcess, spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createReceiver } from '../../examples/verify-webhook.ts'
import * as work from '../harness/done-work.ts'
import { until } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { newTestKey } from '../harness/sandbox.ts'
import { ADMIN_TOKEN, freePort } from '../harness/service.ts'
import { submitted } from '../harness/submissions.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { useService } from '../harness/use.ts'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const folder = temporaryFolder('webhooks-cli')
const NODE_COMPILE_CACHE = join(tmpdir(), 'catalog-test-compile-cache')
const running: ChildProcess[] = []

const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', SANDBOX_STEP_SECONDS: '0.2' })
beforeAll(() => service.load([{ kind: 'category', slug: 'writing', name: 'Writing' }]))
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

const start = (...args: string[]) => startCommand('webhooks', ...args)

function startCommand(...args: string[]) {
  const env = { PATH: process.env.PATH, CATALOG_URL: service.origin, ADMIN_TOKEN, NODE_COMPILE_CACHE }
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env })
  running.push(child)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, ended, out: text(child.stdout), err: text(child.stderr) }
}

const catalog = (...args: string[]) => catalogOf('webhooks', ...args)

async function catalogOf(...args: string[]) {
  const { ended, out, err } = startCommand(...args)
  return { status: await ended, out: await out, err: await err }
}

/** Starts a receiver, waits until it is ready, and returns its output when it is stopped. */
async function listen(...args: string[]) {
  const port = await freePort()
  const { child, ended, out, err } = start('listen', '--port', String(port), ...args)
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => String(chunk).includes('Ctrl-C ends it') && resolve())
    child.once('close', () => reject(new Error('it ended')))
  })
  const stop = async () => {
    child.kill('SIGINT')
    return { status: await ended, out: await out, err: await err }
  }
  return { url: `http://127.0.0.1:${port}/hook`, port, stop }
}

const partnerAt = (webhookUrl: string) => service.newPartner({ webhookUrl }) as Promise<work.WebhookPartner>
async function completeSubmission(partner: work.WebhookPartner, notes = '') {
  await work.markDone(service, await work.submitTool(service, partner), { notes })
  return (await work.outcomesOf(service, partner))[0]!
}

describe('webhooks listen', () => {
  test('shows each event with its headers and says whether both signatures are right, until Ctrl-C', async () => {
    const partner = await partnerAt('https://example.com/')
    const receiver = await listen('--secret', partner.webhookSecret)
    await service.admin('PATCH', `/partners/${partner.id}`, { webhookUrl: receiver.url })
    expect(await completeSubmission(partner, 'Seen \u001b[2J')).toMatchObject({ state: 'delivered', status: 200 })
    const forged = {
      method: 'POST',
      headers: { 'x-catalog-event': 'forged', 'x-catalog-signature': 'sha256=00' },
      body: 'no json',
    }
    expect((await fetch(receiver.url, forged)).status).toBe(200)
    expect((await fetch(receiver.url)).status).toBe(405)
    const { status, out, err } = await receiver.stop()
    expect(status).toBe(0)
    expect(err).toContain(`Listening on http://127.0.0.1:${receiver.port}/ and answering 200.`)
    expect(out).toContain('\ndirectory_submissions.completed\n')
    expect(out).toContain('  user-agent: Catalog-Webhook/1.0\n')
    expect(out).toContain('X-Catalog-Signature is right, webhook-signature is right.')
    expect(out).toContain('\n{\n  "event": "directory_submissions.completed",\n')
    expect(out).toContain('X-Catalog-Signature is wrong, webhook-signature is missing.')
    expect(out).toContain('Not JSON: no json')
    expect(out + err).not.toContain('\u001b[2J')
    expect(out + err).not.toContain(partner.webhookSecret)
  })

  test('answers with the chosen status, prints JSON with --json, and says that it checks nothing without a secret', async () => {
    const receiver = await listen('--status', '503', '--json')
    const partner = await partnerAt(receiver.url)
    expect(await completeSubmission(partner)).toMatchObject({ state: 'failed', status: 503, answer: '503\n' })
    const { out, err } = await receiver.stop()
    expect(err).toContain('Signatures are not checked')
    expect(JSON.parse(out)).toMatchObject({
      event: 'directory_submissions.completed',
      signatures: null,
      body: { tool: {} },
    })
  })

  test('says what is wrong with its options, and when the port is in use', async () => {
    const [port, secret, taken] = await Promise.all([
      catalog('listen', '--port', '99999'),
      catalog('listen', '--secret', 'mine'),
      catalog('listen', '--port', new URL(service.origin).port),
    ])
    expect([port.status, secret.status, taken.status]).toEqual([2, 2, 1])
    expect(port.err).toContain('from 0 to 65535')
    expect(secret.err).toContain('Use a whsec_ secret.')
    expect(taken.err).toMatch(/Cannot listen on port \d+ \(EADDRINUSE\)/)
  })
})

describe('webhooks listen --forward-to', () => {
  async function forward(to: string, ...args: string[]) {
    const { child, ended, out, err } = start('listen', '--forward-to', to, ...args)
    let printed = ''
    child.stdout.on('data', (chunk) => (printed += chunk))
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk) => String(chunk).includes('Ctrl-C ends it') && resolve())
      child.once('close', () => reject(new Error('it ended')))
    })
    const stop = async () => {
      child.kill('SIGINT')
      return { status: await ended, out: await out, err: await err }
    }
    return { stop, printed: () => printed }
  }

  test('sends new deliveries on, byte for byte with their headers, wherever the service itself sends them', async () => {
    const local = await startReceiver({ '/500': (response) => response.writeHead(500).end() })
    const remote = await startReceiver()
    const [partner, other] = [await partnerAt(`${remote.origin}/remote`), await partnerAt(`${remote.origin}/other`)]
    const complete = async (notes: string, count: number) => {
      await work.markDone(service, await work.submitTool(service, partner), { notes })
      return (await work.outcomesOf(service, partner, count))[0]!
    }
    await complete('before the command began', 1)
    const forwarder = await forward(`${local.origin}/hooks`, '--client', partner.id)
    await completeSubmission(other)
    await complete('Grüße 世界', 2)
    const last = await complete('2', 3)
    await until(() => local.arrivals.length >= 2, 10_000)
    const { status, out, err } = await forwarder.stop()
    expect(status).toBe(0)
    const sent = remote.at('/remote').slice(1)
    const transport = new Set(['host', 'connection', 'accept', 'accept-language', 'sec-fetch-mode', 'accept-encoding'])
    const shown = (arrivals: typeof sent) =>
      arrivals.map(({ headers, body }) => [
        Object.entries(headers)
          .filter(([name]) => !transport.has(name))
          .sort(),
        body.toString('hex'),
      ])
    expect(shown(local.at('/hooks'))).toEqual(shown(sent))
    expect(out).toMatch(/^directory_submissions\.completed msg_\S+: answered 200$/m)
    expect(out.trim().split('\n')).toHaveLength(2)
    expect(out).toContain(last.eventId)
    expect(out + err).not.toMatch(new RegExp(`whsec_|${ADMIN_TOKEN}`))
    await local.close()
    await remote.close()
  })

  test('with --test sends on the deliveries of sandboxes, and only those', async () => {
    const [local, remote] = [await startReceiver(), await startReceiver()]
    const partner = await partnerAt(`${remote.origin}/remote`)
    const testKey = await newTestKey(service, partner.id)
    const forwarder = await forward(`${local.origin}/hooks`, '--client', partner.id, '--test')
    await completeSubmission(partner)
    await submitted(service, testKey, { paymentType: 'starter', name: 'Zqtested' })
    await until(() => local.arrivals.length > 0, 15_000)
    const { err } = await forwarder.stop()
    expect(err).toContain(`Forwarding test deliveries of partner ${partner.id}`)
    expect(local.arrivals.map(({ headers }) => headers['x-catalog-mode'])).toEqual(['test'])
    expect(String(local.arrivals[0]!.body)).toContain('Zqtested')
    await local.close()
    await remote.close()
  })

  test('says when the receiver does not answer, and refuses an address that is none and options of the receiver', async () => {
    const forwarder = await forward(`http://127.0.0.1:${await freePort()}/`, '--json')
    const partner = await partnerAt(`http://127.0.0.1:${await freePort()}/`)
    await completeSubmission(partner)
    await until(() => forwarder.printed().endsWith('\n'))
    const { out } = await forwarder.stop()
    expect(JSON.parse(out)).toMatchObject({ event: 'directory_submissions.completed', outcome: 'ECONNREFUSED' })
    const [address, option] = await Promise.all([
      catalog('listen', '--forward-to', 'ftp://example.com'),
      catalog('listen', '--forward-to', 'http://127.0.0.1:1/', '--port', '4401'),
    ])
    expect([address.status, option.status]).toEqual([2, 2])
    expect(address.err).toContain('http or https')
  })
})

test('webhooks list shows deliveries, and webhooks resend sends one again', async () => {
  const partner = await partnerAt(`http://127.0.0.1:${await freePort()}/`)
  const { id } = await completeSubmission(partner)
  const listed = await catalog('list', '--client', partner.id, '--state', 'failed')
  expect(listed.out).toMatch(/^ID +STATE +STATUS +EVENT/)
  expect(listed.out).toContain('The connection was refused.')
  const resent = await catalog('resend', id)
  expect([resent.status, resent.out]).toEqual([
    0,
    expect.stringMatching(/^Sending directory_submissions.completed again as delivery \S+\.\n$/),
  ])
  await work.outcomesOf(service, partner, 2)
  const [none, unknown] = await Promise.all([
    catalog('list', '--client', 'nobody', '--json'),
    catalog('resend', 'nothing'),
  ])
  expect([none.out, unknown.status, unknown.err]).toEqual(['[]\n', 1, 'Delivery not found.\n'])
})

test('partners test-event says what came of it, and partners change sets the events', async () => {
  const receiver = await startReceiver({ '/500': (response) => response.writeHead(500).end() })
  const [good, bad] = [await partnerAt(`${receiver.origin}/ok`), await partnerAt(`${receiver.origin}/500`)]
  const [arrived, failed, rotated, changed] = await Promise.all([
    catalogOf('partners', 'test-event', good.id),
    catalogOf('partners', 'test-event', bad.id, '--json'),
    catalogOf('partners', 'rotate-secret', bad.id, '--overlap-hours', '0', '--json'),
    catalogOf('partners', 'change', good.id, '--events', 'submission.progress, listing.lost', '--json'),
  ])
  expect([arrived.status, arrived.out]).toEqual([0, expect.stringMatching(/^Delivery \S+: delivered, 200\n$/)])
  expect([failed.status, JSON.parse(failed.out)]).toMatchObject([1, { state: 'failed', status: 500 }])
  expect(JSON.parse(rotated.out).previousValidUntil).toBeNull()
  expect(JSON.parse(changed.out).events).toEqual(['submission.progress', 'listing.lost'])
  expect(JSON.parse((await catalogOf('partners', 'change', good.id, '--events', '', '--json')).out).events).toEqual([])
  await receiver.close()
})

test('the example code accepts what the service sends, and nothing else', async () => {
  const handled: unknown[] = []
  const partner = await partnerAt('https://example.com/')
  const server = createReceiver(partner.webhookSecret, (event, body, id) => handled.push([event, body, id]))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await service.admin('PATCH', `/partners/${partner.id}`, { webhookUrl })
  const delivery = await completeSubmission(partner, 'Grüße 世界')
  expect(delivery).toMatchObject({ state: 'delivered', status: 204 })
  expect(handled).toEqual([
    [
      'directory_submissions.completed',
      expect.objectContaining({ summary: expect.objectContaining({ notes: 'Grüße 世界' }) }),
      delivery.eventId,
    ],
  ])
  expect((await fetch(webhookUrl, { method: 'POST', body: '{}' })).status).toBe(401)
  // While the previous secret signs too, the receiver that still has it loses nothing.
  await service.admin('POST', `/partners/${partner.id}/rotate-secret`)
  await service.admin('POST', `/webhooks/${delivery.id}/resend`)
  expect((await work.outcomesOf(service, partner, 2))[0]).toMatchObject({ state: 'delivered', status: 204 })
  await service.admin('POST', `/partners/${partner.id}/rotate-secret`, { overlapHours: 0 })
  await service.admin('POST', `/webhooks/${delivery.id}/resend`)
  expect((await work.outcomesOf(service, partner, 3))[0]).toMatchObject({ state: 'failed', status: 401 })
  expect(handled).toHaveLength(2)
  server.close()
})
