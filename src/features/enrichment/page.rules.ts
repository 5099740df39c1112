// Reads everything that enrichment uses from the HTML of a page.
import { type CheerioAPI, loadBuffer } from 'cheerio'
import { isObject } from '../../kernel/objects.ts'
import type { Pricing } from '../catalog/schema.ts'
import { type FoundQuestion, findQuestions } from './faq.rules.ts'
import { type Features, findFeatures } from './features.rules.ts'
import { findIcons, findSharedPictures } from './pictures.rules.ts'
import { plainLine, visibleText } from './text.rules.ts'

export interface PageSource {
  bytes: Uint8Array
  /** The address of the page after redirects. */
  url: string
  contentType: string
}

export interface PageFacts {
  /** Addresses of pictures, best first: icons, and pictures that the page names for links to it. */
  icons: string[]
  shared: string[]
  /** The address of the page's manifest, if it may name a larger icon. */
  manifest: string | null
  questions: FoundQuestion[]
  features: Features
  about: About
  /** The tokens by which owners of listings prove that the page is theirs. */
  ownerTokens: string[]
  /** Addresses of pictures that may be badges of this service, without their queries. */
  badges: string[]
  /** The visible text, for a language model. */
  text: string
}

const TEXT_LENGTH = 6000

export function readPage({ bytes, url, contentType }: PageSource): PageFacts {
  const charset = /charset\s*=\s*["']?([\w:-]{1,40})/i.exec(contentType)?.[1]
  const $ = loadBuffer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    encoding: { defaultEncoding: 'utf-8', ...(charset ? { transportLayerEncodingLabel: charset } : {}) },
  })
  const text = visibleText($('body').toArray(), TEXT_LENGTH)
  return {
    ...findIcons($, url),
    shared: findSharedPictures($, url),
    questions: findQuestions($),
    features: findFeatures($),
    about: findAbout($, url, text),
    ownerTokens: findOwnerTokens($),
    badges: findBadges($, url),
    text,
  }
}

export const BADGES_PATH = '/badges/'
const MOST_BADGES = 20

const findBadges = ($: CheerioAPI, url: string): string[] =>
  $(`img[src*="${BADGES_PATH}"]`)
    .toArray()
    .slice(0, MOST_BADGES)
    .flatMap(({ attribs }) => {
      const address = URL.parse((attribs.src ?? '').slice(0, 2000), url)
      return address ? address.origin + address.pathname : []
    })

/** The name of the tag that proves a claim. */
export const OWNER_TAG = 'catalog-verify'
const MOST_TOKENS = 20

/** Only tags in the head count: comments, scripts, templates and the body may contain texts of visitors. */
const findOwnerTokens = ($: CheerioAPI): string[] =>
  $('html > head > meta')
    .toArray()
    .filter(({ attribs }) => attribs.name?.trim().toLowerCase() === OWNER_TAG)
    .slice(0, MOST_TOKENS)
    .map(({ attribs }) => (attribs.content ?? '').trim().slice(0, 100))

// Reads what a page says about its product: name, tagline, description and pricing. They are guesses that a person corrects.

export interface About {
  /** Empty texts: the page does not say it. */
  name: string
  tagline: string
  description: string
  pricing: Pricing | null
}

const LENGTHS = { name: 100, tagline: 200, description: 1000 }
const MOST_PARAGRAPHS = 3
const LEAST_PARAGRAPH = 60

export function findAbout($: CheerioAPI, pageUrl: string, text: string): About {
  const data = structuredData($)
  const title = plainLine($('head title').first().text() || metaOf($, 'og:title'), 300)
  const parts = title.split(/\s+[|–—·:-]\s+/).filter(Boolean)
  const stated = [metaOf($, 'og:site_name'), metaOf($, 'application-name'), textIn(data, 'name')].find(Boolean)
  const name = plainLine(stated ?? namePart(parts, pageUrl), LENGTHS.name)
  const summaries = [metaOf($, 'description'), metaOf($, 'og:description'), textIn(data, 'description')]
  const summary = plainLine(
    summaries.reduce((a, b) => (b.length > a.length ? b : a), ''),
    LENGTHS.description,
  )
  const promise = parts.filter((part) => !isSameName(part, name)).reduce((a, b) => (b.length > a.length ? b : a), '')
  return {
    name,
    tagline: plainLine(promise || firstSentence(summary) || $('h1').first().text(), LENGTHS.tagline),
    description: plainLine([summary, ...paragraphs($, summary)].filter(Boolean).join(' '), LENGTHS.description),
    pricing: pricingIn(data, text),
  }
}

/** The part of a title that is the name of the site: the one that the host spells, otherwise the shortest. */
function namePart(parts: readonly string[], pageUrl: string): string {
  const host = letters(URL.parse(pageUrl)?.hostname ?? '')
  const spelled = parts.find((part) => letters(part).length > 1 && host.includes(letters(part)))
  return spelled ?? parts.reduce((a, b) => (a === '' || b.length < a.length ? b : a), '')
}

const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
const isSameName = (part: string, name: string): boolean => letters(part) === letters(name)
const firstSentence = (text: string): string => /^.{10,200}?[.!?](?=\s|$)/.exec(text)?.[0] ?? text

const metaOf = ($: CheerioAPI, name: string): string =>
  plainLine($(`head meta[name="${name}" i], head meta[property="${name}" i]`).first().attr('content') ?? '', 1000)

/** The first paragraphs of some length, except those that repeat the summary. */
const paragraphs = ($: CheerioAPI, summary: string): string[] =>
  $('main p, article p, body p')
    .toArray()
    .slice(0, 40)
    .map((element) => plainLine($(element).text(), 400))
    .filter((text, at, all) => text.length >= LEAST_PARAGRAPH && !summary.includes(text) && all.indexOf(text) === at)
    .slice(0, MOST_PARAGRAPHS)

const PRODUCT_TYPES = /^(SoftwareApplication|WebApplication|MobileApplication|Product|Organization|WebSite)$/

/** The first description of a product in the vocabulary of schema.org. */
function structuredData($: CheerioAPI): Readonly<Record<string, unknown>> {
  for (const element of $('script[type="application/ld+json"]').toArray().slice(0, 10)) {
    const found = entriesOf(parsed($(element).text())).find(({ '@type': type }) =>
      [type].flat().some((one) => typeof one === 'string' && PRODUCT_TYPES.test(one)),
    )
    if (found) return found
  }
  return {}
}

function parsed(text: string): unknown {
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
  return IS_FREE.test(text) ? 'FREE' : IS_PAID.test(text) ? 'PAID' : null
}
