// How an upgrade changes the rows of a database from before the columns tools.hidden_reason and tags.submitted.
// @module-tag slow
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEmbedded } from '../../src/platform/database/embedded.ts'
import { MIGRATIONS } from '../../src/platform/database/migrations.ts'
import { openPostgres } from '../../src/platform/database/postgres.ts'
import { createDatabase, recordingLog, startService, type TestService } from '../harness/service.ts'
import { newTool, statusOf, submit } from '../harness/submissions.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const BEFORE = '0007_submitted_websites'

let service: TestService
let database: Awaited<ReturnType<typeof createDatabase>> | null = null
const folder = temporaryFolder('upgrade')
const dataDir = join(folder, 'data')

const TOOL = `tagline, description, tags, pricing, rating, opens, featured, is_for_sale, asking_price, discount_code, affiliate, screenshots, socials, faqs, features, created_at, updated_at`
const tool = (id: string, website: string, key: string, published: boolean, tags: string[] = []) =>
  `insert into tools (id, slug, name, website, website_key, published, ${TOOL}) values
   ('${id}', '${id}', '${id}', '${website}', '${key}', ${published}, '', '', '{${tags.join(',')}}', 'FREE', 0, 0, false, false, 0, '', false, '[]', '{}', '[]', '{}', now(), now())`
const submission = (id: string, toolId: string, key: string, at = 'now()') =>
  `insert into submissions (id, partner_id, tool_id, website_key, notes, created_at, updated_at) values ('${id}', 'p', '${toolId}', '${key}', '', ${at}, now())`

const ROWS = [
  `insert into partners (id, name, webhook_secret, support, banned, created_at, updated_at) values ('p', 'P', 'whsec_x', 'off', false, now(), now())`,
  `insert into categories (slug, name, description, icon, adult) values ('writing', 'Writing', '', '', false)`,
  // These keys are written by the old rule.
  tool('old-spelling', 'https://old.example./a/%41/index.html', 'old.example./a/%41/index.html', true),
  tool('old-port', 'http://port.example:443/', 'port.example:443', true),
  tool('old-www', 'https://www.www.twice.example/', 'www.twice.example', true),
  submission('s-old', 'old-spelling', 'old.example./a/%41/index.html'),
  // Each of these listings is hidden for another reason.
  tool('of-partner', 'https://of-partner.example', 'of-partner.example', false),
  submission('s-partner', 'of-partner', 'of-partner.example'),
  tool('by-change', 'https://by-change.example', 'by-change.example', false),
  `insert into audit (at, actor, action, subject, details) values (now(), 'operator', 'tool.change', 'tool:by-change', '{"published": false}')`,
  tool('by-put', 'https://by-put.example', 'by-put.example', false),
  `insert into audit (at, actor, action, subject, details) values (now(), 'operator', 'tool.put', 'tool:by-put', '{"changed": ["name", "published"]}')`,
  tool('draft', 'https://draft.example', 'draft.example', false),
  `insert into audit (at, actor, action, subject, details) values (now(), 'operator', 'tool.put', 'tool:draft', '{"created": true}')`,
  // In this order: a tag of a hidden submission only, also of our listing, changed by an operator, and unused.
  ...['spam', 'shared', 'edited', 'unused'].map(
    (slug) => `insert into tags (slug, name, adult) values ('${slug}', '${slug}', false)`,
  ),
  `update tools set tags = '{spam,shared,edited}' where id = 'of-partner'`,
  tool('ours', 'https://ours.example', 'ours.example', true, ['shared']),
  submission('s-ours', 'ours', 'ours.example', `now() + interval '3 days'`),
  `insert into audit (at, actor, action, subject, details) values (now(), 'operator', 'tag.put', 'tag:edited', '{"changed": ["name"]}')`,
]

beforeAll(async () => {
  const old = join(folder, 'migrations')
  cpSync(MIGRATIONS, old, { recursive: true })
  const journalFile = join(old, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(journalFile, 'utf8'))
  journal.entries = journal.entries.slice(0, journal.entries.findIndex(({ tag }: any) => tag === BEFORE) + 1)
  writeFileSync(journalFile, JSON.stringify(journal))
  database = process.env.TEST_DATABASE_URL ? await createDatabase(process.env.TEST_DATABASE_URL) : null
  const log = recordingLog([])
  const store = database ? openPostgres({ connectionString: database.url }, log) : await openEmbedded(dataDir, log)
  await store.migrate(old)
  for (const row of ROWS) await store.query(row)
  await store.close()
  service = await startService({ DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) })
})
afterAll(async () => {
  await service?.close()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

test('the stored keys of listings and submissions follow the current rule', async () => {
  const keys = await service.sql(`select id, website_key as key from tools where id like 'old-%' order by id`)
  expect(keys.map(({ id, key }) => [id, key])).toEqual([
    ['old-port', 'port.example'],
    ['old-spelling', 'old.example/a/A'],
    ['old-www', 'twice.example'],
  ])
  const [submitted] = await service.sql(`select website_key as key, slug from submissions where id = 's-old'`)
  expect(submitted).toEqual({ key: 'old.example/a/A', slug: 'old-spelling' })
})

test('an unpublished listing counts as taken down when the audit log or a submission shows it, and as a draft otherwise', async () => {
  const reason = async (slug: string) => (await service.admin('GET', `/tools/${slug}`)).body.data.hiddenReason
  const reasons: Record<string, unknown> = {}
  for (const slug of ['of-partner', 'by-change', 'by-put', 'draft', 'ours']) reasons[slug] = await reason(slug)
  expect(reasons).toEqual({
    'of-partner': 'taken-down',
    'by-change': 'taken-down',
    'by-put': 'taken-down',
    draft: 'draft',
    ours: undefined,
  })
})

test('a tag counts as made by a submission when only submitted listings have it and no operator wrote it', async () => {
  expect((await service.rest('/tags')).body.data.map(({ slug }: any) => slug)).toEqual(['edited', 'shared', 'unused'])
})

test('a new submission finds the listings that were stored before', async () => {
  const { id, key } = await service.newPartner()
  const waits = (await submit(service, key, newTool({ website: 'https://www.by-put.example:443/page', tags: [] }))).body
    .data
  await service.settled()
  expect((await service.rest(`/tools/${waits.slug}`)).status).toBe(404)
  const shared = (await submit(service, key, newTool({ website: 'https://OLD.example/a/A', tags: [] }))).body.data
  expect(shared.slug).toBe('old-spelling')
  expect((await statusOf(service, key, { website: 'http://old.example/a/%41/' })).body.data.tool.id).toBe(
    'old-spelling',
  )
  expect(id).toBeTruthy()
})
