// How well searches find what was meant: the public question sets and the real listings of ../shared/data are imported into a new service,
// and every question is asked over HTTP. The same documents and questions go to MiniSearch and PostgreSQL full text, where any word may match.
//   node bench/search.ts
//   node bench/search.ts --only real --main ../other-checkout/src/main.ts    another version of the service
//   node bench/search.ts --misses                                           prints the questions whose answer is not in the first three
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import MiniSearch from 'minisearch'
import pg from 'pg'
import { randomFrom } from './catalog.ts'
import { createClient } from './load.ts'
import { misspeltWords } from './misspelt-words.ts'
import { call, importFile, newKey } from './operator.ts'
import { endAll, folder, startPostgres, startServer } from './processes.ts'
import { type QuestionSet, questionSets } from './question-sets.ts'

const { values } = parseArgs({
  options: { only: { type: 'string' }, main: { type: 'string' }, misses: { type: 'boolean', default: false } },
})

/** The slugs found, best first, and the milliseconds it took. */
type Ask = (question: string) => Promise<string[]> | string[]

interface Figures {
  first: number
  firstThree: number
  firstTen: number
  empty: number
  median: number
  p95: number
}

/** So many questions are asked after their listing was removed, and so many misspelt words. */
const REMOVED = 500
const MISSPELT = 400

const SHARED = resolve(import.meta.dirname, '../../shared/data')
if (!existsSync(SHARED)) {
  console.log(`Skipped: the question sets are not there (${SHARED}).`)
  process.exit(0)
}

const postgres = await startPostgres()
for (const set of questionSets(SHARED)) {
  if (values.only && !set.name.includes(values.only)) continue
  const service = await openService(set)
  const ways: [string, Ask][] = [
    ['this service', service.ask],
    ['MiniSearch, any word', openMiniSearch(set)],
  ]
  if (postgres) ways.push(['PostgreSQL, any word', await openPostgres(set, postgres.url)])
  console.log(`\n${set.name}: ${set.tools.length} listings, ${set.questions.length} questions`)
  console.log(`  ${'way'.padEnd(24)}first  first 3  first 10  empty   p50 ms   p95 ms`)
  for (const [name, ask] of ways) {
    const figures = await measure(set, ask, values.misses && name === 'this service')
    const percent = (count: number) => `${((100 * count) / set.questions.length).toFixed(1)} %`.padStart(8)
    const { first, firstThree, firstTen, empty, median, p95 } = figures
    console.log(
      `  ${name.padEnd(20)}${percent(first)} ${percent(firstThree)} ${percent(firstTen)} ${percent(empty)} ${median.toFixed(2).padStart(8)} ${p95.toFixed(2).padStart(8)}`,
    )
  }
  if (set.isPublic) await measureRemoved(set, service)
  if (set.name === 'real-keywords') await measureMisspelt(set, service)
  await service.end()
}
if (!postgres) console.log('\nPostgreSQL is not installed, so it was not compared.')
await endAll()
process.exit(0)

async function measure(set: QuestionSet, ask: Ask, printMisses: boolean): Promise<Figures> {
  const times: number[] = []
  const figures = { first: 0, firstThree: 0, firstTen: 0, empty: 0 }
  for (const { question, slugs } of set.questions) {
    const began = performance.now()
    const found = await ask(question)
    times.push(performance.now() - began)
    const place = slugs.length === 0 ? (found.length === 0 ? 0 : -1) : found.findIndex((slug) => slugs.includes(slug))
    if (found.length === 0) figures.empty++
    if (place === 0) figures.first++
    if (place >= 0 && place < 3) figures.firstThree++
    if (place >= 0 && place < 10) figures.firstTen++
    if (printMisses && (place < 0 || place > 2))
      console.log(
        `  missed (place ${place + 1}): ${question} | wanted ${slugs.join(', ')} | found ${found.slice(0, 3).join(', ')}`,
      )
  }
  times.sort((a, b) => a - b)
  const at = (part: number) => times[Math.floor(times.length * part)] ?? 0
  return { ...figures, median: at(0.5), p95: at(0.95) }
}

