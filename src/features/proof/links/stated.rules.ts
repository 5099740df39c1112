// Reads from the page of a listing what it states about its product. It runs in a thread, because a hostile page may keep the parser busy.
import type { CheerioAPI } from 'cheerio'
import { registrableDomain } from '../../../kernel/addresses/registrable-domain.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { isObject } from '../../../kernel/values/objects.ts'
import { type Element, plainLine, visibleText, withoutMarkup } from '../../enrichment/page/text.rules.ts'
import { isOfType, linkedData } from '../../enrichment/page/texts-on-page.rules.ts'
import type { StatedFacts, StatedTagline } from './drift.rules.ts'

const MAX_TEXT = 20_000
const MAX_LINE = 300
/** Far more than a page for people has. */
const MAX_ELEMENTS = 10_000

export interface StatedLink {
  url: URL
  anchorText: string
}

/**
 * What the page states; null for a page with so many elements that reading it several times would take too long. `links`: the links to the
 * product, or all links of the page when none leads there. Removes parts of the page, so nothing may be read from it afterwards.
 */
export function statedFacts(
  $: CheerioAPI,
  pageUrl: string,
  links: readonly StatedLink[],
  isLinked: boolean,
): StatedFacts | null {
  if ($('*').length > MAX_ELEMENTS) return null
  const data = subjectsOf($)
  const titles = [
    textOf($('h1').first().toArray()),
    metaOf($, 'og:title'),
    plainLine($('title').first().text(), MAX_LINE),
  ]
  const text = `${metaOf($, 'description')} ${metaOf($, 'og:description')} ${visibleText($('body').toArray(), MAX_TEXT)}`
  const site = metaOf($, 'og:site_name') || (registrableDomain(new URL(pageUrl).hostname).split('.')[0] ?? '')
  removeOthers($)
  return {
    exactNames: data.flatMap(({ name }) => lineOf(name)),
    titles: titles.filter((title) => title !== ''),
    site,
    taglines: taglinesOf($, data),
    pricing: pricingOf($, data),
    websites: isLinked ? links.map(({ url }) => url.href) : saidWebsites(links, pageUrl, data),
    anchors: isLinked ? links.map(({ anchorText }) => anchorText) : [],
    isLinked,
    text,
  }
}

type Json = ReturnType<typeof linkedData>[number]

const lineOf = (value: unknown): string[] => {
  const line = typeof value === 'string' ? plainLine(withoutMarkup(value.slice(0, MAX_LINE * 8)), MAX_LINE) : ''
  return line === '' ? [] : [line]
}

/** What the markup calls an element. */
const namesOf = ({ attribs }: Element): string =>
  `${attribs.class ?? ''} ${attribs.id ?? ''} ${attribs.itemprop ?? ''}`
    .slice(0, 500)
    .replace(/([a-z])(?=[A-Z])/g, '$1-')

const textOf = (elements: readonly Element[]): string => visibleText(elements, MAX_LINE)

const metaOf = ($: CheerioAPI, name: string): string =>
  plainLine($(`meta[name="${name}" i], meta[property="${name}" i]`).first().attr('content') ?? '', MAX_LINE)

/** The product in structured data. When there are several, the page is a list, and they say nothing. */
function subjectsOf($: CheerioAPI): Json[] {
  const found = linkedData($).filter((item) =>
    isOfType(item, 'SoftwareApplication', 'WebApplication', 'MobileApplication', 'Product'),
  )
  return found.length === 1 ? found : []
}

// Names and headings of parts that are about other products, or that readers wrote.
const OTHERS =
  /(?:^|[\s_-])(?:related|similar|alternatives?|recommend(?:ed|ations?)|comments?|reviews?|testimonials?|sidebar|aside|also|sponsor(?:s|ed)?|newsletter|breadcrumbs?|discussions?|upsell|promo|trending|popular|latest|more|others?|competitors?|compare|comparison|faq)(?:$|[\s_-])/i
const OTHERS_HEADING =
  /^(?:similar|related|alternatives?|other|more|also|compare|comparison|reviews?|ratings|comments?|discussion|testimonials?|what (?:people|users|others)|user reviews|you (?:may|might)|people also|recommended|popular|trending|latest|frequently|faq|questions|top \d|best)\b|\b(?:alternatives?|reviews?|competitors)$/i

