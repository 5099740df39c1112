// How an upgrade changes the rows of a database from before the columns tools.hidden_reason and tags.submitted.
// @module-tag slow
import { expect, test } from 'vitest'
import { startUpgraded } from '../harness/earlier-version.ts'
import { newTool, statusOf, submit } from '../harness/submissions.ts'
import { use } from '../harness/use.ts'

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

const service = use(() => startUpgraded('_hidden_listings', ROWS))

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
