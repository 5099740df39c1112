// A client of Catalog Service for browsers and Node 20 or newer. index.d.ts describes it; operations.js is made from the service.
import { CatalogError } from './errors.js'
import { operations } from './operations.js'
import { PASSING, pause, printable, send } from './request.js'

export { CatalogError } from './errors.js'
export { verifyWebhook } from './webhooks.js'

/** @import { CallOptions, Client, ClientOptions, EventOptions } from './index.d.ts' */
/** @import { Parameters, Route, Settings } from './request.js' */

const BASE = '/api/v1'

/**
 * @param {ClientOptions} options
 * @returns {Client}
 */
export function createClient(options) {
  const { baseUrl, key, retries = 3, timeoutMs = 30_000, maxWaitMs = 65_000, fetch } = options ?? {}
  const base = String(baseUrl).replace(/\/+$/, '')
  if (!/^https?:\/\//i.test(base)) throw new CatalogError('input', 'baseUrl must begin with https:// or http://.')
  if (key !== undefined && typeof key !== 'string') throw new CatalogError('input', 'key must be a text.')
  /** @type {Settings} */
  const settings = {
    base: base.endsWith(BASE) ? base : base + BASE,
    headers: key === undefined ? {} : { authorization: `Bearer ${printable('key', key.trim())}` },
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    retries,
    timeoutMs,
    maxWaitMs,
  }
  const methods = Object.entries(operations).map(([name, route]) => [name, methodOf(settings, route)])
  const client = Object.fromEntries(methods)
  return { ...client, events: (/** @type {EventOptions} */ options) => eventsOf(client.listEvents, options) }
}

/**
 * @param {Client['listEvents']} listEvents
 * @param {EventOptions} [options]
 */
async function* eventsOf(listEvents, { after, load, save, pauseMs = 5_000, limit, signal } = {}) {
  let cursor = after ?? (await load?.()) ?? undefined
  while (!signal?.aborted) {
    const answer = await listEvents.result({ after: cursor, limit }, { signal })
    if (answer.ok) {
      yield* /** @type {any} */ (answer.data)
      if (answer.next !== cursor) await save?.(answer.next)
      cursor = answer.next
    } else if (!signal?.aborted && !isPassing(answer.error)) throw answer.error
    // An abort ends the loop and is no error.
    if (!answer.ok || answer.data.length === 0) await pause(pauseMs, signal).catch(() => {})
  }
}

/**
 * A failure that ends by itself, such as a restart of the service.
 * @param {CatalogError} error
 */
const isPassing = ({ kind, status }) =>
  kind === 'network' || kind === 'timeout' || status === 429 || PASSING.includes(status)

/**
 * @param {Settings} settings
 * @param {Route} route
 */
function methodOf(settings, route) {
  /** @param {Parameters} parameters @param {CallOptions} [options] */
  const call = (parameters, options) => send(settings, route, parameters, options)
  return Object.assign(
    async (/** @type {Parameters} */ parameters, /** @type {CallOptions} */ options) => call(parameters, options),
    {
      /** @param {Parameters} parameters @param {CallOptions} [options] */
      async result(parameters, options) {
        try {
          return { ok: true, ...(await call(parameters, options)) }
        } catch (error) {
          if (error instanceof CatalogError) return { ok: false, error }
          throw error
        }
      },
      /** @param {Parameters} parameters @param {CallOptions} [options] */
      pages: (parameters, options) => pagesOf(call, route, parameters, options),
      /** @param {Parameters} parameters @param {CallOptions} [options] */
      async *all(parameters, options) {
        for await (const { data } of pagesOf(call, route, parameters, options)) yield* data
      },
    },
  )
}

/**
 * @param {(parameters: Parameters, options?: CallOptions) => ReturnType<typeof send>} call
 * @param {Route} route
 * @param {Parameters} parameters
 * @param {CallOptions} [options]
 */
async function* pagesOf(call, [, , standard = 1, most = 1], parameters, options) {
  const limit = Math.min(positive(parameters?.limit) ?? standard, most)
  for (let page = positive(parameters?.page) ?? 1; ; page++) {
    const answer = await call({ ...parameters, page }, options)
    yield answer
    if (answer.pagination ? page >= answer.pagination.pages : answer.data.length < limit) return
  }
}

/**
 * The service takes any other number as not given.
 * @param {unknown} value
 */
const positive = (value) => (Number.isInteger(value) && Number(value) > 0 ? Number(value) : undefined)
