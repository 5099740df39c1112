import { beforeAll, describe, expect, test } from 'vitest'
import { expectAudited } from '../harness/audit.ts'
import { CANARY, FULL_DIRECTORY, FULL_TOOL } from '../harness/fixture.ts'
import { expectFailure } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() =>
  service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'api', name: 'API' },
    { kind: 'tag', slug: 'open-source', name: 'Open Source' },
    { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
    { kind: 'directoryCategory', slug: 'ai', name: 'AI' },
  ]),
)

const put = async (path: string, body: unknown) => {
  const reply = await service.admin('PUT', path, body)
  await service.settled()
  return reply
}
const remove = async (path: string) => {
  const reply = await service.admin('DELETE', path)
  await service.settled()
  return reply
}
const read = (path: string) => service.rest(path)

describe('PUT of a category, tag or directory category', () => {
  test.each([
    ['/categories/code', '/categories', { name: 'Code', description: 'Programs.', icon: '💻', adult: false }],
    ['/tags/mobile', '/tags', { name: 'Mobile', adult: false }],
    ['/directory-categories/launch', '/directory-categories', { name: 'Launch' }],
  ])('creates or replaces %s', async (path, list, body) => {
    const slug = path.split('/').at(-1)!
    expect((await put(path, body)).body).toEqual({ success: true, data: { slug, ...body, version: 1 } })
    expect((await put(path, { ...body, name: 'Renamed' })).body.data.name).toBe('Renamed')
    const found = (await read(list)).body.data.filter((item: { slug: string }) => item.slug === slug)
    expect(found).toEqual([expect.objectContaining({ slug, name: 'Renamed' })])
    expect(found[0]).not.toHaveProperty('adult')
  })

  test('gives an omitted field its empty value', async () => {
    await put('/categories/bare', { name: 'Bare', description: 'x', icon: 'x', adult: true })
    expect((await put('/categories/bare', { name: 'Bare' })).body.data).toEqual({
      slug: 'bare',
      name: 'Bare',
      description: '',
      icon: '',
      adult: false,
      version: 2,
    })
  })

  test('changes the name and the adult flag in every listing that uses it', async () => {
    await put('/tags/shy', { name: 'Shy' })
    await put('/tools/tagged', { name: 'Tagged', tags: ['shy'] })
    await put('/tags/shy', { name: 'Bold', adult: true })
    expect((await read('/tools/tagged')).body.data.tags).toEqual([{ slug: 'shy', name: 'Bold' }])
    const slugs = async () => (await read('/tools?limit=100')).body.data.map(({ slug }: { slug: string }) => slug)
    expect(await slugs()).not.toContain('tagged')
    await put('/tags/shy', { name: 'Bold', adult: false })
    expect(await slugs()).toContain('tagged')
  })

  test.each(['Upper', 'two--hyphens', '-a', 'a b', 'ümlaut', 'a'.repeat(101), 'a_b'])(
    'answers 400 to the slug %s',
    async (slug) => {
      const reply = await put(`/tags/${encodeURIComponent(slug)}`, { name: 'x' })
      expect(reply.status).toBe(400)
      expect(expectFailure(reply.body)).toContain('slug')
    },
  )

  test('answers 400 and names every wrong field', async () => {
    const reply = await put('/categories/wrong', { description: 5, icon: [], adult: 'yes' })
    expect(reply.status).toBe(400)
    for (const field of ['name', 'description', 'icon', 'adult']) expect(expectFailure(reply.body)).toContain(field)
  })
})

