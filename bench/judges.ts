// What programs of others say about the service with its demo catalog: prints the table of docs/judges.md, and every finding below it.
//   node bench/judges.ts [FOLDER]                     FOLDER: a checkout of another version with its packages, to compare with
//   --only html,openapi,browser,agents,skill,mcp      some of the judges
//   --installed FOLDER                                where the judges are installed; the command says how
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { keyProxy } from '../tests/interop/proxy.ts'
import { areToolsInstalled, endOfOutput, HOW_TO_INSTALL, inTools, run, runTool } from '../tests/interop/tools.ts'
import { newKey } from './operator.ts'
import { folder, type Server, startServer } from './processes.ts'
import { runBench } from './run-bench.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: 'html,openapi,browser,agents,skill,mcp' },
    installed: { type: 'string', default: new URL('../node_modules/.judges', import.meta.url).pathname },
  },
})

const PACKAGES = {
  'vnu-jar': '26.9.27',
  'ibm-openapi-validator': '1.38.4',
  lighthouse: '13.5.0',
  'agent-readiness': '0.4.0',
  'skills-ref': '0.1.5',
}
const inJudges = (path: string): string => join(resolve(values.installed), 'node_modules', path)

/** One line of the table. */
interface Verdict {
  about: string
  score: string
  findings: readonly string[]
}
type Judge = (server: Server, files: string) => Promise<Verdict[]>

const textOf = async (address: string): Promise<string> => (await fetch(address)).text()

/** How often each text occurs, the most frequent first. */
const counted = (texts: readonly string[]): string[] =>
  [...Map.groupBy(texts, (text) => text)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([text, { length }]) => `${length} × ${text}`)

const LISTED_KINDS = /^\/(tools|directories|categories|tags|collections)\/[^/]+/
const OF_EACH_KIND = 5
// Pages that are not in the sitemap; those that a version does not have are left out.
const OTHER_PAGES = [
  ...['/search?q=meeting+notes', '/search?q=free+video+editor+for+teams', '/search?q=xyzzyqwertz', '/tools?page=2'],
  ...['/tools?q=video&pricing=FREEMIUM', '/directories?cost=Free', '/directories?page=2', '/shortlist'],
  ...['/shortlist?tools=grammarly&directories=product-hunt', '/compare?tools=grammarly,notion-ai', '/plan?kind=web'],
  ...['/plan?kind=web&cost=Free&count=10&goal=links', '/sign-in', '/sign-up', '/tools/grammarly/report'],
]

/** The addresses of a few pages of every kind that a visitor can open. */
async function publicPages(origin: string): Promise<string[]> {
  const addresses = [...(await textOf(`${origin}/sitemap.xml`)).matchAll(/<loc>([^<]+)<\/loc>/g)]
  const paths = addresses.map(([, address]) => new URL(address ?? '').pathname)
  const kinds = Map.groupBy(paths, (path) => path.replace(LISTED_KINDS, '/$1/:slug'))
  return [...[...kinds.values()].flatMap((ofKind) => ofKind.slice(0, OF_EACH_KIND)), ...OTHER_PAGES]
}

/** The Nu Html Checker over pages of every kind, and the page of an address that does not exist. */
const html: Judge = async ({ origin }, files) => {
  const paths: string[] = []
  for (const path of await publicPages(origin)) {
    const response = await fetch(origin + path, { headers: { accept: 'text/html' } })
    const text = await response.text()
    if (response.status === 200) writeFileSync(join(files, `${paths.push(path) - 1}.html`), text)
  }
  const missing = await fetch(`${origin}/no-such-page`, { headers: { accept: 'text/html' } })
  writeFileSync(join(files, `${paths.push('/no-such-page') - 1}.html`), await missing.text())
  const jar = inJudges('vnu-jar/build/dist/vnu.jar')
  const ended = await run('java', ['-jar', jar, '--format', 'json', '--stdout', '--exit-zero-always', files], files)
  const { messages }: { messages: { type: string; url: string; message: string }[] } = JSON.parse(ended.stdout)
  const pathOf = (url: string) => paths[Number(/(\d+)\.html$/.exec(url)?.[1])]
  const of = (isError: boolean) => messages.filter(({ type }) => (type === 'error') === isError)
  return [
    {
      about: 'HTML: vnu-jar',
      score: `${of(true).length} errors, ${of(false).length} warnings on ${paths.length} pages`,
      findings: counted(messages.map(({ type, url, message }) => `${type} ${pathOf(url)}: ${message}`)),
    },
  ]
}

