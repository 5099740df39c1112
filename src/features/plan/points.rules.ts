// How many points each fact about a directory gives, and the reasons in words. The best values add up to about 100.
import { money } from '../../kernel/values/text.ts'
import { GENERAL_LISTS, hostOf } from '../catalog/known-hosts/known-hosts.rules.ts'
import type { Topic } from '../catalog/known-hosts/topics.ts'
import type { Cost, ProductKind } from '../catalog/schema.ts'
import type { PlanDirectory, PlanLimits } from './rules.ts'
import { type DirectoryTopics, isNoBusiness, type ProductTopics, topicLabel } from './topics.rules.ts'

export const KIND_NAMES: Readonly<Record<ProductKind, string>> = {
  web: 'web apps',
  mobile: 'mobile apps',
  extension: 'browser or editor extensions',
  plugin: 'plug-ins',
  'open-source': 'open-source projects',
  hardware: 'hardware',
}

/** A broken row may have a kind that does not exist. */
export const kindName = (kind: ProductKind): string => (Object.hasOwn(KIND_NAMES, kind) ? KIND_NAMES[kind] : kind)

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const compactNumbers = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
/** Most values are small whole numbers, and Intl.NumberFormat is slow. */
export const numeral = (value: number): string =>
  Number.isInteger(value) && value >= 0 && value < 1000 ? String(value) : numbers.format(value)
export const compact = (value: number): string => compactNumbers.format(value)

// Points for the best value of each fact.
const DOMAIN_RATING = 32
// On a shared host the Domain Rating is that of the host and says little about the page, so it counts less.
const SHARED_HOST_FACTOR = 0.3
const VISITS = 10
// More visits a month than these count no more.
const MAX_VISITS = 1e7
const FOLLOWED_LINK = 6
const FREE = 6
const FREE_AND_PAID = 3
const BADGE = -4
const EXPERIENCE_POINTS = { good: 4, bad: -8, unknown: 0 }

/** The value, at most `most`. A stored number that is NaN or negative counts as 0. */
const within = (value: number | null, most: number): number =>
  value === null || !(value > 0) ? 0 : Math.min(value, most)

/** The points that do not depend on the product. They never fall when Domain Rating rises. */
export function factPoints(directory: PlanDirectory): number {
  const visits = Math.log10(1 + within(directory.monthlyVisits, MAX_VISITS)) / Math.log10(1 + MAX_VISITS)
  return (
    ((isOnSharedHost(directory) ? SHARED_HOST_FACTOR : 1) * DOMAIN_RATING * within(directory.domainRating, 100)) / 100 +
    VISITS * visits +
    (isFollowed(directory) ? FOLLOWED_LINK : 0) +
    costPoints(directory) +
    (directory.requiresBadge ? BADGE : 0) +
    EXPERIENCE_POINTS[experienceOf(directory) ?? 'unknown']
  )
}

function costPoints(directory: PlanDirectory): number {
  if (directory.cost === 'Free' && !(directory.minimumPrice > 0)) return FREE
  return directory.cost === 'Freemium' ? FREE_AND_PAID : 0
}

export function factReasons(directory: PlanDirectory, limits: PlanLimits): string[] {
  const { monthlyVisits, submissionExperience, type } = directory
  const reasons = [ratingReason(directory)]
  if (within(monthlyVisits, MAX_VISITS) >= 1000) reasons.push(`${compact(Number(monthlyVisits))} visits a month`)
  if (type) reasons.push(linkReason(directory))
  reasons.push(costReason(directory, limits))
  if (directory.requiresBadge) reasons.push('demands a badge on the product’s site')
  if (submissionExperience) reasons.push(experienceReason(submissionExperience))
  return reasons
}

/**
 * The reasons that only repeat these facts. A page that shows the facts leaves them out. The reason for `Paid` is not one of them, because
 * it also says that the price is not known.
 */
export const reasonsRepeating = (
  facts: Pick<PlanDirectory, 'domainRating' | 'cost'> & Partial<PlanDirectory>,
): string[] => [
  ...(facts.domainRating === null ? [] : [ratingText(facts.domainRating)]),
  ...(facts.cost === 'Paid' ? [] : [COST_REASONS.get(facts.cost) ?? '']),
  ...(facts.type ? [linkReason({ type: facts.type })] : []),
  ...(facts.submissionExperience ? [experienceReason(facts.submissionExperience)] : []),
]

const ratingText = (domainRating: number): string => `Domain Rating ${numeral(domainRating)}`
const linkReason = (directory: Pick<PlanDirectory, 'type'>): string =>
  isFollowed(directory) ? 'followed links' : 'links are not followed'
const experienceReason = (experience: string): string => `submitting: ${experience.slice(0, 60)}`

function ratingReason(directory: PlanDirectory): string {
  const { domainRating } = directory
  if (domainRating === null || !Number.isFinite(domainRating)) return 'no Domain Rating known'
  return `${ratingText(domainRating)}${isOnSharedHost(directory) ? ', which is that of its host' : ''}`
}

/** Hosts where everyone can have a page. */
const SHARED_HOSTS =
  /(^|\.)(notion\.site|notion\.so|github\.io|medium\.com|substack\.com|wordpress\.com|blogspot\.com|webflow\.io|vercel\.app|netlify\.app|airtable\.com|docs\.google\.com|sites\.google\.com)$/
