import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { CANARY, DIRECTORIES, FIXTURE, TOOLS } from '../harness/fixture.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../harness/service.ts'
import { expectFailure } from '../harness/shapes.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.load(FIXTURE)
})
afterAll(() => service.close())

const send = async (body: string, query = '', to = service) => {
  const reply = await to.fetch(`/api/admin/import${query}`, {
    method: 'POST',
    key: ADMIN_TOKEN,
    type: 'application/x-ndjson',
    body,
  })
  await to.settled()
  return reply
}
const lines = (...items: unknown[]) =>
  items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join('\n')
const tool = (slug: string, more: object = {}) => ({ kind: 'tool', slug, name: slug, ...more })
const exported = async (from = service) => (await from.admin('GET', '/export')).text
const status = async (slug: string) => (await service.rest(`/tools/${slug}`)).status

// First: it must find the fixture as it was loaded.
describe('GET /export', () => {
  test('the same NDJSON, private fields and unpublished listings included', async () => {
    const reply = await service.admin('GET', '/export')
    expect(reply.headers.get('content-type')).toMatch(/ndjson/)
    const found = reply.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(found).toHaveLength(FIXTURE.length)
    for (const line of TOOLS) expect(found).toContainEqual(expect.objectContaining({ kind: 'tool', ...line }))
    for (const line of DIRECTORIES)
      expect(found).toContainEqual(expect.objectContaining({ kind: 'directory', ...line }))
    expect(reply.text).toContain(CANARY)
    expect(reply.text).not.toMatch(/aid_|whsec_/)
  })
})

