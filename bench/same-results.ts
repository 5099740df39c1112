// Whether searches give the same as those of another commit: the same documents go into the index of both, the same questions are asked,
// and ids, order and totals are compared; again after a third of the documents was changed, removed and put back.
//   node bench/same-results.ts [--against 31243a2] [--random 100000] [--show 10]
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { pick, randomFrom } from './catalog.ts'
import { questionSets } from './question-sets.ts'

const { values } = parseArgs({
  options: {
    against: { type: 'string', default: '31243a2' },
    random: { type: 'string', default: '100000' },
    show: { type: 'string', default: '10' },
  },
})
const ROOT = resolve(import.meta.dirname, '..')
const SHARED = resolve(ROOT, '../shared/data')
if (!existsSync(SHARED)) {
  console.log(`Skipped: the listings are not there (${SHARED}).`)
  process.exit(0)
}

type Search = typeof import('../src/search/index.ts')
type Index = ReturnType<Search['createIndex']>
type Document = Parameters<Index['put']>[0]
type Query = Parameters<Index['find']>[0]

async function indexesIn(root: string): Promise<() => Index> {
  const search: Search = await import(join(root, 'src/search/index.ts'))
  const vectors = search.parseVectors(readFileSync(join(root, 'src/search/meaning/vectors.bin')))
  return () => search.createIndex({ numberOrders: ['first-number'], vectors })
}

const random = randomFrom(27)
const any = <T>(list: readonly T[]): T => pick(random, list)

function misspelt(word: string): string {
  const at = Math.floor(random() * word.length)
  const ways = [
    word.slice(0, at) + word.slice(at + 1),
    word.slice(0, at) + word.charAt(at) + word.slice(at),
    word.slice(0, at) + any([...'aeiourstln']) + word.slice(at + 1),
    word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
  ]
  return any(ways)
}

/** Words of the documents, as they are, begun, misspelt and joined, with filters and orders. */
function randomQuery(words: readonly string[], facets: readonly string[]): Query {
  const written = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
    const word = any(words)
    const how = random()
    if (how < 0.6) return word
    if (how < 0.75) return word.slice(0, 1 + Math.floor(random() * word.length))
    return how < 0.95 ? misspelt(word) : word + any(words)
  })
  return {
    q: written.join(random() < 0.05 ? '-' : ' '),
    ...(random() < 0.1 ? { all: [any(facets)] } : {}),
    ...(random() < 0.05 ? { none: [any(facets)] } : {}),
    ...(random() < 0.1 ? { order: any(['default', 'popular-then-newest', 'first-number'] as const) } : {}),
    partial: random() < 0.8,
    offset: random() < 0.1 ? 20 : 0,
    limit: 20,
  }
}

const answerOf = (index: Index, query: Query): string => {
  const { items, total, full } = index.find(query)
  return JSON.stringify({ items, total, full })
}

const other = mkdtempSync(join(tmpdir(), 'catalog-same-'))
let different = 0
try {
  const archive = execFileSync('git', ['archive', values.against, 'src', 'package.json'], { cwd: ROOT, maxBuffer: 1e9 })
  execFileSync('tar', ['-x', '-C', other], { input: archive })
  symlinkSync(join(ROOT, 'node_modules'), join(other, 'node_modules'))
  const makers = [await indexesIn(other), await indexesIn(ROOT)] as const
  const sets = questionSets(SHARED)
  for (const set of sets) {
    const documents: Document[] = set.tools.map((line, number) => {
      const { name, middle, weak } = set.textOf(line)
      return {
        id: line.slug,
        text: [name, middle, weak],
        facets: [
          `category:${line.category ?? line.categories?.[0] ?? 'none'}`,
          ...(number % 7 === 0 ? ['featured'] : []),
        ],
        popularity: number % 50,
        recency: (number * 7_919) % 1_000,
        numbers: [number % 10],
        item: line.slug,
      }
    })
    const [then, now] = [makers[0](), makers[1]()]
    const both = [then, now]
    for (const index of both) for (const document of documents) index.put(document)
    const words = [...new Set(documents.flatMap(({ text }) => text.join(' ').split(/\s+/).filter(Boolean)))]
    const facets = [...new Set(documents.flatMap((document) => document.facets))]
    const asked: Query[] = [
      ...set.questions.map(({ question }) => ({ q: question, partial: true, offset: 0, limit: 20 })),
      ...set.tools.map(({ name }) => ({ q: name, partial: true, offset: 0, limit: 20 })),
    ]
    const count = Math.ceil(Number(values.random) / sets.length)
    const compare = (query: Query) => {
      const [before, after] = [answerOf(then, query), answerOf(now, query)]
      if (before === after) return
      if (different++ < Number(values.show))
        console.log(
          `${set.name}: ${JSON.stringify(query)}\n  then ${before.slice(0, 300)}\n  now  ${after.slice(0, 300)}`,
        )
    }
    const began = different
    for (const query of asked) compare(query)
    for (let i = 0; i < count / 2; i++) compare(randomQuery(words, facets))
    for (const document of documents.filter((_, number) => number % 3 === 0)) {
      const swapped = { ...document, text: [document.text[0], document.text[2], any(documents).text[1]] as const }
      for (const index of both) {
        index.remove(document.id)
        index.put(swapped)
        index.put(document.id.length % 2 === 0 ? document : swapped)
      }
    }
    for (const query of asked) compare(query)
    for (let i = 0; i < count / 2; i++) compare(randomQuery(words, facets))
    console.log(
      `${set.name}: ${documents.length} documents, ${2 * asked.length} questions and ${count} random ones, ${different - began} answers differ`,
    )
  }
} finally {
  rmSync(other, { recursive: true, force: true })
}
process.exitCode = different === 0 ? 0 : 1
