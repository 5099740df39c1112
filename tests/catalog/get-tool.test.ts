// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { onBoth } from '../harness/both-transports.ts'
import { CANARY, FIXTURE, FULL_TOOL, publishedTools, TOOLS } from '../harness/fixture.ts'
import { expectFailure, TOOL_EXTRAS } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(FIXTURE))

const tool = (slug: unknown) => onBoth(service, 'get_tool', { slug })

describe('GET /tools/:slug', () => {
  test('answers with one Tool object and its extra fields', async () => {
    const { data } = await tool('full-house')
    expect(data).toMatchObject({
      ...FULL_TOOL,
      slug: 'full-house',
      name: 'Full House',
      url: `${service.origin}/tools/full-house`,
      category: { slug: 'writing', name: 'writing' },
      tags: [
        { slug: 'api', name: 'API' },
        { slug: 'open-source', name: 'Open Source' },
      ],
      featured: false,
      createdAt: TOOLS.find((line) => line.slug === 'full-house')!.createdAt,
    })
  })

  test('takes a slug with blanks around it', async () => {
    expect(await onBoth(service, 'get_tool', { slug: ' full-house ' })).toMatchObject({ data: { slug: 'full-house' } })
  })

  test('gives null or the empty value of its type for a field that was never filled in', async () => {
    const { data } = await tool('bare-bones')
    const { id, slug, name, url, website, createdAt, updatedAt, ...rest } = data
    expect(rest).toEqual({
      tagline: '',
      description: '',
      category: null,
      tags: [],
      pricing: 'FREE',
      rating: 0,
      opens: 0,
      featured: false,
      icon: null,
      frame: null,
      founderName: null,
      location: null,
      domainRating: null,
      isForSale: false,
      askingPrice: 0,
      discountCode: '',
      affiliate: false,
      screenshots: [],
      video: null,
      socials: {},
      faqs: [],
      features: {},
      affiliateLink: null,
    })
  })

  test('has the same common fields as the search', async () => {
    const { data: found } = await onBoth(service, 'search_tools', { limit: 100 })
    for (const summary of found.slice(0, 5)) {
      const { data } = await tool(summary.slug)
      const common = Object.entries(data).filter(([field]) => !(field in TOOL_EXTRAS))
      expect(Object.fromEntries(common)).toEqual(summary)
    }
  })

  test.each(['red-room', 'velvet', 'boudoir', 'after-dark'])(
    'finds adult listings too, because naming one is opting in: %s',
    async (slug) => expect((await tool(slug)).data.slug).toBe(slug),
  )

  test('never returns the e-mail address of the founder', async () => {
    for (const { slug } of publishedTools) expect(JSON.stringify(await tool(slug))).not.toContain(CANARY)
  })
})

describe('GET /tools/:slug answers 404', () => {
  test.each([
    ['unknown', 'no-such-tool'],
    ['not published', 'hidden-draft'],
    ['that of a directory', 'launch-list'],
    ['spelt in another case', 'Full-House'],
    ['a name of every object', 'constructor'],
    ['a prototype', '__proto__'],
    ['spelt with a slash', 'full/house'],
    ['2,000 characters long', 'a'.repeat(2000)],
    ['of another script', '写作'],
  ])('to a slug that is %s', async (_case, slug) => {
    expect(await onBoth(service, 'get_tool', { slug }, 404)).toEqual({
      success: false,
      error: 'Tool not found.',
      code: 'not_found',
    })
  })
})

describe('get_tool over MCP answers 400', () => {
  test.each([[{}], [{ slug: null }], [{ slug: '' }]])('when slug is missing: %o', async (input) => {
    const { isError, text } = await service.tool('get_tool', input)
    expect(isError).toBe(true)
    expect(expectFailure(JSON.parse(text))).toContain('slug')
  })

  test.each([[['full-house']], [{ a: 1 }]])('when slug is no text: %o', async (slug) => {
    const { isError, text } = await service.tool('get_tool', { slug })
    expect(isError).toBe(true)
    expect(expectFailure(JSON.parse(text))).toContain('slug')
  })
})
