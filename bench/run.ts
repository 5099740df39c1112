// npm run bench: runs the measurements in order and prints the table. See README.md.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { openMiniSearch, openPostgresSearch, type RunQuery } from './alternatives.ts'
import { measureBusy } from './busy.ts'
import { measureChanges } from './changes.ts'
import { measureBadInput, measureSentences, measureVaried } from './first-time.ts'
import { measureIdle } from './idle.ts'
import { importInCalls, readDuringImport } from './import.ts'
import { type Client, compareRates, createClient, type LoadTarget, median, type Rate } from './load.ts'
import { catalogFileWritten, newKey } from './operator.ts'
import { folder, residentMemory, type Server, startBare, startPostgres, startServer } from './processes.ts'
import { HOT, HOT_CALL, HOT_PATH, LIST_MESSAGE, MCP_HEADERS, PLAIN_QUERIES } from './queries.ts'
import { runBench } from './run-bench.ts'
import { information, milliseconds, row, section, skipped } from './table.ts'

const { values: options } = parseArgs({
  options: {
    listings: { type: 'string', default: '100000' },
    only: { type: 'string', default: 'ready,hot,page,varied,sentences,bad,compare,changes,import,busy,idle' },
    /** `postgres`: on a new PostgreSQL instead of the embedded database. */
    database: { type: 'string', default: 'embedded' },
    /** The data folder of an earlier run with the same number of listings, or a new one that is kept. */
    data: { type: 'string' },
    /** A folder for processor profiles of the server, one for each measurement. */
    profile: { type: 'string' },
  },
})
const LISTINGS = Number(options.listings)
const selected = new Set(options.only.split(','))
const REST = '/api/v1'

async function main(): Promise<void> {
  // It has servers of its own, and runs before another one makes the machine busy.
  if (selected.delete('idle')) await measureIdle()
  if (selected.size === 0) return
  const dataDir = options.data ? resolve(options.data) : join(folder, 'data')
  const isFilled = existsSync(join(dataDir, 'catalog'))
  const settings = await serverSettings()
  let server = await startServer(dataDir, settings)
  const key = await newKey(server)
  if (!isFilled) {
    logProgress(`filling ${LISTINGS} listings`)
    section(`Import of ${LISTINGS} into an empty catalog`)
    await withProfile(server, 'fill', () => importInCalls(server, key, 0, LISTINGS))
  }
  if (selected.has('ready')) {
    if (!isFilled) {
      await catalogFileWritten(dataDir, LISTINGS)
      await server.end()
      server = await startServer(dataDir, settings)
    }
    row('Time to ready after a restart', seconds(server.readySeconds), '≤ 15 s', server.readySeconds <= 15)
    information('  processor time of all its threads until then', seconds(server.readyProcessor))
  }
  await reportMemory(server, 'when ready')
  if (selected.has('hot')) await measureHotSearch(server, key)
  if (selected.has('page')) await measurePage(server, key)
  const client = createClient(server.origin, { authorization: `Bearer ${key}` })
  const searches = { varied: measureVaried, sentences: measureSentences, bad: measureBadInput }
  for (const [name, measure] of Object.entries(searches))
    if (selected.has(name)) {
      logProgress(name)
      await withProfile(server, name, () => measure(server, client, LISTINGS))
    }
  if (selected.has('compare')) await compareAlternatives(client)
  if (selected.has('changes')) await withProfile(server, 'changes', () => measureChanges(server, key))
  if (selected.has('import')) {
    logProgress('reading during an import')
    await withProfile(server, 'import', () => readDuringImport(server, key, client, LISTINGS))
  }
  if (selected.has('busy')) await withProfile(server, 'busy', () => measureBusy(server, key, LISTINGS))
  client.close()
  await reportMemory(server, 'after the load')
}

/** The public address stays the same, because the catalog file is used only with the same one. */
async function serverSettings(): Promise<Record<string, string>> {
  const settings = { PUBLIC_URL: 'https://catalog.example', TRUST_PROXY: '127.0.0.1', MIRROR_PICTURES: 'off' }
  if (options.database !== 'postgres') return settings
  const postgres = await startPostgres()
  if (!postgres) throw new Error('PostgreSQL is not installed.')
  return { ...settings, DATABASE_URL: postgres.url }
}

