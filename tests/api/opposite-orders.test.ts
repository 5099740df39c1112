// Operators and a partner change the same things at the same time in opposite orders. Where PostgreSQL ends one of two transactions that
// wait for each other, its caller is asked to try again; no caller sees an internal error, and nothing is half done.
// @module-tag slow
import { beforeAll, expect, test } from 'vitest'
import { ADMIN_TOKEN, type Reply } from '../harness/service.ts'
import { newTool, submit, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

const LISTINGS = 300
const ROUNDS = 6

let key: string
let submissions: string[]
const service = useService()
beforeAll(async () => {
  key = (await service.newPartner()).key
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'left', name: 'Left' },
    { kind: 'tag', slug: 'right', name: 'Right' },
    ...lines('first', 'left'),
  ])
  const tools = await Promise.all(Array.from({ length: 8 }, () => submitted(service, key, { paymentType: 'starter' })))
  submissions = await Promise.all(
    tools.map(async ({ id }) => (await service.admin('GET', `/submissions/${id}`)).body.data.id),
  )
})

const lines = (tagline: string, tag: string) =>
  Array.from({ length: LISTINGS }, (_, i) => ({
    ...{ kind: 'tool', slug: `shared-${i}`, name: `Shared ${i}`, website: `https://shared-${i}.example.com` },
    ...{ tagline, category: 'writing', tags: [tag] },
  }))

const importLines = (all: object[]): Promise<Reply> =>
  service.fetch('/api/admin/import', {
    method: 'POST',
    key: ADMIN_TOKEN,
    type: 'application/x-ndjson',
    body: all.map((line) => `${JSON.stringify(line)}\n`).join(''),
  })
const bulk = (ids: string[], assignee: string) =>
  service.admin('POST', '/submissions/bulk', { submissions: ids.map((id) => ({ id })), assignee })
const split = (tag: string, name: string) =>
  service.admin('POST', '/tag-splits', { tag, name, listings: lines('', '').map(({ slug }) => slug) })

test('every call is answered with what it did or with when to try again', async () => {
  const replies: [what: string, reply: Reply][] = []
  for (let round = 0; round < ROUNDS; round++) {
    const calls: Record<string, Promise<Reply>[]> = {
      import: [importLines(lines(`forth ${round}`, 'left')), importLines(lines(`back ${round}`, 'right').toReversed())],
      split: [split('left', 'Right'), split('right', 'Left')],
      bulk: [bulk(submissions, 'a@example.com'), bulk(submissions.toReversed(), 'b@example.com')],
      listing: [299, 150, 0].map((i) => service.admin('PATCH', `/tools/shared-${i}`, { tagline: `changed ${round}` })),
      tag: [
        service.admin('POST', '/tag-confirmations', { slugs: ['left', 'right'] }),
        service.admin('PUT', '/tags/right', { name: 'Right' }),
        service.admin('PUT', '/tags/left', { name: 'Left' }),
      ],
      submission: [
        submit(service, key, newTool({ tags: ['Left', `Both ${round}`, `One ${round}`] })),
        submit(service, key, newTool({ tags: [`One ${round}`, `Both ${round}`, 'Right'] })),
      ],
    }
    for (const [what, all] of Object.entries(calls))
      for (const reply of await Promise.all(all)) replies.push([what, reply])
  }
  const wrong = replies.filter(([, { status, headers }]) =>
    status === 503 ? !headers.get('retry-after') : status >= 500,
  )
  expect(wrong.map(([what, { status, text }]) => [what, status, text])).toEqual([])
  for (const what of ['import', 'split', 'bulk', 'listing', 'tag', 'submission'])
    expect([what, replies.some(([name, { status }]) => name === what && status < 300)]).toEqual([what, true])
  // An import stores all of its listings or none, so those that no other call touched have one tagline.
  const taglines = await service.sql(
    `select distinct tagline from tools where slug like 'shared-%' and slug not in ('shared-0', 'shared-150', 'shared-299')`,
  )
  expect(taglines).toHaveLength(1)
  const tags = await service.sql(`select name_key from tags group by name_key having count(*) > 1`)
  expect(tags).toEqual([])
}, 300_000)
