// Decides from a response of a directory whether the page links to the product. It runs in a thread (`read-links-thread.ts`), because a
// hostile page may keep the parser busy.
import { type CheerioAPI, load } from 'cheerio'
import { charsetOf, parsedHtml } from '../../enrichment/page/page.rules.ts'
import { type Element, plainLine, visibleText } from '../../enrichment/page/text.rules.ts'
import type { LinkState } from '../../submissions/bench/link.rules.ts'
import {
  type ExpectedProduct,
  isNotFollowed,
  type ListingPage,
  type PageQuestion,
  type PageVerdict,
  stateOfStatus,
  verdictWithoutPage,
} from '../rules.ts'
import { isProduct, likelyRedirects, linkTarget, namedLinks } from './address.rules.ts'
import { driftOf } from './drift.rules.ts'
import { type StatedLink, statedFacts } from './stated.rules.ts'

// Far more than a page for people has.
const MAX_LINKS = 20_000
const MAX_REL = 100
const MAX_ANCHOR = 200
/** A page has a few links to the product; more are not compared with it. */
const MAX_COMPARED = 50

/** Decides the state of the link, and compares the page with the product. `productKeys`: the website keys (`listings/website-key.ts`). */
export function readListingPage(
  page: ListingPage,
  productKeys: readonly string[],
  expected: ExpectedProduct = {},
): PageVerdict {
  const byStatus = stateOfStatus(page.status)
  if (byStatus === 'blocked' || page.headers['cf-mitigated'] === 'challenge') return verdictWithoutPage('blocked')
  const type = page.headers['content-type'] ?? ''
  if (!isHtml(type)) return verdictWithoutPage(byStatus ?? 'unknown')
  // An empty answer is a fault of the directory and says nothing about the listing.
  if (page.bytes.length === 0) return verdictWithoutPage(byStatus ?? 'unreachable')
  const verdict = readParsed(parsedHtml(page, charsetOf(type)), { page, productKeys, ...expected }, byStatus)
  const isUndecided = verdict.state === 'missing' || verdict.state === 'unknown'
  if (!isUndecided || ASCII_COMPATIBLE.test(charsetOf(type) ?? 'utf-8')) return verdict
  // The server may declare a wrong charset. Addresses are ASCII, which latin1 reads correctly from any common charset.
  const asLatin1 = readParsed(load(Buffer.from(page.bytes).toString('latin1')), { page, productKeys }, byStatus)
  return asLatin1.state === 'live' || asLatin1.state === 'nofollow' ? asLatin1 : verdict
}

const ASCII_COMPATIBLE = /^(?:utf-?8|us-ascii|iso-8859-\d{1,2}|windows-125\d|latin1)$/i

/** Whether the media type of a response is that of a page. Without one, browsers take it for a page too. */
export const isHtml = (type: string): boolean =>
  type === '' || /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type.slice(0, 200))

function readParsed(
  $: CheerioAPI,
  { page: { url, headers, truncated }, productKeys, name, product }: PageQuestion,
  byStatus: LinkState | null,
): PageVerdict {
  const directives = robotsDirectives($, headers['x-robots-tag'])
  const noindex = directives.has('noindex') || directives.has('none')
  const base = baseOf($, url)
  const links = byStatus ? [] : linksOf($, base, directives.has('nofollow') || directives.has('none'))
  const productLinks = links.filter((link) => isProduct(link.url, productKeys))
  if (isChallenge($, { hasLink: productLinks.length > 0 })) return verdictWithoutPage('blocked')
  if (byStatus) return { ...verdictWithoutPage(byStatus), noindex }
  // One followed link is enough, whatever the others are.
  const best = productLinks.find(({ rel }) => !isNotFollowed(rel)) ?? productLinks[0]
  const withText = ({ url, rel, element }: PageLink) => ({ url, rel, anchorText: anchorOf($, element) })
  const driftWith = (stated: readonly StatedLink[]): Pick<PageVerdict, 'drift'> => {
    const facts = product && !truncated ? statedFacts($, url, stated, productLinks.length > 0) : null
    return product && facts ? { drift: driftOf(facts, product) } : {}
  }
  if (best) {
    const state = isNotFollowed(best.rel) ? 'nofollow' : 'live'
    const link = { state, rel: best.rel, anchorText: anchorOf($, best.element) } as const
    return {
      ...link,
      noindex,
      redirects: [],
      refresh: null,
      ...driftWith(productLinks.slice(0, MAX_COMPARED).map(withText)),
    }
  }
  const texts = links.map(withText)
  return {
    ...verdictWithoutPage(truncated || isFilledByScript($) ? 'unknown' : 'missing'),
    noindex,
    redirects: likelyRedirects(texts, url, productKeys),
    refresh: refreshOf($, base),
    ...(name === undefined ? {} : { named: namedLinks(texts, url, name) }),
    // Last, because it removes parts of the page.
    ...driftWith(texts),
  }
}