/** Requests per second of the most frequent search over REST and MCP, compared with a bare route that answers the same bytes. */
async function measureHotSearch(server: Server, key: string): Promise<void> {
  logProgress('hot search')
  const headers = { authorization: `Bearer ${key}` }
  const client = createClient(server.origin, headers)
  const answer = await client.get(HOT_PATH)
  const bytesFile = join(folder, 'answer.json')
  writeFileSync(bytesFile, answer.body)
  const mcp: LoadTarget = {
    name: 'MCP',
    server,
    path: '/mcp',
    headers: { ...headers, ...MCP_HEADERS },
    body: JSON.stringify(HOT_CALL),
    status: 200,
  }
  const mcpExists =
    (await fetch(server.origin + mcp.path, { method: 'POST', headers: mcp.headers, body: mcp.body })).status === 200
  client.close()
  const bare = await startBare(`${REST}/tools`, bytesFile)
  const search: LoadTarget = { name: 'REST', server, path: HOT_PATH, headers, status: 200 }
  const conditionalHeaders = { ...headers, 'if-none-match': answer.headers.etag! }
  const targets: LoadTarget[] = [
    { name: 'bare', server: bare, path: HOT_PATH, headers, status: 200 },
    search,
    { name: '304', server, path: HOT_PATH, headers: conditionalHeaders, status: 304 },
  ]
  const [bareRate, rest, notModified] = await withProfile(server, 'hot', () => compareRates(targets, 7, 2))
  await bare.end()
  // MCP is measured separately, because garbage from its calls would be collected during the searches in between.
  const list: LoadTarget = { ...mcp, name: 'MCP list', body: JSON.stringify(LIST_MESSAGE) }
  const [restBeside, tool, listed] = mcpExists
    ? await withProfile(server, 'mcp', () => compareRates([search, mcp, list], 5, 2))
    : []
  section(`Hot search, "${HOT}", ${kibibytes(answer.body.length)}`)
  information('Bare Fastify route, same bytes', rateText(bareRate!))
  information('REST search_tools', rateText(rest!))
  const ratio = rest!.perSecond / bareRate!.perSecond
  row('  of the bare route', ratio.toFixed(2), '≥ 0.60', ratio >= 0.6)
  information('  of the bare route, by processor time', (bareRate!.processor / rest!.processor).toFixed(2))
  information('REST, answered 304', rateText(notModified!))
  if (!restBeside || !tool || !listed) return skipped('MCP tools/call', 'no MCP endpoint')
  information('REST beside MCP', rateText(restBeside))
  information('MCP tools/call of the same search', rateText(tool))
  const times = tool.processor / restBeside.processor
  row('  processor time, times REST', times.toFixed(2), '≤ 2.50', times <= 2.5)
  information('MCP tools/list', rateText(listed))
  information('  processor time, times REST', (listed.processor / restBeside.processor).toFixed(2))
}

/** The page of a tool as a browser requests it, compared with a bare route that answers the same compressed bytes, and its size. */
async function measurePage(server: Server, key: string): Promise<void> {
  logProgress('listing page')
  const headers = { 'accept-encoding': 'gzip', accept: 'text/html' }
  const reader = createClient(server.origin, { authorization: `Bearer ${key}` })
  const { slug } = JSON.parse((await reader.get(`${REST}/tools?limit=1`)).body.toString()).data[0]
  reader.close()
  const path = `/tools/${slug}`
  const browser = createClient(server.origin, headers)
  const answer = await browser.get(path)
  const html = gunzipSync(answer.body)
  const assets = [...html.toString().matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, address]) => address!)
  let weight = answer.body.length
  for (const address of assets) weight += (await browser.get(address)).body.length
  const bytesFile = join(folder, 'page.html.gz')
  writeFileSync(bytesFile, answer.body)
  const bare = await startBare(path, bytesFile)
  const targets: LoadTarget[] = [
    { name: 'bare', server: bare, path, headers, status: 200 },
    { name: 'page', server, path, headers, status: 200 },
    // A page with a query is not cached.
    { name: 'anew', server, path: `${path}?anew=1`, headers, status: 200 },
    { name: '304', server, path, headers: { ...headers, 'if-none-match': answer.headers.etag! }, status: 304 },
  ]
  const [bareRate, cachedPage, renderedPage, notModified] = await withProfile(server, 'page', () =>
    compareRates(targets, 7, 2),
  )
  browser.close()
  await bare.end()
  section(`Listing page, ${kibibytes(html.length)}, ${kibibytes(answer.body.length)} compressed`)
  information('Bare Fastify route, same bytes', rateText(bareRate!))
  information('Listing page', rateText(cachedPage!))
  information('  of the bare route', (cachedPage!.perSecond / bareRate!.perSecond).toFixed(2))
  information('  server time, times the bare route', (cachedPage!.processor / bareRate!.processor).toFixed(1))
  information('Listing page, made anew', rateText(renderedPage!))
  information('  server time, times the bare route', (renderedPage!.processor / bareRate!.processor).toFixed(1))
  information('Listing page, answered 304', rateText(notModified!))
  information('Over the wire, first visit', `${kibibytes(weight)} in ${1 + assets.length} answers`)
  information('Over the wire, next page', kibibytes(answer.body.length))
}

