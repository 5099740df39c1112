// Reads everything that enrichment uses from the HTML of a page.
import { type CheerioAPI, loadBuffer } from 'cheerio'
import { OWNER_TAG } from '../../../kernel/addresses/own-addresses.ts'
import { registrableDomain } from '../../../kernel/addresses/registrable-domain.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { NETWORKS } from '../../catalog/known-hosts/networks.rules.ts'
import { type About, findAbout } from './about.rules.ts'
import { findIcons, findLargePictures, findSharePictures } from './pictures.rules.ts'
import { visibleText } from './text.rules.ts'
import { type Features, type FoundQuestion, findFeatures, findQuestions } from './texts-on-page.rules.ts'

export interface PageSource {
  bytes: Uint8Array
  /** The address of the page after redirects. */
  url: string
  contentType: string
}

export interface PageFacts {
  /** Addresses of icons, best first. */
  icons: string[]
  /** Addresses of the pictures that other sites show with a link to the page (og:image, twitter:image), best first. */
  sharePictures: string[]
  /** Addresses of pictures that the page shows large, in its order. */
  large: string[]
  /** The address of the page's manifest, if it may name a larger icon. */
  manifest: string | null
  questions: FoundQuestion[]
  features: Features
  about: About
  /** By social network: the address of the product's profile to which the page links. */
  profiles: Record<string, string>
  /** The tokens by which owners of listings prove that the page is theirs. */
  ownerTokens: string[]
  /** The visible text, for a language model. */
  text: string
}

const TEXT_LENGTH = 6000

/** The charset that a Content-Type header names. */
export const charsetOf = (type: string): string | undefined =>
  /charset\s*=\s*["']?([\w:-]{1,40})/i.exec(type.slice(0, 200))?.[1]

export const parsedHtml = ({ bytes }: Pick<PageSource, 'bytes'>, charset: string | undefined): CheerioAPI =>
  loadBuffer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    encoding: { defaultEncoding: 'utf-8', ...(charset ? { transportLayerEncodingLabel: charset } : {}) },
  })

export function readPage(page: PageSource): PageFacts {
  const { url, contentType } = page
  const $ = parsedHtml(page, charsetOf(contentType))
  const text = visibleText($('body').toArray(), TEXT_LENGTH)
  return {
    ...findIcons($, url),
    sharePictures: findSharePictures($, url),
    large: findLargePictures($, url),
    questions: findQuestions($),
    features: findFeatures($),
    about: findAbout($, url, text),
    profiles: findProfiles($, url),
    ownerTokens: findOwnerTokens($),
    text,
  }
}

const MOST_TOKENS = 20

/** Only tags in the head count: comments, scripts, templates and the body may contain texts of visitors. */
const findOwnerTokens = ($: CheerioAPI): string[] =>
  $('html > head > meta')
    .toArray()
    .filter(({ attribs }) => attribs.name?.trim().toLowerCase() === OWNER_TAG)
    .slice(0, MOST_TOKENS)
    .map(({ attribs }) => (attribs.content ?? '').trim().slice(0, 100))

const MOST_LINKS = 2_000

/**
 * The address of the product's profile on each network, a guess: a page may also link to profiles of other products. It is the first one
 * that the header, the footer or the menu links to, or else the only one on the page. When the rest of the page links to several, none is
 * taken, because they may belong to customers who praise the product.
 */
function findProfiles($: CheerioAPI, pageUrl: string): Record<string, string> {
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
