// Which networks outbound requests may reach: public ones, but no private ranges and no addresses inside a cloud. A setting may allow some
// private networks.
import ipaddr from 'ipaddr.js'

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