interface Rated {
  summary: { total: number; entries: { count: number; generalizedMessage: string }[] }
}

/** IBM's rules for API descriptions. */
const openapi: Judge = async ({ origin }, files) => {
  const file = join(files, 'openapi.json')
  writeFileSync(file, await textOf(`${origin}/api/v1/openapi.json`))
  const script = inJudges('ibm-openapi-validator/src/cli-validator/index.js')
  const ended = await run(process.execPath, [script, '--json', '--impact-score', file], files)
  const found: { error: Rated; warning: Rated; impactScore: { categorizedSummary: { overall: number } } } = JSON.parse(
    ended.stdout.slice(ended.stdout.indexOf('{')),
  )
  const findings = [found.error, found.warning].flatMap(({ summary }) =>
    summary.entries.map(({ count, generalizedMessage }) => `${count} × ${generalizedMessage}`),
  )
  const [errors, warnings] = [found.error.summary.total, found.warning.summary.total]
  const { overall } = found.impactScore.categorizedSummary
  const score = `${errors} errors, ${warnings} warnings, ${overall} of 100`
  return [{ about: 'OpenAPI: ibm-openapi-validator', score, findings }]
}

interface Report {
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, { score: number | null; scoreDisplayMode: string; title: string; displayValue?: string }>
}
const BROWSER_PAGES = ['/', '/tools', '/tools/grammarly', '/directories', '/pricing', '/docs']
const NOT_SCORED = ['informative', 'manual', 'notApplicable', 'error']

/** Lighthouse on a made-up phone. How fast a page is depends on the machine and on what else runs there. */
const browser: Judge = async ({ origin }, files) => {
  const script = inJudges('lighthouse/cli/index.js')
  const verdicts: Verdict[] = []
  for (const [number, path] of BROWSER_PAGES.entries()) {
    const file = join(files, `${number}.json`)
    const flags = ['--output=json', `--output-path=${file}`, '--quiet', '--no-enable-error-reporting']
    const chromium = '--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage'
    const ended = await run(process.execPath, [script, origin + path, ...flags, chromium], files)
    if (!existsSync(file)) throw new Error(`Lighthouse made no report of ${path}: ${endOfOutput(ended)}`)
    verdicts.push(readReport(path, JSON.parse(readFileSync(file, 'utf8'))))
  }
  return verdicts
}

function readReport(path: string, { categories, audits }: Report): Verdict {
  const scores: string[] = []
  const findings: string[] = []
  for (const [name, { score, auditRefs }] of Object.entries(categories)) {
    const rated = auditRefs
      .filter(({ weight }) => weight > 0)
      .flatMap(({ id }) => audits[id] ?? [])
      .filter(({ scoreDisplayMode }) => !NOT_SCORED.includes(scoreDisplayMode))
    const failed = rated.filter((audit) => (audit.score ?? 0) < 0.9)
    const inHundred = score === null ? 'none' : String(Math.round(score * 100))
    scores.push(
      `${name} ${name === 'agentic-browsing' ? `${rated.length - failed.length}/${rated.length}` : inHundred}`,
    )
    findings.push(...failed.map(({ title, displayValue = '' }) => `${path} ${name}: ${title} ${displayValue}`.trim()))
  }
  return { about: `Lighthouse, ${path}`, score: scores.join(', '), findings }
}

/** What the package agent-readiness looks for on the home page and beside it. */
const agents: Judge = async ({ origin }, files) => {
  const ended = await run(process.execPath, [inJudges('agent-readiness/bin/agent-ready.mjs'), origin], files)
  if (ended.code !== 0) throw new Error(endOfOutput(ended))
  const { score, checks }: { score: number; checks: { label: string; pass: boolean }[] } = JSON.parse(
    readFileSync(join(files, 'agent-ready-out/agent-ready.json'), 'utf8'),
  )
  const findings = checks.filter(({ pass }) => !pass).map(({ label }) => label)
  return [{ about: 'Agents: agent-readiness', score: `${score} of 100`, findings }]
}

