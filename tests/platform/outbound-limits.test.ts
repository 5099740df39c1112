// The limits on one answer in bytes, time and sockets, tested with real servers that misbehave.
// @module-tag slow
import type { ServerResponse } from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OutboundRequest } from '../../src/kernel/interfaces/outbound.ts'
import { createOutbound } from '../../src/platform/outbound/outbound.ts'
import { selfSigned } from '../harness/certificate.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'

const MAX = 10_000
const TEXT = 'Grüße, 世界! '.repeat(50)
const ZEROS = Buffer.alloc(40 * 1024 * 1024)
const compressed = (encoding: string, body: Buffer) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-encoding': encoding }).end(body)
const times = (count: number, compress: (data: Buffer) => Buffer, data: Buffer) => {
  let result = data
  for (let i = 0; i < count; i++) result = compress(result)
  return result
}

let hangUps = 0
let open = 0
let mostOpen = 0
/** Sends data until the client closes the connection. */
const endless =
  (chunk: string | Buffer, everyMs: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(200, headers)
    const send = () => {
      while (response.write(chunk) && everyMs === 0 && !response.destroyed);
    }
    const timer = setInterval(send, everyMs)
    response.on('drain', () => everyMs === 0 && send())
    response.on('close', () => {
      clearInterval(timer)
      hangUps++
    })
  }

const pieces = (count: number, piece: string) =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${`${piece.length.toString(16)}\r\n${piece}\r\n`.repeat(count)}0\r\n\r\n`

const malformedAnswers = new Map<string, (write: (text: string) => void, end: (text: string) => void) => void>([
  ['/garbage', (_write, end) => end('this is not HTTP\r\n\r\n')],
  ['/nothing', (_write, end) => end('')],
  ['/half-head', (_write, end) => end('HTTP/1.1 200 OK\r\nContent-')],
  ['/half-body', (_write, end) => end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort')],
  ['/two-lengths', (_write, end) => end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab')],
  ['/bytes', (_write, end) => end(pieces(50_000, 'x'))],
  ['/lines', (_write, end) => end(pieces(20_000, `${'x'.repeat(39)}\n`))],
  ['/long-header', (_write, end) => end(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`)],
  [
    '/many-headers',
    (_write, end) =>
      end(`HTTP/1.1 200 OK\r\n${Array.from({ length: 20_000 }, (_, i) => `X-${i}: y`).join('\r\n')}\r\n\r\n`),
  ],
  [
    '/endless-hints',
    (write) => {
      const timer = setInterval(() => write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'), 5)
      setTimeout(() => clearInterval(timer), 1_500)
    },
  ],
  [
    '/dripping-head',
    (write) => {
      write('HTTP/1.1 200 OK\r\nX: ')
      const timer = setInterval(() => write('y'), 20)
      setTimeout(() => clearInterval(timer), 1_500)
    },
  ],
])

let site: Receiver
let malformedServer: Server
let secure: HttpsServer
let closingServer: Server
const outbound = createOutbound({
  allowed: ['127.0.0.0/8'],
  resolve: async (name) => {
    if (name === 'slow.example.com') await sleep(700)
    if (name === 'silent.example.com') await new Promise(() => {})
    return ['127.0.0.1']
  },
})
const certificate = selfSigned('DNS:good.example.com')

beforeAll(async () => {
  site = await startReceiver({
    '/gzip': compressed('gzip', gzipSync(TEXT)),
    '/x-gzip': compressed('X-GZIP', gzipSync(TEXT)),
    '/deflate': compressed('deflate', deflateSync(TEXT)),
    '/br': compressed('br', brotliCompressSync(TEXT)),
    '/cut-gzip': compressed('gzip', gzipSync(TEXT).subarray(0, -8)),
    '/gzip-bomb': compressed('gzip', gzipSync(ZEROS)),
    '/br-bomb': compressed('br', brotliCompressSync(ZEROS, { params: {} })),
    '/deflate-bomb': compressed('deflate', deflateSync(ZEROS)),
    '/nested-bomb': compressed('gzip, gzip', times(2, gzipSync, ZEROS)),
    '/many-codings': compressed(Array(50).fill('gzip').join(', '), times(5, gzipSync, Buffer.from(TEXT))),
    '/wrong-gzip': compressed('gzip', Buffer.from('not packed at all')),
    '/raw-deflate': compressed('deflate', deflateRawSync(TEXT)),
    '/zstd': compressed('zstd', Buffer.from('x')),
    '/empty-gzips': endless(Buffer.concat(Array(500).fill(gzipSync(''))), 0, { 'content-encoding': 'gzip' }),
    '/endless': endless(Buffer.alloc(16_384, 'x'), 0),
    '/drip': endless('x', 20),
    '/exact': (response) => response.end(Buffer.alloc(MAX)),
    '/one-more': (response) => response.end(Buffer.alloc(MAX + 1)),
    '/empty': (response) => response.writeHead(204).end(),
    '/hang': () => {},
    '/loop': (response) => response.writeHead(302, { location: '/loop' }).end(),
    '/ring': (response) => response.writeHead(302, { location: '/ring' }).end(),
    '/pair': (response) => response.writeHead(307, { location: '/loop' }).end(),
    '/big-redirect': (response) => response.writeHead(302, { location: '/ok' }).end(ZEROS.subarray(0, 20_000_000)),
    '/nowhere': (response) => response.writeHead(302).end('no location'),
    '/busy': (response) => {
      mostOpen = Math.max(mostOpen, ++open)
      setTimeout(() => {
        open--
        response.end('ok')
      }, 40)
    },
  })
  malformedServer = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      const path = data.toString().split(' ')[1]!
      const say = (text: string) => void (socket.writable && socket.write(text))
      malformedAnswers.get(path)!(say, (text) => socket.end(text))
    })
  })
  closingServer = createServer((socket) => socket.destroy())
  secure = createHttpsServer(certificate, (_request, response) => response.end('secret'))
  for (const server of [malformedServer, closingServer, secure])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await outbound.close()
  await site.close()
  for (const server of [malformedServer, closingServer, secure]) server.close()
  secure.closeAllConnections()
})

