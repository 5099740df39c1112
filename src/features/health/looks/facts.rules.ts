// What the pages of a directory say about entering products: the price, the badge, and whether programs may do it. Every fact comes with
// the sentence of the page that states it. What no sentence states is not known. The pages are read in a thread (`read-page-thread.ts`).
import type { CheerioAPI } from 'cheerio'
import { registrableDomain } from '../../../kernel/addresses/registrable-domain.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Automation, Cost } from '../../catalog/schema.ts'
import { type Element, plainLine, visibleText } from '../../enrichment/page/text.rules.ts'
import { amountsIn } from '../../listings/money.rules.ts'

export interface Stated<T> {
  value: T
  quote: string
}

/** What one page says. A field is null when the page says nothing about it. */
export interface DirectoryPage {
  cost: Stated<Cost> | null
  minimumPrice: Stated<number> | null
  requiresBadge: Stated<boolean> | null
  automation: Stated<Automation> | null
  /** Where its links to the form for products and to the terms lead. */
  formLink: string | null
  termsLink: string | null
}

export function readDirectoryPage($: CheerioAPI, url: string): DirectoryPage {
  const links = ownLinks($, url)
  const sentences = sentencesOf($)
  return {
    ...priceIn(sentences),
    requiresBadge: badgeIn(sentences),
    automation: automationIn(sentences),
    formLink: links.find(({ text }) => SAYS_FORM.test(text))?.href ?? null,
    termsLink:
      (links.find(({ text }) => SAYS_RULES.test(text)) ?? links.find(({ text }) => SAYS_TERMS.test(text)))?.href ??
      null,
  }
}

const MAX_SENTENCE = 300
const MAX_BLOCKS = 3_000
const MAX_LINKS = 500
const MAX_HREF = 2_000

/** The sentences of the page. No sentence goes from one block of the page into the next. */
function sentencesOf($: CheerioAPI): string[] {
  const blocks = $('p, li, td, th, dt, dd, label, button, small, summary, h1, h2, h3, h4, h5, h6, div, span, strong')
    .toArray()
    // A div may contain the whole page, so it counts only if it has text of its own.
    .filter((element) => !/^(?:div|span|strong)$/.test(element.name) || hasOwnText(element))
    .slice(0, MAX_BLOCKS)
  const sentences = blocks.flatMap((element) => visibleText([element], 2 * MAX_SENTENCE).split(/(?<=[.!?])\s+/))
  return [...new Set(sentences)].filter((sentence) => sentence.length > 3 && sentence.length <= MAX_SENTENCE)
}

const hasOwnText = ({ children }: Element): boolean =>
  children.some((child) => child.type === 'text' && child.data.trim() !== '')

const SAYS_FORM =
  /^(?:\+ ?)?(?:submit|add|list|launch|suggest|post)(?: (?:a|an|your|my|new|ai|tool|product|startup|app|site|website|project|saas|business|listing))*$/i
const SAYS_RULES = /^(?:submission|listing|posting) (?:guidelines|rules|terms|policy)$/i
const SAYS_TERMS = /^(?:terms|legal|user agreement|terms (?:of|and|&).{1,30})$/i

/** Links to pages on the domain of the page. */
function ownLinks($: CheerioAPI, pageUrl: string): { text: string; href: string }[] {
  const ownDomain = registrableDomain(new URL(pageUrl).hostname)
  return $('a[href]')
    .toArray()
    .slice(0, MAX_LINKS)
    .flatMap((element) => {
      const url = parseUrl((element.attribs.href ?? '').slice(0, MAX_HREF), pageUrl)
      if (!url || !/^https?:$/.test(url.protocol) || registrableDomain(url.hostname) !== ownDomain) return []
      url.hash = ''
      // An address may get longer when it is encoded, and then it is too long for a listing.
      return url.href.length > MAX_HREF ? [] : [{ text: plainLine($(element).text(), 60), href: url.href }]
    })
}

// Price ------------------------------------------------------------------------------------------------------------------------------

const ABOUT_ENTERING =
  /\b(?:submi(?:t|ts|tted|tting|ssions?)|listings?|list (?:it|your|a)|get(?:ting)? listed|launch(?:es|ing)?|add (?:your|a) (?:tool|product|startup|site|app)|review fee)\b/i
