// Finds the addresses of a page's pictures, best first. They are complete http or https addresses, or data addresses.
import type { CheerioAPI } from 'cheerio'
import { isWebUrl, parseUrl } from '../../../kernel/addresses/web-address.ts'

// Enough for a page whose first addresses do not work, and few enough that a page cannot keep the service busy.
const MAX_CANDIDATES = 4
// The usual sides of touch icons and favicons in pixels, for links without a size.
const TOUCH_SIDE = 180
const FAVICON_SIDE = 32
// Larger pictures are scaled down anyway and take longer to fetch, so their size counts no more than this.
const LARGEST_USEFUL_SIDE = 256

/** A logo with shorter sides looks blurred. */
const SHARP_SIDE = 128

const isVector = ({ type = '', href = '' }: Readonly<Record<string, string>>): boolean =>
  /svg/i.test(type) || /\.svgz?([?#]|$)/i.test(href) || /^data:image\/svg/i.test(href)

/** The addresses of icons, the largest first, and that of the page's manifest if it may name a larger one. */
export function findIcons($: CheerioAPI, pageUrl: string): { icons: string[]; manifest: string | null } {
  const links: { href: string; side: number }[] = $('link[rel][href]')
    .toArray()
    .flatMap(({ attribs }) => {
      const rel = (attribs.rel ?? '').toLowerCase().split(/\s+/)
      const isTouch = rel.some((word) => word.startsWith('apple-touch-icon'))
      // The service never serves vector pictures, so they are not fetched.
      if (isVector(attribs) || (!isTouch && !rel.includes('icon'))) return []
      const side = sideOf(attribs.sizes) ?? (isTouch ? TOUCH_SIDE : FAVICON_SIDE)
      return [{ href: attribs.href ?? '', side: Math.min(side, LARGEST_USEFUL_SIDE) }]
    })
    .sort((a, b) => b.side - a.side)
  const found = completeAddresses(
    $,
    pageUrl,
    links.map(({ href }) => href),
  )
  const isSharp = links.some(({ side }) => side >= SHARP_SIDE)
  const manifests = isSharp ? [] : $('link[rel~="manifest" i][href]').toArray()
  return {
    icons: [...new Set([...found, new URL('/favicon.ico', pageUrl).href])],
    manifest: completeAddresses($, pageUrl, [manifests[0]?.attribs.href ?? ''])[0] ?? null,
  }
}

/** The addresses of the icons that a web app manifest names, the largest first. The text comes from another host and may be anything. */
export function iconsOfManifest(text: string, manifestUrl: string): string[] {
  const { icons } = parsedObject(text)
  if (!Array.isArray(icons)) return []
  return icons
    .slice(0, MOST_MANIFEST_ICONS)
    .flatMap((icon: unknown) => {
      const { src, sizes, type, purpose } = Object(icon) as Record<string, unknown>
      if (typeof src !== 'string' || src.length > 2000 || /svg/i.test(`${type} ${src.slice(-5)}`)) return []
      if (/monochrome/i.test(String(purpose ?? '').slice(0, 100))) return []
      const url = parseUrl(src, manifestUrl)
      const side = sideOf(typeof sizes === 'string' ? sizes.slice(0, 100) : undefined) ?? FAVICON_SIDE
      return url && isWebUrl(url) ? [{ address: url.href, side: Math.min(side, LARGEST_USEFUL_SIDE) }] : []
    })
    .sort((a, b) => b.side - a.side)
    .map(({ address }) => address)
    .slice(0, MAX_CANDIDATES)
}

const MOST_MANIFEST_ICONS = 30

/** Object() makes an object of every value, so that its fields can be read. */
function parsedObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** The largest of the sizes that a text such as `32x32 180x180` names, in pixels; undefined when it names none. */
const sideOf = (sizes: string | undefined): number | undefined => {
  const sides = [...(sizes ?? '').matchAll(/(\d{1,5})x\d{1,5}/gi)].map(([, side]) => Number(side))
  return sides.length > 0 ? Math.max(...sides) : undefined
}

const SHARE_PICTURE_NAMES = ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image', 'twitter:image:src']

export function findSharePictures($: CheerioAPI, pageUrl: string): string[] {
  const named = $('meta[content]')
    .toArray()
    .map(({ attribs }) => ({
      place: SHARE_PICTURE_NAMES.indexOf((attribs.property ?? attribs.name ?? '').toLowerCase()),
      content: attribs.content ?? '',
    }))
    .filter(({ place }) => place >= 0)
    .sort((a, b) => a.place - b.place)
    .map(({ content }) => content)
  const linked = $('link[rel~="image_src" i][href]').toArray()
  return completeAddresses($, pageUrl, [...named, ...linked.map(({ attribs }) => attribs.href ?? '')])
}

/** From this size on a picture counts as large, in pixels. */
const LARGE = { width: 600, height: 300 }

/** Only pictures whose size the page states count: the size of the others is not known before they are fetched. */
export const findLargePictures = ($: CheerioAPI, pageUrl: string): string[] =>
  completeAddresses(
    $,
    pageUrl,
    $('body img[src][width][height]')
      .toArray()
      .filter(({ attribs }) => Number(attribs.width) >= LARGE.width && Number(attribs.height) >= LARGE.height)
      .map(({ attribs }) => attribs.src ?? ''),
  )

/** The addresses of web pages and pictures in their complete form, each once; at most MAX_CANDIDATES. */
function completeAddresses($: CheerioAPI, pageUrl: string, addresses: readonly string[]): string[] {
  const base = parseUrl($('base[href]').first().attr('href') ?? '', pageUrl)
  const baseUrl = base && isWebUrl(base) ? base.href : pageUrl
  const found = addresses.flatMap((address) => {
    if (/^data:image\//i.test(address)) return address
    const url = address.trim() === '' ? null : parseUrl(address.trim(), baseUrl)
    return url && isWebUrl(url) ? url.href : []
  })
  return [...new Set(found)].slice(0, MAX_CANDIDATES)
}
