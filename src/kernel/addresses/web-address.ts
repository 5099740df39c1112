// Which web addresses may be stored and later fetched. These checks use only the text of the address. Host names are looked up when a
// request is made, and the address that is really connected to is checked then: only public networks may be reached, no private ranges and
// no addresses inside a cloud. A setting may allow some private networks.
import ipaddr from 'ipaddr.js'

interface AddressRules {
  /** Private networks that may be reached. */
  allowed: readonly string[]
  /** Set for webhook addresses, which must use https on its usual port outside of the allowed networks. */
  httpsOnly?: boolean
}

/** The ports that may be reached outside of the allowed networks. Other ports rarely belong to web servers, and often to databases. */
export const isWebPort = (port: number): boolean => port === 80 || port === 443

export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80)

// Browsers read `https:\\host` as `https://host` and drop line breaks, while other programs may see another host in the same text.
const hasWebForm = (text: string): boolean => /^https?:\/\//i.test(text) && !/[\p{Cc}\\]/u.test(text)

/** Only addresses with http or https and without a user name or password may be fetched and linked to. */
export const isWebUrl = ({ protocol, username, password }: URL): boolean =>
  /^https?:$/.test(protocol) && username === '' && password === ''

// A host name has at most 253 characters, in ASCII. Parsing one with other letters takes the square of its length: 100 ms for 4,000.
const LONGEST_HOST = 300
/** The part that a parser may read as the host, with a user name and a port. It ignores tabs and line breaks. */
const HOST = /^[\p{Cc} ]*(?:[a-z][a-z0-9+.-]*:[\\/]*|[\\/]{2,})([^\\/?#]*)/iu

/** `URL.parse`, for addresses that others have written: null also for one whose host is too long to be one. */
export function parseUrl(text: string, base?: string): URL | null {
  const [, host = ''] = HOST.exec(text.replace(/[\t\n\r]/g, '')) ?? []
  return host.length > LONGEST_HOST ? null : URL.parse(text, base)
}

/**
 * The parsed address, or null if it is not a complete web address. Every stored address has this form, whether a partner or an operator
 * sent it.
 */
export function parseWebAddress(text: string): URL | null {
  const url = hasWebForm(text) ? parseUrl(text) : null
  return url && isWebUrl(url) ? url : null
}

/** What is wrong with an address, as the end of a sentence that starts with the field's name, or undefined. */
export function addressProblem(text: string, { allowed, httpsOnly = false }: AddressRules): string | undefined {
  const url = parseUrl(text)
  const scheme = httpsOnly ? 'https' : 'http or https'
  if (!url || !hasWebForm(text)) return `must be a complete ${scheme} address.`
  if (!isWebUrl(url)) return 'must not contain a user name or password.'
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const address = ipaddr.isValid(host) ? ipaddr.process(host) : null
  if (address ? isInside(address, allowed) : isAllowedLocalhost(host, allowed)) return undefined
  if (httpsOnly && url.protocol !== 'https:') return 'must start with https://.'
  if (address ? !isPublic(address) : isLocalName(host)) return 'must be a public address.'
  // Inside an allowed network any port may be used, and a host name may lead into one.
  if (httpsOnly && !isWebPort(portOf(url)) && (address || allowed.length === 0)) return 'must use port 443.'
  return undefined
}

const LOOPBACK = ['127.0.0.1', '::1'].map((text) => ipaddr.parse(text))

/** localhost is the only local name whose addresses are known without a look-up. */
const isAllowedLocalhost = (host: string, allowed: readonly string[]): boolean =>
  /(^|\.)localhost$/i.test(host) && LOOPBACK.some((address) => isInside(address, allowed))

const isLocalName = (host: string): boolean =>
  !host.includes('.') ||
  host.split('.').includes('') ||
  /\.(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa)$/i.test(host)

export const isInside = (address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly string[]): boolean =>
  networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network)
    return range.kind() === address.kind() && address.match(range, bits)
  })

const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

// This address of Azure's agent looks public, but from inside the cloud it hands out secrets.
const CLOUD_INTERNAL = ['168.63.129.16/32']

/** For IPv6 only the global unicast range counts, without the ranges inside it that lead elsewhere (6to4, Teredo, documentation). */
export function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || isInside(address, CLOUD_INTERNAL)) return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(...GLOBAL_UNICAST_V6)
}
