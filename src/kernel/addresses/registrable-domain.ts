import { parse } from 'tldts'

/**
 * The domain that one owner has registered: `acme.co.uk` of `www.acme.co.uk`. It is the whole host where subdomains belong to different
 * people, such as `acme.github.io`, and for a numeric address.
 */
export function registrableDomain(hostname: string): string {
  const host = hostname.toLowerCase().replace(/\.+$/, '')
  // The private part of the public suffix list has domains such as github.io.
  const { domain, isPrivate, isIp } = parse(host, { allowPrivateDomains: true, validateHostname: false })
  return isPrivate || isIp || !domain ? host : domain
}