const portOf = (server: Server | HttpsServer) => (server.address() as AddressInfo).port
const ask = (url: string, more: Partial<OutboundRequest> = {}) =>
  outbound.fetch(url.startsWith('/') ? site.origin + url : url, {
    maxBytes: MAX,
    timeoutMs: 3_000,
    redirects: 5,
    ...more,
  })
/** Returns the message of a failure. */
const failure = (url: string, more: Partial<OutboundRequest> = {}): Promise<string> =>
  ask(url, more).then(
    ({ status }) => `answered ${status}`,
    (error: Error) => error.message,
  )

describe('the size of an answer', () => {
  test.each(['/gzip', '/x-gzip', '/deflate', '/br'])('%s is decompressed', async (path) => {
    const reply = await ask(path)
    expect([reply.body.toString(), reply.truncated]).toEqual([TEXT, false])
  })

  test('a gzip stream that ends early is read as far as it goes', async () => {
    expect((await ask('/cut-gzip')).body.toString()).toBe(TEXT)
  })

  test.each(['/gzip-bomb', '/br-bomb', '/deflate-bomb'])(
    '%s of 40 MB is cut at the limit and needs little memory',
    async (path) => {
      const before = process.memoryUsage().rss
      const reply = await ask(path)
      expect([reply.body.length, reply.truncated]).toEqual([MAX, true])
      expect(process.memoryUsage().rss - before).toBeLessThan(25 * 1024 * 1024)
    },
  )

  test.each(['/nested-bomb', '/many-codings', '/zstd'])('%s is not decompressed', async (path) => {
    expect(await failure(path)).toBe('The answer uses a content encoding that was not requested.')
  })

  test('compressed bytes that decompress to nothing are not read for ever', async () => {
    const reply = await ask('/empty-gzips')
    expect([reply.body.length, reply.truncated]).toEqual([0, true])
  })

  test('an answer that is not compressed correctly fails with a sentence that says so', async () => {
    expect(await failure('/wrong-gzip')).toBe('The answer could not be decompressed.')
    expect(await failure('/raw-deflate')).toBe('The answer could not be decompressed.')
  })

  test('an endless answer is cut at the limit, and the connection is closed', async () => {
    const before = hangUps
    const reply = await ask('/endless')
    expect([reply.body.length, reply.truncated]).toEqual([MAX, true])
    await expect.poll(() => hangUps).toBe(before + 1)
  })

  test('an answer of exactly the limit is whole, and one byte more is cut', async () => {
    expect([(await ask('/exact')).truncated, (await ask('/one-more')).truncated]).toEqual([false, true])
    expect((await ask('/one-more')).body.length).toBe(MAX)
    expect((await ask('/empty')).body.length).toBe(0)
  })

  test('an answer in pieces of a byte is given up, one in pieces of a line is read', async () => {
    const url = (path: string) => `http://127.0.0.1:${portOf(malformedServer)}${path}`
    expect(await failure(url('/bytes'), { maxBytes: 2 * 1024 * 1024 })).toBe(
      'The answer comes in too many small pieces.',
    )
    expect((await ask(url('/lines'), { maxBytes: 2 * 1024 * 1024 })).body.length).toBe(20_000 * 40)
  })

  test.each(['/long-header', '/many-headers'])('%s is refused', async (path) => {
    expect(await failure(`http://127.0.0.1:${portOf(malformedServer)}${path}`)).toBe(
      "The answer's headers are too large.",
    )
  })
})

