// `catalog webhooks listen`: a receiver on this machine that prints each event and whether its signatures are right. With `--forward-to` it
// sends the deliveries of a service to a receiver under development: it asks the operator API for new ones every second, so the receiver
// needs no address that the service can reach.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Static } from 'typebox'
import { checkSignatures } from '../../../features/webhooks/delivery/signature.rules.ts'
import type { deliveryDetailSchema, deliverySchema } from '../../../features/webhooks/schema.ts'
import { parsedJson } from '../../../kernel/values/text.ts'
import { ApiRefusal, call } from '../kit/client.ts'
import { CommandError, remark, say, wantsJson } from '../kit/output.ts'

export interface ReceiverOptions {
  port: number
  secret?: string
  status: number
}

interface Received {
  event: string
  signatures: ReturnType<typeof checkSignatures> | null
  headers: Record<string, string | undefined>
  /** The parsed JSON, or the text if it is not JSON. */
  body: unknown
}

const MAX_BODY_BYTES = 1024 * 1024
// Headers of the HTTP connection. They are not shown, because they say nothing about the event.
const CONNECTION_HEADERS = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding'])

/** Receives events until the command is interrupted. */
export async function receive(command: Command, { port, secret, status }: ReceiverOptions): Promise<void> {
  const show = wantsJson(command) ? (event: Received) => say(JSON.stringify(event)) : sayWords
  const server = createServer(async (request, response) => {
    const answer = (code: number) => response.writeHead(code, { 'content-type': 'text/plain' }).end(`${code}\n`)
    if (request.method !== 'POST') return answer(405)
    const body = await bodyOf(request).catch(() => null)
    // null: the sender broke the connection.
    if (body === null) return
    if (body === 'too large') return answer(413)
    show(received(request.headers, body, secret))
    answer(status)
  })
  await startListening(server, port)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  remark(`Listening on ${url} and answering ${status}. Ctrl-C ends it.`)
  remark(
    'A service on this machine delivers here when OUTBOUND_ALLOW_CIDRS has 127.0.0.0/8 and the webhook URL is this.',
  )
  if (!secret) remark('Signatures are not checked: no --secret was given.')
  await interrupted()
  server.close()
  server.closeAllConnections()
}

function received(given: IncomingHttpHeaders, body: Buffer, secret: string | undefined): Received {
  const headers = Object.fromEntries(
    Object.entries(given)
      .filter(([name]) => !CONNECTION_HEADERS.has(name))
      .map(([name, value]) => [name, [value].flat().join(', ')]),
  )
  const value = parsedJson(body.toString())
  return {
    event: headers['x-catalog-event'] ?? '(no X-Catalog-Event)',
    signatures: secret ? checkSignatures(secret, headers, body) : null,
    headers,
    body: value === undefined ? body.toString() : value,
  }
}

function sayWords({ event, signatures, headers, body }: Received): void {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)
  if (signatures) {
    lines.push(`  X-Catalog-Signature is ${signatures.catalog}, webhook-signature is ${signatures.standard}.`)
    const age = Math.round(Date.now() / 1000 - Number(headers['webhook-timestamp']))
    if (Math.abs(age) > OLD_SECONDS) lines.push(`  It was signed ${age} seconds ago: a receiver should refuse it.`)
  }
  const content = typeof body === 'string' ? `Not JSON: ${body}` : JSON.stringify(body, null, 2)
  say(`\n${event}\n${lines.join('\n')}\n${content}`)
}

// The age that Standard Webhooks recommends to refuse: it allows for wrong clocks, and an intercepted call cannot be repeated for long.
const OLD_SECONDS = 300

async function bodyOf(request: IncomingMessage): Promise<Buffer | 'too large'> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return 'too large'
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const startListening = (server: Server, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(new CommandError(`Cannot listen on port ${port} (${code}). Choose another with --port.`)),
    )
    server.listen(port, '127.0.0.1', resolve)
  })

/** Resolves when the operator presses Ctrl-C or the process is told to end. */
export const interrupted = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })

interface ForwardOptions {
  to: string
  client?: string
  /** The deliveries of sandboxes instead of live ones. */
  test?: boolean
}

type Delivery = Static<typeof deliverySchema>
type DeliveryDetail = Static<typeof deliveryDetailSchema>