function removeOthers($: CheerioAPI): void {
  $('nav, footer, aside, template, script, style, noscript, blockquote').remove()
  const kept = new Set($('h1').first().parents().addBack().add('html, body, main').toArray())
  for (const element of $('header, [class], [id]').toArray())
    if ((element.name === 'header' || OTHERS.test(namesOf(element))) && !kept.has(element)) $(element).remove()
  // Several articles beside the heading are a list.
  const articles = $('article')
    .toArray()
    .filter((element) => !kept.has(element))
  if (articles.length > 1) $(articles).remove()
  for (const element of $('h2, h3, h4').toArray()) {
    if (!OTHERS_HEADING.test(textOf([element]))) continue
    // What follows, up to the next heading of the same weight or more.
    const upTo = ['h1', 'h2', 'h3', 'h4'].slice(0, Number(element.name.slice(1))).join(', ')
    $(element).nextUntil(upTo).remove()
  }
}

// Names of elements (class, id, itemprop) that hold a tagline. A page has several; the first one is below the heading.
const TAGLINE = /(?:^|[\s_-])(?:tag-?line|slogan|short-?desc(?:ription)?|one-?liner|pitch)(?:$|[\s_-])/i
const SUBTITLE = /(?:^|[\s_-])(?:sub-?(?:title|heading|headline)|headline|lead)(?:$|[\s_-])/i
const TAGLINE_LABEL = /^(?:tagline|slogan|in short|short description|pitch|one-liner)$/i

function taglinesOf($: CheerioAPI, data: readonly Json[]): StatedTagline[] {
  const named = $('[class], [id], [itemprop]')
    .toArray()
    .filter(({ name }) => !/^(?:body|main|h1)$/.test(name))
  const labelled = [
    ...data.flatMap(({ slogan, alternativeHeadline }) => [...lineOf(slogan), ...lineOf(alternativeHeadline)]),
    ...[TAGLINE, SUBTITLE].flatMap((names) => {
      const first = named.find((element) => names.test(namesOf(element)))
      return first ? textOf([first]) : []
    }),
    ...labelledValues($, TAGLINE_LABEL),
  ]
  // Descriptions are often copies of each other, so they count as one place.
  const places = [
    titleRests($),
    belowHeading($),
    [
      metaOf($, 'description'),
      metaOf($, 'og:description'),
      ...data.flatMap(({ description }) => lineOf(description)),
    ].flatMap((text) => [text, ...restsOf(text)]),
  ]
  const isSaidTwice = (text: string) =>
    places.filter((texts) => texts.some((other) => isSameStart(other, text))).length > 1
  return [
    ...labelled.map((text) => ({ text, isSure: true })),
    ...places.flat().map((text) => ({ text, isSure: isSaidTwice(text) })),
  ].filter(({ text }) => text !== '')
}

/** Texts that are the same, or of which one was cut off. */
function isSameStart(one: string, other: string): boolean {
  const [short = '', long = ''] = [one, other]
    .map((text) => text.toLowerCase().replace(/(?:…|\.{1,3})\s*$/, ''))
    .sort((a, b) => a.length - b.length)
  return short.length >= 20 && long.startsWith(short)
}

/** What a line says after a name. */
const restsOf = (line: string): string[] => line.split(/\s+[-–—|·•»:]+\s+|[:|]\s+/).slice(1)

const titleRests = ($: CheerioAPI): string[] =>
  [metaOf($, 'og:title'), plainLine($('title').first().text(), MAX_LINE), textOf($('h1').first().toArray())].flatMap(
    restsOf,
  )

/** The first text after the heading, beside it or beside what holds it. */
function belowHeading($: CheerioAPI): string[] {
  const heading = $('h1').first()
  for (const place of [heading, heading.parent(), heading.parent().parent()]) {
    const next = place.nextAll('p, h2, h3, div, span').toArray().slice(0, 3)
    const texts = next.map((element) => textOf([element])).filter((text) => text.length >= 10)
    if (texts.length > 0) return texts.slice(0, 1)
  }
  return []
}