/** How questions are answered whose listing is not there: each listing is unpublished, its questions are asked, and it is published again. */
async function measureRemoved(set: QuestionSet, { find, publish }: Service): Promise<void> {
  const random = randomFrom(29)
  const chosen = set.questions
    .map((question) => ({ ...question, place: random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, REMOVED)
  const figures = { none: 0, few: 0, many: 0, missing: 0 }
  for (const slug of new Set(chosen.flatMap(({ slugs }) => slugs))) {
    await publish(slug, false)
    for (const { question, slugs } of chosen) {
      if (slugs[0] !== slug) continue
      const { total, missing } = await find(question)
      figures[total === 0 ? 'none' : total > 3 ? 'many' : 'few']++
      if (missing) figures.missing++
    }
    await publish(slug, true)
  }
  const percent = (count: number) => `${((100 * count) / chosen.length).toFixed(1)} %`
  console.log(
    `  ${chosen.length} questions whose listing was removed: nothing ${percent(figures.none)}, one to three ${percent(figures.few)}, more than three ${percent(figures.many)}; a missing word is named ${percent(figures.missing)}`,
  )
}

/** Whether a misspelt word finds first what the right word finds among its first three. */
async function measureMisspelt(set: QuestionSet, { ask }: Service): Promise<void> {
  const pairs = misspeltWords(
    set.tools.flatMap((tool) => Object.values(set.textOf(tool))),
    MISSPELT,
  )
  const figures = { found: 0, empty: 0 }
  for (const { right, wrong } of pairs) {
    const [first, best] = [(await ask(wrong))[0], (await ask(right)).slice(0, 3)]
    if (first === undefined) figures.empty++
    else if (best.includes(first)) figures.found++
    if (values.misses && !best.includes(first ?? '')) console.log(`  missed: ${wrong} for ${right} | found ${first}`)
  }
  const percent = (count: number) => `${((100 * count) / pairs.length).toFixed(1)} %`
  console.log(`  ${pairs.length} misspelt words: found ${percent(figures.found)}, empty ${percent(figures.empty)}`)
}

interface Service {
  ask: Ask
  find(question: string): Promise<{ slugs: string[]; total: number; missing?: string }>
  publish(slug: string, published: boolean): Promise<unknown>
  end(): Promise<unknown>
}

async function openService(set: QuestionSet): Promise<Service> {
  const server = await startServer(join(folder, set.name), {}, [], values.main && resolve(values.main))
  const file = join(folder, `${set.name}.ndjson`)
  writeFileSync(file, [...set.terms, ...set.tools].map((line) => `${JSON.stringify(line)}\n`).join(''))
  await importFile(server, file)
  const client = createClient(server.origin, { authorization: `Bearer ${await newKey(server)}` })
  const path = set.kind === 'tool' ? 'tools' : 'directories'
  const find: Service['find'] = async (question) => {
    const address = `/api/v1/${path}?limit=10&q=${encodeURIComponent(question.slice(0, 500))}`
    const { body, headers } = await client.get(address)
    const { data, pagination } = JSON.parse(body.toString())
    const missing = headers['x-catalog-missing']
    return {
      slugs: data.map(({ slug }: { slug: string }) => slug),
      total: pagination.total,
      ...(typeof missing === 'string' && { missing }),
    }
  }
  return {
    find,
    ask: async (question) => (await find(question)).slugs,
    publish: (slug, published) => call(server, 'PATCH', `/api/admin/tools/${slug}`, { published }),
    end() {
      client.close()
      return server.end()
    },
  }
}

function openMiniSearch(set: QuestionSet): Ask {
  const index = new MiniSearch({ idField: 'slug', fields: ['name', 'middle', 'weak'] })
  index.addAll(set.tools.map((tool) => ({ slug: tool.slug, ...set.textOf(tool) })))
  return (question) =>
    index
      .search(question, { boost: { name: 2 } })
      .slice(0, 10)
      .map(({ id }) => id)
}

async function openPostgres(set: QuestionSet, url: string): Promise<Ask> {
  const client = new pg.Client(url)
  // The server ends before the client at the end of a run.
  client.on('error', () => {})
  await client.connect()
  await client.query(`drop table if exists documents`)
  await client.query(`create table documents (slug text primary key, vector tsvector)`)
  await client.query(
    `insert into documents select slug, setweight(to_tsvector('english', name), 'A') || setweight(to_tsvector('english', middle), 'B')
       || setweight(to_tsvector('english', weak), 'D') from json_to_recordset($1) as (slug text, name text, middle text, weak text)`,
    [JSON.stringify(set.tools.map((tool) => ({ slug: tool.slug, ...set.textOf(tool) })))],
  )
  await client.query('create index on documents using gin (vector)')
  return async (question) => {
    const { rows } = await client.query({
      name: 'search',
      text: `select slug from documents,
               (select replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery as query) asked
             where vector @@ query order by ts_rank(vector, query) desc, slug limit 10`,
      values: [question],
    })
    return rows.map(({ slug }) => slug)
  }
}
