// Generated listings with the word frequencies of real ones: words follow Zipf's law, so a few are in most texts and most are in few.
// Every listing is a function of its number, so nothing has to be stored and every run measures the same catalog.

export interface GeneratedListing {
  kind: 'tool' | 'directory'
  slug: string
  [field: string]: unknown
}

const WORDS = 80_000
const TAGS = 300
const BRANDS = 20_000
/** One listing in twenty is a directory. */
const DIRECTORY_EVERY = 20

// The most common words of such texts, in order of frequency; makeWords adds invented ones.
const COMMON = (
  'the and for with your to of a in ai that from tool data team create app help easy free text image video user business content design ' +
  'email assistant platform generate write meeting notes marketing customer support search chat voice social media web code developer api ' +
  'automation workflow report analytics sales project document photo edit translate language learn student teacher course music audio podcast ' +
  'summary transcript calendar task plan product store price invoice finance legal contract health fitness recipe travel hotel game character story ' +
  'book novel resume job interview hire brand logo slide presentation spreadsheet table chart database cloud security privacy test deploy monitor ' +
  'mobile browser extension plugin template theme landing page website builder form survey feedback review rating campaign newsletter blog article ' +
  'keyword ranking traffic visitor lead pipeline crm call phone message bot agent model prompt training dataset label vision speech avatar animation'
).split(' ')
const CATEGORIES = (
  'Writing Marketing Design Video Audio Images Coding Research Education Sales Support Finance Legal Health Travel Games Music Photos ' +
  'Productivity Meetings Email Search Chatbots Agents Analytics Data Security Recruiting Shopping Social Translation Speech Slides Websites Automation ' +
  'Documents Fashion Cooking Science'
).split(' ')
const DIRECTORY_CATEGORIES = 'SaaS Startups AI Developers Marketing Design Mobile Crypto Local Indie'.split(' ')
const LOCATIONS = ['Lisbon, Portugal', 'Berlin, Germany', 'Austin, United States', 'Pune, India', 'Osaka, Japan', null]

/** The words of the catalog in order of frequency. */
export const vocabulary: readonly string[] = makeWords()
const zipf = cumulative(WORDS)

export const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

/** The categories, tags and directory categories that are imported with the listings. */
export function* taxonomy(): Generator<object> {
  for (const name of [...CATEGORIES, 'NSFW'])
    yield { kind: 'category', slug: slugOf(name), name, description: `Tools about ${name}.`, adult: name === 'NSFW' }
  for (let i = 0; i < TAGS; i++)
    yield { kind: 'tag', slug: tagSlug(i), name: titled(tagSlug(i)), adult: i === TAGS - 1 }
  for (const name of DIRECTORY_CATEGORIES) yield { kind: 'directoryCategory', slug: slugOf(name), name }
}

/** `edition` counts the rewrites of a listing: the slug stays the same, name and text change. */
export function listing(number: number, edition = 0): GeneratedListing {
  const random = randomFrom(number * 2 + 1 + edition * 1_000_003)
  return number % DIRECTORY_EVERY === DIRECTORY_EVERY - 1 ? directory(number, random) : tool(number, random)
}

function tool(number: number, random: Random): GeneratedListing {
  const name = brandedName(random)
  const slug = slugAt(number)
  const site = `https://${slug}.example.com`
  return {
    kind: 'tool',
    slug,
    name,
    tagline: titled(text(random, 7)),
    description: `${titled(text(random, 14))}. ${titled(text(random, 15))}.`,
    website: site,
    category: random() < 0.02 ? 'nsfw' : slugOf(pick(random, CATEGORIES)),
    tags: Array.from({ length: 1 + Math.floor(random() * 4) }, () => tagSlug(skewed(random, TAGS))),
    pricing: pick(random, ['FREE', 'FREEMIUM', 'FREEMIUM', 'PAID']),
    rating: Math.round(random() * 50) / 10,
    opens: Math.floor(20 / (random() + 0.001)),
    featured: random() < 0.03,
    icon: `${site}/icon.png`,
    frame: `${site}/frame.png`,
    founderName: titled(`${pick(random, vocabulary)} ${pick(random, vocabulary)}`),
    founderEmail: `founder${number}@example.com`,
    location: pick(random, LOCATIONS),
    domainRating: random() < 0.7 ? Math.floor(random() * 90) : null,
    screenshots: [`${site}/1.png`, `${site}/2.png`],
    socials: { x: `https://x.com/${slug}` },
    faqs: [{ question: `${titled(text(random, 6))}?`, answer: `${titled(text(random, 12))}.` }],
    features: { [titled(text(random, 2))]: `${titled(text(random, 8))}.` },
    createdAt: createdAt(random),
  }
}

