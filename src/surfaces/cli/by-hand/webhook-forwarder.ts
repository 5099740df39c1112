// `catalog webhooks listen --forward-to`: sends the deliveries of a service to a receiver under development. It asks the operator API for
// new deliveries every second, so the receiver needs no address that the service can reach.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Static } from 'typebox'
import type { deliveryDetailSchema, deliverySchema } from '../../../features/webhooks/schema.ts'
import { ApiRefusal, call } from '../kit/client.ts'
import { CommandError, remark, say, wantsJson } from '../kit/output.ts'
import { interrupted } from './webhook-receiver.ts'

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