/** The reference validator of the form that the skill has. */
const skill: Judge = async ({ origin }, files) => {
  const about = 'Skill: skills-ref'
  const response = await fetch(`${origin}/.well-known/agent-skills/launch-a-product/SKILL.md`)
  if (response.status !== 200) return [{ about, score: 'no skill', findings: [] }]
  mkdirSync(join(files, 'launch-a-product'))
  writeFileSync(join(files, 'launch-a-product/SKILL.md'), await response.text())
  const ended = await run(process.execPath, [inJudges('skills-ref/dist/cli.js'), 'validate', 'launch-a-product'], files)
  return [{ about, score: ended.code === 0 ? 'valid' : 'not valid', findings: ended.code === 0 ? [] : [ended.stderr] }]
}

const RUNNER = '@modelcontextprotocol/conformance-next'
const REVISIONS = ['2025-11-25', '2026-07-28']

/** What each revision of MCP requires of a server that has everything; tests/interop holds what this one has. */
const mcp: Judge = async (server, files) => {
  const proxy = await keyProxy(server.origin, await newKey(server))
  const verdicts: Verdict[] = []
  for (const revision of REVISIONS) {
    const given = ['--url', `${proxy.origin}/mcp`, '--requirements', revision, '--output-dir', join(files, revision)]
    const { stdout } = await runTool(`${RUNNER}/dist/index.js`, ['server', ...given])
    const required: string[] = parse(
      readFileSync(inTools('node_modules', RUNNER, `requirements/${revision}.yaml`), 'utf8'),
    ).server
    // It also runs what the revision does not require.
    const lines = [...stdout.matchAll(/^\s*[✓✗] (\S+): (\d+ passed, (\d+) failed.*)$/gmu)].filter(
      ([, scenario]) => scenario && required.includes(scenario),
    )
    const failed = lines.filter(([, , , failures]) => failures !== '0')
    verdicts.push({
      about: `MCP: conformance runner, required by ${revision}`,
      score: `${lines.length - failed.length} of ${required.length} scenarios`,
      findings: failed.map(([, scenario, result]) => `${scenario}: ${result}`),
    })
  }
  await proxy.close()
  return verdicts
}

const JUDGES: Record<string, Judge> = { html, openapi, browser, agents, skill, mcp }

function checkInstalled(): void {
  const missing = Object.keys(PACKAGES).filter((name) => !existsSync(inJudges(name)))
  const packages = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`)
  if (missing.length > 0)
    throw new Error(
      `Not installed: ${missing.join(', ')}. Run: npm install --ignore-scripts --prefix ${values.installed} ${packages.join(' ')}\nThe judge of HTML needs Java (apt-get install default-jre-headless), Lighthouse needs Chromium (CHROME_PATH).`,
    )
  if (!areToolsInstalled()) throw new Error(HOW_TO_INSTALL)
}

async function verdictsOn(name: string, main?: string): Promise<Verdict[]> {
  const quiet = { LINK_CHECKS: 'off', MIRROR_PICTURES: 'off', SITE_PICTURES: 'off' }
  const server = await startServer(join(folder, name), { SEED: 'demo', ...quiet }, [], main)
  const verdicts: Verdict[] = []
  for (const judge of values.only.split(',')) {
    const files = join(folder, `${name}-${judge}`)
    mkdirSync(files)
    const judged = await JUDGES[judge]?.(server, files)
    if (!judged) throw new Error(`There is no judge ${judge}. Choose from ${Object.keys(JUDGES).join(', ')}.`)
    verdicts.push(...judged)
  }
  await server.end()
  return verdicts
}

async function main(): Promise<void> {
  checkInstalled()
  const [earlier] = positionals
  const before = earlier ? await verdictsOn('before', join(resolve(earlier), 'src/main.ts')) : null
  const now = await verdictsOn('now')
  const columns = before ? ['Before', 'Now'] : ['Now']
  console.log(`| Judge | ${columns.join(' | ')} |\n|---${'|---'.repeat(columns.length)}|`)
  for (const [at, { about, score }] of now.entries())
    console.log(`| ${[about, ...(before ? [before[at]?.score ?? ''] : []), score].join(' | ')} |`)
  for (const { about, findings } of now) if (findings.length > 0) console.log(`\n${about}\n  ${findings.join('\n  ')}`)
}

await runBench(main)
