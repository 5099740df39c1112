// Drift: what the page of a listing says differently from the product as it is now (name, tagline, price, address). Only what the page
// states in a place of its own counts (`stated.rules.ts`). Comments of readers and parts about other products do not count.
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Pricing } from '../../catalog/schema.ts'
import { amountsIn } from '../../listings/money.rules.ts'
import { websiteKey } from '../../listings/website-key.ts'
import { kitFields } from '../../submissions/bench/kit.rules.ts'
import type { Drift, DriftField } from '../../submissions/bench/link.rules.ts'
import { isProduct } from './address.rules.ts'

/** The product as it is now, and what the form of the directory takes. */
export interface CurrentProduct {
  name: string
  tagline: string
  /** Only its beginning is needed: that is what directories copy. */
  description: string
  pricing: Pricing
  website: string
  nameLimit: number
  taglineLimit: number
  /** What the directory wrote in place of the tagline when its page was first compared, '' if nothing; null before that. */
  directoryTagline: string | null
}

export interface StatedTagline {
  text: string
  /** The page calls it a tagline, or says it in two places. Another text below a heading may be an editor's. */
  isSure: boolean
}

/** What a page states, the surest first. */
export interface StatedFacts {
  /** Structured data names its subject exactly. */
  exactNames: string[]
  /** Headings and titles, which may have more than the name. */
  titles: string[]
  /** The name of the directory itself. */
  site: string
  taglines: StatedTagline[]
  pricing: string[]
  /** The addresses of links to the product; if there is no such link, of links that the page calls the product's website. */
  websites: string[]
  /** Whether the page has a link to the product. */
  isLinked: boolean
  /** The texts of links to the product. */
  anchors: string[]
  /** All that is visible, and the descriptions for search engines. */
  text: string
}

export const driftOf = (facts: StatedFacts, product: CurrentProduct): Drift[] =>
  [
    driftOfName(facts, product),
    driftOfTagline(facts, product),
    driftOfPricing(facts, product),
    driftOfWebsite(facts, product),
  ].filter((drift) => drift !== null)

/**
 * The drift that counts once it is known whether the page links to the product. A page without such a link may be about something else, so
 * only a wrong address counts. `target`: the address to which a redirecting link of the directory led; null when no such link was followed.
 */
export function driftAfterLinkSearch(
  drift: readonly Drift[],
  isFound: boolean,
  target: URL | null,
  product: CurrentProduct,
): Drift[] {
  if (!isFound) return drift.filter(({ field }) => field === 'website')
  if (!target) return [...drift]
  const others = drift.filter(({ field }) => field !== 'website')
  return isWebsite(target.href, product) ? others : [...others, { field: 'website', found: target.href }]
}

/**
 * What is stored after a page was compared with the product. `first` is given when it is compared for the first time. A wrong tagline that
 * the product never had (`former`: those that it had) was then written by the directory: it is stored as `directoryTagline`, not as drift.
 */
export function storedDrift(
  drift: readonly Drift[],
  first: { former: readonly string[]; product: CurrentProduct } | null,
): { drift: Drift[] | null; directoryTagline?: string } {
  const isOwn = ({ field, found }: Drift): boolean =>
    field === 'tagline' && !first?.former.some((tagline) => isTagline(found, { ...first.product, tagline }))
  const own = first ? drift.find(isOwn) : undefined
  const others = drift.filter((one) => one !== own)
  return { drift: others.length > 0 ? others : null, ...(first ? { directoryTagline: own?.found ?? '' } : {}) }
}

/** The stored drift that still differs from the product, which may have been changed since the page was read. */
export const remainingDrift = (stored: readonly Drift[] | null, product: CurrentProduct): Drift[] =>
  (stored ?? []).filter((drift) => isStillDrift(drift, product))

function isStillDrift({ field, found }: Drift, product: CurrentProduct): boolean {
  if (field === 'name') return !isName(found, product)
  if (field === 'tagline') return !isTagline(found, product)
  if (field === 'pricing') return pricingIn(found)?.includes(product.pricing) === false
  return !isWebsite(found, product)
}

// Words ------------------------------------------------------------------------------------------------------------------------------