/** The same queries, first twenty and exact total, to this service and to the alternatives. */
async function compareAlternatives(client: Client): Promise<void> {
  section(`First-time search, ${PLAIN_QUERIES.length} plain queries, first 20 and exact total (median; slowest)`)
  const runOnService: RunQuery = async (q, limit) => {
    const { body } = await client.get(`${REST}/tools?${new URLSearchParams({ q, limit: String(limit) })}`)
    // Only the total is parsed, as for the alternatives.
    return Number(/"total":(\d+)/.exec(body.toString('latin1', body.length - 100))?.[1])
  }
  information('This service, over HTTP', await timeQueries(runOnService, 5))
  logProgress('PostgreSQL')
  const postgres = await openPostgresSearch(LISTINGS)
  if (postgres)
    information(`${postgres.version}, full text (no prefixes, no typos)`, await timeQueries(postgres.ask, 3))
  else skipped('PostgreSQL full text', 'PostgreSQL is not installed')
  await postgres?.end()
  logProgress('MiniSearch')
  const { exact, fuzzy } = openMiniSearch(LISTINGS)
  information('MiniSearch, whole words', await timeQueries(exact, 3))
  information('MiniSearch, prefixes and typos', await timeQueries(fuzzy, 1))
}

/** Each round asks for another number of items: the same work, but no cached answer. */
async function timeQueries(ask: RunQuery, rounds: number): Promise<string> {
  const byQuery = PLAIN_QUERIES.map((): number[] => [])
  let found = 0
  for (let round = 0; round < rounds; round++) {
    for (const [i, q] of PLAIN_QUERIES.entries()) {
      const began = performance.now()
      found += await ask(q, 20 + round)
      byQuery[i]!.push(performance.now() - began)
    }
  }
  const times = byQuery.map(median)
  const average = Math.round(found / rounds / times.length)
  return `${milliseconds(median(times))}; ${milliseconds(Math.max(...times))} (${average} found on average)`
}

async function reportMemory(server: Server, when: string): Promise<void> {
  const { heapUsed, external } = await server.ask<NodeJS.MemoryUsage>({ ask: 'memory' })
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`
  section(`Memory ${when}`)
  information(
    'Resident',
    `${Math.round(residentMemory(server.pid))} MB (heap ${megabytes(heapUsed)}, buffers ${megabytes(external)})`,
  )
}

async function withProfile<T>(server: Server, name: string, work: () => Promise<T>): Promise<T> {
  if (!options.profile) return work()
  mkdirSync(options.profile, { recursive: true })
  await server.ask({ ask: 'profile' })
  const result = await work()
  await server.ask({ ask: 'profiled', file: resolve(options.profile, `${name}.cpuprofile`) })
  return result
}

const rateText = ({ perSecond, processor, busy }: Rate): string =>
  `${Math.round(perSecond)}/s, ${Math.round(processor)} µs each, server ${Math.round(busy * 100)} % busy`
const kibibytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`
const logProgress = (what: string) => console.error(`… ${what}`)
const seconds = (s: number) => `${s.toFixed(1)} s`

await runBench(main)
