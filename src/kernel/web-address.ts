// Which addresses may be stored and later reached from here. Names are looked up when a request is made, where the address that
// is really connected to counts; this refuses what can be told from the text.
import ipaddr from 'ipaddr.js'

export interface AddressRules {
  /** Private networks that may be reached all the same. */
  allowed: readonly string[]
  /** For addresses that exist to be called by us: outside of `allowed` https on its usual port. */
  httpsOnly?: boolean
}

/** The ports that may be reached outside of the allowed networks: others are rarely web servers, and often somebody's database. */
export const isWebPort = (port: number): boolean => port === 80 || port === 443

export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80)

// Browsers mend `https:\\host` and drop line breaks; others who read the stored text would see another host.
const hasWebForm = (text: string): boolean => /^https?:\/\//i.test(text) && !/[\p{Cc}\\]/u.test(text)

/** http or https, without a user name or password: what may be fetched and linked to. */
export const isWebUrl = ({ protocol, username, password }: URL): boolean =>
  /^https?:$/.test(protocol) && username === '' && password === ''

/** A complete address of that kind, or null. Every address that is stored has this form, whether a partner or an operator sends it. */
export function parseWebAddress(text: string): URL | null {
  const url = hasWebForm(text) ? URL.parse(text) : null
  return url && isWebUrl(url) ? url : null
}

/** What is wrong with an address, as the end of a sentence that starts with its field, or undefined. */
export function addressProblem(text: string, { allowed, httpsOnly = false }: AddressRules): string | undefined {
  const url = URL.parse(text)
  const scheme = httpsOnly ? 'https' : 'http or https'
  if (!url || !hasWebForm(text)) return `must be a complete ${scheme} address.`
  if (!isWebUrl(url)) return 'must not contain a user name or password.'
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const address = ipaddr.isValid(host) ? ipaddr.process(host) : null
  if (address ? isInside(address, allowed) : isAllowedLocalhost(host, allowed)) return undefined
  if (httpsOnly && url.protocol !== 'https:') return 'must start with https://.'
  if (address ? !isPublic(address) : isLocalName(host)) return 'must be a public address.'
  // Inside an allowed network any port is fine, and a name may lead there.
  if (httpsOnly && !isWebPort(portOf(url)) && (address || allowed.length === 0)) return 'must use port 443.'
  return undefined
}

export const isInside = (address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly string[]): boolean =>
  networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network)
    return range.kind() === address.kind() && address.match(range, bits)
  })

const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

// A public address by its looks that leads into the machine's own cloud: Azure's agent, which hands out secrets.
const CLOUD_INSIDE = ['168.63.129.16/32']

/** Of IPv6 only what is given out to the world, less the ranges inside it that lead elsewhere (6to4, Teredo, documentation). */
export function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || isInside(address, CLOUD_INSIDE)) return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(...GLOBAL_UNICAST_V6)
}

const LOOPBACK = ['127.0.0.1', '::1'].map((text) => ipaddr.parse(text))

/** The one local name whose addresses are known without asking. */
const isAllowedLocalhost = (host: string, allowed: readonly string[]): boolean =>
  /(^|\.)localhost$/i.test(host) && LOOPBACK.some((address) => isInside(address, allowed))

const isLocalName = (host: string): boolean =>
  !host.includes('.') ||
  host.split('.').includes('') ||
  /\.(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa)$/i.test(host)
