// `catalog webhooks listen`: a receiver on this machine that prints each event and whether its signatures are right.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import { checkSignatures } from '../../../features/webhooks/delivery/signature.rules.ts'
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
  const show = wantsJson(command) ? sayJson : sayWords
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
  return {
    event: headers['x-catalog-event'] ?? '(no X-Catalog-Event)',
    signatures: secret ? checkSignatures(secret, headers, body) : null,
    headers,
    body: parsed(body.toString()),
  }
}

const sayJson = (event: Received) => say(JSON.stringify(event))

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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
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