const ABOUT_OTHERS =
  /\b(?:advertis\w*|sponsor\w*|newsletter|banner|worth|revenue|mrr|save|discount|coupon|refund\w*|trial|your (?:tool|product|app)(?:'s|’s)? pric\w*|price of your|is your (?:tool|product|app)|users|visitors|pricing model)\b/i
/** Paid extras say nothing about what an entry costs. */
const EXTRA = /\b(?:featured?|fast|faster|priority|skip|expedited?|boost\w*|premium|top|upgrade|dofollow|instant)\b/i
const SAYS_FREE = /\b(?:free|no (?:cost|charge|fee)|without (?:a )?(?:fee|cost|charge))\b/i
const SAYS_NOT_FREE = /\b(?:no longer|not|isn['’]t|never|nothing is) (?:\w+ )?free\b/i

function priceIn(sentences: readonly string[]): Pick<DirectoryPage, 'cost' | 'minimumPrice'> {
  const about = sentences.filter((text) => ABOUT_ENTERING.test(text) && !ABOUT_OTHERS.test(text))
  const isFree = (text: string) => SAYS_FREE.test(text) && !SAYS_NOT_FREE.test(text)
  const free = about.find((text) => isFree(text) || amountsIn(text).includes(0))
  const notFree = about.find((text) => SAYS_NOT_FREE.test(text))
  const priced = about
    .filter((text) => !EXTRA.test(text))
    .flatMap((quote) => amountsIn(quote).flatMap((value) => (value > 0 ? [{ value, quote }] : [])))
    .sort((a, b) => a.value - b.value)
  const extra = about.find((text) => EXTRA.test(text) && amountsIn(text).some((amount) => amount > 0))
  const [least] = priced
  const paid = least?.quote ?? extra
  if (free && notFree) return { cost: null, minimumPrice: null }
  if (free) {
    const cost: Stated<Cost> =
      paid === undefined
        ? { value: 'Free', quote: free }
        : { value: 'Freemium', quote: free === paid ? free : `${free} … ${paid}` }
    return { cost, minimumPrice: { value: 0, quote: free } }
  }
  const quote = least?.quote ?? notFree
  return { cost: quote === undefined ? null : { value: 'Paid', quote }, minimumPrice: least ?? null }
}

// Badge ------------------------------------------------------------------------------------------------------------------------------

const BADGE = '(?:badges?|backlinks?|link back|reciprocal link)'
const NEEDS_BADGE = new RegExp(
  String.raw`\b${BADGE}\b.{0,60}\b(?:required|mandatory|in exchange|must be)\b|\b(?:must|required to|have to|need to|please|requires? you to)\b.{0,30}\b(?:add|place|put|embed|include|show|display|install|link)\b.{0,60}\b${BADGE}\b|\b(?:requires?|needs?) (?:a |an |our |the )?${BADGE}\b|\b(?:add|place|embed|put) (?:our|the|this) ${BADGE}\b.{0,60}\b(?:to (?:get|be|submit|list|verify)|for (?:a )?free)\b`,
  'i',
)
const NEEDS_NO_BADGE = new RegExp(
  String.raw`\b(?:no|without (?:a|any)) ${BADGE}\b|\b${BADGE}\b.{0,40}\b(?:optional|not (?:required|needed|necessary|mandatory)|never required)\b|\b(?:not|never|n['’]t) (?:\w+ ){0,4}(?:require|need|ask for) (?:a |any |our )?${BADGE}\b`,
  'i',
)

function badgeIn(sentences: readonly string[]): Stated<boolean> | null {
  const none = sentences.find((text) => NEEDS_NO_BADGE.test(text))
  const needed = sentences.find((text) => NEEDS_BADGE.test(text) && !NEEDS_NO_BADGE.test(text))
  // A page that says both speaks of different plans.
  if (needed !== undefined && none !== undefined) return null
  if (needed !== undefined) return { value: true, quote: needed }
  return none === undefined ? null : { value: false, quote: none }
}

// Automation -------------------------------------------------------------------------------------------------------------------------

const PROGRAMS = String.raw`(?:automat(?:ed|ion)|automatic (?:submissions?|tools|means|software)|bots?|robots?|scripts?|spiders?|programmatic(?:ally)?|ai agents?|(?:mass|bulk) submi\w+)`
const ENTERING = String.raw`(?:submit\w*|submissions?|post(?:s|ed|ing)?|listings?|entries|register\w*|registrations?|creat\w+ accounts?|access(?:ed|ing)?)`
const REFUSED =
  '(?:not (?:be )?(?:allowed|accepted|permitted|tolerated|welcome)|prohibited|forbidden|banned|rejected|removed|deleted|refused|blocked)'
const SAYS_FORBIDDEN = [
  String.raw`(?:\b(?:not|never|prohibited from|forbidden to|refrain from|cannot)|n['’]t)\b.{0,80}\b${PROGRAMS}\b.{0,80}\b${ENTERING}\b`,
  String.raw`(?:\b(?:not|never|prohibited from|forbidden to|refrain from|cannot)|n['’]t)\b.{0,60}\b${ENTERING}\b.{0,80}\b${PROGRAMS}\b`,
  String.raw`\b${PROGRAMS}\b.{0,60}\b${ENTERING}\b.{0,60}\b${REFUSED}\b`,
  String.raw`\b${ENTERING}\b.{0,60}\b${PROGRAMS}\b.{0,60}\b${REFUSED}\b`,
  String.raw`\bno ${PROGRAMS}\b.{0,30}\b${ENTERING}\b|\bno (?:mass|bulk) submi`,
].map((pattern) => new RegExp(pattern, 'i'))
const SAYS_NOT = /\b(?:not|no|never)\b|n['’]t\b/i
const SAYS_ALLOWED = new RegExp(
  String.raw`\b(?:submit\w*|submissions?|listings?)\b.{0,60}\b(?:via|through|with|using|over|by) (?:our|the|a) (?:public |rest |open )?api\b|\b${PROGRAMS}\b.{0,40}\bsubmi\w+\b.{0,40}\b(?:allowed|welcome|accepted|permitted|fine|supported)\b|\b(?:ai agents?|bots?|scripts?) (?:may|can|are (?:welcome|allowed) to) (?:\w+ ){0,2}submit\b`,
  'i',
)

/** A prohibition anywhere wins, because a page may allow its API and forbid all other programs. */
function automationIn(sentences: readonly string[]): Stated<Automation> | null {
  const forbidden = sentences.find((text) => SAYS_FORBIDDEN.some((pattern) => pattern.test(text)))
  if (forbidden !== undefined) return { value: 'forbidden', quote: forbidden }
  const allowed = sentences.find((text) => SAYS_ALLOWED.test(text) && !SAYS_NOT.test(text))
  return allowed === undefined ? null : { value: 'allowed', quote: allowed }
}

const MAX_LINES = 2_000

/** The line of a robots.txt that forbids this path to all programs; null when none does. Of the rules that fit, the longest counts. */
export function robotsLine(rules: string, path: string): string | null {
  let isForAll = false
  let wasAgent = false
  let best = { length: -1, line: null as string | null }
  for (const line of rules.split('\n', MAX_LINES)) {
    const [, name = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? []
    const isAgent = name.toLowerCase() === 'user-agent'
    if (isAgent) isForAll = (wasAgent && isForAll) || value.trim() === '*'
    wasAgent = isAgent
    const prefix = value.trim().replace(/[*$]+$/, '')
    // Rules with a pattern inside are left out: what they mean depends on the program that reads them.
    if (isAgent || !isForAll || prefix === '' || prefix.includes('*') || !path.startsWith(prefix)) continue
    const isAllowed = name.toLowerCase() === 'allow'
    if (prefix.length > best.length || (prefix.length === best.length && isAllowed))
      best = { length: prefix.length, line: isAllowed ? null : line.trim() }
  }
  return best.line
}

// Proposals --------------------------------------------------------------------------------------------------------------------------

/** The fields of a directory that its pages are compared with. */
export interface KnownDirectory {
  cost: Cost
  minimumPrice: number
  requiresBadge: boolean
  automation: Automation
  submissionLink: string | null
}

export type FoundFact = { [F in keyof KnownDirectory]: { field: F } & Stated<KnownDirectory[F]> }[keyof KnownDirectory]

/** Whether a fact fits what the catalog says. */
function agrees(known: KnownDirectory, { field, value }: FoundFact): boolean {
  if (known[field] === value) return true
  // The paid extras of a Freemium directory may be on another page.
  if (field === 'cost') return value === 'Free' && known.cost === 'Freemium'
  // The stored minimum price may be that of a paid extra.
  return field === 'minimumPrice' && value === 0 && known.cost !== 'Paid'
}

/**
 * The facts that are proposed after a look (`added`), and the fields whose waiting proposal no longer holds (`ended`). A value that an
 * administrator has refused is not proposed again.
 */
export function proposalsAfter(
  known: KnownDirectory,
  facts: readonly FoundFact[],
  earlier: readonly { field: string; newValue: unknown; state: string }[],
): { added: FoundFact[]; ended: string[] } {
  const isEarlier = (fact: FoundFact, state: string) =>
    earlier.some((one) => one.field === fact.field && one.state === state && one.newValue === fact.value)
  const differs = facts.filter((fact) => !agrees(known, fact))
  const added = differs.filter((fact) => !isEarlier(fact, 'waiting') && !isEarlier(fact, 'refused'))
  const kept = new Set(differs.filter((fact) => isEarlier(fact, 'waiting')).map(({ field }) => field))
  const ended = facts.map(({ field }) => field).filter((field) => !kept.has(field))
  return { added, ended }
}