describe.each([
  ['tool', '/tools', FULL_TOOL, { founderEmail: `${CANARY}@private.example` }],
  ['directory', '/directories', FULL_DIRECTORY, { submissionLink: `https://${CANARY}.example/submit` }],
] as const)('PUT and DELETE of a %s', (kind, base, full, secret) => {
  test('store all fields and the private ones, which only operators see', async () => {
    const body = { name: 'Whole', ...full, ...secret, published: true, createdAt: '2026-01-02T03:04:05.000Z' }
    const stored = await put(`${base}/whole`, body)
    expect(stored.status).toBe(200)
    expect(stored.body.data).toMatchObject({ slug: 'whole', ...body, id: expect.any(String) })
    const { text, body: shown } = await read(`${base}/whole`)
    expect(shown.data).toMatchObject({ id: stored.body.data.id, createdAt: body.createdAt, website: full.website })
    expect(text).not.toContain(CANARY)
    expect((await service.admin('GET', '/export')).text).toContain(CANARY)
  })

  test('give an omitted field its empty value, and published is true by default', async () => {
    await put(`${base}/emptied`, { name: 'Emptied', ...full })
    const { data } = (await put(`${base}/emptied`, { name: 'Emptied' })).body
    expect(data).toMatchObject({ published: true, website: '', icon: null, featured: false, socials: {} })
    expect((await read(`${base}/emptied`)).status).toBe(200)
  })

  test('keep id, opens and createdAt of a replaced listing unless they are sent', async () => {
    const opens = kind === 'tool' ? { opens: 77 } : {}
    const given = { name: 'Kept', createdAt: '2026-01-02T03:04:05.000Z', ...opens }
    const first = (await put(`${base}/kept`, given)).body.data
    const second = (await put(`${base}/kept`, { name: 'Kept again' })).body.data
    expect(second).toMatchObject({ id: first.id, createdAt: first.createdAt, name: 'Kept again', ...opens })
    const third = (await put(`${base}/kept`, { name: 'Kept', createdAt: '2025-01-01' })).body.data
    expect(third).toMatchObject({ id: first.id, createdAt: '2025-01-01T00:00:00.000Z' })
    expect(Date.parse(third.updatedAt)).toBeGreaterThan(Date.now() - 60_000)
  })

  test('with published=false hide it from every read', async () => {
    await put(`${base}/draft`, { name: 'Draftword', published: false })
    expect((await read(`${base}/draft`)).status).toBe(404)
    expect((await read(`${base}?q=draftword`)).body.pagination.total).toBe(0)
    await put(`${base}/draft`, { name: 'Draftword' })
    expect((await read(`${base}/draft`)).status).toBe(200)
  })

  test('answer 200 with the slug to a DELETE, then 404', async () => {
    await put(`${base}/gone`, { name: 'Gone' })
    expect((await remove(`${base}/gone`)).body).toEqual({ success: true, data: { slug: 'gone' } })
    expect((await read(`${base}/gone`)).status).toBe(404)
    expect((await remove(`${base}/gone`)).status).toBe(404)
  })

  test('answer 400 and name every wrong field, including wrong addresses and unknown references', async () => {
    const reference = kind === 'tool' ? 'category' : 'categories'
    const reply = await put(`${base}/wrong`, {
      name: 5,
      [kind === 'tool' ? 'pricing' : 'cost']: 'x',
      website: 'nonsense',
      domainRating: 101,
      socials: { x: 'javascript:alert(1)' },
      createdAt: 'yesterday',
      [reference]: kind === 'tool' ? 'no-such' : ['no-such'],
    })
    expect(reply.status).toBe(400)
    const error = expectFailure(reply.body)
    for (const field of [
      'name',
      kind === 'tool' ? 'pricing' : 'cost',
      'website',
      'domainRating',
      'socials',
      'createdAt',
      reference,
    ])
      expect(error).toContain(field)
    expect((await read(`${base}/wrong`)).status).toBe(404)
  })

  test.each(['9999-12-31T23:59:59-12:00', '0000-01-01', '2026-02-31', '2026-13-01T00:00:00Z', 'now', ''])(
    'answer 400 to createdAt %j',
    async (createdAt) => {
      const reply = await put(`${base}/when`, { name: 'When', createdAt })
      expect([createdAt, reply.status]).toEqual([createdAt, 400])
      expect(expectFailure(reply.body)).toContain('createdAt')
    },
  )

  test('answer 400 to addresses that browsers correct and other readers take for another host', async () => {
    for (const website of [
      'https:\\\\evil.example.com',
      'https:example.com',
      'https://exa\nmple.com',
      'https ://example.com',
      'https://user@example.com',
      'ftp://example.com',
    ]) {
      const reply = await service.admin('PUT', '/tools/address', { name: 'Address', website })
      expect([website, reply.status, reply.body.error]).toEqual([
        website,
        400,
        'website must be a complete http or https address.',
      ])
    }
    // Unlike a partner, an operator may name a host of the operator's own network.
    const inside = await service.admin('PUT', '/tools/address', { name: 'Address', website: 'http://intranet:8080/' })
    expect(inside.status).toBe(200)
  })

  test('show in the very next read', async () => {
    const path = `${base}/at-once`
    for (const name of ['First', 'Second', 'Third']) {
      await put(`${base}/at-once`, { name })
      expect((await service.rest(path)).body.data?.name).toBe(name)
    }
    await remove(`${base}/at-once`)
    expect((await service.rest(path)).status).toBe(404)
  })

  test('answer 400 to the reserved word top and to invalid slugs', async () => {
    for (const slug of ['top', 'Upper', 'a--b']) expect((await put(`${base}/${slug}`, { name: 'x' })).status).toBe(400)
  })

  test('are audited on every write', async () => {
    const subject = new RegExp(`^${kind}:audited$`)
    await expectAudited(service, `${kind}.put`, subject, () => put(`${base}/audited`, { name: 'Audited', ...secret }))
    await expectAudited(service, `${kind}.delete`, subject, () => remove(`${base}/audited`))
    expect((await service.admin('GET', '/audit?limit=1000')).text).not.toContain(CANARY)
  })
})
