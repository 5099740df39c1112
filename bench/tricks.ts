// What each speed trick saves: the same hot request to several checkouts of the service, in turn, compared with the first of them.
//   node bench/tricks.ts base=FOLDER NAME=FOLDER … [--load rest] [--rounds 12] [--seconds 2] [--listings 2000]
// Each other folder is a checkout without one trick. The same folder twice (same=FOLDER) shows how much two equal services differ.
// Loads: rest (a search), gzip (the same, compressed), call (the same over MCP), list (the list of MCP tools).
// All share one PostgreSQL, so that the servers that wait for their turn keep the processor idle.
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type LoadTarget, measureRounds, medianRate, percentile, type Rate } from './load.ts'
import { fillCatalog, newKey } from './operator.ts'
import { endAll, folder, startPostgres, startServer } from './processes.ts'
import { HOT_CALL, HOT_PATH, MCP_HEADERS } from './queries.ts'
import { information, printResults, section } from './table.ts'

const LOADS: Record<string, Pick<LoadTarget, 'path' | 'headers' | 'body'>> = {
  rest: { path: HOT_PATH },
  gzip: { path: HOT_PATH, headers: { 'accept-encoding': 'gzip' } },
  call: { path: '/mcp', headers: MCP_HEADERS, body: JSON.stringify(HOT_CALL) },
  list: { path: '/mcp', headers: MCP_HEADERS, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) },
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    load: { type: 'string', default: 'rest' },
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '2' },
    listings: { type: 'string', default: '2000' },
  },
})
const load = LOADS[options.load]
const checkouts = positionals.map((given) => {
  const [name = '', ...path] = given.split('=')
  return { name, path: path.join('=') }
})
if (!load || checkouts.length < 2 || checkouts.some(({ path }) => path === '')) {
  console.error(
    `Give at least two checkouts as NAME=FOLDER, the base first, and one of these loads: ${Object.keys(LOADS).join(', ')}.`,
  )
  process.exit(2)
}

async function main(): Promise<void> {
  const postgres = await startPostgres()
  if (!postgres) throw new Error('PostgreSQL is not installed.')
  const dataDir = join(folder, 'data')
  const settings = { DATABASE_URL: postgres.url }
  await fillCatalog(dataDir, settings, Number(options.listings))
  const targets: LoadTarget[] = []
  for (const { name, path } of checkouts) {
    console.error(`… starting ${name}`)
    const server = await startServer(dataDir, settings, ['--no-worker'], resolve(path, 'src/main.ts'))
    const authorization = `Bearer ${await newKey(server, `${name}@example.com`)}`
    targets.push({ name, server, ...load!, headers: { ...load!.headers, authorization }, status: 200 })
  }
  console.error('… measuring')
  const [base, ...others] = await measureRounds(targets, Number(options.rounds), Number(options.seconds))
  section(
    `Load "${options.load}", ${options.rounds} rounds of ${options.seconds} s: median (and quartiles) of the rounds`,
  )
  information(checkouts[0]!.name, rateText(base!))
  for (const [i, rates] of others.entries()) {
    information(checkouts[i + 1]!.name, rateText(rates))
    information('  processor time', differences(rates, base!, 'processor'))
    information('  requests a second', differences(rates, base!, 'perSecond'))
  }
  printResults()
}

const rateText = (rates: readonly Rate[]): string => {
  const { perSecond, processor, busy } = medianRate(rates)
  return `${Math.round(perSecond)}/s, ${processor.toFixed(1)} µs each, server ${Math.round(busy * 100)} % busy`
}

/** How much more or less than the base in the same round. */
function differences(rates: readonly Rate[], base: readonly Rate[], field: 'processor' | 'perSecond'): string {
  const percents = rates.map((rate, round) => (rate[field] / base[round]![field] - 1) * 100)
  const [lower, middle, upper] = [25, 50, 75].map((percent) => signed(percentile(percents, percent)))
  return `${middle} % (${lower} to ${upper})`
}

const signed = (number: number): string => (number < 0 ? '' : '+') + number.toFixed(1)

try {
  await main()
} finally {
  await endAll()
}
process.exit()
