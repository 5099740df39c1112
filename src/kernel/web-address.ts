// Which addresses may be stored and later reached from here. Names are looked up when a request is made, where the address that
// is really connected to counts; this refuses what can be told from the text.
import ipaddr from 'ipaddr.js'

export interface AddressRules {
  /** Private networks that may be reached all the same. */
  allowed: readonly string[]
  /** Whether plain http is refused outside of them. */
  httpsOnly?: boolean
}

/** What is wrong with an address, as the end of a sentence that starts with its field, or undefined. */
export function addressProblem(text: string, { allowed, httpsOnly = false }: AddressRules): string | undefined {
  const url = URL.parse(text)
  const scheme = httpsOnly ? 'https' : 'http or https'
  if (!url || !/^https?:$/.test(url.protocol)) return `must be a complete ${scheme} address.`
  if (url.username || url.password) return 'must not contain a user name or password.'
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const address = ipaddr.isValid(host) ? ipaddr.process(host) : null
  if (address && isInside(address, allowed)) return undefined
  if (httpsOnly && url.protocol !== 'https:') return 'must start with https://.'
  if (address ? !isPublic(address) : isLocalName(host)) return 'must be a public address.'
  return undefined
}

export const isInside = (address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly string[]): boolean =>
  networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network)
    return range.kind() === address.kind() && address.match(range, bits)
  })

const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

/** Of IPv6 only what is given out to the world, less the ranges inside it that lead elsewhere (6to4, Teredo, documentation). */
export function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(...GLOBAL_UNICAST_V6)
}

const isLocalName = (host: string): boolean =>
  !host.includes('.') || /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa)$/i.test(host)
