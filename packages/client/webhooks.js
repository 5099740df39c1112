// Checks the signature of an event by Standard Webhooks, with the cryptography that browsers and Node share.
import { CatalogError } from './errors.js'

/** @import { ReceivedHeaders, VerifiedWebhook, VerifyOptions } from './index.d.ts' */

// The service sends two while a rotation of the secret overlaps.
const MOST_SIGNATURES = 10

/**
 * @param {string | Uint8Array | ArrayBuffer} rawBody
 * @param {ReceivedHeaders} headers
 * @param {string | readonly string[]} secret
 * @param {VerifyOptions} [options]
 * @returns {Promise<VerifiedWebhook>}
 */
export async function verifyWebhook(rawBody, headers, secret, { toleranceSeconds = 300, now = Date.now() } = {}) {
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  if (!id || !/^\d{1,12}$/.test(timestamp)) throw refused('webhook-id or webhook-timestamp is missing.')
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw refused('webhook-timestamp is too far from the time of this machine.')
  const body = bytesOf(rawBody)
  const signed = concat(bytesOf(`${id}.${timestamp}.`), body)
  const signatures = header(headers, 'webhook-signature')
    .split(' ', MOST_SIGNATURES)
    .filter((one) => one.startsWith('v1,'))
    .map((one) => decode(one.slice(3)))
  const secrets = [secret].flat()
  // A setting that is missing is no reason to say that the call is not from the service.
  if (secrets.length === 0) throw noSecret()
  for (const one of secrets) {
    const key = await keyOf(one)
    for (const signature of signatures)
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
        return {
          id,
          sentAt: new Date(Number(timestamp) * 1000),
          isTest: header(headers, 'x-catalog-mode') === 'test',
          event: eventIn(body),
        }
  }
  throw refused(
    'webhook-signature fits neither this body nor this secret. Give the body as it came, before any parsing.',
  )
}

/** @param {Uint8Array} body */
function eventIn(body) {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw refused('The signature fits, but the body is not JSON.')
  }
}

/** @param {unknown} secret */
function keyOf(secret) {
  const bytes = decode(String(secret ?? '').replace(/^whsec_/, ''))
  if (!bytes?.length) throw noSecret()
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/**
 * @param {ReceivedHeaders} headers
 * @param {string} name
 * @returns {string}
 */
function header(headers, name) {
  if (!headers) throw new CatalogError('input', 'The headers of the call are missing.')
  if (typeof headers.get === 'function') return headers.get(name) ?? ''
  const found = Object.entries(headers).find(([one]) => one.toLowerCase() === name)
  return String(found?.[1] ?? '')
}

/** @param {string | Uint8Array | ArrayBuffer} value */
const bytesOf = (value) => (typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value))

/**
 * @param {Uint8Array} first
 * @param {Uint8Array} second
 */
function concat(first, second) {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

/** @param {string} base64 */
function decode(base64) {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

const noSecret = () => new CatalogError('input', 'The secret must be the issued text, whsec_ and base64.')

/** @param {string} message */
const refused = (message) => new CatalogError('signature', message)
