// Pure decisions about products that founders send: how many, what may be changed, what an administrator should see, and which fields a site
// fills in.
import { withoutInvisible } from '../../../kernel/checks/invisible.ts'
import { trimmed } from '../../../kernel/values/text.ts'
import type { PageFacts } from '../../enrichment/page/page.rules.ts'
import { foldedText } from '../../listings/instructions/find-instructions.ts'
import { REVIEW_STATES } from '../../proposals/schema.ts'

/**
 * - `reading`: the site is being read; the founder may fill in the form meanwhile.
 * - `draft`: the founder has not sent it yet.
 * - `waiting`: it waits for an administrator.
 */
export const PRODUCT_STATES = ['reading', 'draft', ...REVIEW_STATES] as const
export type ProductState = (typeof PRODUCT_STATES)[number]

/** What is being done while a site is read. */
export const READING_STEPS = ['queued', 'page', 'pictures'] as const
export type ReadingStep = (typeof READING_STEPS)[number]

/** Where the value of a field comes from: the site says it, or it is a guess. A field that is not listed was not found. */
export const FIELD_SOURCES = ['site', 'guess'] as const
export type FieldSources = Readonly<Record<string, (typeof FIELD_SOURCES)[number]>>

export const MOST_WAITING = 3
export const MOST_A_DAY = 5
/** A product that was refused may be sent once more. */
export const MOST_TIMES_SENT = 2
/** An account has at most this many products that it began and did not send; for a further one the oldest is deleted. */
export const MOST_DRAFTS = 10
/** The site is read within this time; after it the founder gets the form as it is. */
export const READING_SECONDS = 45

/** Reasons for a refusal that administrators choose from; any other sentence may be written too. */
export const REFUSAL_REASONS = [
  'The site does not answer, so the product cannot be looked at.',
  'The texts do not say what the product does. Describe it in your own words and send it again.',
  'The product is not a tool that this catalog lists.',
  'The listing uses the name or the pictures of another product.',
  'The texts address language models instead of people.',
] as const

export const mayChange = ({ state, timesSent }: { state: ProductState; timesSent: number }): boolean =>
  state === 'reading' || state === 'draft' || (state === 'refused' && timesSent < MOST_TIMES_SENT)

const BEGINS_WITH_SCHEME = /^[a-z][a-z0-9+.-]*:/i
/** Such as "localhost:8080/path", which looks as if it began with a scheme. */
const BEGINS_WITH_HOST_AND_PORT = /^[^/]+:\d+(\/|$)/

/** The complete address of a website: a founder may leave out https://. */
export const websiteIn = (text: string): string => {
  const address = trimmed(withoutInvisible(text))
  const hasScheme = BEGINS_WITH_SCHEME.test(address) && !BEGINS_WITH_HOST_AND_PORT.test(address)
  return hasScheme ? address : `https://${address}`
}

export interface NamedTerm {
  slug: string
  name: string
}

/**
 * The name with letters that look alike replaced by one of them, so that names which look the same are equal. `looksOfSlug` does the same
 * with stored slugs. Empty for a name without Latin letters.
 */
