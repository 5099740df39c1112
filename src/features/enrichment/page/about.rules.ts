// Reads what a page says about its product: name, tagline, description and pricing. They are guesses that a person corrects.
import type { CheerioAPI } from 'cheerio'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { isObject } from '../../../kernel/values/objects.ts'
import type { Pricing } from '../../catalog/schema.ts'
import { plainLine } from './text.rules.ts'

export interface About {
  /** A text is empty when the page does not say it. */
  name: string
  tagline: string
  description: string
  pricing: Pricing | null
}

/** The longest texts that are kept, in characters. */
const LENGTHS = { name: 100, tagline: 200, description: 1000 }
const MOST_PARAGRAPHS = 3
/** A shorter paragraph describes no product, in characters. */
const MIN_PARAGRAPH_LENGTH = 60

export function findAbout($: CheerioAPI, pageUrl: string, text: string): About {
  const data = structuredData($)
  const title = plainLine($('head title').first().text() || metaOf($, 'og:title'), 300)
  const titleParts = title.split(/\s+[|–—·:-]\s+/).filter(Boolean)
  const statedName = [metaOf($, 'og:site_name'), metaOf($, 'application-name'), textIn(data, 'name')].find(Boolean)
  const name = plainLine(statedName ?? namePart(titleParts, pageUrl), LENGTHS.name)
  const summaries = [metaOf($, 'description'), metaOf($, 'og:description'), textIn(data, 'description')]
  const summary = plainLine(longestOf(summaries), LENGTHS.description)
  const paragraphs = firstParagraphs($, summary)
  const isRepeated = paragraphs.some((text) => text.includes(summary))
  const slogan = longestOf(titleParts.filter((part) => !isSameName(part, name)))
  return {
    name,
    tagline: plainLine(slogan || firstSentence(summary) || $('h1').first().text(), LENGTHS.tagline),
    description: plainLine([isRepeated ? '' : summary, ...paragraphs].filter(Boolean).join(' '), LENGTHS.description),
    pricing: pricingIn(data, text),
  }
}

/** The first of the longest texts; empty without texts. */
const longestOf = (texts: readonly string[]): string => texts.reduce((a, b) => (b.length > a.length ? b : a), '')

/** The part of a title that is the name of the site: the one whose letters are in the host name, otherwise the shortest. */
function namePart(parts: readonly string[], pageUrl: string): string {
  const host = letters(parseUrl(pageUrl)?.hostname ?? '')
  const spelled = parts.find((part) => letters(part).length > 1 && host.includes(letters(part)))
  return spelled ?? parts.reduce((a, b) => (a === '' || b.length < a.length ? b : a), '')
}

const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
const isSameName = (part: string, name: string): boolean => letters(part) === letters(name)
const firstSentence = (text: string): string => /^.{10,200}?[.!?](?=\s|$)/.exec(text)?.[0] ?? text

const metaOf = ($: CheerioAPI, name: string): string =>
  plainLine($(`head meta[name="${name}" i], head meta[property="${name}" i]`).first().attr('content') ?? '', 1000)

/** The first paragraphs of some length, except those that repeat the summary. */
const firstParagraphs = ($: CheerioAPI, summary: string): string[] =>
  $('main p, article p, body p')
    .toArray()
    .slice(0, 40)
    .map((element) => plainLine($(element).text(), 400))
    .filter(
      (text, at, all) => text.length >= MIN_PARAGRAPH_LENGTH && !summary.includes(text) && all.indexOf(text) === at,
    )
    .slice(0, MOST_PARAGRAPHS)

const PRODUCT_TYPES = /^(SoftwareApplication|WebApplication|MobileApplication|Product|Organization|WebSite)$/

/** The first JSON-LD object of the page that describes a product in the vocabulary of schema.org; an empty object when there is none. */
function structuredData($: CheerioAPI): Readonly<Record<string, unknown>> {
  for (const element of $('script[type="application/ld+json"]').toArray().slice(0, 10)) {
    const found = entriesOf(parseJson($(element).text())).find(({ '@type': type }) =>
      [type].flat().some((one) => typeof one === 'string' && PRODUCT_TYPES.test(one)),
    )
    if (found) return found
  }
  return {}
}

/** null when the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.slice(0, 100_000))
  } catch {
    return null
  }
}

const entriesOf = (data: unknown): Record<string, unknown>[] =>
  [isObject(data) && Array.isArray(data['@graph']) ? data['@graph'] : data].flat().slice(0, 50).filter(isObject)

const textIn = (data: Readonly<Record<string, unknown>>, name: string): string =>
  typeof data[name] === 'string' ? plainLine(data[name], 1000) : ''

const IS_FREEMIUM =
  /\b(free (plan|tier|trial|version|forever)|freemium|start(ed)? (for )?free|try (it )?(for )?free)\b/i
const IS_FREE = /\b((100%|completely|totally|always) free|free and open[- ]source|free to use|for free)\b/i
const IS_PAID = /[$€£]\s?\d|\b\d+\s?(usd|eur)\b|\bper (month|seat|user)\b|\/mo\b/i

function pricingIn({ offers }: Readonly<Record<string, unknown>>, text: string): Pricing | null {
  const price = [offers].flat().find(isObject)?.price
  if (IS_FREEMIUM.test(text)) return 'FREEMIUM'
  if (price !== undefined && price !== null) return Number(price) === 0 ? 'FREE' : 'PAID'
  if (IS_FREE.test(text)) return 'FREE'
  return IS_PAID.test(text) ? 'PAID' : null
}
