// How long questions take in the index of one process: no server, nothing is asked twice. Other work on the machine disturbs the mean of the
// processor time least; some systems count that in steps of milliseconds, so the other figures are wall time.
//   node bench/questions.ts [--listings 100000] [--source ../other-checkout/src]
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Listing, storedListing } from '../src/features/catalog/memory/listing-json.ts'
import type { SearchDocument } from '../src/search/index.ts'
import { listing, pick, randomFrom, searchedText, vocabulary, zipfWord } from './catalog.ts'
import { median, percentile } from './load.ts'
import { variedSearches } from './queries.ts'
import { information, printResults, section } from './table.ts'

const { values } = parseArgs({
  options: {
    listings: { type: 'string', default: '100000' },
    source: { type: 'string', default: join(import.meta.dirname, '../src') },
  },
})
const source = resolve(values.source)
const { buildIndex, parseVectors }: typeof import('../src/search/index.ts') = await import(
  join(source, 'search/index.ts')
)
const { askIndex }: typeof import('../src/features/catalog/questions/question.ts') = await import(
  join(source, 'features/catalog/questions/question.ts')
)

const item = storedListing('one', undefined, '{}', '{}')

function* documents(): Generator<SearchDocument<Listing>[]> {
  for (let number = 0; number < Number(values.listings); number++) {
    const entry = listing(number)
    if (entry.kind !== 'tool') continue
    const { name, middle, weak } = searchedText(entry)
    const { pricing, opens } = entry
    yield [
      {
        id: String(number),
        text: [name, middle, weak],
        facets: [`pricing:${pricing}`],
        popularity: Number(opens),
        recency: number,
        item,
      },
    ]
  }
}

const vectors = parseVectors(readFileSync(join(source, 'search/meaning/vectors.bin')))
const index = await buildIndex<Listing>(documents(), { vectors })
const taxonomy = {
  ...{ categories: new Map(), tags: new Map(), directoryCategories: new Map() },
  brokenAdultTerms: { categories: new Set<string>(), tags: new Set<string>() },
}
const noFilter = { given: () => [], isGiven: () => false }

const processor = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function timed(q: string): number {
  const begun = performance.now()
  const query = { q, partial: true, depend: true, offset: 0, limit: 20, ...noFilter }
  askIndex('tool', { index, idOf: new Map() }, taxonomy, query)
  return performance.now() - begun
}

function measure(name: string, questions: readonly string[]): void {
  for (const q of questions.slice(0, 20)) timed(q)
  const before = processor()
  const times = questions.slice(20).map(timed)
  const used = processor() - before
  section(`${name}: ${times.length} questions`)
  information('processor time, mean', `${(used / times.length).toFixed(2)} ms`)
  information('median', `${median(times).toFixed(2)} ms`)
  information('95 of 100', `${percentile(times, 95).toFixed(2)} ms`)
  information('slowest', `${Math.max(...times).toFixed(2)} ms`)
}

const random = randomFrom(4)
const many = (count: number, make: () => string) => Array.from({ length: count }, make)
const longWords = vocabulary.filter(({ length }) => length > 5)
function misspelt(): string {
  const word = pick(random, longWords)
  const at = 1 + Math.floor(random() * (word.length - 2))
  return word.slice(0, at) + pick(random, [...'qxzvkw']) + word.slice(at + 1)
}
console.log(`${index.size.toLocaleString('en')} tools`)
measure('one to three words', [
  ...variedSearches(5)
    .take(520)
    .map((search) => new URLSearchParams(search).get('q') ?? ''),
])
measure(
  'fifteen words',
  many(220, () => `which tool can help ${many(11, () => zipfWord(random)).join(' ')}`),
)
measure(
  'a misspelt word',
  many(120, () => misspelt()),
)
measure(
  'four misspelt words',
  many(120, () => many(4, () => misspelt()).join(' ')),
)
printResults()
