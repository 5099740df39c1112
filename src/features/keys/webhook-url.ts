// Which addresses may be stored as a webhookUrl. Names are looked up when an event is sent, where the address connected to counts.
import ipaddr from 'ipaddr.js'

declare module '../../kernel/context.ts' {
  interface Context {
    /** Networks that outbound requests may reach although they are private. */
    outboundAllowed: readonly string[]
  }
}

/** What is wrong with it, or undefined: public HTTPS, or inside the allowed networks HTTP too. */
export function webhookUrlProblem(text: string, allowed: readonly string[]): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'webhookUrl must be a complete https address.'
  if (url.username || url.password) return 'webhookUrl must not contain a user name or password.'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const address = ipaddr.isValid(host) ? ipaddr.process(host) : null
  if (address && isInside(address, allowed)) return undefined
  if (url.protocol !== 'https:') return 'webhookUrl must start with https://.'
  const local =
    /(^|\.)(localhost|local|internal|home\.arpa)$/i.test(host.replace(/\.$/, '')) || (!address && !host.includes('.'))
  if (local || (address && address.range() !== 'unicast')) return 'webhookUrl must be a public address.'
  return undefined
}

const isInside = (address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly string[]): boolean =>
  networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network)
    return range.kind() === address.kind() && address.match(range, bits)
  })
