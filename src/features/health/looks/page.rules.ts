// Decides from the answer of a website whether a product is there. It runs in a thread (`read-page-thread.ts`), because a hostile page may
// keep the parser busy. A page that only a script fills is alive: a parking page is recognised by what it says, never by what it lacks.
import { domainToUnicode } from 'node:url'
import type { CheerioAPI } from 'cheerio'
import { BADGES_PATH } from '../../../kernel/addresses/own-addresses.ts'
import { registrableDomain } from '../../../kernel/addresses/registrable-domain.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { charsetOf, parsedHtml } from '../../enrichment/page/page.rules.ts'
import { plainLine, visibleText } from '../../enrichment/page/text.rules.ts'
import { baseOf, isChallenge, isHtml, refreshOf } from '../../proof/links/page.rules.ts'
import type { ListingPage } from '../../proof/rules.ts'
import { type Finding, findingOfStatus } from '../rules.ts'
import { type DirectoryPage, readDirectoryPage } from './facts.rules.ts'

export interface WebsiteVerdict {
  finding: Finding
  /** The target of a meta refresh. */
  refresh: string | null
  /** What a page of a directory says about entering products. */
  directory?: DirectoryPage
  /** Addresses of pictures that may be badges of this service, without their queries. */
  badges?: string[]
}

export interface WebsiteQuestion {
  page: ListingPage
  /** The address of the listing, before redirects. */
  website: string
  isDirectory?: boolean
}

export function websiteStateOf(page: ListingPage, website: string, isDirectory = false): WebsiteVerdict {
  const byStatus = findingOfStatus(page.status)
  if (byStatus === 'blocked' || page.headers['cf-mitigated'] === 'challenge') return onlyFinding('blocked')
  const type = page.headers['content-type'] ?? ''
  if (!isHtml(type)) return onlyFinding(byStatus ?? 'alive')
  if (page.bytes.length === 0) return onlyFinding(byStatus ?? 'unreachable')
  if (isParkingAddress(new URL(page.url), new URL(website))) return onlyFinding('parked')
  const $ = parsedHtml(page, charsetOf(type))
  if (isChallenge($, { hasLink: false })) return onlyFinding('blocked')
  // A page with an error of the server says nothing about the product.
  if (byStatus !== 'unreachable' && isParkingPage($, page.url, website)) return onlyFinding('parked')
  const refresh = byStatus ? null : refreshOf($, baseOf($, page.url))
  const directory = isDirectory && !byStatus ? { directory: readDirectoryPage($, page.url) } : {}
  return { finding: byStatus ?? 'alive', refresh, ...directory, badges: findBadges($, page.url) }
}

/** The verdict without anything from the content of the page. */
const onlyFinding = (finding: Finding): WebsiteVerdict => ({ finding, refresh: null })

// Hosts that exist to park or sell domains. A listed product that is one of them is not parked there.
const MARKETS =
  /(?:^|\.)(?:sedo\.com|sedoparking\.com|dan\.com|undeveloped\.com|afternic\.com|hugedomains\.com|buydomains\.com|bodis\.com|bodiscdn\.com|parkingcrew\.net|above\.com|parklogic\.com|domainmarket\.com|brandbucket\.com|brandpa\.com|namebright\.com|perfectdomain\.com|efty\.com|domainagents\.com|uniregistry\.com|smartname\.com|domainsponsor\.com|dsparking\.com|voodoo\.com|skenzo\.com|rookmedia\.net|fabulous\.com|trafficz\.com|internettraffic\.com|giantpanda\.com|tonic\.com|parkweb\.com|domainactive\.co|namedrive\.com|parkingspa\.com|cashparking\.com|domaincntrol\.com|saw\.com|grit\.com|domainer\.com|venture\.com|mydomaincontact\.com)$/