function directory(number: number, random: Random): GeneratedListing {
  const name = brandedName(random)
  const slug = slugAt(number)
  return {
    kind: 'directory',
    slug,
    name,
    website: `https://${slug}.example.org`,
    submissionLink: `https://${slug}.example.org/submit`,
    cost: pick(random, ['Free', 'Paid', 'Freemium']),
    type: pick(random, ['DoFollow', 'NoFollow']),
    domainRating: random() < 0.9 ? Math.floor(random() * 100) : null,
    monthlyVisits: Math.floor(1000 / (random() + 0.001)),
    featured: random() < 0.03,
    categories: [slugOf(pick(random, DIRECTORY_CATEGORIES))],
    smallDescription: titled(text(random, 8)),
    fullDescription: `${titled(text(random, 28))}.`,
    createdAt: createdAt(random),
  }
}

/** How many of the first `count` listings are tools. */
export const toolsAmong = (count: number): number => count - Math.floor(count / DIRECTORY_EVERY)

/** The searched text by weight, as the service weighs it, for the alternatives that are measured beside it. */
export function searchedText(entry: GeneratedListing): { name: string; middle: string; weak: string } {
  const terms = entry.kind === 'tool' ? [entry.category, ...(entry.tags as string[])] : (entry.categories as string[])
  return {
    name: entry.name as string,
    middle: [entry.tagline ?? entry.smallDescription, ...terms.map((slug) => String(slug).replaceAll('-', ' '))].join(
      ' ',
    ),
    weak: (entry.description ?? entry.fullDescription) as string,
  }
}

export type Random = () => number

/** Random numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!
}

function skewed(random: Random, below: number): number {
  return Math.floor(random() ** 2 * below)
}

/** A random word; common words are returned as often as they occur in the texts. */
export function zipfWord(random: Random): string {
  const drawn = random()
  let low = 0
  let high = WORDS - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (zipf[middle]! < drawn) low = middle + 1
    else high = middle
  }
  return vocabulary[low]!
}

export const tagSlug = (i: number): string => vocabulary[40 + i * 3]!
export const categorySlugs = (): string[] => CATEGORIES.map(slugOf)

const slugAt = (number: number) => `${slugOf(brandedName(randomFrom(number * 2 + 1)))}-${number}`
const titled = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)
const text = (random: Random, count: number) => Array.from({ length: count }, () => zipfWord(random)).join(' ')
const createdAt = (random: Random) => new Date(Date.UTC(2022, 0, 1) + Math.floor(random() * 1.2e11)).toISOString()

function brandedName(random: Random): string {
  const brand = titled(vocabulary[WORDS - 1 - Math.floor(random() * BRANDS)]!)
  return random() < 0.5 ? `${brand} ${titled(zipfWord(random))}` : brand
}

function makeWords(): string[] {
  const random = randomFrom(7)
  const found = new Set(COMMON)
  const starts = 'b c d f g h k l m n p r s t v w br cl dr fl gr pl pr sh sl st th tr'.split(' ')
  const vowels = 'a e i o u ai ea io ou'.split(' ')
  const ends = ['', '', '', 'n', 'r', 'l', 's', 't', 'nd', 'st', 'ck']
  const endings = ['s', 'ed', 'ing', 'er', 'ly', 'ness']
  while (found.size < WORDS) {
    let word = ''
    for (let left = 2 + skewed(random, 3); left > 0; left--) word += pick(random, starts) + pick(random, vowels)
    word += pick(random, ends)
    found.add(word)
    // Forms of the same word have about the same frequency.
    if (random() < 0.3 && found.size < WORDS) found.add(word + pick(random, endings))
  }
  return [...found]
}

function cumulative(count: number): Float64Array {
  const sums = new Float64Array(count)
  let sum = 0
  for (let rank = 0; rank < count; rank++) sums[rank] = sum += 1 / (rank + 1)
  return sums.map((value) => value / sum)
}
