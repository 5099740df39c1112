// GET /changes and the cursor of an export, for programs that mirror the catalog.
import { beforeAll, describe, expect, test } from 'vitest'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() =>
  service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    ...['a', 'b', 'c'].map((slug) => ({ kind: 'tool', slug, name: slug, website: `https://${slug}.example.com` })),
    { kind: 'directory', slug: 'board', name: 'Board', website: 'https://board.example.com' },
  ]),
)

const changes = async (since?: string, limit = 1000) => {
  const reply = await service.admin('GET', `/changes?limit=${limit}${since ? `&since=${since}` : ''}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.body as { data: any[]; next: string }
}
const brief = (data: any[]) => data.map(({ kind, slug, change }) => `${kind}:${slug} ${change}`)

describe('GET /changes', () => {
  test('has every entry without a cursor, in pages too, and then only what changed', async () => {
    const { data, next } = await changes()
    expect(brief(data).sort()).toEqual(
      ['category:writing put', 'directory:board put', 'tool:a put', 'tool:b put', 'tool:c put'].sort(),
    )
    expect(data[0]).toEqual({ ...data[0], at: expect.stringMatching(/Z$/) })
    const paged: string[] = []
    let page = await changes(undefined, 2)
    for (; page.data.length > 0; page = await changes(page.next, 2)) paged.push(...brief(page.data))
    expect(paged).toEqual(brief(data))
    expect((await changes(next)).data).toEqual([])
    expect((await changes(next)).next).toBe(next)
  })

  test('names an entry once with its last change, and what was deleted as gone', async () => {
    const { next } = await changes()
    await service.admin('PATCH', '/tools/a', { featured: true })
    await service.admin('PATCH', '/tools/a', { published: false })
    await service.admin('DELETE', '/tools/b')
    await service.admin('PUT', '/tags/new', { name: 'New' })
    await service.load([{ kind: 'tool', slug: 'd', name: 'D', website: 'https://d.example.com' }])
    const later = await changes(next)
    expect(brief(later.data).sort()).toEqual(['tag:new put', 'tool:a put', 'tool:b gone', 'tool:d put'])
    await service.admin('PUT', '/tools/b', { name: 'B again', website: 'https://b.example.com' })
    expect(brief((await changes(later.next)).data)).toEqual(['tool:b put'])
  })

  test('an entry that was deleted and made anew between two reads is a change', async () => {
    const again = { name: 'Again', website: 'https://again.example.com' }
    await service.admin('PUT', '/tools/again', again)
    await service.admin('PUT', '/tags/again', { name: 'Again' })
    const { next } = await changes()
    for (const path of ['/tools/again', '/tags/again']) await service.admin('DELETE', path)
    await service.admin('PUT', '/tools/again', { ...again, name: 'Another' })
    await service.admin('PUT', '/tags/again', { name: 'Another' })
    expect(brief((await changes(next)).data).sort()).toEqual(['tag:again put', 'tool:again put'])
  })

  test('a click-through and a write that changes nothing are no changes', async () => {
    const { next } = await changes()
    await service.admin('PATCH', '/tools/a', { published: false })
    await service.sql(`update tools set opens = opens + 1 where slug = 'a'`)
    expect((await changes(next)).data).toEqual([])
  })

  test('an export has the cursor to go on with', async () => {
    const reply = await service.admin('GET', '/export')
    const cursor = reply.headers.get('x-catalog-cursor')!
    expect((await changes(cursor)).data).toEqual([])
    await service.admin('PATCH', '/tools/c', { featured: true })
    expect(brief((await changes(cursor)).data)).toEqual(['tool:c put'])
  })

  test('a cursor that is not ours, or from before a deletion that is no longer kept, is a 400 that says so', async () => {
    const { next } = await changes()
    const wrong = await service.admin('GET', '/changes?since=abc')
    expect([wrong.status, wrong.body.code, wrong.body.fields[0].field]).toEqual([400, 'invalid_cursor', 'since'])
    await service.admin('DELETE', '/tools/c')
    await changes()
    await service.sql(`update catalog_marks set at = now() - interval '91 days' where slug = 'c'`)
    const { removeOldMarks } = await import('../../src/features/listings/changes/changes.queries.ts')
    expect(await removeOldMarks(new Date(Date.now() - 90 * 86_400_000))(service.context().db, 10)).toBe(1)
    const old = await service.admin('GET', `/changes?since=${next}`)
    expect([old.status, old.body.error]).toEqual([400, expect.stringContaining('too old')])
    expect(brief((await changes()).data)).not.toContain('tool:c gone')
    const first = await changes(undefined, 1)
    expect((await changes(first.next)).data.length).toBeGreaterThan(0)
  })
})