/** Far more than a name or a tagline has. */
const MAX_COMPARED = 1_000
const ENTITY = /&(?:(amp)|quot|apos|nbsp|#0?39|#x27|[lr]squo|[lr]dquo|hellip|ndash|mdash);/gi

/** The words in one spelling: without case, accents, quotes, punctuation, and entities of pages that escape twice. */
const wordsOf = (text: string): string[] =>
  text
    .slice(0, MAX_COMPARED)
    .replace(ENTITY, (_, isAnd) => (isAnd ? '&' : ' '))
    .normalize('NFKD')
    .replace(/[\p{M}'’‘ʼ`´]/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .match(/[\p{L}\p{N}+#]+/gu) ?? []

const plain = (text: string): string => wordsOf(text).join(' ')
/** For names, which are written with and without blanks. */
const tight = (text: string): string => wordsOf(text).join('')
const hasWords = (text: string, words: string): boolean => ` ${text} `.includes(` ${words} `)
const isCut = (text: string): boolean => /(?:…|\.{3}|&hellip;)\s*$/.test(text)

/** Whether the text is the beginning of `whole` and ends with an ellipsis. */
function isBeginning(text: string, whole: string): boolean {
  const [part, all] = [plain(text), plain(whole)]
  return isCut(text) && part.length >= 8 && all.startsWith(part)
}

/** The share of words that two texts have in common, from 0 to 1. */
function likeness(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const left = new Map<string, number>()
  for (const word of a) left.set(word, (left.get(word) ?? 0) + 1)
  let common = 0
  for (const word of b) {
    const count = left.get(word) ?? 0
    if (count > 0) common++
    left.set(word, count - 1)
  }
  return a.length + b.length === 0 ? 1 : (2 * common) / (a.length + b.length)
}

// Name -------------------------------------------------------------------------------------------------------------------------------

/** What directories add to a name in headings and titles. */
const ADDED_WORDS = new Set(
  'review reviews pricing price prices cost features feature alternatives alternative app apps tool tools software ai-tool platform website official login download free online vs and the of in for by a an is what details overview profile listing product products launch launched on at new featured verified logo'.split(
    ' ',
  ),
)
const SEPARATOR = /\s+[-–—|·•»:/]+\s+|[:|»]\s+|\s*[([]/
/** A name is short; a longer heading is a sentence. */
const MAX_NAME_WORDS = 6
const MAX_NAME = 60

const partsOf = (title: string): string[] =>
  title
    .slice(0, MAX_COMPARED)
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '')

function isName(text: string, product: CurrentProduct): boolean {
  const { name, website } = product
  const found = tight(text)
  if (tight(name) === found || tight(currentValue('name', product)) === found || isBeginning(text, name)) return true
  // "Acme.ai" for a product that is called Acme.
  const host = tight(websiteKey(website).split('/', 1)[0] ?? '')
  return host === found && host.startsWith(tight(name))
}

const isAdded = (word: string): boolean => ADDED_WORDS.has(word) || /^\d+$/.test(word)

/** The part of a title that can be a name: without what directories add to it, and not the name of the directory. */
function namesIn(title: string, site: string): string[] {
  const known = tight(site)
  return partsOf(title).flatMap((part) => {
    const words = part.split(/\s+/)
    while (words.length > 1 && isAdded(plain(words.at(-1) ?? ''))) words.pop()
    const kept = words.join(' ').replace(/[\s,;.!]+$/, '')
    const count = wordsOf(kept).length
    const isNameLike = count > 0 && count <= MAX_NAME_WORDS && kept.length <= MAX_NAME && !wordsOf(kept).every(isAdded)
    return isNameLike && tight(kept) !== known ? [kept] : []
  })
}

// A link whose text matches this says where it leads instead of naming the product.
const NO_NAME =
  /\b(?:visit|web ?site|site|open|link|launch|try|get|go|see|view|homepage|here|more|learn|start|check|use|buy|zur)\b|[./]\w|→|↗/i

function driftOfName({ exactNames, titles, site, anchors }: StatedFacts, product: CurrentProduct): Drift | null {
  const exact = exactNames.flatMap((name) => namesIn(name, site).slice(0, 1))
  if (exact.some((name) => isName(name, product))) return null
  const inTitles = titles.map((title) => namesIn(title, site))
  if (inTitles.some((names) => names.some((name) => isName(name, product)))) return null
  const linked = anchors.filter((text) => !NO_NAME.test(text)).flatMap((text) => namesIn(text, site).slice(0, 1))
  if (linked.some((name) => isName(name, product))) return null
  // The name on the page is that of structured data; else that of a link to the product, where a page about many products has it; else one
  // on which two titles agree.
  const first = inTitles.flatMap((names) => names.slice(0, 1))
  const agreed = first.find((name, at) => first.findIndex((other) => plain(other) === plain(name)) !== at)
  const found = exact[0] ?? linked[0] ?? agreed
  if (found === undefined) return null
  // A longer text with the name in it is the name with a description, such as "Acme Writer Mail Assistant", and no drift. A text that is
  // only one word longer is another name; so is one that is two words longer, if it is from structured data, which states names exactly.
  const isMentioned = [...exactNames, ...titles].some((title) => hasWords(plain(title), plain(product.name)))
  const most = wordsOf(product.name).length + (exact.length > 0 ? 2 : 1)
  return isMentioned && wordsOf(found).length > most ? null : { field: 'name', found }
}

// Tagline ----------------------------------------------------------------------------------------------------------------------------

/** From this likeness on two texts count as the same: an editor may have changed one word of a long tagline. */
const SAME = 0.9
/** From this likeness on a text counts as another version of the tagline, even where the page does not call it one. */
const EDITED = 0.4
const LEAST_TAGLINE = 10
const MAX_TAGLINE = 200
/** A sentence is from the description when at least this share of its words is there. */
const FROM_DESCRIPTION = 0.8
// What directories write about every product.
const OF_DIRECTORY =
  /\b(?:reviews?|alternatives|pricing|features)\b.{0,80}\b(?:reviews?|alternatives|pricing|features|20\d\d)\b|^(?:published|posted|added|launched|updated|listed|reviewed|by|in|on|\d)\b/i

/** The tagline, and the tagline cut to the limit of the form, as words. */
const taglinesOf = (product: CurrentProduct): string[] => [product.tagline, currentValue('tagline', product)].map(plain)

function isTagline(text: string, product: CurrentProduct): boolean {
  const [found, name] = [plain(text), plain(product.name)]
  const rest = found.startsWith(`${name} `) ? found.slice(name.length + 1) : found
  return (
    isBeginning(text, product.tagline) ||
    taglinesOf(product).some(
      (one) => hasWords(found, one) || likeness(one, found) >= SAME || likeness(one, rest) >= SAME,
    )
  )
}

function driftOfTagline({ taglines, text, site }: StatedFacts, product: CurrentProduct): Drift | null {
  const { tagline, description, name, directoryTagline } = product
  if (plain(tagline) === '') return null
  const all = plainLong(text)
  if (taglinesOf(product).some((one) => hasWords(all, one))) return null
  if (taglines.some((stated) => isTagline(stated.text, product))) return null
  const ours = plainLong(description)
  const other = taglines.find(
    ({ text: stated, isSure }) =>
      (isSure || likeness(stated, tagline) >= EDITED) &&
      stated.length >= LEAST_TAGLINE &&
      stated.length <= MAX_TAGLINE &&
      wordsOf(stated).length > 2 &&
      !OF_DIRECTORY.test(stated) &&
      plain(stated) !== plain(directoryTagline ?? '') &&
      !hasWords(plain(stated), plain(site)) &&
      !isFrom(stated, ours) &&
      !isAbout(stated, name),
  )
  return other ? { field: 'tagline', found: other.text } : null
}

/** Like `plain`, for a text longer than MAX_COMPARED. */
function plainLong(text: string): string {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += MAX_COMPARED) pieces.push(text.slice(at, at + MAX_COMPARED))
  return pieces.map(plain).join(' ')
}

/** Whether the sentence was taken from the description. */
function isFrom(sentence: string, description: string): boolean {
  const words = wordsOf(sentence)
  const known = new Set(description.split(' '))
  return (
    description !== '' &&
    (hasWords(description, words.join(' ')) ||
      words.filter((word) => known.has(word)).length >= FROM_DESCRIPTION * words.length)
  )
}

/** "Acme Writer is a tool that …": a sentence of an editor. */
const isAbout = (sentence: string, name: string): boolean =>
  new RegExp(
    `^${RegExp.escape(plain(name))} (?:is|helps|lets|offers|provides|allows|gives|makes|was|has|uses)\\b`,
  ).test(plain(sentence))

// Price ------------------------------------------------------------------------------------------------------------------------------

const IS_FREEMIUM =
  /\bfreemium\b|\bfree(?:[- ]forever)? (?:plan|tier|version)\b|\bfree (?:and|or|&|\+|with) (?:paid|premium)\b|\bfree\s*[/,+]\s*(?:paid|premium)\b|\bfree,? (?:then|with|paid|plus|premium)\b/i
const IS_TRIAL = /\bfree[- ]trial\b|\btrial\b|\bfree to try\b|\btry (?:it )?(?:for )?free\b/i
const IS_FREE = /\b(?:free|gratis|kostenlos|gratuite?|gratuito|no cost)\b/i
const IS_NOT_FREE = /\b(?:not free|no free|isn'?t free)\b/i
const IS_PAID = /\b(?:paid|premium|subscription|one[- ]time|lifetime|kostenpflichtig|payant|de pago)\b/i

/** The ways of pricing that agree with the words; null when they say nothing about it. */
export function pricingIn(given: string): Pricing[] | null {
  const text = given.slice(0, 200).replace(/\bfree (?:shipping|demo|consultation|support|updates)\b/gi, ' ')
  const amounts = amountsIn(text)
  const isFree = (IS_FREE.test(text) && !IS_NOT_FREE.test(text)) || amounts.includes(0)
  const isPaid = amounts.some((amount) => amount > 0)
  if (IS_FREEMIUM.test(text) || (isFree && isPaid && !IS_TRIAL.test(text))) return ['FREEMIUM']
  if (IS_TRIAL.test(text)) return ['FREEMIUM', 'PAID']
  if (isFree) return IS_PAID.test(text) ? ['FREEMIUM'] : ['FREE', 'FREEMIUM']
  if (isPaid) return ['PAID', 'FREEMIUM']
  return IS_PAID.test(text) || IS_NOT_FREE.test(text) ? ['PAID'] : null
}

function driftOfPricing({ pricing }: StatedFacts, product: CurrentProduct): Drift | null {
  const stated = pricing.flatMap((text) => {
    const ways = pricingIn(text)
    return ways ? [{ text, ways }] : []
  })
  const [first] = stated
  return first && stated.every(({ ways }) => !ways.includes(product.pricing))
    ? { field: 'pricing', found: first.text }
    : null
}

// Address ----------------------------------------------------------------------------------------------------------------------------

/** No product has a longer one, and a directory may redirect to one of any length. */
const MAX_WEBSITE = 2_000

/** The root of the product's host counts as its website, too; another page of a host that many products share does not. */
function isWebsite(found: string, { website }: CurrentProduct): boolean {
  const url = found.length > MAX_WEBSITE ? null : parseUrl(found)
  // An address that cannot be read is no drift.
  if (!url) return true
  const key = websiteKey(website)
  return isProduct(url, [key]) || websiteKey(url.href) === key.split('/', 1)[0]
}

/** If the page has no link to the product, an address that it calls the product's website counts only on a page about the product. */
function driftOfWebsite(facts: StatedFacts, product: CurrentProduct): Drift | null {
  const { websites, isLinked, exactNames, titles, site } = facts
  const [found] = websites
  if (found === undefined || websites.some((one) => isWebsite(one, product))) return null
  const isAboutIt = [...exactNames, ...titles].some((title) =>
    namesIn(title, site).some((name) => isName(name, product)),
  )
  return isLinked || isAboutIt ? { field: 'website', found } : null
}

// What to send -----------------------------------------------------------------------------------------------------------------------

const LABELS: Record<DriftField, string> = { name: 'Name', tagline: 'Tagline', pricing: 'Price', website: 'Address' }
const PRICING_WORDS: Record<Pricing, string> = { FREE: 'free', FREEMIUM: 'free plan and paid plans', PAID: 'paid' }

/** The value that the product has now, cut to what the form of the directory takes. */
export function currentValue(field: DriftField, product: CurrentProduct): string {
  if (field === 'pricing') return PRICING_WORDS[product.pricing]
  if (field === 'website') return product.website
  // Names and taglines are cut as the bench cuts them for the directory's form. The other fields of that form are not used here.
  const limits = { shortLimit: 0, longLimit: 0, tagsLimit: 0, ...product }
  const texts = { ...product, category: null, tags: [], founderName: null, founderEmail: null }
  return kitFields(texts, limits).find(({ name }) => name === field)?.value ?? product[field]
}

/** The text that an administrator sends to the directory. */
export function driftMessage(listingUrl: string, drifts: readonly Drift[], product: CurrentProduct): string {
  const changes = drifts.map(
    ({ field, found }) => `- ${LABELS[field]}: “${currentValue(field, product)}” instead of “${found}”`,
  )
  return [
    `Hello, the listing of ${currentValue('name', product)} is no longer up to date:`,
    listingUrl,
    '',
    'Please change:',
    ...changes,
    '',
    'Thank you!',
  ].join('\n')
}