const PRICE = /(?:^|[\s_-])(?:pric(?:e|es|ing)|cost|plan)(?:$|[\s_-])/i
const PRICE_LABEL =
  /^(?:pricing(?: (?:model|type|options?))?|prices?|starting price|cost|plans?|billing|preis|prix|precio)$/i
const BADGE = /(?:^|[\s_-])(?:badge|tag|chip|label|pill|meta)s?(?:$|[\s_-])/i
const BADGE_TEXT =
  /^(?:(?:100 ?% )?free(?: (?:to use|forever|trial|plan|tier|version|plan available|(?:\+|and|&) paid(?: plans)?))?|freemium|paid|premium|(?:(?:from|starts? (?:at|from)|starting (?:at|from)) )?(?:us ?)?(?:[$€£₹] ?\d|\d+ ?(?:usd|eur|gbp|€|\$)).{0,25})$/i
const MAX_PRICE = 80

function pricingOf($: CheerioAPI, data: readonly Json[]): string[] {
  const offers = data.flatMap(({ offers }) => [offers].flat().filter(isObject))
  const structured = offers.flatMap(({ price, lowPrice, highPrice, priceCurrency }) => {
    const amounts = [price, lowPrice, highPrice].filter((one) => typeof one === 'number' || typeof one === 'string')
    const currency = typeof priceCurrency === 'string' ? priceCurrency.slice(0, 3) : 'USD'
    return amounts.length > 0 ? [amounts.map((amount) => `${String(amount).slice(0, 20)} ${currency}`).join(' – ')] : []
  })
  const elements = $('[class], [id], [itemprop]').toArray()
  const named = elements
    .filter((element) => PRICE.test(namesOf(element)) && element.attribs.href === undefined)
    .map((element) => element.attribs.content?.slice(0, MAX_PRICE) ?? textOf([element]))
  const badges = elements
    .filter((element) => BADGE.test(namesOf(element)))
    .map((element) => textOf([element]))
    .filter((text) => BADGE_TEXT.test(text))
  return [...structured, ...labelledValues($, PRICE_LABEL), ...named, ...badges]
    .map((text) => plainLine(text, MAX_PRICE + 1))
    .filter((text) => text !== '' && text.length <= MAX_PRICE)
}

/** Values with a label: in tables and definition lists, beside an element that has only the label, and as "Label: value". */
function labelledValues($: CheerioAPI, label: RegExp): string[] {
  const found: string[] = []
  for (const element of $('th, td, dt, dd, li, p, div, span, strong, b, label, h3, h4, h5').toArray()) {
    const text = visibleText([element], MAX_PRICE + 1)
    if (text === '' || text.length > MAX_PRICE) continue
    const [, name = '', value = ''] = /^([^:]{1,30}):\s*(\S.*)$/.exec(text) ?? []
    if (label.test(name.trim())) found.push(value)
    else if (label.test(text.replace(/\s*:$/, ''))) found.push(textOf($(element).next().toArray() as Element[]))
  }
  return found
}

const SAYS_WEBSITE =
  /^(?:(?:visit|open|go to|view|see|official|the|their|product) ){0,3}(?:web ?site|home ?page|site|official (?:site|page))\b|^visit\b/i
// Pages of a product elsewhere, which are not its website.
const ELSEWHERE =
  /(?:^|\.)(?:twitter\.com|x\.com|facebook\.com|linkedin\.com|instagram\.com|youtube\.com|tiktok\.com|producthunt\.com|apple\.com|google\.com|discord\.gg|discord\.com|t\.me|reddit\.com|medium\.com)$/

/** The addresses of links whose text says that they lead to the website of the product, and the address in structured data. */
function saidWebsites(links: readonly StatedLink[], pageUrl: string, data: readonly Json[]): string[] {
  const ownDomain = registrableDomain(new URL(pageUrl).hostname)
  const said = links.filter(({ anchorText }) => SAYS_WEBSITE.test(anchorText)).map(({ url }) => url)
  const structured = data.flatMap(({ url }) => (typeof url === 'string' ? (parseUrl(url.slice(0, 2_000)) ?? []) : []))
  return [...said, ...structured]
    .filter(({ hostname }) => registrableDomain(hostname) !== ownDomain && !ELSEWHERE.test(hostname))
    .map(({ href }) => href)
    .filter((href) => href.length <= 2_000)
}
