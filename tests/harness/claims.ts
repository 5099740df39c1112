// The internet around a claim: names with DNS entries, and sites that answer by the name they are asked for, all on loopback and on one
// port, over http and https.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createServer as createSwitch } from 'node:net'
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls'
import type { HostNames } from '../../src/kernel/interfaces/outbound.ts'
import { selfSigned } from './certificate.ts'
import { listening } from './listening.ts'

type Answer = string | { status?: number; location?: string; body?: string } | ((response: ServerResponse) => unknown)

export interface ClaimNet {
  hostNames: Pick<HostNames, 'addressesOf' | 'textsOf' | 'aliasesOf'>
  /** A name such as `*.acme.example` answers for every name below it that has no entry of its own. */
  texts: Map<string, string[]>
  aliases: Map<string, string>
  /** Names about which the DNS server answers with a failure. */
  failing: Set<string>
  /** By host and path, such as `acme.example/.well-known/catalog-verify.txt`; over https with `https://` before it. */
  pages: Map<string, Answer>
  /** The address of a page of a host. */
  url(host: string, path?: string, scheme?: 'http' | 'https'): string
  clear(): void
  close(): Promise<void>
}

/** The hosts whose certificate is trusted. */
const TRUSTED = ['victim.example', '*.victim.example', 'evil.example']
const TLS_HANDSHAKE = 0x16

export async function claimNet(): Promise<ClaimNet> {
  const texts = new Map<string, string[]>()
  const aliases = new Map<string, string>()
  const failing = new Set<string>()
  const pages = new Map<string, Answer>()
  const send = (request: IncomingMessage, response: ServerResponse) => {
    const host = request.headers.host!.replace(/:\d+$/, '')
    const answer = pages.get((request.socket instanceof TLSSocket ? 'https://' : '') + host + request.url!)
    if (answer === undefined) return void response.writeHead(404).end('Not found')
    if (typeof answer === 'function') return void answer(response)
    const { status, location, body = '' } = typeof answer === 'string' ? { body: answer } : answer
    response.writeHead(status ?? (location ? 302 : 200), {
      'content-type': 'text/html',
      ...(location ? { location } : {}),
    })
    response.end(body)
  }
  const certificate = selfSigned(TRUSTED.map((name) => `DNS:${name}`).join())
  setDefaultCACertificates([...getCACertificates('default'), certificate.cert])
  const [plain, secure] = [createServer(send), createSecureServer(certificate, send)]
  const server = createSwitch((socket) =>
    socket.once('data', (first) => {
      socket.pause()
      socket.unshift(first)
      ;(first[0] === TLS_HANDSHAKE ? secure : plain).emit('connection', socket)
      process.nextTick(() => socket.resume())
    }),
  )
  const { url, close } = await listening(server)
  const { port } = new URL(url)
  const textsOf = (name: string): string[] => {
    const above = name.split('.').map((_, i, labels) => `*.${labels.slice(i + 1).join('.')}`)
    return [name, ...above].map((one) => texts.get(one)).find((found) => found !== undefined) ?? []
  }
  const nameOf = (name: string) => name.toLowerCase().replace(/\.$/, '')
  return {
    texts,
    aliases,
    failing,
    pages,
    url: (host, path = '/', scheme = 'http') => `${scheme}://${host}:${port}${path}`,
    hostNames: {
      addressesOf: async () => ['127.0.0.1'],
      // A resolver follows an alias and answers with the entries of the other name.
      textsOf: async (name) => textsOf(aliases.get(nameOf(name)) ?? nameOf(name)),
      aliasesOf: async (name) => {
        if (failing.has(nameOf(name))) throw Object.assign(new Error('SERVFAIL'), { code: 'ESERVFAIL' })
        return [aliases.get(nameOf(name)) ?? []].flat()
      },
    },
    clear() {
      for (const map of [texts, aliases, failing, pages]) map.clear()
    },
    close,
  }
}
