// Which addresses lead to the product, and which links of a directory may redirect to it.
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { websiteKey } from '../../listings/website-key.ts'
import { paceHost } from '../../submissions/bench/link.rules.ts'

// Longer than any address that a browser follows in practice. Longer texts are not parsed.
const MAX_ADDRESS = 4_096

/** The complete address that a link leads to; null if it is no web address. */
export function linkTarget(href: string, base: string): URL | null {
  if (href.length > MAX_ADDRESS) return null
  const url = parseUrl(href.trim(), base)
  return url && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : null
}

/**
 * The product's own page and every page below it count, by the key that submissions are compared with: scheme, `www.`, case, trailing dot,
 * query and fragment do not matter. Another host, a subdomain and another path of the host do not count: on a host that many products share
 * (github.com/acme/writer), a link to the host or to another product is none to this one.
 */
export function isProduct(url: URL, productKeys: readonly string[]): boolean {
  const key = websiteKey(url.href)
  return productKeys.some((product) => product !== '' && (key === product || key.startsWith(`${product}/`)))
}

export interface OwnRedirect {
  url: string
  rel: string
  anchorText: string
  /** Whether it names the product or says that it leads to a website. Then the link does not count as missing if it cannot be followed. */
  isLikely: boolean
}

// One segment of the path, such as `/out/acme` or `/redirect.php`.
const REDIRECT_PATH =
  /\/(?:out|outbound|go|goto|visit|redirect|redir|r|link|click|away|exit|external|track|leave|url|website|jump)(?:\.[a-z]{2,5})?(?:\/|$)/i
const VISIT_TEXT = /\b(?:visit|website|site|official|homepage|open|launch|try|go to|get)\b/i
/** A page has hundreds of links; only the best candidates are requested. */
const MAX_FOLLOWED = 3
// The search for duplicates compares each candidate with all others.
const MAX_COMPARED = 200

/** Links to the directory's own host that look like redirects to the product, best first. */
export function likelyRedirects(
  links: readonly { url: URL; rel: string; anchorText: string }[],
  pageUrl: string,
  productKeys: readonly string[],
): OwnRedirect[] {
  const host = paceHost(pageUrl)
  const pageSlug = parseUrl(pageUrl)?.pathname.split('/').filter(Boolean).at(-1)?.toLowerCase() ?? ''
  const productHosts = productKeys.map((key) => key.split('/', 1)[0] ?? '').filter((name) => name !== '')
  const scored = links.flatMap(({ url, rel, anchorText }) => {
    if (paceHost(url.href) !== host || isSamePage(url, pageUrl)) return []
    const pathAndQuery = decoded(`${url.pathname}${url.search}`).toLowerCase()
    const namesProduct = productHosts.some((name) => pathAndQuery.includes(name))
    const hasSlug = pageSlug.length > 2 && pathAndQuery.includes(pageSlug)
    const isRedirect = REDIRECT_PATH.test(url.pathname)
    const saysVisit = VISIT_TEXT.test(anchorText)
    const score =
      (namesProduct ? 5 : 0) +
      (isRedirect ? 3 : 0) +
      (isRedirect && hasSlug ? 2 : 0) +
      (isRedirect && saysVisit ? 2 : 0)
    const isLikely = namesProduct || (isRedirect && (hasSlug || saysVisit))
    return score >= 3 ? [{ url: withoutFragment(url), rel, anchorText, isLikely, score }] : []
  })
  const best = scored.sort((a, b) => b.score - a.score).slice(0, MAX_COMPARED)
  const unique = best.filter((one, at) => best.findIndex(({ url }) => url === one.url) === at)
  return unique.slice(0, MAX_FOLLOWED).map(({ score: _, ...link }) => link)
}

/** Links to the directory's own host whose text begins with the name of the product, as a page of results has them. */
export function namedLinks(
  links: readonly { url: URL; anchorText: string }[],
  pageUrl: string,
  name: string,
): string[] {
  const host = paceHost(pageUrl)
  const wanted = name.trim().toLowerCase()
  const named = links.filter(
    ({ url, anchorText }) =>
      paceHost(url.href) === host && !isSamePage(url, pageUrl) && anchorText.toLowerCase().startsWith(wanted),
  )
  return [...new Set(named.map(({ url }) => withoutFragment(url)))].slice(0, MAX_FOLLOWED)
}

const isSamePage = (url: URL, pageUrl: string): boolean => withoutFragment(url) === withoutFragment(new URL(pageUrl))

function withoutFragment(url: URL): string {
  const copy = new URL(url)
  copy.hash = ''
  return copy.href
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
