// Where a page says its pictures are, best first. Addresses are complete and http or https, or data.
import type { CheerioAPI } from 'cheerio'
import { isWebUrl } from '../../kernel/web-address.ts'

// Enough for a page that declares a few that are gone, not so many that a page can keep us busy.
const MAX_CANDIDATES = 4
// What touch icons are when they do not say, and what a favicon is.
const TOUCH_SIDE = 180
const FAVICON_SIDE = 32
// More is scaled down anyway, and large ones take longer.
const ENOUGH = 256

export function findIcons($: CheerioAPI, pageUrl: string): string[] {
  const links = $('link[rel][href]')
    .toArray()
    .flatMap(({ attribs }) => {
      const rel = (attribs.rel ?? '').toLowerCase().split(/\s+/)
      const isTouch = rel.some((word) => word.startsWith('apple-touch-icon'))
      const href = attribs.href ?? ''
      // Vector pictures are never served, so there is no use in fetching one.
      const isVector =
        /svg/i.test(attribs.type ?? '') || /\.svgz?([?#]|$)/i.test(href) || /^data:image\/svg/i.test(href)
      if (isVector || (!isTouch && !rel.includes('icon'))) return []
      return [{ href, side: Math.min(sideOf(attribs.sizes) ?? (isTouch ? TOUCH_SIDE : FAVICON_SIDE), ENOUGH) }]
    })
    .sort((a, b) => b.side - a.side)
  const found = complete(
    $,
    pageUrl,
    links.map(({ href }) => href),
  )
  return [...new Set([...found, new URL('/favicon.ico', pageUrl).href])]
}

const sideOf = (sizes: string | undefined): number | undefined => {
  const sides = [...(sizes ?? '').matchAll(/(\d{1,5})x\d{1,5}/gi)].map(([, side]) => Number(side))
  return sides.length > 0 ? Math.max(...sides) : undefined
}

const SHARED = ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image', 'twitter:image:src']

export function findShared($: CheerioAPI, pageUrl: string): string[] {
  const named = $('meta[content]')
    .toArray()
    .map(({ attribs }) => ({
      place: SHARED.indexOf((attribs.property ?? attribs.name ?? '').toLowerCase()),
      content: attribs.content ?? '',
    }))
    .filter(({ place }) => place >= 0)
    .sort((a, b) => a.place - b.place)
    .map(({ content }) => content)
  const linked = $('link[rel~="image_src" i][href]').toArray()
  return complete($, pageUrl, [...named, ...linked.map(({ attribs }) => attribs.href ?? '')])
}

function complete($: CheerioAPI, pageUrl: string, addresses: readonly string[]): string[] {
  const base = URL.parse($('base[href]').first().attr('href') ?? '', pageUrl)
  const against = base && isWebUrl(base) ? base.href : pageUrl
  const found = addresses.flatMap((address) => {
    if (/^data:image\//i.test(address)) return address
    const url = address.trim() === '' ? null : URL.parse(address.trim(), against)
    return url && isWebUrl(url) ? url.href : []
  })
  return [...new Set(found)].slice(0, MAX_CANDIDATES)
}