interface PageLink {
  url: URL
  rel: string
  element: Element
}

/** The links of the page as a browser without scripts resolves them. */
function linksOf($: CheerioAPI, base: string, pageIsNofollow: boolean): PageLink[] {
  return $('a[href], area[href]')
    .toArray()
    .slice(0, MAX_LINKS)
    .flatMap((element) => {
      const url = linkTarget(element.attribs.href ?? '', base)
      if (!url || isInTemplate(element)) return []
      const given = (element.attribs.rel ?? '').slice(0, MAX_REL).toLowerCase().split(/\s+/).filter(Boolean)
      const rel = pageIsNofollow && !given.includes('nofollow') ? [...given, 'nofollow'] : given
      return [{ url, rel: plainLine(rel.join(' '), MAX_REL), element }]
    })
}

/** The content of a template is no part of the page until a script puts it there. */
function isInTemplate(element: Element): boolean {
  for (let ancestor = element.parent; ancestor; ancestor = ancestor.parent)
    if ('name' in ancestor && ancestor.name === 'template') return true
  return false
}

/** The text of a link; without one, the alternative text of its picture or its title. */
function anchorOf($: CheerioAPI, element: Element): string {
  const text = visibleText([element], MAX_ANCHOR)
  return text || plainLine($(element).find('img[alt]').first().attr('alt') ?? element.attribs.title ?? '', MAX_ANCHOR)
}

export function baseOf($: CheerioAPI, pageUrl: string): string {
  const base = $('base[href]').first().attr('href')
  return (base === undefined ? null : linkTarget(base, pageUrl)?.href) ?? pageUrl
}

/** What the page asks of all search engines or of Google, in its meta elements and the X-Robots-Tag header. */
function robotsDirectives($: CheerioAPI, header = ''): Set<string> {
  const named = $('meta[name][content]')
    .toArray()
    .filter(({ attribs }) => /^\s*(?:robots|googlebot)\s*$/i.test((attribs.name ?? '').slice(0, 40)))
    .map(({ attribs }) => (attribs.content ?? '').slice(0, 500))
  // The header may address a single other crawler, as in `bingbot: noindex`; that part is dropped.
  const forAll = header.slice(0, 1_000).replace(/(?:^|,)\s*(?!googlebot)[\w-]{1,40}\s*:[^,]*/gi, '')
  const words = [...named, forAll.replace(/googlebot\s*:/gi, '')]
    .join(',')
    .toLowerCase()
    .split(/[\s,]+/)
  return new Set(words)
}

const MAX_REFRESH_SECONDS = 30

export function refreshOf($: CheerioAPI, base: string): string | null {
  const content = $('meta[http-equiv="refresh" i][content]').first().attr('content')?.slice(0, 4_000)
  const [, seconds, address] =
    /^\s*(\d{0,6})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(content ?? '') ?? []
  if (!address || Number(seconds) > MAX_REFRESH_SECONDS) return null
  return linkTarget(address, base)?.href ?? null
}