const MARKET_PATHS = [
  [/(?:^|\.)godaddy\.com$/, /^\/(?:[a-z-]{2,5}\/)?(?:forsale|domainsearch\/find|domain-auctions)\b/],
  [/(?:^|\.)namecheap\.com$/, /^\/(?:domains\/registration\/results|market)\b/],
  [/(?:^|\.)dynadot\.com$/, /^\/(?:market|domain\/buy|forsale)\b/],
  [/(?:^|\.)porkbun\.com$/, /^\/(?:checkout\/search|product|aftermarket)\b/],
  [/(?:^|\.)atom\.com$|(?:^|\.)squadhelp\.com$/, /^\/name\//],
  [/(?:^|\.)spaceship\.com$/, /^\/(?:domain-search|parking)\b/],
] as const

/** Whether a redirect leads to a place that sells the domain. */
function isParkingAddress(url: URL, website: URL): boolean {
  const host = url.hostname.toLowerCase()
  if (registrableDomain(host) === registrableDomain(website.hostname)) return false
  return (
    MARKETS.test(host) ||
    MARKET_PATHS.some(([hosts, paths]) => hosts.test(host) && paths.test(url.pathname.slice(0, 200)))
  )
}

// Addresses of scripts, frames and forms that only parking pages have.
const PARKING_PARTS =
  /\/\/(?:[a-z0-9-]+\.){0,4}(?:sedoparking\.com|parkingcrew\.net|bodis\.com|bodiscdn\.com|above\.com|parklogic\.com|dsparking\.com|domaincntrol\.com|rookmedia\.net|skenzo\.com|smartname\.com|trafficz\.com|mydomaincontact\.com|cashparking\.com|hugedomains\.com)(?:[/:?]|$)|\/adsense\/domains\/caf\.js|\/parking-lander\/|d38psrni17bvxu\.cloudfront\.net|dan\.com\/(?:buy-domain|assets\/landers)|afternic\.com\/forsale|sedo\.com\/(?:search\/details|services\/parking)|efty\.com\/landers|\/lander\?(?:domain|template)=/i
/** At most this many scripts and frames, and as many links, of a page are looked at. */
const MAX_PARTS = 200

/**
 * A pattern of what parking pages say of their own domain, in several languages. `NAME` is a pattern of the names of the page's own host. A
 * sentence about another name is news or an advertisement, and does not match.
 */
function saysParked(NAME: string): RegExp {
  // A name alone may be that of a product: "Ledger.tax is registered with HMRC".
  const DOMAIN = `(?:this (?:premium |web )?(?:domain(?: name)?|url)|the domain(?: name)?)(?: ${NAME})?`
  const IT = `(?:this (?:premium |web )?(?:domain(?: name)?|url)|the domain(?: name)?|${NAME})(?: ${NAME})?`
  const SAYS = [
    String.raw`\b${IT},? (?:is|may be|might be|could be|is now|is currently)(?: (?:available|listed|up|offered))? (?:for|4) sale\b`,
    String.raw`\b(?:buy|purchase|get|own|acquire|lease|rent|inquire about|enquire about|make an? offer (?:on|for)|interested in|bid on) this domain\b`,
    String.raw`\b(?:${IT}|this web ?(?:site|page)) (?:is|has been|was)(?: now| currently| being)? parked\b`,
    String.raw`\bparked (?:free,|domain name|page of)`,
    String.raw`\b${IT} (?:has|is) (?:been )?(?:expired|suspended due to (?:non-?renewal|expiration))\b`,
    String.raw`\b${IT} (?:expired|recently expired|is pending renewal)\b`,
    String.raw`\b${DOMAIN} (?:has been|was|is)(?: recently| newly| already| successfully)? registered (?:at|with|via|through|by|for|and)\b`,
    String.raw`(?<!\b(?:this|that|a|your) )\bdomain(?: name)? for sale(?=\W*$)`,
    String.raw`\b${DOMAIN} is available(?: for (?:purchase|sale|lease))\b`,
    String.raw`\bfuture home of something\b`,
    String.raw`\brenew this domain\b`,
    String.raw`\b(?:domain|domäne|internetadresse)(?: ${NAME})? (?:steht|ist)(?: \S{1,20})? (?:zum verkauf|zu verkaufen|geparkt)`,
    String.raw`\bdiese domain (?:kaufen|erwerben)\b`,
    String.raw`\bdomaine (?:${NAME} )?est (?:à vendre|en vente|parqué|expiré)`,
    String.raw`\bdominio (?:${NAME} )?(?:está|esta) (?:en venta|a la venta|aparcado|expirado)`,
    String.raw`\bdom[ií]nio (?:${NAME} )?está (?:à venda|a venda|estacionado)`,
    String.raw`\bdominio (?:${NAME} )?è (?:in vendita|parcheggiato|scaduto)`,
    String.raw`\bdomein(?:naam)? (?:${NAME} )?(?:is|staat) (?:te koop|geparkeerd)`,
    String.raw`\bdomena (?:${NAME} )?(?:jest )?(?:na sprzedaż|zaparkowana)`,
    `домен (?:${NAME} )?(?:продаётся|продается|припаркован|выставлен на продажу)`,
    '(?:域名|網域).{0,12}(?:正在出售|出售中|可转让|轉讓|待售|停放|已过期)',
    '(?:この|当)ドメイン.{0,20}(?:販売中|売り出し|お売り|パーキング|期限切れ|取得されています)',
    '도메인(?:은|이|을).{0,20}(?:판매|파킹|만료)',
    `alan ad[ıi] (?:${NAME} )?(?:satılıktır|satılık|park edilmiştir)`,
  ]
  return new RegExp(SAYS.join('|'), 'iu')
}

// A sentence with one of these words is about domains in general: "Find out whether a domain is for sale".
const IN_GENERAL =
  /\b(?:whether|if|when|should|how|why|which|who|find|check|know|alerts?|every|any|helps?|before|never|vote)\b/i

// Parking pages are short, and say in their first characters that the domain is parked.
const MAX_TEXT = 1_200
const BEGINNING = 300
// A page that links to this many other pages of its host belongs to a website that only mentions a sale.
const OWN_PAGES = 4
const PLACEHOLDER_PAGES =
  /^\/(?:$|index|privacy|terms|legal|imprint|impressum|contact|about|cookie|abuse|trademark|forsale|lander|offer)/i

function isParkingPage($: CheerioAPI, url: string, website: string): boolean {
  const parts = $('script[src], iframe[src], frame[src], form[action]')
    .toArray()
    .slice(0, MAX_PARTS)
    .map(({ attribs }) => (attribs.src ?? attribs.action ?? '').slice(0, 500))
  const text = visibleText($('body').toArray(), MAX_TEXT + 1)
  if (text.length > MAX_TEXT) return false
  const ownDomain = registrableDomain(new URL(url).hostname)
  const isForeign = (part: string) => registrableDomain(parseUrl(part, url)?.hostname ?? '') !== ownDomain
  if (parts.some((part) => PARKING_PARTS.test(part) && isForeign(part))) return true
  if (isUsed($) || ownPages($, url) >= OWN_PAGES) return false
  const title = plainLine($('title').first().text(), BEGINNING)
  const heading = plainLine($('h1').first().text(), BEGINNING)
  const sentences = [title, heading, text.slice(0, BEGINNING)].flatMap((said) => said.split(/[.!?|](?:\s|$)/))
  const parked = saysParked(ownNames([url, website]))
  return sentences.some((sentence) => parked.test(sentence) && !IN_GENERAL.test(sentence))
}

/** A pattern of the names that a page may call its own domain by. */
function ownNames(addresses: readonly string[]): string {
  const hosts = addresses.map((address) => new URL(address).hostname.toLowerCase().replace(/^www\./, ''))
  const names = new Set(
    hosts.flatMap((host) => [host, registrableDomain(host)]).flatMap((name) => [name, domainToUnicode(name)]),
  )
  const either = [...names]
    .filter(Boolean)
    .map((name) => RegExp.escape(name))
    .join('|')
  return String.raw`\(?(?<![\p{L}\p{N}.-])(?:www\.)?(?:${either})\)?`
}

const LINK_OF_PRODUCT =
  /^(?:log ?in|sign ?(?:in|up)|pricing|docs|documentation|download|get started|dashboard|blog|changelog)$/i

/** Whether visitors can use the page: sign in, search, upload or watch. On a parking page they can only make an offer. */
const isUsed = ($: CheerioAPI): boolean =>
  $('input[type="password"], input[type="file"], input[type="search"], video, audio, canvas, pre, code, table, article')
    .length > 0 ||
  $('a[href]')
    .toArray()
    .slice(0, MAX_PARTS)
    .some((link) => LINK_OF_PRODUCT.test(plainLine($(link).text(), 40)))

/** How many other pages of the same host the page links to. */
function ownPages($: CheerioAPI, url: string): number {
  const { host } = new URL(url)
  const paths = $('a[href]')
    .toArray()
    .slice(0, MAX_PARTS)
    .flatMap(({ attribs }) => {
      const target = parseUrl((attribs.href ?? '').slice(0, 2_000), url)
      return target?.host === host && !PLACEHOLDER_PAGES.test(target.pathname) && target.search === ''
        ? target.pathname
        : []
    })
  return new Set(paths).size
}

const MOST_BADGES = 20

/** Addresses of pictures on a page that may be badges, without their queries. */
const findBadges = ($: CheerioAPI, url: string): string[] =>
  $(`img[src*="${BADGES_PATH}"]`)
    .toArray()
    .slice(0, MOST_BADGES)
    .flatMap(({ attribs }) => {
      const address = parseUrl((attribs.src ?? '').slice(0, 2000), url)
      return address ? address.origin + address.pathname : []
    })
