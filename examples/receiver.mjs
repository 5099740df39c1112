// WEBHOOK_SECRET=whsec_… node receiver.mjs 4000
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64')

/** `body` is the body as it arrived, before any parsing: JSON that was parsed and written again has other bytes. */
function isFromCatalog(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures = '' } = headers
  // An old call may be a copy that an attacker sends again.
  if (!(Math.abs(Date.now() / 1000 - Number(sentAt)) < 300)) return false
  const expected = createHmac('sha256', key).update(`${id}.${sentAt}.`).update(body).digest()
  // There are two signatures for a while after the secret was replaced.
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request))
  if (!isFromCatalog(request.headers, body)) return response.writeHead(401).end()
  // Answer first, then work: there is one attempt, and it ends after ten seconds.
  response.writeHead(204).end()
  const event = JSON.parse(body.toString())
  console.log(request.headers['webhook-id'], event.event)
}).listen(Number(process.argv[2] ?? 4000), '127.0.0.1')
