// Decides from one answer of a directory whether its page links to the product. It runs in a thread (`read-links-thread.ts`), because a page
// may be written to keep a parser busy.
import { type CheerioAPI, load, loadBuffer } from 'cheerio'
import { type Element, plainLine, visibleText } from '../enrichment/text.rules.ts'
import type { LinkState } from '../submissions/link.rules.ts'
import { isProduct, likelyRedirects, linkTarget } from './address.rules.ts'
import { isChallenge } from './challenge.rules.ts'
import { stateOfStatus } from './rules.ts'
import { isMarked, type ListingPage, type PageVerdict, verdictWithoutPage } from './verdict.rules.ts'

// Far more than a page for people has.
const MAX_LINKS = 20_000
const MAX_REL = 100
const MAX_ANCHOR = 200

/** `productKeys`: the website keys of the product (`listings/website-key.ts`). */
export function linkStateOf(page: ListingPage, productKeys: readonly string[]): PageVerdict {
  const byStatus = stateOfStatus(page.status)
  if (byStatus === 'blocked' || page.headers['cf-mitigated'] === 'challenge') return verdictWithoutPage('blocked')
  const type = page.headers['content-type'] ?? ''
  const isHtml = type === '' || /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type.slice(0, 200))
  if (!isHtml) return verdictWithoutPage(byStatus ?? 'unknown')
  // An empty answer is a fault of the directory and says nothing about the listing.
  if (page.bytes.length === 0) return verdictWithoutPage(byStatus ?? 'unreachable')
  const verdict = readParsed(parsed(page, charsetOf(type)), page, productKeys, byStatus)
  const isUndecided = verdict.state === 'missing' || verdict.state === 'unknown'
  if (!isUndecided || READS_ASCII.test(charsetOf(type) ?? 'utf-8')) return verdict
  // The server may name a charset that the page is not in. Addresses are ASCII, which this reading shows in any common charset.
  const again = readParsed(load(Buffer.from(page.bytes).toString('latin1')), page, productKeys, byStatus)
  return again.state === 'live' || again.state === 'nofollow' ? again : verdict
}

const READS_ASCII = /^(?:utf-?8|us-ascii|iso-8859-\d{1,2}|windows-125\d|latin1)$/i

const charsetOf = (type: string): string | undefined =>
  /charset\s*=\s*["']?([\w:-]{1,40})/i.exec(type.slice(0, 200))?.[1]

const parsed = ({ bytes }: ListingPage, charset: string | undefined): CheerioAPI =>
  loadBuffer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    encoding: { defaultEncoding: 'utf-8', ...(charset ? { transportLayerEncodingLabel: charset } : {}) },
  })

function readParsed(
  $: CheerioAPI,
  { url, headers, truncated }: ListingPage,
  productKeys: readonly string[],
  byStatus: LinkState | null,
): PageVerdict {
  const directives = robotsDirectives($, headers['x-robots-tag'])
  const noindex = directives.has('noindex') || directives.has('none')
  const base = baseOf($, url)
  const links = byStatus ? [] : linksOf($, base, directives.has('nofollow') || directives.has('none'))
  const own = links.filter((link) => isProduct(link.url, productKeys))
  if (isChallenge($, own.length > 0)) return verdictWithoutPage('blocked')
  if (byStatus) return { ...verdictWithoutPage(byStatus), noindex }
  // One link that counts is enough, whatever the others are.
  const best = own.find(({ rel }) => !isMarked(rel)) ?? own[0]
  if (best) {
    const state = isMarked(best.rel) ? 'nofollow' : 'live'
    return { state, rel: best.rel, anchorText: anchorOf($, best.element), noindex, redirects: [], refresh: null }
  }
  return {
    ...verdictWithoutPage(truncated || isFilledByScript($) ? 'unknown' : 'missing'),
    noindex,
    redirects: likelyRedirects(
      links.map((link) => ({ url: link.url, rel: link.rel, anchorText: anchorOf($, link.element) })),
      url,
      productKeys,
    ),
    refresh: refreshOf($, base),
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
  for (let above = element.parent; above; above = above.parent)
    if ('name' in above && above.name === 'template') return true
  return false
}

/** The text of a link; for a link around a picture, what the picture stands for. */
function anchorOf($: CheerioAPI, element: Element): string {
  const text = visibleText([element], MAX_ANCHOR)
  return text || plainLine($(element).find('img[alt]').first().attr('alt') ?? element.attribs.title ?? '', MAX_ANCHOR)
}

function baseOf($: CheerioAPI, pageUrl: string): string {
  const base = $('base[href]').first().attr('href')
  return (base === undefined ? null : linkTarget(base, pageUrl)?.href) ?? pageUrl
}

/** What the page asks of all search engines, in its head or in the header of the answer. */
function robotsDirectives($: CheerioAPI, header = ''): Set<string> {
  const named = $('meta[name][content]')
    .toArray()
    .filter(({ attribs }) => /^\s*(?:robots|googlebot)\s*$/i.test((attribs.name ?? '').slice(0, 40)))
    .map(({ attribs }) => (attribs.content ?? '').slice(0, 500))
  // The header may speak to one crawler, as in `bingbot: noindex`.
  const forAll = header.slice(0, 1_000).replace(/(?:^|,)\s*(?!googlebot)[\w-]{1,40}\s*:[^,]*/gi, '')
  const words = [...named, forAll.replace(/googlebot\s*:/gi, '')]
    .join(',')
    .toLowerCase()
    .split(/[\s,]+/)
  return new Set(words)
}

const MAX_REFRESH_SECONDS = 30

function refreshOf($: CheerioAPI, base: string): string | null {
  const content = $('meta[http-equiv="refresh" i][content]').first().attr('content')?.slice(0, 4_000)
  const [, seconds, address] =
    /^\s*(\d{0,6})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(content ?? '') ?? []
  if (!address || Number(seconds) > MAX_REFRESH_SECONDS) return null
  return linkTarget(address, base)?.href ?? null
}

// The elements that usual frameworks fill in the browser.
const ROOTS = '#root, #app, #__next, #__nuxt, #svelte, #q-app, app-root, [data-reactroot], [ng-app]'
const FRAME = new Set(['nav', 'header', 'footer'])
const SHORTEST_TEXT = 30
const SHORT_TEXT = 500

/** Whether the page has nothing to read until a script has run: then it is not known what readers see. */
function isFilledByScript($: CheerioAPI): boolean {
  // Scripts of JSON hold data.
  if ($('script:not([type*="json"])').length === 0) return false
  const textOf = (elements: readonly Element[]) =>
    visibleText(elements, SHORT_TEXT + 1, (node) => 'name' in node && FRAME.has(node.name))
  const whole = textOf($('body').toArray())
  if (whole.length < SHORTEST_TEXT && $('h1, h2').length === 0) return true
  const roots = $(ROOTS).toArray() as Element[]
  if (roots.length > 0 && roots.every((root) => textOf([root]).length < SHORTEST_TEXT)) return true
  return (
    whole.length <= SHORT_TEXT &&
    /enable javascript|javascript (?:is )?(?:required|disabled)/i.test(
      `${whole} ${$('noscript').first().text().slice(0, 1_000)}`,
    )
  )
}
