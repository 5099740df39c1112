// POST /submit-ai-tool: what succeeds. Refusals are in submit-refusals.test.ts, budgets in submit-limits.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import { expectFailure, expectShape, type Shape } from '../support/shapes.ts'
import { newTool, queue, SHELVES, spellings, statusOf, submit, submitted } from '../support/submissions.ts'

let service: TestService
let key: string
beforeAll(async () => {
  service = await startService()
  await service.load(SHELVES)
  key = (await service.newPartner()).key
})
afterAll(() => service.close())

const SUBMITTED: Shape = {
  id: 'string',
  slug: 'string',
  name: 'string',
  url: 'string',
  website: 'string',
  category: 'named or null',
  tags: 'list of named',
  pricing: 'pricing',
  submissionState: 'string or null',
  paymentStatus: 'string',
  paymentLabel: 'string',
  targetDirectoriesCount: 'number',
  createdAt: 'time',
  created: 'boolean',
}
const send = (more: Record<string, unknown> = {}, as = key) => submit(service, as, newTool(more))
const listing = async (slug: string) => {
  await service.settled()
  return (await service.rest(`/tools/${slug}`)).body.data
}

describe('201', () => {
  test('data has exactly the fields of the contract', async () => {
    const reply = await send({
      name: 'Acme Writer',
      website: 'https://acme-writer.example.com/app',
      paymentType: 'pro',
    })
    expect(reply.status).toBe(201)
    expect(Object.keys(reply.body).sort()).toEqual(['data', 'success'])
    expectShape(reply.body.data, SUBMITTED)
    expect(reply.body).toEqual({
      success: true,
      data: {
        id: expect.any(String),
        slug: 'acme-writer',
        name: 'Acme Writer',
        url: `${service.origin}/tools/acme-writer`,
        website: 'https://acme-writer.example.com/app',
        category: { slug: 'writing', name: 'Writing' },
        tags: [{ slug: 'api', name: 'API' }],
        pricing: 'FREE',
        submissionState: 'IN_QUEUE',
        paymentStatus: 'PRO',
        paymentLabel: 'Pro (60+ directories)',
        targetDirectoriesCount: 60,
        createdAt: expect.any(String),
        created: true,
      },
    })
  })

  test.each(['authorization', 'x-api-key'])('the key may come as %s', async (header) => {
    const headers = { [header]: header === 'authorization' ? `Bearer ${key}` : key }
    expect((await submit(service, null, newTool(), { headers })).status).toBe(201)
  })

  test('the listing is published at once, over REST and MCP, without its founder’s e-mail address', async () => {
    const body = newTool({
      tags: ['api', 'Open Source'],
      pricing: 'PAID',
      location: ' Lisbon ',
      discountCode: 'TEN',
      affiliateLink: 'https://product.example.com/partners',
      video: 'https://vimeo.com/1234',
      socials: { x: 'https://x.com/product' },
      features: { Export: 'To every format.' },
      faq: [{ question: 'Is it free?', answer: 'No.' }],
    })
    const { data } = (await submit(service, key, body)).body
    const found = await listing(data.slug)
    expect(found).toMatchObject({
      id: data.id,
      url: data.url,
      name: body.name,
      tagline: body.tagline,
      description: body.description,
      website: body.website,
      category: { slug: 'writing', name: 'Writing' },
      tags: [
        { slug: 'api', name: 'API' },
        { slug: 'open-source', name: 'Open Source' },
      ],
      pricing: 'PAID',
      founderName: 'Ada Example',
      location: 'Lisbon',
      discountCode: 'TEN',
      affiliate: true,
      affiliateLink: body.affiliateLink,
      video: body.video,
      socials: body.socials,
      features: body.features,
      faqs: body.faq,
      rating: 0,
      opens: 0,
      featured: false,
    })
    expect(JSON.stringify(found)).not.toContain('ada@example.com')
    expect((await service.tool('get_tool', { slug: data.slug })).envelope.data).toEqual(found)
    const hits = (await service.rest(`/tools?q=${encodeURIComponent(body.name)}`)).body.data
    expect(hits.map((hit: { id: string }) => hit.id)).toContain(data.id)
  })

  test.each([
    ['starter', 'STARTER', 'Starter (30+ directories)', 30],
    ['pro', 'PRO', 'Pro (60+ directories)', 60],
    ['premium', 'PREMIUM', 'Premium (100+ directories)', 100],
  ])('paymentType %s: the state starts as IN_QUEUE', async (paymentType, status, label, count) => {
    expect(await submitted(service, key, { paymentType })).toMatchObject({
      submissionState: 'IN_QUEUE',
      paymentStatus: status,
      paymentLabel: label,
      targetDirectoriesCount: count,
    })
  })

  test.each([undefined, '', '  ', null])(
    'paymentType omitted (%j): the package stays waiting, submissionState is null',
    async (paymentType) => {
      expect(await submitted(service, key, { paymentType })).toMatchObject({
        submissionState: null,
        paymentStatus: 'WAITING',
        paymentLabel: 'Waiting',
        targetDirectoriesCount: 0,
      })
    },
  )

  test.each(['FREE', 'PAID', 'FREEMIUM'])('pricing %s', async (pricing) => {
    expect((await submitted(service, key, { pricing })).pricing).toBe(pricing)
  })

  test.each(['image-making', 'IMAGE-Making', 'Image & Design', ' image & DESIGN '])(
    'category %j is mapped by slug or name in any case',
    async (category) => {
      expect((await submitted(service, key, { category })).category).toEqual({
        slug: 'image-making',
        name: 'Image & Design',
      })
    },
  )

  test('tags may be empty', async () => {
    expect((await submitted(service, key, { tags: [] })).tags).toEqual([])
  })

  test('tags by slug or name in any case, each once; unknown ones are created', async () => {
    const tags = [
      'api',
      'API',
      ' Api ',
      'open source',
      'open-source',
      'Voice Cloning',
      'voice cloning',
      'voice-cloning',
      'Übersetzung',
      '',
    ]
    const expected = [
      { slug: 'api', name: 'API' },
      { slug: 'open-source', name: 'Open Source' },
      { slug: 'voice-cloning', name: 'Voice Cloning' },
      { slug: 'ubersetzung', name: 'Übersetzung' },
    ]
    const { slug, tags: answered } = await submitted(service, key, { tags })
    expect(answered).toEqual(expected)
    expect((await listing(slug)).tags).toEqual(expected)
    const known = (await service.rest('/tags?q=voice')).body.data
    expect(known).toEqual([{ slug: 'voice-cloning', name: 'Voice Cloning', toolsCount: 1 }])
  })

  test('strings are trimmed, and lengths count Unicode code points after that', async () => {
    const name = '🦉'.repeat(100)
    const tagline = 'e\u0301'.repeat(100)
    const data = await submitted(service, key, { name: `  ${name}\n`, tagline: `\t${tagline}  ` })
    expect(data.name).toBe(name)
    expect((await listing(data.slug)).tagline).toBe(tagline)
  })

  test('unknown body fields are ignored, also those that administrators may write', async () => {
    const data = await submitted(service, key, {
      nonsense: { deep: [1] },
      id: 'mine',
      featured: true,
      opens: 1_000_000,
      rating: 5,
      published: false,
      isForSale: true,
      submissionState: 'DONE',
      createdAt: '2001-01-01T00:00:00Z',
    })
    expect(data.id).not.toBe('mine')
    const found = await listing(data.slug)
    expect(found).toMatchObject({ featured: false, opens: 0, rating: 0, isForSale: false })
    expect(Date.now() - Date.parse(found.createdAt)).toBeLessThan(60_000)
  })

  test('every optional field may be null', async () => {
    const names =
      'slug icon frame screenshots video socials features faq affiliate affiliateLink discountCode location foundingDate isCustomer isLaunched'
    await submitted(service, key, Object.fromEntries(names.split(' ').map((name) => [name, null])))
  })
})

