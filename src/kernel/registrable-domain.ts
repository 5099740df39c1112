import { parse } from 'tldts'

/**
 * The domain that one owner has registered: `acme.co.uk` of `www.acme.co.uk`. The host itself where many people share the domain, such as
 * `acme.github.io`, and for a numeric address.
 */
export function registrableDomain(hostname: string): string {
  const host = hostname.toLowerCase().replace(/\.+$/, '')
  // The private part of the list has domains whose subdomains belong to different people, such as github.io.
  const { domain, isPrivate, isIp } = parse(host, { allowPrivateDomains: true, validateHostname: false })
  return isPrivate || isIp || !domain ? host : domain
}