describe('POST /import', () => {
  test('the first 100 wrong lines are told, whatever is wrong with them', async () => {
    const reply = await send(
      lines(tool('first', { category: 'none' }), ...Array(105).fill('{bad'), tool('x', { tags: ['none'] })),
    )
    expect(reply.status).toBe(400)
    expect(reply.body.rejected.map(({ line }: { line: number }) => line)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
  })

  test('creates and replaces entries of every kind; lines may refer to later ones', async () => {
    const reply = await send(
      lines(
        tool('forward', { category: 'later', tags: ['later-tag'] }),
        { kind: 'directory', slug: 'forward', name: 'Forward', categories: ['later-kind'] },
        { kind: 'category', slug: 'later', name: 'Later' },
        { kind: 'tag', slug: 'later-tag', name: 'Later' },
        { kind: 'directoryCategory', slug: 'later-kind', name: 'Later' },
      ),
    )
    expect(reply.status).toBe(200)
    expect(reply.body.data).toMatchObject({ imported: 5, rejected: [] })
    expect((await service.rest('/tools/forward')).body.data.category).toEqual({ slug: 'later', name: 'Later' })
    expect((await send(lines(tool('forward')))).body.data.imported).toBe(1)
    expect((await service.rest('/tools/forward')).body.data.category).toBeNull()
  })

  test('blank lines, CRLF and a last line without an end are fine; nothing is nothing', async () => {
    const reply = await send(`\n\n${JSON.stringify(tool('crlf'))}\r\n  \n${JSON.stringify(tool('last'))}`)
    expect(reply.body.data).toMatchObject({ imported: 2 })
    expect((await send('\n\n')).body.data).toMatchObject({ imported: 0, rejected: [] })
  })

  test('a replaced listing keeps id, opens and createdAt', async () => {
    const before = (await service.rest('/tools/full-house')).body.data
    await send(lines(tool('full-house', { name: 'Fuller House' })))
    const after = (await service.rest('/tools/full-house')).body.data
    expect(after).toMatchObject({
      id: before.id,
      opens: before.opens,
      createdAt: before.createdAt,
      name: 'Fuller House',
    })
  })

  const WRONG: [string, unknown, RegExp][] = [
    ['no JSON', '{"kind":"tool",', /JSON/],
    ['no object', '[1]', /object/],
    ['null', 'null', /object/],
    ['no kind', { slug: 'x', name: 'x' }, /kind.*category, tag, directoryCategory, tool, directory/],
    ['an unknown kind', { kind: 'constructor', slug: 'x', name: 'x' }, /kind/],
    ['no slug', { kind: 'tool', name: 'x' }, /slug/],
    ['a wrong slug', tool('Not A Slug'), /slug/],
    ['a reserved slug', tool('top'), /reserved/],
    ['no name', { kind: 'tool', slug: 'x' }, /name/],
    ['a wrong pricing', tool('x', { pricing: 'CHEAP' }), /pricing.*FREE, FREEMIUM, PAID/],
    ['an unknown category', tool('x', { category: 'no-such' }), /category.*no-such/],
    ['unknown tags', tool('x', { tags: ['api', 'no-such'] }), /tags.*no-such/],
    ['NUL', tool('x', { tagline: 'a\0b' }), /NUL/],
    ['half a surrogate pair', '{"kind":"tool","slug":"x","name":"\\ud800"}', /Unicode/],
    ['a time beyond the calendar', tool('x', { createdAt: '9999-12-31T23:59:59-12:00' }), /createdAt/],
    [
      'deep nesting',
      `{"kind":"tool","slug":"x","name":"x","socials":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}`,
      /nested|socials/,
    ],
  ]

  test.each(WRONG)('one wrong line and nothing of the import is kept: %s', async (_case, wrong, reason) => {
    const before = await exported()
    const reply = await send(lines(tool('good-one'), wrong, tool('good-two')))
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ success: false, imported: 0, rejected: [{ line: 2 }] })
    expect(reply.body.rejected[0].error).toMatch(reason)
    expect(reply.body.error).toMatch(/line 2/i)
    expect(await exported()).toBe(before)
    expect(await status('good-one')).toBe(404)
  })

  test('all wrong lines are named, whatever is wrong with them', async () => {
    const reply = await send(lines(tool('a', { category: 'no-such' }), '{', tool('b'), tool('c', { pricing: 'x' })))
    expect(reply.body.rejected.map(({ line }: { line: number }) => line)).toEqual([1, 2, 4])
  })

  test('duplicate slugs in one import: the second line is wrong and names the first', async () => {
    const reply = await send(lines(tool('twice'), { kind: 'tag', slug: 'twice', name: 'Twice' }, tool('twice')))
    expect(reply.status).toBe(400)
    expect(reply.body.rejected).toEqual([{ line: 3, error: expect.stringMatching(/twice.*line 1/) }])
  })

  test('over 100 wrong lines: the first 100 with reasons', async () => {
    const wrong = Array.from({ length: 130 }, (_, i) => tool(`wrong-${i}`, { pricing: 'x' }))
    const reply = await send(lines(tool('fine'), ...wrong))
    expect(reply.status).toBe(400)
    expect(reply.body.rejected).toHaveLength(100)
    expect(reply.body.rejected.map(({ line }: { line: number }) => line)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 2),
    )
    expect(expectFailure({ success: false, error: reply.body.error })).toContain('130')
  })

  test.each(['true', '1'])('skipInvalid=%s keeps the good ones: 200', async (value) => {
    const reply = await send(
      lines(tool(`kept-${value}`), '{', tool('lost', { tags: ['no-such'] })),
      `?skipInvalid=${value}`,
    )
    expect(reply.status).toBe(200)
    expect(reply.body.data).toMatchObject({ imported: 1, rejected: [{ line: 2 }, { line: 3 }] })
    expect(await status(`kept-${value}`)).toBe(200)
    expect(await status('lost')).toBe(404)
  })

  test('skipInvalid: a line that refers to a rejected one is rejected too', async () => {
    const reply = await send(
      lines({ kind: 'category', slug: 'broken' }, tool('orphan', { category: 'broken' })),
      '?skipInvalid=true',
    )
    expect(reply.body.data).toMatchObject({ imported: 0, rejected: [{ line: 1 }, { line: 2 }] })
  })

  test('400: skipInvalid=yes', async () => {
    expect((await send(lines(tool('x')), '?skipInvalid=yes')).body.error).toContain('skipInvalid')
  })

  test('is audited once; a refused one is not', async () => {
    expect(await audited(service, () => send(lines(tool('a-1'), tool('a-2'))))).toEqual([
      expect.objectContaining({ action: 'catalog.import', actor: 'operator' }),
    ])
    expect(await audited(service, () => send('{'))).toEqual([])
  })
})

describe('GET /export after POST /import', () => {
  test('export → import → export is the same, into the same service and into an empty one', async () => {
    const before = await exported()
    expect((await send(before)).status).toBe(200)
    expect(await exported()).toBe(before)
    const empty = await startService()
    expect((await send(before, '', empty)).status).toBe(200)
    // Identifiers are given anew there, and lines stand in their order.
    expect((await exported(empty)).split('\n').sort()).toEqual(before.split('\n').sort())
    await empty.close()
  })
})

// Last: it makes everything that lists the whole catalog slower.
describe('POST /import at length', () => {
  test('any size: 3,000 lines, well over 256 KiB', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => tool(`bulk-${i}`, { description: 'a'.repeat(200) }))
    const reply = await send(lines(...many))
    expect(reply.body.data).toMatchObject({ imported: 3000 })
    expect((await service.rest('/tools?q=bulk')).body.pagination.total).toBe(3000)
  })
})
