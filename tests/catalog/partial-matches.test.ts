// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { addressOf, onBoth, operationNamed } from '../harness/both-transports.ts'
import { useService } from '../harness/use.ts'

const tool = (slug: string, name: string, tagline: string, description = '', more: object = {}) => ({
  kind: 'tool',
  slug,
  name,
  tagline,
  description,
  website: `https://${slug}.example.com`,
  pricing: 'FREE',
  ...more,
})

const TOOLS = [
  { kind: 'category', slug: 'audio', name: 'Audio' },
  { kind: 'category', slug: 'nsfw', name: 'NSFW', adult: true },
  tool(
    'meeting-minutes',
    'Meeting Minutes',
    'Takes notes in Zoom and Teams meetings',
    'Joins the call and writes it down automatically.',
  ),
  tool('clip-maker', 'Clip Maker', 'Cuts podcasts into short clips', 'For people who publish a podcast every week.', {
    category: 'audio',
  }),
  tool('podcast-host', 'Podcast Host', 'Publishes your podcast everywhere', '', { category: 'audio', pricing: 'PAID' }),
  tool('adult-podcast', 'Night Podcast', 'A podcast for adults', '', { category: 'nsfw' }),
  tool('recipe-book', 'Recipe Book', 'Suggests dinners from what is in the fridge'),
  tool('chatgpt', 'ChatGPT', 'Answers in dialogue'),
  tool('eleven-labs', 'Eleven Labs', 'Text-to-speech with natural voices'),
  tool('node-helper', 'Server Helper', 'Writes node.js, C++, C# and .NET code', 'Knows GPT-4o and gpt-3.5.'),
  tool('cad', 'Shape', 'Makes 3D models'),
  tool('summary', 'Shortener', 'Summarizes and organizes long reports', 'In the colors of your catalog.'),
  // Common words, so that a listing is not found for one of them alone.
  ...Array.from({ length: 60 }, (_, i) =>
    tool(`filler-${i}`, `Filler ${i}`, 'Common words of an assistant that everyone has'),
  ),
]

const service = useService()
beforeAll(() =>
  service.load([
    ...TOOLS,
    {
      kind: 'directory',
      slug: 'product-hunt',
      name: 'Product Hunt',
      website: 'https://ph.example.com',
      cost: 'Free',
      type: 'DoFollow',
      smallDescription: 'Launch new products every day',
    },
    {
      kind: 'directory',
      slug: 'beta-list',
      name: 'BetaList',
      website: 'https://bl.example.com',
      cost: 'Paid',
      type: 'DoFollow',
      smallDescription: 'Early startups look for testers',
    },
  ]),
)

const find = async (input: Record<string, unknown>, operation = 'search_tools') => {
  const { data, pagination } = await onBoth(service, operation, { limit: 100, ...input })
  expect(pagination.total).toBe(data.length)
  return data.map(({ slug }: { slug: string }) => slug)
}
const slugsOver = async (query: string) =>
  (await service.rest(`/tools?${query}`)).body.data.map(({ slug }: { slug: string }) => slug)
const matchOf = async (query: string) => (await service.rest(`/tools?${query}`)).headers.get('x-catalog-match')

/** The answer to a request for some of the fields, which the full schema does not describe; the same over REST and MCP. */
async function selected(name: string, input: Record<string, unknown>): Promise<any> {
  const { text, body } = await service.rest(addressOf(operationNamed(name), input))
  expect((await service.tool(name, input)).text).toBe(text)
  return body
}

