// Finds the profiles of a product on networks among the links of its page. They are guesses: a page may
// also link to profiles of other products.

import type { CheerioAPI } from 'cheerio'
import { registrableDomain } from '../../../kernel/addresses/registrable-domain.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { NETWORKS } from '../../catalog/known-hosts/networks.rules.ts'

const MOST_LINKS = 2_000

/**
 * The address of the profile on each network. It is the first one that the header, the footer or the menu links to, or else the only one on
 * the page. When the rest of the page links to several, none is taken, because they may belong to customers who praise the product.
 */
export function findProfiles($: CheerioAPI, pageUrl: string): Record<string, string> {
  const own = placesIn($, 'header a[href], nav a[href], footer a[href]', pageUrl)
  const all = placesIn($, 'a[href]', pageUrl)
  return Object.fromEntries(
    Object.entries(NETWORKS).flatMap(([network, { profile }]) => {
      const isProfile = (place: string) => profile.test(place)
      const [only, ...others] = all.filter(isProfile)
      const found = own.find(isProfile) ?? (others.length === 0 ? only : undefined)
      return found ? [[network, `https://${found}`]] : []
    }),
  )
}

/** Host and path of each link that leaves the site, once. */
function placesIn($: CheerioAPI, links: string, pageUrl: string): string[] {
  const site = registrableDomain(parseUrl(pageUrl)?.hostname ?? '')
  const places = $(links)
    .toArray()
    .slice(0, MOST_LINKS)
    .flatMap((link) => {
      const url = parseUrl(($(link).attr('href') ?? '').slice(0, 500), pageUrl)
      const isOutside = url && /^https?:$/.test(url.protocol) && registrableDomain(url.hostname) !== site
      return isOutside ? url.hostname.replace(/^www\./, '') + url.pathname.replace(/\/+$/, '') : []
    })
  return [...new Set(places)]
}
