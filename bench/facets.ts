// How long the counts of the filters take: the index in this process, no server. The times are processor time of the thread, which other
// work on the machine disturbs least.
//   node bench/facets.ts
//   node bench/facets.ts --listings 1000000
import { parseArgs } from 'node:util'
import { buildIndex, type SearchDocument } from '../src/search/index.ts'
import {
  categorySlugs,
  type GeneratedListing,
  listing,
  randomFrom,
  searchedText,
  tagSlug,
  zipfWord,
} from './catalog.ts'
import { median, percentile } from './load.ts'
import { PLAIN_QUERIES, variedSearches } from './queries.ts'
import { information, missed, printResults, row, section } from './table.ts'

const { values } = parseArgs({ options: { listings: { type: 'string', default: '100000' } } })
const count = Number(values.listings)
const TAGS = 300
const FACETS = {
  category: categorySlugs().map((slug) => `category:${slug}`),
  tag: Array.from({ length: TAGS }, (_, i) => `tag:${tagSlug(i)}`),
  pricing: ['FREE', 'FREEMIUM', 'PAID'].map((value) => `pricing:${value}`),
}
const MOST_MS = 10

function documentOf(entry: GeneratedListing, number: number): SearchDocument<number> {
  const { name, middle, weak } = searchedText(entry)
  return {
    id: String(number),
    text: [name, middle, weak],
    facets: [
      `category:${entry.category}`,
      `pricing:${entry.pricing}`,
      ...(entry.tags as string[]).map((tag) => `tag:${tag}`),
      ...(entry.category === 'nsfw' ? ['adult'] : []),
    ],
    popularity: entry.opens as number,
    recency: Date.parse(entry.createdAt as string),
    item: number,
  }
}

async function* documents(): AsyncGenerator<SearchDocument<number>[]> {
  for (let from = 0; from < count; from += 1000) {
    const page: SearchDocument<number>[] = []
    for (let number = from; number < Math.min(from + 1000, count); number++) {
      const entry = listing(number)
      if (entry.kind === 'tool') page.push(documentOf(entry, number))
    }
    yield page
  }
}

const pages: SearchDocument<number>[][] = []
for await (const page of documents()) pages.push(page)
const index = await buildIndex(pages)

const now = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

interface Asked {
  q?: string
  category?: string
  tag?: string
  pricing?: string
}

/** The time that one page's counts take, in milliseconds; `find` is what the page takes besides. */
function timed({ q, category, tag, pricing }: Asked): { counts: number; find: number } {
  const chosen = { category, tag, pricing: pricing?.toUpperCase() }
  const label = (name: keyof typeof FACETS) => (chosen[name] === undefined ? [] : [`${name}:${chosen[name]}`])
  const names = Object.keys(FACETS) as (keyof typeof FACETS)[]
  const facets = names.map((name) => ({ labels: FACETS[name], chosen: label(name) }))
  const all = facets.flatMap((facet) => facet.chosen)
  const begun = now()
  index.find({ q, all, none: ['adult'], partial: true, explain: true, offset: 0, limit: 20 })
  const found = now()
  index.countFacets({ q, none: ['adult'], partial: true }, facets)
  return { counts: now() - found, find: found - begun }
}

function measure(name: string, asked: readonly Asked[]): void {
  for (const one of asked.slice(0, 20)) timed(one)
  const times = asked.map(timed)
  const counts = times.map((time) => time.counts)
  const slowest = Math.max(...counts)
  section(`${name}: ${asked.length} pages`)
  information('counts, median', `${median(counts).toFixed(2)} ms`)
  information('counts, 95 of 100', `${percentile(counts, 95).toFixed(2)} ms`)
  row('counts, slowest', `${slowest.toFixed(2)} ms`, `${MOST_MS} ms`, slowest < MOST_MS || count > 100_000)
  information(
    'search, median and slowest',
    `${median(times.map(({ find }) => find)).toFixed(2)} and ${Math.max(...times.map(({ find }) => find)).toFixed(2)} ms`,
  )
}

const random = randomFrom(11)
const varied: Asked[] = []
for (const search of variedSearches(5)) {
  varied.push(Object.fromEntries(new URLSearchParams(search)))
  if (varied.length === 500) break
}
const sentences = Array.from({ length: 200 }, () => ({
  q: `which tool can ${Array.from({ length: 12 }, () => zipfWord(random)).join(' ')}`,
}))
console.log(`${index.size.toLocaleString('en')} tools`)
measure(
  'no question',
  Array.from({ length: 50 }, () => ({})),
)
measure(
  'no question, filters',
  Array.from({ length: 100 }, (_, i) => ({
    category: categorySlugs()[i % 5],
    tag: i % 2 ? tagSlug(i) : undefined,
    pricing: i % 3 ? 'FREE' : undefined,
  })),
)
measure(
  'common words',
  PLAIN_QUERIES.map((q) => ({ q })),
)
measure(
  'one letter',
  'aest'.split('').map((q) => ({ q })),
)
measure('varied searches with filters', varied)
measure('sentences of 15 words', sentences)
measure(
  'sentences with three filters',
  sentences.map((one) => ({ ...one, category: categorySlugs()[1], tag: tagSlug(3), pricing: 'FREE' })),
)
printResults()
process.exitCode = missed() ? 1 : 0
