// An installation of 1.0.0, made by the code of that release, has every row after the upgrade, compared through the operator API.
// @module-tag long
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type ServiceProcess, spawnService } from '../harness/process.ts'
import { ADMIN_TOKEN, createDatabase, freePort } from '../harness/service.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const ROOT = new URL('../..', import.meta.url).pathname
/** The last commit before work on 1.1.0 began. */
const RELEASE = '073b5fe'
const folder = temporaryFolder('upgrade')

const hasRelease = (() => {
  try {
    execFileSync('git', ['cat-file', '-e', `${RELEASE}^{commit}`], { cwd: ROOT, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

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

test.skipIf(!hasRelease)('every row is there (skipped in a clone without the history)', async () => {
  const old = join(folder, 'release')
  mkdirSync(old)
  const archive = execFileSync('git', ['archive', RELEASE], { cwd: ROOT, maxBuffer: 1e9 })
  execFileSync('tar', ['-x', '-C', old], { input: archive })
  linkPackages(join(old, 'node_modules'))
  const database = process.env.TEST_DATABASE_URL ? await createDatabase(process.env.TEST_DATABASE_URL) : null
  // The same port, because addresses of our own are part of some rows.
  const PORT = String(await freePort())
  const environment = { PORT, DATA_DIR: join(folder, 'data'), ...(database ? { DATABASE_URL: database.url } : {}) }

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
  await database?.drop()
})
