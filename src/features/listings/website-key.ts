// The key of a website. Two addresses with the same key are the same website for submissions, status, listings and imports; spellings of
// an address that lead to the same page have the same key.
import { isIP } from 'node:net'
import { parseUrl } from '../../kernel/addresses/web-address.ts'

/**
 * Host, port and path in one spelling. Scheme, usual port, `www.`, case and trailing dot of the host, dot segments, repeated and
 * trailing slashes, path parameters (`;…`), percent-encoding, index pages, query and fragment do not count. The key of `https://` plus a
 * key is that key again, so stored keys can be recomputed without the address.
 */
export const websiteKey = (website: string): string => keyOf(new URL(website))

/** The key of a text that may be no address; undefined if it is none. */
export function websiteKeyOf(text: unknown): string | undefined {
  const url = typeof text === 'string' ? parseUrl(text) : null
  return url ? keyOf(url) : undefined
}

function keyOf({ hostname, port, pathname }: URL): string {
  const isUsualPort = port === '' || port === '80' || port === '443'
  return [bareHost(hostname) + (isUsualPort ? '' : `:${port}`), ...segmentsOf(pathname)].join('/')
}

/** The host of a key, without its port. */
export const hostOfKey = (key: string): string => /^(\[[^\]]*\]|[^/:]*)/.exec(key)?.[0] ?? ''

/** The host of a key and its parent domains: a listing taken down at one of them concerns this host too. */
export function hostsOfKey(key: string): string[] {
  const host = hostOfKey(key)
  if (host.startsWith('[') || isIP(host) !== 0) return [host]
  const labels = host.split('.')
  // Without the top-level domain, which is no host of a listing.
  return labels.slice(0, Math.max(1, labels.length - 1)).map((_, at) => labels.slice(at).join('.'))
}

// The `www.` of `www.com` is kept, because `com` alone is no host.
const bareHost = (hostname: string): string => hostname.replace(/\.+$/, '').replace(/^(?:www\.)+(?=[^.]+\.)/, '')

/** Path parameters are removed before a segment is decoded and dot segments after it, so that `..;` and `%2e%2e` count as `..`. */
function segmentsOf(pathname: string): string[] {
  const segments: string[] = []
  for (const raw of pathname.split('/')) {
    const segment = inOneSpelling(raw.replace(/;.*/s, ''))
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  while (INDEX_PAGE.test(segments.at(-1) ?? '')) segments.pop()
  return segments
}

const INDEX_PAGE = /^(?:index\.(?:x?html?|shtml|php\d?|phtml|aspx?|jspx?|cgi|pl|cfm)|default\.(?:html?|aspx?|cfm))$/i

// Characters that a path may contain unencoded, besides letters, digits and `-._~`.
const PLAIN = /%(?:21|24|26|27|28|29|2A|2B|2C|3A|3D|40)/g

function inOneSpelling(segment: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(segment)).replace(PLAIN, (code) => decodeURIComponent(code))
  } catch {
    // Bytes that are not valid UTF-8 stay encoded, in upper case; a `%` without two digits stays as it is.
    return segment.replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
      return /[\w.~-]/.test(character) ? character : code.toUpperCase()
    })
  }
}