const isOnSharedHost = ({ website }: PlanDirectory): boolean => SHARED_HOSTS.test(hostOf(website))

/** Whether search engines follow the link. The link type is a free text, such as "DoFollow" or "do-follow". */
export const isFollowed = ({ type }: Pick<PlanDirectory, 'type'>): boolean =>
  type
    .slice(0, 50)
    .toLowerCase()
    .replace(/[^a-z]/g, '') === 'dofollow'

function costReason({ cost, minimumPrice }: PlanDirectory, { budget, currency }: PlanLimits): string {
  if (minimumPrice > 0) {
    const limit = budget === null || minimumPrice > budget ? '' : `, within the budget of ${money(budget, currency)}`
    return `costs at least ${money(minimumPrice, currency)}${limit}`
  }
  return COST_REASONS.get(cost) ?? 'its cost is not known'
}

const COST_REASONS: ReadonlyMap<string, string> = new Map([
  ['Free', 'free'],
  ['Freemium', 'free, with paid options'],
  ['Paid', 'paid; its price is not known'],
] satisfies [Cost, string][])

// Words of the free text about the experience of submitting.
const GOOD = /\b(good|great|excellent|easy|simple|fast|quick|smooth)\b/i
const BAD = /\b(bad|poor|hard|difficult|slow|confusing|broken|long|waiting)\b/i

export function experienceOf({
  submissionExperience,
}: Pick<PlanDirectory, 'submissionExperience'>): 'good' | 'bad' | undefined {
  const text = (submissionExperience ?? '').slice(0, 200)
  if (BAD.test(text)) return 'bad'
  return GOOD.test(text) ? 'good' : undefined
}

/** What the directory is about, or lists exclusively, is a strong topic of the product. */
const SAME_TOPIC = 34
/** What the directory is about is in the description of the product only, or related to a strong topic of it. */
const TOUCHED_TOPIC = 18
/** A strong topic of the product is only in the other categories or the texts of the directory. */
const SIDE_TOPIC = 14
/** The directory lists AI tools, and the product is one. */
const AI_TOOLS = 12
const ALL_PRODUCTS = 6
/** A directory about one topic, for a product without a known topic. With a known topic it would not fit at all. */
const ONE_TOPIC = -30
/** For each word that the directory shares with the category and tags of the product, up to MAX_WORDS. */
const SAME_WORD = 3
const MAX_WORDS = 3

const lists = (topics: readonly Topic[]) => `lists ${topics.map(topicLabel).join(' and ')}`

/** How well the topics of a directory and a product go together. */
export function topicPoints(directory: DirectoryTopics, product: ProductTopics): { points: number; reasons: string[] } {
  const shared = [...new Set(directory.stems.filter((stem) => product.wordOf.has(stem)))].slice(0, MAX_WORDS)
  const reasons = shared.length > 0 ? [`mentions ${shared.map((stem) => product.wordOf.get(stem)).join(', ')}`] : []
  const points = SAME_WORD * shared.length
  const same = [...directory.main, ...directory.exclusive].filter((topic) => product.strong.has(topic))
  if (same.length > 0) return { points: points + SAME_TOPIC, reasons: [lists(same), ...reasons] }
  const touched = directory.main.filter((topic) => product.weak.has(topic))
  if (touched.length > 0) return { points: points + TOUCHED_TOPIC, reasons: [lists(touched), ...reasons] }
  if (directory.main.length > 0)
    return { points: points + ONE_TOPIC, reasons: [`${lists(directory.main)} only`, ...reasons] }
  const side = directory.side.filter((topic) => product.strong.has(topic))
  const also = side.length > 0 ? [`also ${lists(side)}`] : []
  const general = generalPoints(directory, product)
  return {
    points: points + general.points + (side.length > 0 ? SIDE_TOPIC : 0),
    reasons: [...also, general.reason, ...reasons],
  }
}

function generalPoints({ general, stems }: DirectoryTopics, { isAi }: ProductTopics) {
  if (general) return { points: ALL_PRODUCTS, reason: `lists ${GENERAL_LISTS[general]} of all topics` }
  if (stems.includes('ai')) return { points: isAi ? AI_TOOLS : ALL_PRODUCTS, reason: 'lists AI tools' }
  return { points: ALL_PRODUCTS, reason: 'lists products of all topics' }
}

/** Why the topics of a directory and a product do not go together; empty: they do. */
export function topicProblems(directory: DirectoryTopics, { strong, weak }: ProductTopics): string[] {
  const { main, exclusive, general } = directory
  const has = (topic: Topic) => strong.has(topic) || weak.has(topic)
  if (exclusive.length > 0)
    return exclusive.some((topic) => strong.has(topic)) ? [] : [`lists only ${exclusive.map(topicLabel).join(', ')}`]
  if (main.length > 0)
    return main.some(has) || strong.size + weak.size === 0 ? [] : [`is about something else: it ${lists(main)}`]
  const isNoBusinessProduct = strong.size > 0 && [...strong].every(isNoBusiness)
  return general === 'business' && isNoBusinessProduct ? [`lists only ${GENERAL_LISTS[general]}`] : []
}
