// One call: its request, the answer, and the attempts after one that failed.
import { CatalogError } from './errors.js'

/** @import { Answer, CallOptions } from './index.d.ts' */
/**
 * @typedef {object} Settings
 * @property {string} base
 * @property {Record<string, string>} headers
 * @property {typeof globalThis.fetch} fetch
 * @property {number} retries
 * @property {number} timeoutMs
 * @property {number} maxWaitMs
 */
/** @typedef {Record<string, unknown> | undefined} Parameters */
/** @typedef {readonly [method: string, path: string, standard?: number, most?: number]} Route */
/** @typedef {{ url: string, init: { method: string, headers: Record<string, string>, body?: string } }} Request */

// Statuses of a failure that ends by itself.
export const PASSING = [408, 500, 502, 503, 504]

/**
 * @param {Settings} settings
 * @param {Route} route
 * @param {Parameters} parameters
 * @param {CallOptions} [options]
 * @returns {Promise<Answer<any> & { pagination?: { pages: number }, next?: string }>}
 */
export async function send(settings, route, parameters, options) {
  const { retries = settings.retries, timeoutMs = settings.timeoutMs, signal, idempotencyKey } = options ?? {}
  const request = checked(() => requestOf(settings, route, parameters ?? {}, idempotencyKey))
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptOf(settings.fetch, request, timeoutMs, signal)
    } catch (error) {
      // Every write has an Idempotency-Key, so the service does nothing twice.
      const wait = error instanceof CatalogError && attempt < retries ? waitAfter(error, attempt) : undefined
      if (wait === undefined || wait > settings.maxWaitMs) throw error
      await pause(wait, signal)
    }
  }
}

/**
 * A value that JSON or an address cannot hold is an argument that cannot be right.
 * @param {() => Request} make
 */
function checked(make) {
  try {
    return make()
  } catch (cause) {
    if (cause instanceof CatalogError) throw cause
    throw new CatalogError('input', 'A parameter cannot be sent.', { cause })
  }
}

/**
 * @param {Settings} settings
 * @param {Route} route
 * @param {Record<string, unknown>} parameters
 * @param {string} [idempotencyKey]
 * @returns {Request}
 */
function requestOf({ base, headers }, [method, template], parameters, idempotencyKey) {
  // Of a write only the parameters that the template names are in the address, the others are its body.
  const [path = '', inQuery = ''] = template.split('?')
  const named = inQuery === '' ? [] : inQuery.split('&')
  const isInAddress = (/** @type {string} */ name) => path.includes(`:${name}`) || named.includes(name)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== null && !path.includes(`:${name}`) && (method === 'GET' || isInAddress(name)))
      query.set(name, String(value))
  const address = path.replace(/:(\w+)/g, (_, name) => segmentOf(name, parameters[name]))
  const url = `${base}${address}?${query}`.replace(/\?$/, '')
  if (method !== 'GET')
    return {
      url,
      init: {
        method,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'idempotency-key': printable('idempotencyKey', idempotencyKey ?? crypto.randomUUID()),
        },
        body: JSON.stringify(Object.fromEntries(Object.entries(parameters).filter(([name]) => !isInAddress(name)))),
      },
    }
  return { url, init: { method, headers } }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function segmentOf(name, value) {
  const text = String(value ?? '')
  // With these the address would be another one.
  if (/^\.{0,2}$/.test(text)) throw new CatalogError('input', `${name} must not be empty, "." or "..".`)
  return encodeURIComponent(text)
}

/**
 * @param {typeof globalThis.fetch} fetch
 * @param {Request} request
 * @param {number} timeoutMs
 * @param {AbortSignal | undefined} signal
 */
async function attemptOf(fetch, { url, init }, timeoutMs, signal) {
  const controller = new AbortController()
  const stop = () => controller.abort()
  const timer = setTimeout(stop, timeoutMs)
  signal?.addEventListener('abort', stop)
  try {
    if (signal?.aborted) stop()
    // A key is for this service only, so it follows no redirect.
    const response = await fetch(url, { ...init, redirect: 'error', signal: controller.signal })
    return read(response, await response.text())
  } catch (cause) {
    if (cause instanceof CatalogError) throw cause
    if (signal?.aborted) throw aborted(signal)
    if (controller.signal.aborted) throw new CatalogError('timeout', `No answer within ${timeoutMs} ms.`, { cause })
    throw new CatalogError('network', 'The service could not be reached. Check baseUrl and the network.', { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/**
 * @param {Response} response
 * @param {string} text
 */
function read({ status, headers }, text) {
  const requestId = headers.get('x-request-id')
  const envelope = parse(text)
  if (envelope?.success === true) {
    const { data, pagination, next } = envelope
    const answer = { data, status, requestId, rateLimit: rateLimitOf(headers), headers }
    if (next !== undefined) return { ...answer, next }
    return pagination ? { ...answer, pagination } : answer
  }
  const { success: _, error, code, fields, ...details } = envelope ?? {}
  const message = typeof error === 'string' ? error : `The service answered ${status} without an explanation.`
  throw new CatalogError('http', message, { status, code, fields, requestId, retryAfter: secondsOf(headers), details })
}

/** @param {string} text */
function parse(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' ? value : undefined
  } catch {
    return undefined
  }
}

/** @param {Headers} headers */
function rateLimitOf(headers) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))
  if (!limit) return null
  return { limit: Number(limit), remaining: Number(remaining), resetsAt: new Date(Number(reset) * 1000) }
}

/**
 * Retry-After is a number of seconds or a date.
 * @param {Headers} headers
 */
function secondsOf(headers) {
  const given = headers.get('retry-after')
  if (given === null) return null
  const seconds = /^\d+$/.test(given) ? Number(given) : (Date.parse(given) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

/**
 * Milliseconds until the next attempt; undefined when none makes sense. The waits of several clients differ a little.
 * @param {CatalogError} error
 * @param {number} attempt
 */
function waitAfter({ kind, status, retryAfter }, attempt) {
  const passes = kind === 'network' || kind === 'timeout' || status === 429 || PASSING.includes(status)
  if (!passes) return undefined
  return retryAfter === null ? 300 * 2 ** attempt * (0.5 + Math.random()) : retryAfter * 1000 + Math.random() * 100
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<void>}
 */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(aborted(signal))
      else resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}

/** @param {AbortSignal} signal */
const aborted = (signal) => new CatalogError('aborted', 'The call was aborted.', { cause: signal.reason })

/**
 * Checked here, because `fetch` would show the whole value in its error.
 * @param {string} name
 * @param {string} value
 */
export function printable(name, value) {
  if (/^[\x20-\x7e]{1,4096}$/.test(value)) return value
  throw new CatalogError('input', `${name} must be printable ASCII characters, without a line break.`)
}
