// Sockets to permitted addresses only. What counts is the address that is connected to: names are looked up once, here, and only
// the addresses that passed are handed on, so a name that answers differently a moment later changes nothing.
import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { OutboundRefused } from '../../kernel/outbound.ts'
import { isInside, isPublic, isWebPort } from '../../kernel/web-address.ts'

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<string[]>

const DNS_TIMEOUT_MS = 2_500
const DNS_TRIES = 2
const CONNECT_TIMEOUT_MS = 10_000
// Before the next address of a host is tried beside this one; a packet around the world takes a third of it.
const NEXT_ADDRESS_MS = 1_000

export function createConnector(allowed: readonly string[], resolve: Resolve): buildConnector.connector {
  const connectors = new Map(
    [true, false].map((isWeb) => {
      const mayReach = (text: string | undefined) => isPermitted(text, isWeb, allowed)
      const connect = buildConnector({
        lookup: permittedLookup(resolve, mayReach),
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
        timeout: CONNECT_TIMEOUT_MS,
        allowH2: false,
        // Said aloud, or NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would switch it off.
        rejectUnauthorized: true,
      } as buildConnector.BuildOptions)
      return [isWeb, { connect, mayReach }]
    }),
  )
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
    const { connect, mayReach } = connectors.get(isWebPort(port))!
    // Node looks up no address, so the look-up below does not see it.
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !mayReach(host)) return callback(refusal([host]), null)
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      if (mayReach(socket.remoteAddress)) return callback(null, socket)
      socket.destroy()
      callback(refusal([]), null)
    })
  }
}

function isPermitted(text: string | undefined, isWeb: boolean, allowed: readonly string[]): boolean {
  if (text === undefined || !ipaddr.isValid(text)) return false
  // An IPv4 address in IPv6 clothes is judged as what it is.
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
 * Asks the name servers without a thread: the system's own look-up has two of them, and a partner with slow name servers could
 * hold up everybody's webhooks. Only where private networks are allowed the system is asked, which knows local names too.
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
