// Outbound requests: undici on sockets that reach permitted addresses only. Redirects are followed here, and bodies are decompressed up to a
// number of bytes.
import { pipeline, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Agent, type Dispatcher } from 'undici'
import { addressProblem, parseUrl } from '../../kernel/addresses/web-address.ts'
import {
  type Outbound,
  OutboundRefused,
  type OutboundRequest,
  type OutboundResponse,
  userAgent,
} from '../../kernel/interfaces/outbound.ts'
import { inTime, untilAborted } from '../../kernel/work/deadline.ts'
import { createConnector, createResolver, limitPieces, type Resolve } from './connect.ts'
import { failureOf, OutboundFailure } from './failures.ts'

// Enough for all our workers at one host, and no more: a partner must not be able to make this service flood a host.
const SOCKETS_PER_HOST = 6
// Twice what servers usually accept; policies and cookies make some answers large.
const MAX_HEADER_BYTES = 32 * 1024

export interface OutboundOptions {
  /** Private networks that may be reached, on any port. */
  allowed: readonly string[]
  /** Tests pass their own DNS here. */
  resolve?: Resolve
}

export function createOutbound(options: OutboundOptions): Outbound & { close(): Promise<void> } {
  const { allowed } = options
  const resolver = options.resolve ? { resolve: options.resolve, cancel: () => {} } : createResolver(allowed)
  const agent = new Agent({
    connect: createConnector(allowed, resolver.resolve),
    connections: SOCKETS_PER_HOST,
    // No connection is used twice: the other side may close an idle one just when we send, and a webhook has only one attempt.
    pipelining: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    allowH2: false,
  })
  const bounded = agent.compose(limitPieces)

  return {
    async fetch(url, request) {
      const controller = new AbortController()
      const stop = () => controller.abort()
      if (request.signal?.aborted) stop()
      request.signal?.addEventListener('abort', stop)
      try {
        // undici notices an abort only after it has connected (and then sends nothing), so the abort does not wait for it.
        const answer = untilAborted(follow(bounded, allowed, url, request, controller.signal), controller.signal)
        return await inTime(answer, request.timeoutMs, () => {
          throw new OutboundFailure(`No complete answer within ${request.timeoutMs / 1000} seconds.`)
        })
      } catch (error) {
        throw request.signal?.aborted ? request.signal.reason : failureOf(error)
      } finally {
        stop()
        request.signal?.removeEventListener('abort', stop)
      }
    },
    async close() {
      resolver.cancel()
      await agent.destroy()
    },
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Sends the request and follows redirects. The address and each target must be permitted. */
async function follow(
  agent: Dispatcher,
  allowed: readonly string[],
  url: string,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  let target = permitted(url, allowed)
  let sent: Sent = { method: request.method ?? 'GET', headers: ownHeaders(request.headers), body: request.body }
  for (let followed = 0; ; followed++) {
    const response = await agent.request({
      origin: target.origin,
      path: target.pathname + target.search,
      method: sent.method,
      headers: sent.headers,
      body: sent.body ?? null,
      signal,
      headersTimeout: request.timeoutMs,
      bodyTimeout: request.timeoutMs,
    })
    const headers = plainHeaders(response.headers)
    const location = REDIRECTS.has(response.statusCode) ? headers.location : undefined
    if (location === undefined || request.redirects === 0) {
      const encoding = sent.headers['accept-encoding'] === 'identity' ? undefined : headers['content-encoding']
      const { body, truncated } = await readResponseBody(response.body, encoding, request.maxBytes)
      return { status: response.statusCode, headers, body, truncated, url: target.href }
    }
    response.body.on('error', () => {}).destroy()
    if (followed === request.redirects) throw new OutboundFailure('The answer redirects too often.')
    const next = permitted(parseUrl(location, target.href)?.href ?? '', allowed)
    sent = redirected(sent, response.statusCode, target, next)
    target = next
  }
}

/** The address without its fragment; throws when it must not be reached. */
function permitted(text: string, allowed: readonly string[]): URL {
  const problem = addressProblem(text, { allowed })
  if (problem) throw new OutboundRefused(`The address ${problem}`)
  const url = new URL(text)
  url.hash = ''
  return url
}

interface Sent {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body: string | undefined
}

// The headers that are also sent to another host after a redirect. Any other could contain a secret or reveal the first host.
const HEADERS_FOR_OTHER_HOSTS = ['accept', 'accept-encoding', 'accept-language', 'user-agent']

/** The request to send after a redirect. A body is only sent to the origin that it was meant for. */
function redirected(sent: Sent, status: number, from: URL, to: URL): Sent {
  const isSameOrigin = from.origin === to.origin
  const keepsMethod = sent.method === 'GET' || status === 307 || status === 308
  if (keepsMethod && sent.body !== undefined && !isSameOrigin)
    throw new OutboundRefused('The answer redirects a request with a body to another host.')
  const isKept = (name: string): boolean => {
    if (!isSameOrigin) return HEADERS_FOR_OTHER_HOSTS.includes(name)
    // A GET that replaces a POST has no body, so none of the headers that describe one.
    return keepsMethod || !name.startsWith('content-')
  }
  const headers = Object.fromEntries(Object.entries(sent.headers).filter(([name]) => isKept(name)))
  return keepsMethod ? { ...sent, headers } : { method: 'GET', headers, body: undefined }
}

const ownHeaders = (given: Record<string, string> = {}): Record<string, string> => ({
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': userAgent('service'),
  ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value])),
})

/** Cookies are left out, so that no feature comes to depend on them. */
function plainHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === 'set-cookie' ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  )
  return Object.fromEntries(pairs)
}

// Compression makes incompressible data at most this much longer. A body that is even longer decompresses to too many bytes, or has bytes
// that decompress to nothing.
const COMPRESSION_OVERHEAD = 64 * 1024

async function readResponseBody(
  raw: Readable,
  encoding: string | undefined,
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  // An error without a listener would end the process, also after reading has stopped.
  raw.on('error', () => {})
  const chunks: Buffer[] = []
  let length = 0
  let isTooLong = false
  try {
    const decoder = decoderOf(encoding)
    const decoded: Readable = decoder ? pipeline(raw, limitCompressed, decoder, () => {}) : raw
    for await (const chunk of decoded as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBytes) break
    }
  } finally {
    raw.destroy()
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: isTooLong || length > maxBytes }

  async function* limitCompressed(source: AsyncIterable<Buffer>) {
    let compressedBytes = 0
    for await (const chunk of source) {
      yield chunk
      compressedBytes += chunk.length
      if ((isTooLong = compressedBytes > maxBytes + COMPRESSION_OVERHEAD)) return
    }
  }
}

function decoderOf(encoding: string | undefined): Transform | null {
  switch (encoding?.trim().toLowerCase() || 'identity') {
    case 'identity':
      return null
    case 'gzip':
    case 'x-gzip':
      // Many servers end their stream early; the part that was sent is usable.
      return createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
    case 'deflate':
      return createInflate({ finishFlush: constants.Z_SYNC_FLUSH })
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
    default:
      // Several encodings at once are refused too: each multiplies the work that one sent byte causes.
      throw new OutboundFailure('The answer uses a content encoding that was not requested.')
  }
}