describe('201: the slug', () => {
  const slugOf = async (more: Record<string, unknown>) => (await submitted(service, key, more)).slug

  test('is made from the name, and unique by a number', async () => {
    const name = 'Slug: Made, From & Name!'
    expect(await slugOf({ name })).toBe('slug-made-from-name')
    expect(await slugOf({ name })).toBe('slug-made-from-name-2')
    expect(await slugOf({ name })).toBe('slug-made-from-name-3')
  })

  test('may be given, and is made unique too', async () => {
    expect(await slugOf({ slug: 'chosen-one' })).toBe('chosen-one')
    expect(await slugOf({ slug: 'chosen-one' })).toBe('chosen-one-2')
    expect(await slugOf({ slug: ' Chosen ONE ' })).toBe('chosen-one-3')
  })

  test('has lower-case ASCII letters, digits and hyphens only', async () => {
    expect(await slugOf({ name: 'Größe & Café Ærø №5' })).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(await slugOf({ name: 'Crème Brûlée' })).toBe('creme-brulee')
    expect(await slugOf({ slug: '../../Etc/Passwd' })).toBe('etc-passwd')
  })

  test.each([
    ['日本語ツール', 'https://nihongo.example.com'],
    ['🦉🦉', 'https://owls.example.com'],
  ])('of a name without such letters (%s) comes from the website', async (name, website) => {
    expect(await slugOf({ name, website })).toBe(new URL(website).hostname.replaceAll('.', '-'))
  })

  test('is never the reserved word top', async () => {
    for (const more of [{ name: 'Top' }, { slug: 'top' }, { slug: 'TOP' }]) {
      const slug = await slugOf(more)
      expect(slug).toMatch(/^top-\d+$/)
      expect((await listing(slug)).slug).toBe(slug)
    }
  })

  test('of a long name stays a slug that can be read', async () => {
    const slug = await slugOf({ name: 'long '.repeat(20).trim() })
    expect(slug.length).toBeLessThanOrEqual(100)
    expect((await listing(slug)).slug).toBe(slug)
  })
})