// Elements that common frameworks fill in the browser.
const SCRIPT_ROOTS = '#root, #app, #__next, #__nuxt, #svelte, #q-app, app-root, [data-reactroot], [ng-app]'
const PAGE_FRAME = new Set(['nav', 'header', 'footer'])
// In characters: a page with less text than MIN_TEXT is empty; one with no more than SHORT_TEXT is empty if it asks for JavaScript.
const MIN_TEXT = 30
const SHORT_TEXT = 500

/** Whether the page has no content until a script has run. Then it is not known what its readers see. */
function isFilledByScript($: CheerioAPI): boolean {
  // Scripts of a JSON type only hold data.
  if ($('script:not([type*="json"])').length === 0) return false
  const textOf = (elements: readonly Element[]) =>
    visibleText(elements, SHORT_TEXT + 1, (node) => 'name' in node && PAGE_FRAME.has(node.name))
  const whole = textOf($('body').toArray())
  if (whole.length < MIN_TEXT && $('h1, h2').length === 0) return true
  const roots = $(SCRIPT_ROOTS).toArray() as Element[]
  if (roots.length > 0 && roots.every((root) => textOf([root]).length < MIN_TEXT)) return true
  return (
    whole.length <= SHORT_TEXT &&
    /enable javascript|javascript (?:is )?(?:required|disabled)/i.test(
      `${whole} ${$('noscript').first().text().slice(0, 1_000)}`,
    )
  )
}

// Titles of challenge pages, which bot protection services show instead of the listing.
const CHALLENGE_TITLES =
  /^(?:just a moment|attention required|one moment,? please|please wait\b.*|checking your browser|verifying your browser|verify(?:ing)? (?:that )?you(?:'| a)re (?:a )?human|human verification|bot verification|security (?:check|checkpoint|verification)|vercel security checkpoint|are you a robot|robot or human|pardon our interruption|access (?:to this page has been )?denied|ddos-guard|ddos protection|sucuri website firewall|request unsuccessful|client challenge|captcha|robot check)\b/i

// Elements that exist only on challenge pages. The scripts of these services are on ordinary pages too, so they do not count.
const CHALLENGE_ELEMENTS = [
  '#challenge-form',
  '#challenge-running',
  '#challenge-error-text',
  '#cf-challenge-running',
  '#cf-error-details',
  '#px-captcha',
  '#sec-if-cpt-container',
  'iframe[src*="captcha-delivery.com"]',
  'script[src*="captcha-delivery.com"]',
  'iframe[src*="_Incapsula_Resource"]',
  'form[action*="/cdn-cgi/challenge"]',
  'form[action*="validateCaptcha"]',
].join(', ')

const CHALLENGE_TEXT =
  /\b(?:checking (?:if the site connection is secure|your browser before accessing)|verify you are (?:a )?human by completing|enable javascript and cookies to continue|complete the security check to access|needs to review the security of your connection|unusual traffic from your (?:computer )?network|prove (?:that )?you(?:'| a)re (?:a )?human)\b/i

// Challenge pages are short. A longer page only quotes one of these sentences.
const MAX_CHALLENGE_TEXT = 2_000

/** `hasLink`: the page links to the product. Then its title and text do not count, only the elements of a challenge page. */
export function isChallenge($: CheerioAPI, { hasLink }: { hasLink: boolean }): boolean {
  if (hasLink) return $(CHALLENGE_ELEMENTS).length > 0
  const text = visibleText($('body').toArray(), MAX_CHALLENGE_TEXT + 1)
  if (text.length > MAX_CHALLENGE_TEXT) return false
  const title = plainLine($('title').first().text(), 200)
  if (CHALLENGE_TITLES.test(title) || $(CHALLENGE_ELEMENTS).length > 0) return true
  return CHALLENGE_TEXT.test(text) || CHALLENGE_TEXT.test(plainLine($('noscript').first().text(), 500))
}
