// Sockets to permitted addresses only. A name is looked up once, here, and only permitted addresses are connected to, so a name that
// resolves to another address a moment later changes nothing.
import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { isInside, isPublic } from '../../kernel/addresses/reachable-networks.ts'
import { isWebPort } from '../../kernel/addresses/web-address.ts'
import { OutboundRefused } from '../../kernel/interfaces/outbound.ts'
import { limitReads } from './answer-limits.ts'

/** All addresses of a name. */
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
