// How a receiver verifies a webhook of Catalog Service. It needs nothing but Node; copy it.
//   node examples/verify-webhook.ts 4000 whsec_…       receives on http://127.0.0.1:4000/ and prints what was verified
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

/**
 * Whether `X-Catalog-Signature` belongs to these very bytes. `body` is the body as it came, before any parsing: JSON that was
 * parsed and written again is other bytes. The key is the whole secret as it was issued, `whsec_` included.
 */
export function isFromCatalog(body: Uint8Array, signature: string | undefined, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(body).digest('hex')
  return isSame(signature?.replace(/^sha256=/, '') ?? '', expected)
}

/**
 * The same by Standard Webhooks, which also tells an old call that somebody repeats. Here the key is what the base64 after `whsec_`
 * stands for. Any library from https://www.standardwebhooks.com does this too.
 */
export function isFresh(
  body: Uint8Array,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  secret: string,
  now = Date.now(),
): boolean {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  ) as [string, string, string]
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > 300) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
  return signatures.split(' ').some((signature) => isSame(signature, expected))
}

/** Takes the same time whatever it is given: a plain === tells a patient guesser how much was right. */
function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}

export function createReceiver(secret: string, handle: (event: string, body: unknown, id: string) => void) {
  return createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    // This one signature is enough, and it fits the previous secret too while a rotation overlaps.
    if (!isFresh(body, request.headers, secret)) return response.writeHead(401).end()
    // Acknowledge first: there is one attempt, and it ends after ten seconds.
    response.writeHead(204).end()
    // An event that an administrator sends again has the same id: remember the ids you have handled.
    handle(
      String(request.headers['x-catalog-event']),
      JSON.parse(body.toString()),
      String(request.headers['webhook-id']),
    )
  })
}

if (import.meta.main) {
  const [port, secret] = process.argv.slice(2)
  if (!port || !secret) throw new Error('Usage: node examples/verify-webhook.ts <port> <whsec_…>')
  createReceiver(secret, (event, body, id) => console.log(id, event, body)).listen(Number(port), '127.0.0.1')
}