const POLL_EVERY_MS = 1_000
const PAGE_SIZE = 100
/** The most pages of deliveries that one poll reads; deliveries on later pages are not forwarded. */
const MOST_PAGES = 10
// How long the receiver may take; the service waits as long.
const TIMEOUT_MS = 10_000

/** Forwards deliveries until the command is interrupted. */
export async function forward(command: Command, { to, client, test }: ForwardOptions): Promise<void> {
  const list = (page: number) =>
    call(command, 'list_webhooks', {
      query: { limit: PAGE_SIZE, page, ...(client ? { client } : {}), ...(test ? { test } : {}) },
    })
  // Deliveries that were sent before the command began are not forwarded. Only their first page is read: if it is full, everything older
  // than its last delivery is left out by time.
  const before = await list(1)
  const notBefore = before.length === PAGE_SIZE ? String(before.at(-1)?.createdAt) : ''
  let seen = new Set(before.filter(isSent).map(({ id }) => id))
  const kind = test ? 'test deliveries' : 'deliveries'
  remark(`Forwarding ${client ? `${kind} of partner ${client}` : `the ${kind} of all partners`} to ${to}`)
  remark(
    'Only events of partners with a webhook URL exist; the service goes on sending them there too. Ctrl-C ends it.',
  )
  const stopped = new AbortController()
  void interrupted().then(() => stopped.abort())
  let isUnreachable = false
  while (!stopped.signal.aborted) {
    try {
      const { fresh, listed } = await findFresh(list, seen, notBefore)
      isUnreachable = false
      for (const { id } of fresh) {
        if (stopped.signal.aborted) return
        const delivery = await call(command, 'get_webhook', { params: { id } })
        report(command, delivery, await send(to, delivery))
        seen.add(id)
      }
      // A delivery that the pages no longer list will not be listed again, so its id need not be kept.
      seen = new Set(listed.filter((id) => seen.has(id)))
    } catch (error) {
      // The service may be restarting, so the loop goes on. A refusal by the API would come again, so it ends the command.
      if (!(error instanceof CommandError) || error instanceof ApiRefusal) throw error
      if (!isUnreachable) remark(error.message)
      isUnreachable = true
    }
    await sleep(POLL_EVERY_MS, undefined, { signal: stopped.signal }).catch(() => {})
  }
}

const isSent = ({ attemptedAt }: Pick<Delivery, 'attemptedAt'>): boolean => attemptedAt !== null

/** The deliveries since `notBefore` that are not forwarded yet, oldest first, and the ids of all that were listed. */
async function findFresh(list: (page: number) => Promise<Delivery[]>, seen: ReadonlySet<string>, notBefore: string) {
  const found: Delivery[] = []
  for (let page = 1; page <= MOST_PAGES; page++) {
    const rows = (await list(page)).filter(({ createdAt }) => String(createdAt) >= notBefore)
    found.push(...rows)
    // The list is newest first: after a page with a known delivery come only known ones.
    if (rows.length < PAGE_SIZE || rows.some(({ id }) => seen.has(id))) break
    if (page === MOST_PAGES) remark(`More than ${PAGE_SIZE * MOST_PAGES} new deliveries: older ones are not forwarded.`)
  }
  const unique = [...new Map(found.map((delivery) => [delivery.id, delivery])).values()]
  return {
    fresh: unique.filter((one) => isSent(one) && !seen.has(one.id)).reverse(),
    listed: unique.map(({ id }) => id),
  }
}

/** Sends the same bytes and headers as the service did. Returns the status of the answer, or why there was none. */
async function send(to: string, { body, headers }: DeliveryDetail): Promise<number | string> {
  try {
    const response = await fetch(to, {
      method: 'POST',
      headers: headers ?? {},
      body: Buffer.from(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    return response.status
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } }
    return cause?.code ?? message
  }
}

function report(command: Command, { id, eventId, event }: DeliveryDetail, outcome: number | string): void {
  if (wantsJson(command)) say(JSON.stringify({ id, eventId, event, outcome }))
  else say(`${event} ${eventId}: ${typeof outcome === 'number' ? `answered ${outcome}` : `no answer (${outcome})`}`)
}