describe('200: the same website again', () => {
  test('changes nothing and returns the first submission with created: false', async () => {
    const website = 'https://again.example.com/app'
    const first = await submitted(service, key, { website, name: 'First', paymentType: 'starter' })
    const before = await listing(first.slug)
    const audit = (await service.admin('GET', '/audit')).text
    for (const spelling of spellings(website)) {
      const reply = await send({ website: spelling, name: 'Second', tags: ['brand-new'], paymentType: 'premium' })
      expect([reply.status, reply.body]).toEqual([200, { success: true, data: { ...first, created: false } }])
    }
    expect(await listing(first.slug)).toEqual(before)
    expect((await service.rest('/tags?q=brand')).body.data).toEqual([])
    expect((await service.admin('GET', '/audit')).text).toBe(audit)
  })

  test('another path, port or host is another website', async () => {
    const made = []
    for (const website of [
      'https://differs.example.com',
      'https://differs.example.com/a',
      'https://differs.example.com/A',
      'https://differs.example.com:8443',
      'https://app.differs.example.com',
    ])
      made.push((await submitted(service, key, { website })).id)
    expect(new Set(made).size).toBe(5)
  })
})

describe('201: two partners', () => {
  test('share the listing; each has a submission of its own and neither sees the other’s', async () => {
    const [a, b] = [await service.newPartner(), await service.newPartner()]
    const website = 'https://shared.example.com'
    const first = await submitted(service, a.key, { website, name: 'Shared', paymentType: 'premium' })
    const second = (await send({ website: 'http://www.shared.example.com/', name: 'Other Name' }, b.key)).body.data
    expect(second).toMatchObject({ id: first.id, slug: 'shared', name: 'Shared', created: true })
    expect([first.paymentStatus, second.paymentStatus]).toEqual(['PREMIUM', 'WAITING'])
    const of = async (partner: { key: string }) => (await statusOf(service, partner.key, { website })).body.data
    expect(await of(a)).toMatchObject({ tool: { paymentStatus: 'PREMIUM' }, submissionState: 'IN_QUEUE' })
    expect(await of(b)).toMatchObject({ tool: { paymentStatus: 'WAITING' }, submissionState: null })
    expect(await queue(service, { client: a.id })).toHaveLength(1)
    expect(await queue(service, { client: b.id })).toHaveLength(1)
  })

  test('a listing that administrators made is shared too', async () => {
    await service.admin('PUT', '/tools/house-tool', { name: 'House Tool', website: 'https://house.example.com/' })
    const data = await submitted(service, key, { website: 'http://www.house.example.com' })
    expect(data).toMatchObject({ slug: 'house-tool', name: 'House Tool', category: null, created: true })
  })
})

describe('Idempotency-Key', () => {
  const keyed = (idempotencyKey: string, body: unknown, as = key) =>
    submit(service, as, body, { headers: { 'idempotency-key': idempotencyKey } })

  test('same key and body, same answer, status included', async () => {
    const body = newTool({ paymentType: 'starter' })
    const first = await keyed('retry-1', body)
    expect(first.status).toBe(201)
    const [{ id }] = (await queue(service)).filter((item) => item.toolId === first.body.data.id) as [{ id: string }]
    await service.admin('PATCH', `/submissions/${id}`, { state: 'REVIEW' })
    const again = await keyed('retry-1', body)
    expect([again.status, again.text]).toEqual([201, first.text])
    // Without the key the second call is a 200.
    expect((await submit(service, key, body)).status).toBe(200)
  })

  test('same key and another body, 400; the first answer stays', async () => {
    const body = newTool()
    const first = await keyed('retry-2', body)
    const other = await keyed('retry-2', { ...body, tagline: 'Another' })
    expect(other.status).toBe(400)
    expect(expectFailure(other.body)).toContain('Idempotency-Key')
    expect((await keyed('retry-2', body)).text).toBe(first.text)
  })

  test('belongs to one partner', async () => {
    const other = (await service.newPartner()).key
    const mine = await keyed('retry-3', newTool())
    const theirs = await keyed('retry-3', newTool(), other)
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect(theirs.body.data.id).not.toBe(mine.body.data.id)
  })

  test('a refused request does not use the key up', async () => {
    const body = newTool()
    expect((await keyed('retry-4', { ...body, name: '' })).status).toBe(400)
    expect((await keyed('retry-4', body)).status).toBe(201)
  })

  test('ten at once give one submission and ten equal answers', async () => {
    const partner = await service.newPartner()
    const body = newTool()
    const replies = await Promise.all(Array.from({ length: 10 }, () => keyed('retry-5', body, partner.key)))
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(replies[0]!.status).toBe(201)
    expect(await queue(service, { client: partner.id })).toHaveLength(1)
  })

  test('of more than 255 characters, 400', async () => {
    expect((await keyed('k'.repeat(255), newTool())).status).toBe(201)
    expect((await keyed('k'.repeat(256), newTool())).status).toBe(400)
  })
})
