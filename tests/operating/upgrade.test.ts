// Installations of 1.0.0 and 1.1.0, made by the code of those releases, have every row after the upgrade: the first compared through the
// operator API, the second with a row in every table, value by value.
// @module-tag long
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEmbedded } from '../../src/platform/database/embedded.ts'
import { MIGRATIONS } from '../../src/platform/database/migrations.ts'
import { openPostgres } from '../../src/platform/database/postgres.ts'
import { message } from '../harness/mcp.ts'
import { type ServiceProcess, spawnService } from '../harness/process.ts'
import { ADMIN_TOKEN, createDatabase, freePort, recordingLog, startService } from '../harness/service.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const ROOT = new URL('../..', import.meta.url).pathname
/** The last commits of the releases. */
const RELEASES = { '1.0.0': '073b5fe', '1.1.0': '31243a2b' }
type Release = keyof typeof RELEASES
const folder = temporaryFolder('upgrade')

const hasHistory = Object.values(RELEASES).every((commit) => {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})

/** Puts the code of a release into a folder, with the packages of today. */
function unpack(release: Release): string {
  const to = join(folder, release)
  mkdirSync(to)
  const archive = execFileSync('git', ['archive', RELEASES[release]], { cwd: ROOT, maxBuffer: 1e9 })
  execFileSync('tar', ['-x', '-C', to], { input: archive })
  linkPackages(join(to, 'node_modules'))
  return to
}

/** The same port before and after, because addresses of our own are part of some rows. */
async function newInstallation(name: string) {
  const database = process.env.TEST_DATABASE_URL ? await createDatabase(process.env.TEST_DATABASE_URL) : null
  onTestFinished(() => database?.drop())
  return {
    ...{ PORT: String(await freePort()), DATA_DIR: join(folder, name) },
    ...(database ? { DATABASE_URL: database.url } : {}),
  }
}

/** The lists of the operator API of 1.0.0. */
const LISTS = ['keys', 'partners', 'users', 'submissions', 'support/conversations', 'webhooks', 'audit']

const NEW_TOOL = {
  name: 'Acme Writer',
  website: 'https://acme-writer.example.com',
  tagline: 'Drafts your mail',
  description: 'Learns from your sent mail.',
  category: 'writing',
  pricing: 'FREEMIUM',
  founderName: 'Ada Example',
  founderEmail: 'ada@example.com',
  tags: ['api', 'made by a partner'],
  paymentType: 'starter',
  // Nothing is left for the enrichment, which would go on after the upgrade.
  features: { Drafts: 'In your own voice.' },
  faq: [{ question: 'Is it free?', answer: 'To begin with.' }],
}

async function write(service: ServiceProcess): Promise<{ key: string; partnerKey: string }> {
  const admin = async (method: string, path: string, body: unknown, token?: string) => {
    const answer = await service.call(path, { method, body, token })
    expect([path, answer.status < 300, answer.body]).toEqual([path, true, expect.anything()])
    return answer.body.data
  }
  for (const [path, body] of [
    ['categories/writing', { name: 'Writing' }],
    ['tags/api', { name: 'API' }],
    ['directory-categories/saas', { name: 'SaaS' }],
    [
      'tools/burrow',
      {
        name: 'Burrow',
        website: 'https://burrow.example.com',
        category: 'writing',
        tags: ['api'],
        faqs: [{ question: 'Why?', answer: 'So.' }],
      },
    ],
    ['tools/draft', { name: 'Draft', published: false }],
    [
      'directories/hunt',
      {
        name: 'Hunt',
        website: 'https://hunt.example.com',
        categories: ['saas'],
        submissionLink: 'https://hunt.example.com/submit',
      },
    ],
  ] as const)
    await admin('PUT', `/api/admin/${path}`, body)
  const { key } = await admin('POST', '/api/admin/keys', { email: 'ada@example.com', plan: 'premium' })
  const partner = await admin('POST', '/api/admin/partners', { name: 'Launch Platform', support: 'human' })
  await admin('POST', '/api/v1/submit-ai-tool', NEW_TOOL, partner.key)
  await admin('POST', '/api/v1/support/ask', { question: 'How long do refunds take?' }, partner.key)
  const [submission] = (await service.call('/api/admin/submissions')).body.data
  await admin('PUT', `/api/admin/submissions/${submission.id}/directories/hunt`, {
    isSubmitted: true,
    listingUrl: 'https://hunt.example.com/acme',
  })
  return { key, partnerKey: partner.key }
}

async function everything(service: ServiceProcess): Promise<Record<string, any[]>> {
  const lists = await Promise.all(
    LISTS.map(async (list) => [list, (await service.call(`/api/admin/${list}`)).body.data]),
  )
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const lines = await (await fetch(`${service.origin}/api/admin/export`, { headers })).text()
  return {
    ...Object.fromEntries(lists),
    export: lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  }
}

