import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { CANARY, DIRECTORIES, FIXTURE, TOOLS } from '../harness/fixture.ts'
import { ADMIN_TOKEN, startService } from '../harness/service.ts'
import { expectFailure } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(FIXTURE))

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

// This test comes first, because it needs the fixture as it was loaded.
describe('GET /export', () => {
  test('gives the lines of the import, with private fields and unpublished listings', async () => {
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
  test('reports the first 100 wrong lines, whatever is wrong with them', async () => {
    const reply = await send(
      lines(tool('first', { category: 'none' }), ...Array(105).fill('{bad'), tool('x', { tags: ['none'] })),
    )
    expect(reply.status).toBe(400)
    expect(reply.body.rejected.map(({ line }: { line: number }) => line)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
  })

  test('creates and replaces entries of every kind, and lines may refer to later ones', async () => {
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

  test('accepts blank lines, CRLF, a last line without an end, and an empty body', async () => {
    const reply = await send(`\n\n${JSON.stringify(tool('crlf'))}\r\n  \n${JSON.stringify(tool('last'))}`)
    expect(reply.body.data).toMatchObject({ imported: 2 })
    expect((await send('\n\n')).body.data).toMatchObject({ imported: 0, rejected: [] })
  })

  test('keeps id, opens and createdAt of a replaced listing', async () => {
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

  test.each(WRONG)('imports nothing when one line is wrong: %s', async (_case, wrong, reason) => {
    const before = await exported()
    const reply = await send(lines(tool('good-one'), wrong, tool('good-two')))
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ success: false, imported: 0, rejected: [{ line: 2 }] })
    expect(reply.body.rejected[0].error).toMatch(reason)
    expect(reply.body.error).toMatch(/line 2/i)
    expect(await exported()).toBe(before)
    expect(await status('good-one')).toBe(404)
  })

  test('reports all wrong lines, whatever is wrong with them', async () => {
    const reply = await send(lines(tool('a', { category: 'no-such' }), '{', tool('b'), tool('c', { pricing: 'x' })))
    expect(reply.body.rejected.map(({ line }: { line: number }) => line)).toEqual([1, 2, 4])
  })

  test('reports the second of two lines with the same slug and names the first', async () => {
    const reply = await send(lines(tool('twice'), { kind: 'tag', slug: 'twice', name: 'Twice' }, tool('twice')))
    expect(reply.status).toBe(400)
    expect(reply.body.rejected).toEqual([{ line: 3, error: expect.stringMatching(/twice.*line 1/) }])
  })

  test('reports the first 100 of 130 wrong lines with reasons', async () => {
    const wrong = Array.from({ length: 130 }, (_, i) => tool(`wrong-${i}`, { pricing: 'x' }))
    const reply = await send(lines(tool('fine'), ...wrong))
    expect(reply.status).toBe(400)
    expect(reply.body.rejected).toHaveLength(100)
    expect(reply.body.rejected.map(({ line }: { line: number }) => line)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 2),
    )
    expect(expectFailure({ success: false, error: reply.body.error, code: reply.body.code })).toContain('130')
  })

  test.each(['true', '1'])('with skipInvalid=%s imports the good lines and answers 200', async (value) => {
    const reply = await send(
      lines(tool(`kept-${value}`), '{', tool('lost', { tags: ['no-such'] })),
      `?skipInvalid=${value}`,
    )
    expect(reply.status).toBe(200)
    expect(reply.body.data).toMatchObject({ imported: 1, rejected: [{ line: 2 }, { line: 3 }] })
    expect(await status(`kept-${value}`)).toBe(200)
    expect(await status('lost')).toBe(404)
  })

  test('with skipInvalid also rejects a line that refers to a rejected one', async () => {
    const reply = await send(
      lines({ kind: 'category', slug: 'broken' }, tool('orphan', { category: 'broken' })),
      '?skipInvalid=true',
    )
    expect(reply.body.data).toMatchObject({ imported: 0, rejected: [{ line: 1 }, { line: 2 }] })
  })

  test('answers 400 to skipInvalid=yes', async () => {
    expect((await send(lines(tool('x')), '?skipInvalid=yes')).body.error).toContain('skipInvalid')
  })

  test('is audited once, and not at all when it is refused', async () => {
    expect(await audited(service, () => send(lines(tool('a-1'), tool('a-2'))))).toEqual([
      expect.objectContaining({ action: 'catalog.import', actor: 'operator' }),
    ])
    expect(await audited(service, () => send('{'))).toEqual([])
  })
})

describe('GET /export after POST /import', () => {
  test('gives the same lines, from the same service and from an empty one', async () => {
    const before = await exported()
    expect((await send(before)).status).toBe(200)
    expect(await exported()).toBe(before)
    const empty = await startService()
    expect((await send(before, '', empty)).status).toBe(200)
    // The empty service makes new identifiers, so its lines may be in another order.
    expect((await exported(empty)).split('\n').sort()).toEqual(before.split('\n').sort())
    await empty.close()
  })
})

// This test comes last, because the large catalog makes every other test slower.
describe('POST /import of many lines', () => {
  test('accepts 3,000 lines, well over 256 KiB', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => tool(`bulk-${i}`, { description: 'a'.repeat(200) }))
    const reply = await send(lines(...many))
    expect(reply.body.data).toMatchObject({ imported: 3000 })
    expect((await service.rest('/tools?q=bulk')).body.pagination.total).toBe(3000)
  })

  test('names wrong lines by their numbers, and those that are given twice', async () => {
    const long = { description: 'a'.repeat(300) }
    const good = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => tool(`numbered-${from + i}`, long))
    const body = lines(
      ...good(0, 1500),
      '{bad',
      '',
      ...good(1502, 1500),
      tool('numbered-7'),
      tool('unknown-category', { ...long, category: 'none' }),
      'x'.repeat(1024 * 1024 + 1),
      ...good(3005, 1000),
      tool('numbered-2000', { name: '' }),
    )
    const wrong = [
      { line: 1501, error: expect.stringMatching(/^Not valid JSON: /) },
      { line: 3003, error: 'tool numbered-7 stands on line 8 already.' },
      { line: 3004, error: 'category none does not exist; create it first.' },
      { line: 3005, error: 'Longer than 1 MiB.' },
      { line: 4006, error: 'name must not be empty.' },
    ]
    const refused = await send(body)
    expect([refused.status, refused.body.rejectedCount]).toEqual([400, 5])
    expect(refused.body.rejected).toEqual(wrong)
    expect(await status('numbered-0')).toBe(404)
    const { data } = (await send(body, '?skipInvalid=true')).body
    expect(data).toEqual({ imported: 4000, created: 4000, replaced: 0, rejected: wrong, rejectedCount: 5 })
    expect((await service.rest('/tools?q=numbered')).body.pagination.total).toBe(4000)
    const again = (await send(lines(...good(0, 1499), tool('numbered-1499', { name: 'Renamed' })))).body.data
    expect(again).toMatchObject({ imported: 1500, created: 0, replaced: 1 })
  })
})
