// node bench/plan.ts: plans for ten real products among the real directories of ../shared/data, with their reasons, to be read by a person;
// and how long a plan takes. `--first 20` shows more directories, `--names` only their names (the table of docs/plan.md),
// `--directories 5000` measures a larger catalog.
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { PlanDirectory, PlanInput, PlanProduct } from '../src/features/plan/rules.ts'
import { planOf } from '../tests/harness/plan-of.ts'

const { values: options } = parseArgs({
  options: {
    first: { type: 'string', default: '10' },
    directories: { type: 'string', default: '1000' },
    budget: { type: 'string', default: '0' },
    names: { type: 'boolean', default: false },
  },
})

const PRODUCTS = [
  'sanebox',
  'murf-ai',
  'meetgeek',
  'brandmark',
  'code-to-flow',
  'persuva',
  'exam-samurai',
  'synthesia',
  'finchat',
  'ai-wedding-toast',
]
const MOST_MS = 20
const WARM_UPS = 5
const RUNS = 40

interface Line {
  kind: string
  slug: string
  name: string
  [field: string]: unknown
}

const readLines = (path: string): Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const directoryOf = (line: Line): PlanDirectory => ({
  website: '',
  categories: [],
  smallDescription: null,
  fullDescription: null,
  cost: 'Free',
  minimumPrice: 0,
  type: '',
  requiresBadge: false,
  domainRating: null,
  monthlyVisits: null,
  submissionExperience: null,
  accepts: [],
  languages: [],
  minimumAge: 0,
  ...line,
})

const productOf = (line: Line, categories: ReadonlyMap<string, string>): PlanProduct => ({
  name: line.name,
  tagline: String(line.tagline ?? ''),
  description: String(line.description ?? ''),
  category: categories.get(String(line.category)) ?? null,
  tags: (line.tags as string[] | undefined) ?? [],
  isForSale: false,
  hasDeal: false,
  isAdult: false,
  kind: 'web',
  language: 'en',
  foundingDate: null,
})

const inputFor = (product: PlanProduct, count: number): PlanInput => ({
  product,
  limits: { budget: Number(options.budget), badges: true, currency: 'USD' },
  decisions: new Map(),
  recorded: new Map(),
  outcomes: new Map(),
  count,
  today: new Date('2026-11-16T00:00:00Z'),
})

function printPlans(shared: string): void {
  const directories = readLines(`${shared}/real-directories.ndjson`).filter(({ kind }) => kind === 'directory')
  const lines = readLines(`${shared}/real-tools.ndjson`)
  const categories = new Map(lines.filter(({ kind }) => kind === 'category').map(({ slug, name }) => [slug, name]))
  for (const slug of PRODUCTS) {
    const line = lines.find((one) => one.kind === 'tool' && one.slug === slug)
    if (!line) throw new Error(`no product ${slug}`)
    const product = productOf(line, categories)
    const { chosen } = planOf(inputFor(product, Number(options.first)), directories.map(directoryOf))
    if (options.names) {
      console.log(`| ${product.name} | ${chosen.map(({ directory }) => directory.name).join(', ')} |`)
      continue
    }
    console.log(`\n## ${product.name} (${product.category}): ${product.tagline.slice(0, 120)}\n`)
    console.log('| | Directory | Score | Reasons |\n|---|---|---|---|')
    for (const [at, { directory, score, reasons }] of chosen.entries())
      console.log(`| ${at + 1} | ${directory.name} | ${score} | ${reasons.join('; ')} |`)
  }
}

/** The demo directories, which have texts, as often as it takes. */
function measure(): boolean {
  const demo = readLines(new URL('../seeds/demo/directories.ndjson', import.meta.url).pathname)
  const count = Number(options.directories)
  const directories = Array.from({ length: count }, (_, at) => {
    const line = demo[at % demo.length] as Line
    return directoryOf({ ...line, slug: `${line.slug}-${at}`, name: `${line.name} ${at}` })
  })
  const product = productOf(
    {
      kind: 'tool',
      slug: 'x',
      name: 'Acme Mail',
      tagline: 'Answers your e-mail',
      description: 'An assistant. '.repeat(40),
    },
    new Map(),
  )
  const firstBegan = process.cpuUsage()
  planOf(inputFor(product, 100), directories)
  const first = process.cpuUsage(firstBegan)
  const planOnce = () => planOf(inputFor(product, 100), directories)
  for (let i = 0; i < WARM_UPS; i++) planOnce()
  // Processor time, because other work on the machine disturbs it least.
  const before = process.cpuUsage()
  const began = performance.now()
  for (let i = 0; i < RUNS; i++) planOnce()
  const { user, system } = process.cpuUsage(before)
  const [processor, wall] = [(user + system) / 1000 / RUNS, (performance.now() - began) / RUNS]
  const cold = (first.user + first.system) / 1000
  console.log(
    `\nA plan over ${count} directories: ${processor.toFixed(1)} ms of processor time (${wall.toFixed(1)} ms), the first, which reads their texts, ${cold.toFixed(1)} ms.`,
  )
  return count > 1000 || processor <= MOST_MS
}

const shared = new URL('../../shared/data', import.meta.url).pathname
if (existsSync(shared)) printPlans(shared)
else console.log('No ../shared/data: only the speed is measured.')
if (!measure()) {
  console.error(`More than ${MOST_MS} ms.`)
  process.exitCode = 1
}