describe('a search', () => {
  test('in a sentence finds what the sentence describes, although no listing has all of its words', async () => {
    const [first] = await find({ q: 'which tool can take notes in my Zoom meetings automatically' })
    expect(first).toBe('meeting-minutes')
  })

  test('puts full matches first and the best partial matches after them', async () => {
    expect(await find({ q: 'podcast clips' })).toEqual(['clip-maker', 'podcast-host'])
  })

  test('in other words than the listing finds it by meaning', async () => {
    expect(await find({ q: 'cooking ideas' })).toEqual(['recipe-book'])
  })

  test('in directories works the same', async () => {
    expect((await find({ q: 'where can I launch my new product' }, 'search_directories'))[0]).toBe('product-hunt')
    expect(await find({ q: 'beta list' }, 'search_directories')).toEqual(['beta-list'])
  })

  test('says in X-Catalog-Match, and over MCP in _meta, whether some matches are partial', async () => {
    expect(await matchOf('q=podcast+clips')).toBe('partial')
    expect(await matchOf('q=podcast')).toBe('full')
    expect(await matchOf('q=xqzvv')).toBe('full')
    expect(await matchOf('')).toBe('full')
    for (const [q, match] of [
      ['podcast clips', 'partial'],
      ['podcast', 'full'],
    ]) {
      const { result } = await service.tool('search_tools', { q })
      expect(result.result._meta['catalog/match']).toBe(match)
    }
  })

  test('with match=full has full matches only', async () => {
    expect(await slugsOver('q=podcast+clips&match=full')).toEqual(['clip-maker'])
    expect(await matchOf('q=podcast+clips&match=full')).toBe('full')
    expect((await service.rest('/tools?match=some')).status).toBe(400)
  })

  test('of one word that a listing has, or of the whole name of a listing, has full matches only', async () => {
    expect(await matchOf('q=podcasts')).toBe('full')
    expect(await find({ q: 'Clip Maker' })).toEqual(['clip-maker'])
    expect(await matchOf('q=Clip+Maker')).toBe('full')
  })

  test('with five full matches has no partial ones', async () => {
    expect(await find({ q: 'filler assistant' })).toHaveLength(60)
    expect(await matchOf('q=filler+assistant')).toBe('full')
  })

  test('keeps its filters for partial matches', async () => {
    const q = 'how do I publish a podcast about cooking'
    // The last one has to do with cooking, although it has none of the words.
    expect(await find({ q })).toEqual(['podcast-host', 'clip-maker', 'recipe-book'])
    expect(await find({ q, pricing: 'PAID' })).toEqual(['podcast-host'])
    expect(await find({ q, category: 'nsfw' })).toEqual(['adult-podcast'])
  })

  test('finds nothing for words of asking, and nothing that shares only a common word with it', async () => {
    expect(await find({ q: 'I need something that can help me please' })).toEqual([])
    expect(await find({ q: 'an assistant that everyone has for quantum chromodynamics' })).toEqual([])
  })
})

describe('words', () => {
  test.each([
    ['chat gpt', 'chatgpt'],
    ['ChatGPT', 'chatgpt'],
    ['elevenlabs', 'eleven-labs'],
    ['eleven labs', 'eleven-labs'],
    ['text to speech', 'eleven-labs'],
    ['text-to-speech', 'eleven-labs'],
    ['texttospeech', 'eleven-labs'],
    ['node.js', 'node-helper'],
    ['nodejs', 'node-helper'],
    ['node js', 'node-helper'],
    ['c++', 'node-helper'],
    ['C#', 'node-helper'],
    ['.net', 'node-helper'],
    ['gpt-4o', 'node-helper'],
    ['gpt4o', 'node-helper'],
    ['gpt 3.5', 'node-helper'],
    ['3d', 'cad'],
    ['summarise', 'summary'],
    ['organised colours', 'summary'],
    ['catalogue', 'summary'],
  ])('are found however they are joined, split or spelled: %s', async (q, slug) => {
    expect((await find({ q }))[0]).toBe(slug)
    expect(await slugsOver(`match=full&q=${encodeURIComponent(q)}`)).toContain(slug)
  })
})

describe('fields', () => {
  test('name what is returned, in the order of the specification, with the slug', async () => {
    const { data } = await selected('search_tools', { q: 'Clip Maker', fields: 'tagline, name' })
    expect(JSON.stringify(data)).toBe(
      '[{"slug":"clip-maker","name":"Clip Maker","tagline":"Cuts podcasts into short clips"}]',
    )
    const one = await selected('get_tool', { slug: 'clip-maker', fields: 'faqs,name' })
    expect(one.data).toEqual({ slug: 'clip-maker', name: 'Clip Maker', faqs: [] })
    const top = await selected('get_top_tools', { limit: 1, fields: 'opens' })
    expect(Object.keys(top.data[0])).toEqual(['slug', 'opens'])
    const directory = await selected('get_directory', { slug: 'beta-list', fields: 'cost' })
    expect(directory.data).toEqual({ slug: 'beta-list', cost: 'Paid' })
    const directories = await selected('search_directories', { q: 'beta list', fields: 'name' })
    expect(directories.data).toEqual([{ slug: 'beta-list', name: 'BetaList' }])
  })

  test('that do not exist are a 400 that lists the names', async () => {
    const { error } = await onBoth(service, 'search_tools', { fields: 'name,founderEmail' }, 400)
    expect(error).toMatch(/founderEmail.*The fields are id, slug, name, tagline/)
    expect((await service.rest('/tools?fields=constructor')).status).toBe(400)
  })

  test('that are blank return every field', async () => {
    const { data } = await selected('get_tool', { slug: 'clip-maker', fields: '' })
    expect(data).toHaveProperty('website')
  })
})