export const looksOfName = (name: string): string =>
  foldedText(name)
    .replace(/[^a-z0-9]/g, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('0', 'o')
    .replace(/[1i]/g, 'l')

interface ProductSigns {
  /** Whether a listing of the product's host was taken down. */
  takenDownHost: boolean
  /** The fields with texts that look like instructions to a language model. */
  flagged: readonly string[]
  /** How many products the account has sent in the last seven days, this one included. */
  sentLately: number
  /** How many accounts have sent products from the network address this week, this one included. */
  accountsOfAddress: number
  /** A listing of another site with the same name, or one that looks the same. */
  sameName: NamedTerm | undefined
  /** The name that the product itself has. */
  name: string
  /** Another account has sent the same website, and it waits. */
  isSentByOther: boolean
  /** Why a product of this host was refused before; undefined: none was. */
  refusedBefore: string | undefined
  host: string
  /** The site was not read, and products are listed without a look of an administrator unless something is suspicious. */
  isUnread: boolean
}

/** From this number on, products of one account in seven days, and accounts of one network address in a week, are suspicious. */
const MANY_SENT = 3
const MANY_ACCOUNTS = 3

const likeness = ({ name, sameName }: ProductSigns): string =>
  name.toLowerCase() === sameName?.name.toLowerCase() ? 'this name' : 'a name that looks like this one'

/** What an administrator should look at first, in sentences. */
export const suspicionsOf = (signs: ProductSigns): string[] =>
  [
    signs.takenDownHost && 'A listing of this host was taken down.',
    signs.flagged.length > 0 &&
      `Text that looks like an instruction to a language model, in: ${signs.flagged.join(', ')}.`,
    signs.refusedBefore !== undefined &&
      `A product of this website was refused before: ${signs.refusedBefore || 'no reason was given.'}`,
    signs.sameName && `Another product has ${likeness(signs)}: ${signs.sameName.name} (${signs.sameName.slug}).`,
    /(^|\.)xn--/.test(signs.host) &&
      `The host has letters that may look like others: ${signs.host}. Compare it with the host of the product it names.`,
    signs.isUnread && 'The site was not read, so nothing shows that there is a product.',
    signs.isSentByOther && 'Another account has sent the same website, and it waits too.',
    signs.sentLately >= MANY_SENT && `This account has sent ${signs.sentLately} products in seven days.`,
    signs.accountsOfAddress >= MANY_ACCOUNTS &&
      `${signs.accountsOfAddress} accounts have sent products from the same network address this week.`,
  ].filter((sentence) => typeof sentence === 'string')

interface FoundSite {
  facts: PageFacts
  icon: string | null
  /** The main one first. */
  pictures: readonly string[]
}

/** The fields of a listing that its site states, or that are guessed from its words. */
export function fieldsOfSite(
  { facts, icon, pictures: [frame, ...screenshots] }: FoundSite,
  terms: { categories: readonly NamedTerm[]; tags: readonly NamedTerm[] },
): { fields: Record<string, unknown>; sources: FieldSources } {
  const { about, profiles, questions, text } = facts
  // A product needs a name and an explanation of each feature. Names alone would be a problem when the founder sends the form.
  const features = Object.fromEntries(Object.entries(facts.features).filter(([, meaning]) => meaning !== ''))
  const allText = `${about.tagline} ${about.description} ${text}`
  const [category] = termsFoundIn(allText, terms.categories)
  const tags = termsFoundIn(allText, terms.tags).slice(0, MOST_GUESSED_TAGS)
  const stated = {
    name: about.name,
    tagline: about.tagline,
    description: about.description,
    icon,
    frame,
    features: isEmpty(features) ? null : features,
    faq: questions.length > 0 ? questions : null,
  }
  const guessed = {
    pricing: about.pricing,
    category: category?.slug,
    tags: tags.length > 0 ? tags.map(({ slug }) => slug) : null,
    screenshots: screenshots.length > 0 ? screenshots : null,
    socials: isEmpty(profiles) ? null : profiles,
  }
  return {
    fields: Object.fromEntries(filledEntries({ ...stated, ...guessed })),
    sources: Object.fromEntries([
      ...filledEntries(stated).map(([name]) => [name, 'site'] as const),
      ...filledEntries(guessed).map(([name]) => [name, 'guess'] as const),
    ]),
  }
}

const MOST_GUESSED_TAGS = 5
const isEmpty = (value: object): boolean => Object.keys(value).length === 0
const filledEntries = (values: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== '')

const WORD = /[\p{L}\p{N}+#]+/gu
const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? []

/** A longer name is not looked for. */
const MOST_WORDS = 6

/** The terms whose names the text contains as whole words, the most frequent first. A catalog may have tens of thousands of tags. */
function termsFoundIn<T extends NamedTerm>(text: string, terms: readonly T[]): T[] {
  const words = wordsOf(text)
  const lengths = Array.from({ length: MOST_WORDS }, (_, at) => at + 1)
  const countOf = new Map<string, number>()
  for (const at of words.keys())
    for (const length of lengths) {
      if (at + length > words.length) break
      const phrase = words.slice(at, at + length).join(' ')
      countOf.set(phrase, (countOf.get(phrase) ?? 0) + 1)
    }
  return terms
    .map((term) => ({ term, count: countOf.get(wordsOf(term.name).join(' ')) ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || a.term.name.localeCompare(b.term.name))
    .map(({ term }) => term)
}
