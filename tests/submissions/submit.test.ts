// POST /submit-ai-tool: what succeeds. Other files: again, refusals, bodies, limits, parallel.
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { expectShape, type Shape } from '../harness/shapes.ts'
import { newTool, SUBMISSION_CATALOG, submit, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  key = (await service.newPartner()).key
})

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

  test.each(['authorization', 'x-api-key'])('the key may be sent as %s', async (header) => {
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

  test('tags are found by slug or name in any case, each once; unknown ones are created', async () => {
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

  test('categories and tags of other alphabets are found by name in any case', async () => {
    await service.load([
      { kind: 'category', slug: 'ecriture', name: 'Écriture Ærlig' },
      { kind: 'tag', slug: 'greek', name: 'ΟΔΥΣΣΕΥΣ' },
      { kind: 'tag', slug: 'cyrillic', name: 'Перевод' },
    ])
    const data = await submitted(service, key, { category: ' éCRITURE æRLIG ', tags: ['οδυσσευς', 'ПЕРЕВОД'] })
    expect(data.category).toEqual({ slug: 'ecriture', name: 'Écriture Ærlig' })
    expect(data.tags.map((tag: { slug: string }) => tag.slug)).toEqual(['greek', 'cyrillic'])
  })

  test('tags of other alphabets are created too, each with its own slug', async () => {
    const first = await submitted(service, key, { tags: ['日本語', '中文', 'Русский'] })
    expect(first.tags.map(({ name }: { name: string }) => name)).toEqual(['日本語', '中文', 'Русский'])
    for (const { slug } of first.tags) expect(slug).toMatch(/^[a-z0-9-]+$/)
    expect((await submitted(service, key, { tags: [' 日本語 ', 'русский'] })).tags).toEqual([
      first.tags[0],
      first.tags[2],
    ])
  })

  test('a tag may have any name, and its export can be imported', async () => {
    expect((await submitted(service, key, { tags: ['top'] })).tags).toEqual([{ slug: 'top', name: 'top' }])
    const body = (await service.admin('GET', '/export')).text
    const options = { method: 'POST', key: ADMIN_TOKEN, type: 'application/x-ndjson', body }
    expect((await service.fetch('/api/admin/import', options)).status).toBe(200)
  })

  test('the next read finds the listing', async () => {
    for (let i = 0; i < 5; i++) {
      const { slug, name } = (await submit(service, key, newTool())).body.data
      expect((await service.rest(`/tools/${slug}`)).body.data?.name).toBe(name)
    }
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

  test('each detail alone reaches administrators', async () => {
    const details = { affiliate: '20 % for a year', foundingDate: 'Spring 2024', isCustomer: true, isLaunched: false }
    for (const [name, value] of Object.entries(details)) {
      const { id } = await submitted(service, key, { [name]: value })
      const { tool } = (await service.admin('GET', `/submissions/${id}`)).body.data
      expect(tool[name === 'affiliate' ? 'affiliateText' : name], name).toBe(value)
    }
  })

  test('every optional field may be null', async () => {
    const names =
      'slug icon frame screenshots video socials features faq affiliate affiliateLink discountCode location foundingDate isCustomer isLaunched'
    await submitted(service, key, Object.fromEntries(names.split(' ').map((name) => [name, null])))
  })
})

describe('201: the slug', () => {
  const slugOf = async (more: Record<string, unknown>) => (await submitted(service, key, more)).slug

  test('is made from the name, and made unique by a number', async () => {
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

  test('of a long name stays readable', async () => {
    const slug = await slugOf({ name: 'long '.repeat(20).trim() })
    expect(slug.length).toBeLessThanOrEqual(100)
    expect((await listing(slug)).slug).toBe(slug)
  })
})
