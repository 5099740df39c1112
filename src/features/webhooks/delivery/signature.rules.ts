// How an event is signed, and how a receiver checks the signatures. The issued secret is the text `whsec_…`. The
// signature of this service uses that whole text as its key; the one of Standard Webhooks uses the bytes that the base64 part encodes.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { userAgent } from '../../../kernel/interfaces/outbound.ts'

interface SignedEvent {
  /** `webhook-id`: the same when an event is sent again. */
  id: string
  event: string
  body: string
  secret: string
  /** The secret before the last rotation, while events are signed with it, too. */
  previousSecret?: string | null
  at: Date
  /** Whether the event belongs to the partner's sandbox. */
  test?: boolean
}

export function eventHeaders({
  id,
  event,
  body,
  secret,
  previousSecret,
  at,
  test,
}: SignedEvent): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  return {
    'content-type': 'application/json',
    'user-agent': userAgent('webhooks'),
    'x-catalog-event': event,
    'x-catalog-signature': catalogSignature(secret, body),
    ...(test ? { 'x-catalog-mode': 'test' } : {}),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': [secret, ...(previousSecret ? [previousSecret] : [])]
      .map((one) => standardSignature(one, id, timestamp, body))
      .join(' '),
  }
}

export const catalogSignature = (secret: string, body: string | Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** The signature of Standard Webhooks (https://www.standardwebhooks.com). */
export const standardSignature = (secret: string, id: string, timestamp: string, body: string | Uint8Array): string => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

type SignatureCheck = 'right' | 'wrong' | 'missing'

/** Checks both signatures, as a receiver does. */
export function checkSignatures(
  secret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: Uint8Array,
): { catalog: SignatureCheck; standard: SignatureCheck } {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = headers
  const standard = id === undefined || timestamp === undefined ? undefined : given
  const expected = standardSignature(secret, id ?? '', timestamp ?? '', body)
  // A header may contain several signatures while a secret is being replaced.
  return {
    catalog: checkSignature(headers['x-catalog-signature']?.split(' '), catalogSignature(secret, body)),
    standard: checkSignature(standard?.split(' '), expected),
  }
}

function checkSignature(given: readonly string[] | undefined, expected: string): SignatureCheck {
  if (given === undefined) return 'missing'
  return given.some((one) => isSame(one, expected)) ? 'right' : 'wrong'
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}
