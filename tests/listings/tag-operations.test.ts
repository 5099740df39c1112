// Operators confirm the tags that submissions made, and split one whose users wrote different names: over the operator API, on the command
// line and in the console.
// @module-tag slow
import { beforeAll, expect, test } from 'vitest'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { catalog } from '../harness/command.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let admin: Browser
let key: string
const service = useService()
beforeAll(async () => {
  admin = await signedUpAdmin(service)
  await service.load([{ kind: 'category', slug: 'writing', name: 'Writing' }])
  key = (await service.newPartner()).key
})

const run = (...args: string[]) => catalog(args, { CATALOG_URL: service.origin, ADMIN_TOKEN })
const unconfirmed = async () =>
  (await service.admin('GET', '/tags?submitted=true')).body.data.map(({ slug }: { slug: string }) => slug)
const tagsOf = async (slug: string) => (await service.rest(`/tools/${slug}`)).body.data.tags

test('confirming makes a tag of a submission an ordinary one', async () => {
  const { slug } = await submitted(service, key, { tags: ['One', 'Two', 'Three'] })
  expect(await unconfirmed()).toEqual(['one', 'three', 'two'])
  const answer = await service.admin('POST', '/tag-confirmations', { slugs: ['one', 'unheard-of'] })
  expect([answer.status, answer.body.data]).toEqual([200, { confirmed: ['one'] }])
  expect((await service.admin('GET', '/audit?limit=1')).body.data).toMatchObject([
    { action: 'tag.confirm', subject: 'tag:one' },
  ])
  expect(await unconfirmed()).toEqual(['three', 'two'])
  await service.admin('PATCH', `/tools/${slug}`, { published: false })
  expect((await service.rest('/tags')).body.data).toEqual([{ slug: 'one', name: 'One', toolsCount: 0 }])
})

test('a tag that has another name than partners wrote is listed and split, and keeps its slug', async () => {
  const one = await submitted(service, key, { tags: ['AI'] })
  const two = await submitted(service, key, { tags: ['ai', 'Api'] })
  // An operator gives the tag another name, as the first spelling did before 1.2.
  await service.admin('PUT', '/tags/ai', { name: 'AI 写作' })
  const three = await submitted(service, key, { tags: ['AI 写作'] })
  expect((await service.admin('GET', '/tag-splits')).body.data).toEqual([
    { slug: 'ai', name: 'AI 写作', written: [{ name: 'AI', listings: [one.slug] }], unrecorded: [] },
  ])
  const split = await service.admin('POST', '/tag-splits', { tag: 'ai', name: 'AI', listings: [one.slug, two.slug] })
  expect([split.status, split.body.data]).toEqual([200, { slug: 'ai-2', name: 'AI', moved: 2 }])
  expect(await tagsOf(one.slug)).toEqual([{ slug: 'ai-2', name: 'AI' }])
  expect((await tagsOf(two.slug))[0]).toEqual({ slug: 'ai-2', name: 'AI' })
  expect(await tagsOf(three.slug)).toEqual([{ slug: 'ai', name: 'AI 写作' }])
  expect((await service.admin('GET', '/tag-splits')).body.data).toEqual([])
  expect((await submitted(service, key, { tags: ['Ai'] })).tags).toEqual([{ slug: 'ai-2', name: 'AI' }])
})

test('listings of before 1.2 with a tag that may stand for several names are listed for a person to look at', async () => {
  const one = await submitted(service, key, { tags: ['Wq++'] })
  const two = await submitted(service, key, { tags: ['Wq++'] })
  // 1.1 stored only the tag.
  await service.sql("delete from submission_tags where slug = 'wq'")
  const unrecorded = [one.slug, two.slug].sort()
  expect((await service.admin('GET', '/tag-splits')).body.data).toContainEqual({
    ...{ slug: 'wq', name: 'Wq++' },
    ...{ written: [], unrecorded },
  })
  expect((await service.admin('GET', '/tag-splits?limit=1&page=99')).body.data).toEqual([])
  expect((await run('tags', 'mixed')).out).toContain('(sent before 1.2, not stored)')
  expect((await admin.open('/admin/taxonomy/tags')).text).toContain('Not stored')
  await service.admin('POST', '/tag-splits', { tag: 'wq', name: 'Wq#', listings: [two.slug] })
  expect(await tagsOf(two.slug)).toEqual([{ slug: 'wq-2', name: 'Wq#' }])
})

test.each([
  [{ tag: 'ai', name: 'ai 写作' }, 400, 'name is the name of the tag itself. Give the name of the other one.'],
  [
    { tag: 'ai', name: 'Unwritten' },
    400,
    'listings is missing: no partner of a listing wrote this name. Give the listings to move.',
  ],
  [{ tag: 'unheard-of', name: 'X' }, 404, 'Tag not found.'],
])('%j is refused', async (body, status, error) => {
  const reply = await service.admin('POST', '/tag-splits', body)
  expect([reply.status, reply.body.error]).toEqual([status, error])
})

test('the console confirms chosen tags and splits', async () => {
  const { slug } = await submitted(service, key, { tags: ['Cq++', 'Four'] })
  await service.admin('PUT', '/tags/cq', { name: 'Cq#' })
  expect((await admin.open('/admin/taxonomy/tags')).text).toContain('Different names')
  await admin.submit('/admin/taxonomy/tags', '/admin/tag-confirmations', { 'pick-four': 'true' })
  expect(await unconfirmed()).not.toContain('four')
  await admin.submit('/admin/taxonomy/tags', '/admin/tag-splits')
  expect(await tagsOf(slug)).toContainEqual({ slug: 'cq-2', name: 'Cq++' })
  expect((await admin.open('/admin/taxonomy/tags?submitted=true')).text).not.toContain('tags/cq-2')
  // The first form with this address is the filter, which has no token.
  const [, token = ''] = /name="token" value="([^"]+)"/.exec((await admin.open('/admin/taxonomy/tags')).text) ?? []
  await admin.post('/admin/taxonomy/tags', { token, name: 'Cq', slug: '' })
  expect((await service.admin('GET', '/tags/cq-3')).body.data).toMatchObject({ name: 'Cq' })
})

test('the command line does the same', { timeout: 120_000 }, async () => {
  await submitted(service, key, { tags: ['Dq', 'Five'] })
  await service.admin('PUT', '/tags/dq', { name: 'Dq Plus' })
  expect((await run('tags', 'mixed')).out).toMatch(/dq +Dq Plus +Dq +1/)
  expect((await run('tags', 'split', 'dq', 'Dq')).out).toContain('Moved 1 listing to tag dq-2.')
  expect((await run('tags', 'confirm', 'five')).out).toContain('Confirmed 1 of 1.')
  expect((await run('tags', 'list', '--submitted')).out).not.toContain('five')
})