/** The packages of today, and in place of one that is not used any more a package that knows no picture: this installation has none. */
function linkPackages(to: string): void {
  mkdirSync(join(to, 'file-type'), { recursive: true })
  writeFileSync(join(to, 'file-type/package.json'), '{"type":"module","exports":"./index.js"}')
  writeFileSync(join(to, 'file-type/index.js'), 'export const fileTypeFromBuffer = async () => undefined\n')
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== 'file-type') symlinkSync(join(ROOT, 'node_modules', name), join(to, name))
}

test.skipIf(!hasHistory)('every row of 1.0.0 is there (skipped in a clone without the history)', async () => {
  const old = unpack('1.0.0')
  const environment = await newInstallation('data-1.0')

  const before = await spawnService(environment, ['serve'], join(old, 'src/main.ts'))
  onTestFinished(() => void before.kill())
  await before.ready()
  const { key, partnerKey } = await write(before)
  const rows = await everything(before)
  expect(await before.kill('SIGTERM')).toBe(0)

  const after = await spawnService(environment)
  onTestFinished(() => void after.kill())
  await after.ready()
  const found = await everything(after)
  for (const [list, entries] of Object.entries(rows)) {
    expect([list, entries.length > 0 || list === 'webhooks']).toEqual([list, true])
    expect([list, found[list]!.length]).toEqual([list, entries.length])
    // A later version may say more about a row, and never less.
    expect(found[list], list).toMatchObject(entries)
  }
  expect((await after.call('/api/v1/tools', { token: key })).status).toBe(200)
  expect(
    (await after.call('/api/v1/ai-tools/status?slug=acme-writer', { token: partnerKey })).body.data.submissions,
  ).toHaveLength(1)
  await after.kill('SIGTERM')
})

type Sql = (statement: string) => Promise<any[]>

/** Every row of every table of ours. */
async function rowsIn(sql: Sql): Promise<Record<string, Record<string, unknown>[]>> {
  const tables = await sql(
    `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  )
  const rows: Record<string, Record<string, unknown>[]> = {}
  for (const { name } of tables)
    rows[name] = (await sql(`select to_jsonb(t) as row from ${name} t`)).map(({ row }) => row)
  return rows
}

test.skipIf(!hasHistory)('every value of 1.1.0 is there, and its keys, sessions and programs go on', async () => {
  const old = unpack('1.1.0')
  const environment = { ...(await newInstallation('data-1.1')), OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' }
  // The tests of that release make a row in every table.
  const harness = (name: string) => import(/* @vite-ignore */ join(old, `tests/harness/${name}.ts`))
  const receiver = await (await harness('receiver')).startReceiver()
  const before = await (await harness('service')).startService(environment)
  const { one, tool } = await (await harness('security/two-partners')).createTwoPartners(before, receiver)
  await before.admin('PUT', '/directory-categories/saas', { name: 'SaaS' })
  await before.admin('PUT', '/site', { name: 'Ours', tagline: 'Before the upgrade' })
  await before.admin('PUT', '/collections/first', { name: 'First', text: 'Words', tools: [], directories: [] })
  await before.settled()
  await receiver.close()
  await before.close()

  const log = recordingLog([])
  const store = environment.DATABASE_URL
    ? openPostgres({ connectionString: environment.DATABASE_URL }, log)
    : await openEmbedded(environment.DATA_DIR, log)
  const storedRows = () => rowsIn(async (statement) => (await store.query(statement)).rows as any[])
  // A stop stores counts that were in memory until then, so the rows are read after it.
  const tables = Object.entries(await storedRows())
  expect(tables.filter(([, rows]) => rows.length === 0).map(([table]) => table)).toEqual([])
  await store.migrate(MIGRATIONS)
  const found = await storedRows()
  await store.close()
  for (const [table, rows] of tables) {
    const columns = Object.keys(rows[0]!)
    const known = new Set(found[table]?.map((row) => JSON.stringify(columns.map((column) => row[column]))))
    expect([table, rows.filter((row) => !known.has(JSON.stringify(Object.values(row))))]).toEqual([table, []])
  }

  const after = await startService(environment)
  onTestFinished(() => after.close())
  expect((await after.rest('/tags', { key: one.catalogKey })).status).toBe(200)
  expect(
    (await after.rest(`/ai-tools/status?id=${tool.id}`, { key: one.partnerKey })).body.data.submissions,
  ).toHaveLength(1)
  expect((await after.rest('/events', { key: one.partnerKey })).body.data).toEqual([])
  expect((await one.browser.open('/dashboard')).status).toBe(200)
  const listed = await after.fetch('/mcp', { method: 'POST', key: one.app.token, body: message('tools/list') })
  expect(listed.body.result.tools.length).toBeGreaterThan(0)
  expect((await after.admin('GET', '/site')).body.data).toMatchObject({ name: 'Ours', tagline: 'Before the upgrade' })
})