describe('the time of an answer', () => {
  const LATE = 'No complete answer within 0.5 seconds.'

  test.each([
    ['/hang', 'a server that never answers'],
    ['/drip', 'a body that drips'],
    ['https://silent.example.com/', 'a name server that never answers'],
    ['http://slow.example.com/', 'a slow name server'],
  ])('%s (%s) ends at the limit', async (url) => {
    expect(await failure(url, { timeoutMs: 500 })).toBe(LATE)
  })

  test.each(['/dripping-head', '/endless-hints'])('%s ends at the limit', async (path) => {
    expect(await failure(`http://127.0.0.1:${portOf(malformedServer)}${path}`, { timeoutMs: 500 })).toBe(LATE)
  })

  test('a request that timed out while connecting is not sent afterwards', async () => {
    const url = `http://slow.example.com:${site.port}/too-late`
    expect(await failure(url, { timeoutMs: 500, method: 'POST', body: 'x' })).toBe(LATE)
    await sleep(500)
    expect(site.at('/too-late')).toEqual([])
  })

  test('the limit covers all redirects together', async () => {
    expect(await failure('/loop', { timeoutMs: 300, redirects: 1_000_000 })).toBe(
      'No complete answer within 0.3 seconds.',
    )
  })
})

describe('redirects and sockets', () => {
  test('a redirect loop ends after the allowed number of redirects', async () => {
    expect(await failure('/ring', { redirects: 4 })).toBe('The answer redirects too often.')
    expect(site.at('/ring')).toHaveLength(5)
    expect(await failure('/pair', { redirects: 2 })).toBe('The answer redirects too often.')
  })

  test('the body of a redirect is not read, and a redirect without a target is an answer', async () => {
    expect((await ask('/big-redirect')).body.toString()).toBe('ok')
    expect((await ask('/nowhere')).body.toString()).toBe('no location')
  })

  test('at most six sockets are open to one host at the same time', async () => {
    const replies = await Promise.all(Array.from({ length: 30 }, () => ask('/busy')))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(mostOpen).toBe(6)
  })
})

describe('failures in words that may be shown', () => {
  test('the certificate of the host is verified', async () => {
    const port = portOf(secure)
    const untrusted = await failure(`https://good.example.com:${port}/`)
    expect(untrusted).toBe("The host's certificate cannot be trusted.")
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, certificate.cert.toString()])
    const own = createOutbound({ allowed: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] })
    const request = { maxBytes: MAX, timeoutMs: 3_000, redirects: 0 }
    try {
      expect((await own.fetch(`https://good.example.com:${port}/`, request)).body.toString()).toBe('secret')
      await expect(own.fetch(`https://127.0.0.1:${port}/`, request)).rejects.toThrow(
        "The host's certificate is for another name.",
      )
      await expect(own.fetch(`https://evil.example.com:${port}/`, request)).rejects.toThrow(
        "The host's certificate is for another name.",
      )
    } finally {
      setDefaultCACertificates(before)
      await own.close()
    }
  })

  test('an environment variable that turns verification off changes nothing', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      expect(await failure(`https://good.example.com:${portOf(secure)}/`)).toBe(
        "The host's certificate cannot be trusted.",
      )
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    }
  })

  test.each([
    ['/garbage', 'The answer is not valid HTTP.'],
    ['/two-lengths', 'The connection was closed before the answer was complete.'],
    ['/nothing', 'The connection was closed before the answer was complete.'],
    ['/half-head', 'The connection was closed before the answer was complete.'],
    ['/half-body', 'The connection was closed before the answer was complete.'],
  ])('%s fails with: %s', async (path, message) => {
    expect(await failure(`http://127.0.0.1:${portOf(malformedServer)}${path}`)).toBe(message)
  })

  test('a refused connection, a closed connection and a missing TLS each have their sentence', async () => {
    expect(await failure('http://127.0.0.1:1/')).toBe('The connection was refused.')
    expect(await failure(`http://127.0.0.1:${portOf(closingServer)}/`)).toMatch(/^The connection was closed/)
    expect(await failure(`https://127.0.0.1:${portOf(closingServer)}/`)).toMatch(
      /^(The connection was closed|No secure)/,
    )
    expect(await failure(`https://127.0.0.1:${site.port}/`)).toBe('No secure connection could be made.')
  })

  test('a host name that does not exist has its sentence', async () => {
    const named = createOutbound({
      allowed: [],
      resolve: async () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })),
    })
    await expect(named.fetch('http://no.example.com/', { maxBytes: 1, timeoutMs: 500, redirects: 0 })).rejects.toThrow(
      'The host name could not be found.',
    )
    await named.close()
  })
})
