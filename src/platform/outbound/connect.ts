// Sockets to permitted addresses only. A name is looked up once, here, and only permitted addresses are connected to, so a name that
// resolves to another address a moment later changes nothing. Also limits what a host may send in answer.
import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector, type Dispatcher } from 'undici'
import { isInside, isPublic, isWebPort } from '../../kernel/addresses/web-address.ts'
import { type HostNames, OutboundRefused } from '../../kernel/interfaces/outbound.ts'
import { OutboundFailure } from './failures.ts'

export type Resolve = (name: string) => Promise<string[]>

const DNS_TIMEOUT_MS = 2_500
const DNS_TRIES = 2
const CONNECT_TIMEOUT_MS = 10_000
// How long one address may take before the next address of the host is tried as well; a packet around the world takes a third of this.
const NEXT_ADDRESS_MS = 1_000

export function createConnector(allowed: readonly string[], resolve: Resolve): buildConnector.connector {
  const connectorFor = (isWeb: boolean) => {
    const mayReach = (text: string | undefined) => isPermitted(text, isWeb, allowed)
    const connect = buildConnector({
      lookup: permittedLookup(resolve, mayReach),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      timeout: CONNECT_TIMEOUT_MS,
      allowH2: false,
      // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would otherwise switch it off.
      rejectUnauthorized: true,
    } as buildConnector.BuildOptions)
    return { connect, mayReach }
  }
  const onWebPorts = connectorFor(true)
  const onOtherPorts = connectorFor(false)
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
    const { connect, mayReach } = isWebPort(port) ? onWebPorts : onOtherPorts
    // Node does not call the look-up function for a numeric address, so it is checked here.
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !mayReach(host)) return callback(refusal([host]), null)
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      if (mayReach(socket.remoteAddress)) {
        limitReads(socket)
        return callback(null, socket)
      }
      socket.destroy()
      callback(refusal([]), null)
    })
  }
}

function isPermitted(text: string | undefined, isWeb: boolean, allowed: readonly string[]): boolean {
  if (text === undefined || !ipaddr.isValid(text)) return false
  // An IPv4 address in IPv6 form is checked as IPv4.
  const address = ipaddr.process(text)
  return isInside(address, allowed) || (isWeb && isPublic(address))
}

const refusal = (addresses: readonly string[]): OutboundRefused =>
  new OutboundRefused(
    addresses.some((address) => isPermitted(address, true, []))
      ? 'Only the ports 80 and 443 of public addresses may be reached.'
      : 'The host has no public address.',
  )

function permittedLookup(resolve: Resolve, mayReach: (address: string) => boolean): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (found) => {
        const addresses = found.filter(mayReach).map((address) => ({ address, family: isIP(address) }))
        const [first] = addresses
        if (!first) callback(refusal(found), '')
        else if (options.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, ''),
    )
  }
}

/**
 * Asks the name servers directly. The system's look-up runs in few threads, and one partner's slow name servers could delay all
 * webhooks. If private networks are allowed, the system is asked, because it also knows local names.
 */
export function createResolver(allowed: readonly string[]): { resolve: Resolve; cancel(): void } {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES })
  const ask = async (name: string): Promise<string[]> => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length === 0) throw (answers[0] as PromiseRejectedResult).reason
    return found
  }
  const askSystem = async (name: string) => (await lookup(name, { all: true })).map(({ address }) => address)
  return { resolve: allowed.length > 0 ? askSystem : ask, cancel: () => resolver.cancel() }
}

/** Far more interim answers, such as early hints, than any server sends. */
const MOST_INTERIM = 1_000
/** The least average size of a piece in bytes, besides FREE_PIECES. Servers send kilobytes; one that writes line by line, tens of bytes. */
const LEAST_BYTES = 24
const FREE_PIECES = 4_000
// More than the largest body that is read (10 MiB), with its headers and the encryption.
const MOST_SOCKET_BYTES = 16 * 1024 * 1024

const TOO_MANY = 'The answer comes in too many small pieces.'

/**
 * Limits how many interim answers and pieces of a body a host may send. Each costs time on the main thread, so a host must not be able to
 * send them without end while a request waits.
 */
export const limitPieces: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  let interim = 0
  let pieces = 0
  let bytes = 0
  return dispatch(options, {
    onRequestStart: (...given) => handler.onRequestStart?.(...given),
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart(controller, status, ...given) {
      if (status < 200 && ++interim > MOST_INTERIM)
        throw new OutboundFailure('The host sends too many interim answers.')
      handler.onResponseStart?.(controller, status, ...given)
    },
    onResponseData(controller, chunk) {
      bytes += chunk.length
      if (++pieces > FREE_PIECES + bytes / LEAST_BYTES) throw new OutboundFailure(TOO_MANY)
      handler.onResponseData?.(controller, chunk)
    },
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  })
}

// Reads are small, because undici parses all bytes of a read even after the answer has failed: after too many headers it creates an error
// for each further header of the same read.
const READ_BYTES = 2 * 1024

/** Limits the bytes of a connection; each has one answer. Only here are bytes outside the body counted, such as chunk extensions. */
export function limitReads(socket: Socket, mostBytes = MOST_SOCKET_BYTES): void {
  const read = socket.read.bind(socket)
  socket.read = (size?: number) => {
    if (socket.bytesRead > mostBytes) socket.destroy(new OutboundFailure('The answer is too long.'))
    return socket.destroyed ? null : read(size ?? (Math.min(READ_BYTES, socket.readableLength) || undefined))
  }
}

const TIMEOUT_MS = 900

/**
 * Looks up names and addresses of hosts in DNS. The name servers are asked directly and only once, because a request waits for the answer.
 */
export function createHostNames(): HostNames & { close(): void } {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 })
  return {
    namesOf: (address) => orNone(resolver.reverse(address)),
    async addressesOf(name) {
      const answers = await Promise.allSettled([orNone(resolver.resolve4(name)), orNone(resolver.resolve6(name))])
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      const failed = answers.find((answer) => answer.status === 'rejected')
      // Addresses of one kind are enough, even if the look-up of the other kind failed.
      if (found.length === 0 && failed) throw failed.reason
      return found
    },
    // A long text is sent in several parts, which belong together.
    textsOf: async (name) => (await orNone(resolver.resolveTxt(name))).map((parts) => parts.join('')),
    aliasesOf: (name) => orNone(resolver.resolveCname(name)),
    close: () => resolver.cancel(),
  }
}

const NONE = new Set(['ENOTFOUND', 'ENODATA'])

async function orNone<T>(answer: Promise<T[]>): Promise<T[]> {
  try {
    return await answer
  } catch (error) {
    if (NONE.has((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
