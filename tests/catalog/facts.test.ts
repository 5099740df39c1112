// @module-tag once
// The facts that questions state: each row of the rules in at least five spellings, in both catalogs, over REST, MCP and the site.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FACTS } from '../../src/features/catalog/questions/facts.rules.ts'
import { onBoth } from '../harness/both-transports.ts'
import { startService, type TestService } from '../harness/service.ts'

const directory = (slug: string, more: object = {}) => ({
  kind: 'directory',
  slug,
  name: slug,
  website: `https://${slug}.example.com`,
  cost: 'Free',
  type: 'DoFollow',
  domainRating: 50,
  ...more,
})
const DIRECTORIES = [
  directory('alpha', { domainRating: 80, smallDescription: 'Robots and podcasts' }),
  directory('beta', { cost: 'Freemium', domainRating: 60, minimumPrice: 20, requiresBadge: true }),
  directory('gamma', { cost: 'Paid', minimumPrice: 50, type: 'NoFollow', domainRating: 90 }),
  directory('delta', { cost: 'Paid', minimumPrice: 200, domainRating: 30, requiresBadge: true }),
  directory('epsilon', { type: 'NoFollow', domainRating: null, smallDescription: 'Podcasts' }),
  directory('zeta', { domainRating: 45.5, requiresBadge: true, categories: ['robots'] }),
]
const tool = (slug: string, pricing: string, more: object = {}) => ({
  kind: 'tool',
  slug,
  name: slug,
  tagline: 'Makes things',
  description: 'It makes things.',
  website: `https://${slug}.example.com`,
  pricing,
  ...more,
})
const TOOLS = [
  tool('quill', 'FREE', { tagline: 'Writes mails', opens: 1 }),
  tool('scribe', 'FREEMIUM', { tagline: 'Writes mails', opens: 9, tags: ['meeting-notes'] }),
  tool('author', 'PAID', { tagline: 'Writes mails', tags: ['robots'] }),
  tool('painter', 'FREE', { tagline: 'Paints robots', opens: 50, category: 'writing' }),
]

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'robots', name: 'Robots' },
    { kind: 'tag', slug: 'meeting-notes', name: 'Meeting notes' },
    { kind: 'directoryCategory', slug: 'robots', name: 'Robots' },
    ...TOOLS,
    ...DIRECTORIES,
  ])
})
afterAll(() => service.close())

interface Found {
  slugs: string[]
  match: string | null
  understood: string | null
  missing: string | null
}

async function asked(path: 'tools' | 'directories', q: string, more = ''): Promise<Found> {
  const { body, headers } = await service.rest(`/${path}?limit=100&q=${encodeURIComponent(q)}${more}`)
  return {
    slugs: body.data.map(({ slug }: { slug: string }) => slug),
    match: headers.get('x-catalog-match'),
    understood: headers.get('x-catalog-understood'),
    missing: headers.get('x-catalog-missing'),
  }
}

type Row = [fact: string, understood: string, slugs: string[], said: string[]]

// In the order of Domain Rating, free ones before freemium ones.
const IN_DIRECTORIES: Row[] = [
  [
    'free',
    'cost=Free',
    ['alpha', 'zeta', 'epsilon', 'beta'],
    ['free directories', 'directories for free', 'a directory that costs nothing', 'no cost', 'sites without paying'],
  ],
  [
    'freemium',
    'cost=Freemium',
    ['beta'],
    ['freemium', 'directories with a free plan', 'free trial', 'free-plan', 'a site with a free tier'],
  ],
  [
    'paid',
    'cost=Paid',
    ['gamma', 'delta'],
    ['paid directory', 'premium directories', 'not free', 'Paid', 'directories that are not for free'],
  ],
  [
    'dofollow',
    'type=DoFollow',
    ['alpha', 'beta', 'zeta', 'delta'],
    ['dofollow', 'do-follow links', 'do follow backlinks', 'directories with followed links', 'DoFollow link'],
  ],
  [
    'nofollow',
    'type=NoFollow',
    ['gamma', 'epsilon'],
    ['nofollow', 'no-follow', 'directories with no follow links', 'not dofollow', 'NoFollow backlinks'],
  ],
  [
    'badge',
    'badge=required',
    ['beta', 'zeta', 'delta'],
    ['with a badge', 'badge required', 'directories that require a badge', 'sites with badges', 'needs a badge'],
  ],
  [
    'no badge',
    'badge=none',
    ['gamma', 'alpha', 'epsilon'],
    ['without a badge', 'no badge', 'directories without badges', 'badge-free', 'sites that do not require a badge'],
  ],
  [
    'least domain rating',
    'minDomainRating=60',
    ['gamma', 'alpha', 'beta'],
    ['DR 60', 'DR above 60', 'DR over 60', 'domain rating at least 60', 'DR 60+', 'directories with DR of 60 or more'],
  ],
  [
    'least domain rating',
    'minDomainRating=60',
    ['gamma', 'alpha', 'beta'],
    ['DR not below 60', 'DR no less than 60', 'DR not under 60', 'not below DR 60', 'no less than 60 DR'],
  ],
  [
    'domain rating below',
    'maxDomainRating=59.99',
    ['zeta', 'delta'],
    ['DR below 60', 'DR under 60', 'domain rating less than 60', 'not DR 60+', 'directories under DR 60'],
  ],
  [
    'highest domain rating',
    'maxDomainRating=60',
    ['beta', 'zeta', 'delta'],
    ['DR at most 60', 'DR up to 60', 'domain rating max 60', 'at most DR 60', 'DR of at most 60'],
  ],
  [
    'domain rating between',
    'minDomainRating=40, maxDomainRating=60',
    ['beta', 'zeta'],
    ['DR between 40 and 60', 'DR 40-60', 'DR 40 – 60', 'from DR 40 to 60', 'domain rating of 40 to 60', 'DR 60-40'],
  ],
  [
    'highest price',
    'maxPrice=1000',
    ['gamma', 'alpha', 'beta', 'zeta', 'delta', 'epsilon'],
    ['under $1,000', 'at most 1,000 dollars', 'up to $1,000', '$1,000', 'sites under 1,000 euros'],
  ],
  [
    'highest price',
    'maxPrice=50',
    ['gamma', 'alpha', 'beta', 'zeta', 'epsilon'],
    ['under $50', 'at most 50 dollars', 'up to $50', '$50', '50 dollars', 'directories under 50 euros'],
  ],
  [
    'highest price without a sign',
    'maxPrice=50',
    ['gamma', 'alpha', 'beta', 'zeta', 'epsilon'],
    ['under 50', 'at most 50', 'up to 50', 'sites under 50', 'below 50'],
  ],
  [
    'lowest price',
    'minPrice=50',
    ['gamma', 'delta'],
    ['over $50', 'at least 50 dollars', 'more than $50', '$50+', 'directories from $50'],
  ],
  [
    'lowest price',
    'minPrice=50',
    ['gamma', 'delta'],
    ['not under $50', 'no less than $50', 'not below 50 dollars', 'not less than $50', 'not under 50'],
  ],
  [
    'price between',
    'minPrice=20, maxPrice=50',
    ['gamma', 'beta'],
    [
      'between $20 and $50',
      '$20-$50',
      '$20-50',
      '$20 to $50',
      '20-50 dollars',
      'directories from $20 to $50',
      '$20 - 50',
    ],
  ],
]

const IN_TOOLS: Row[] = [
  [
    'free',
    'pricing=FREE',
    ['painter', 'quill', 'scribe'],
    ['free tools', 'apps for free', 'a tool that costs nothing', 'no cost', 'software without paying'],
  ],
  [
    'freemium',
    'pricing=FREEMIUM',
    ['scribe'],
    ['freemium', 'free plan', 'free trial', 'a tool with a free plan', 'FREEMIUM'],
  ],
  [
    'paid',
    'pricing=PAID',
    ['author'],
    ['paid', 'premium tools', 'not free', 'non-free', 'tools that are not for free'],
  ],
]

describe('facts in a question', () => {
  const cases = (rows: Row[]) =>
    rows.flatMap(([fact, understood, slugs, said]) => said.map((q) => ({ fact, q, understood, slugs })))

  test.each(cases(IN_DIRECTORIES))('of directories: $fact, said as "$q"', async ({ q, understood, slugs }) => {
    expect(await asked('directories', q)).toEqual({ slugs, understood, match: 'full', missing: null })
  })

  test.each(cases(IN_TOOLS))('of tools: $fact, said as "$q"', async ({ q, understood, slugs }) => {
    expect(await asked('tools', q)).toEqual({ slugs, understood, match: 'full', missing: null })
  })

  test('are held in every row by five spellings', () => {
    for (const rows of [IN_DIRECTORIES, IN_TOOLS])
      for (const [, , , said] of rows) expect(said.length).toBeGreaterThan(4)
    const names = (kind: 'tool' | 'directory') => FACTS.filter((row) => row[kind]).map(({ fact }) => fact)
    expect([...new Set(IN_DIRECTORIES.map(([fact]) => fact))]).toEqual(names('directory'))
    expect(IN_TOOLS.map(([fact]) => fact)).toEqual(names('tool'))
  })

  test('are combined, and the words of asking around them are not needed', async () => {
    expect(await asked('directories', 'free directories with a DoFollow link and DR over 60')).toEqual({
      slugs: ['alpha', 'beta'],
      understood: 'cost=Free, type=DoFollow, minDomainRating=60',
      match: 'full',
      missing: null,
    })
  })

  test.each([
    ['free or paid directories', 6],
    ['free, not freemium', 3],
    ['DR over 40 and under 80', 2],
    ['not free and not paid', 0],
    ['not freemium, not paid', 3],
  ])('about one field: %s', async (q, count) => {
    expect((await asked('directories', q)).slugs).toHaveLength(count)
  })

  test('stand beside words, which are searched as before', async () => {
    const { slugs, ...others } = await asked('directories', 'free directories about podcasts')
    expect(slugs.toSorted()).toEqual(['alpha', 'epsilon'])
    expect(others).toEqual({ understood: 'cost=Free', match: 'full', missing: null })
    expect((await asked('tools', 'free tool that writes mails', '&match=full')).slugs).toEqual(['quill', 'scribe'])
  })

  test('that no listing has with these words leave listings that lack them, as partial matches', async () => {
    const { slugs, ...others } = await asked('directories', 'paid directories about podcasts')
    expect(slugs.toSorted()).toEqual(['alpha', 'epsilon'])
    expect(others).toEqual({ understood: 'cost=Paid', match: 'partial', missing: null })
    expect((await asked('directories', 'paid directories about podcasts', '&match=full')).slugs).toEqual([])
    expect((await asked('directories', 'paid directories about podcasts and zzzzz')).missing).toBe('zzzzz')
  })

  test('are said to be had by no listing only where that is so', async () => {
    const sentenceOn = async (q: string) => {
      const { text } = await service.fetch(`/directories?${new URLSearchParams({ q })}`, {
        headers: { accept: 'text/html' },
      })
      return /<h2 class="answer"[^>]*>([^<.]+)/.exec(text)?.[1]
    }
    expect(await sentenceOn('paid directories about podcasts')).toBe('No directory does all of it')
    expect(await sentenceOn('paid directories about podcasts with DR 95')).toBe(
      'No directory here has all of these facts',
    )
  })

  test('are no facts inside other words', async () => {
    for (const q of [
      'royalty-free music',
      'royalty free music',
      'follow-up',
      'no follow-up mails',
      'paid ads',
      'up to date',
    ])
      expect((await asked('directories', q)).understood, q).toBeNull()
    expect((await asked('directories', 'under 50 minutes')).understood).toBeNull()
    expect((await asked('directories', 'not between $20 and $50')).understood).toBeNull()
    expect((await asked('directories', 'DR 500')).understood).toBeNull()
    expect((await asked('tools', 'DR over 60')).understood).toBeNull()
  })

  test.each([
    ['<b>free</b> logo', 'cost=Free', 'logo'],
    ['text -> zzzzz', null, 'text,zzzzz'],
    ['a$ap free zzzzz', 'cost=Free', 'ap,zzzzz'],
    ['DR > 60', 'minDomainRating=60', null],
    ['DR <= 60, 50 €', 'maxDomainRating=60, maxPrice=50', null],
    ['DR>=60 <$50', 'minDomainRating=60, maxPrice=50', null],
  ])('have signs beside numbers only: %s', async (q, understood, missing) => {
    expect(await asked('directories', q)).toMatchObject({
      understood,
      missing: missing && encodeURIComponent(missing).replaceAll('%2C', ','),
    })
  })

  test('of the other catalog are not taken for misspelt words', async () => {
    await service.load([tool('tail', 'FREE', { tagline: 'Follow things', description: 'A freemiun badge.' })])
    for (const q of ['dofollow', 'dofollow things', 'nofollow', 'tools with dofollow'])
      expect(await asked('tools', q, '&match=full'), q).toMatchObject({ slugs: [] })
    expect((await asked('tools', 'dofollow')).missing).toBe('dofollow')
    expect((await asked('tools', 'folow')).slugs).toEqual(['tail'])
    await service.admin('DELETE', '/tools/tail')
  })

  test('yield to a filter that is given, and their words are then plain words', async () => {
    expect(await asked('directories', 'free', '&cost=Paid')).toMatchObject({
      slugs: [],
      understood: null,
      missing: 'free',
    })
    expect(await asked('directories', 'free dofollow', '&cost=Paid')).toMatchObject({ understood: 'type=DoFollow' })
    expect(await asked('directories', 'podcasts DR 70+', '&minDomainRating=60')).toMatchObject({ match: 'partial' })
  })

  test.each([
    ['tools', 'free tool that writes mails', 'pricing=FREE', ['quill']],
    ['tools', 'writes mails for free', 'pricing=FREEMIUM', ['scribe']],
    ['tools', 'mails, not free', 'pricing=PAID', ['author']],
    ['tools', 'free or paid mails', 'pricing=PAID', ['author']],
    ['tools', 'free', 'pricing=FREE', ['painter', 'quill']],
    ['directories', 'free directories', 'cost=Free', ['alpha', 'zeta', 'epsilon']],
    ['directories', 'dofollow podcasts', 'type=DOFOLLOW', ['alpha']],
    ['directories', 'podcasts with DR 50+', 'minDomainRating=60', ['alpha']],
    ['directories', 'robots, DR below 60', 'maxDomainRating=50', ['zeta']],
    ['directories', 'DR between 40 and 70', 'minDomainRating=50', ['beta']],
    ['directories', 'sites under $50', 'maxPrice=20', ['alpha', 'beta', 'zeta', 'epsilon']],
  ] as const)(
    'that a filter of %s ensures keep no listing from a full match: %s with %s',
    async (path, q, filter, slugs) => {
      const { match, missing, ...found } = await asked(path, q, `&match=full&${filter}`)
      expect([found.slugs, match, missing]).toEqual([slugs, 'full', null])
      expect(found.understood ?? '').not.toContain(filter.split('=')[0])
    },
  )

  test('are named as filters that find the same', async () => {
    const others: Row[] = [['', 'cost=Free', ['alpha', 'epsilon', 'zeta'], ['free, not freemium']]]
    const rows = { tools: IN_TOOLS, directories: [...IN_DIRECTORIES, ...others] }
    for (const path of ['tools', 'directories'] as const)
      for (const [fact, understood, slugs, [q = '']] of rows[path]) {
        expect((await asked(path, q)).understood, q).toBe(understood)
        const { body } = await service.rest(`/${path}?limit=100&${understood.replaceAll(', ', '&')}`)
        const found: string[] = body.data.map(({ slug }: { slug: string }) => slug)
        // Of what is free or freemium the header names what comes first.
        if (fact === 'free') expect(slugs.slice(0, found.length), q).toEqual(expect.arrayContaining(found))
        else expect(found.toSorted(), q).toEqual(slugs.toSorted())
      }
    expect((await asked('directories', 'not free and not paid')).understood).toBeNull()
  })

  test('are not read with facts=off', async () => {
    expect(await asked('directories', 'free', '&facts=off')).toEqual({
      slugs: [],
      match: 'full',
      understood: null,
      missing: null,
    })
  })

  test('are not read in the whole name of a listing', async () => {
    await service.load([directory('premium-list', { name: 'Premium List', cost: 'Free' })])
    expect(await asked('directories', 'premium list')).toMatchObject({ slugs: ['premium-list'], understood: null })
    await service.admin('DELETE', '/directories/premium-list')
  })

  test('the whole name of a category or tag brings its listings to the front', async () => {
    expect(await asked('directories', 'robots')).toMatchObject({
      slugs: ['zeta', 'alpha'],
      understood: 'category=robots',
    })
    expect(await asked('tools', 'robots')).toMatchObject({ slugs: ['author', 'painter'], understood: 'tag=robots' })
    expect((await asked('tools', 'robots', '&tag=robots')).understood).toBeNull()
  })

  test.each([
    ['tools', 'without Robots', ['painter', 'scribe', 'quill']],
    ['tools', 'tools that are not about Robots', ['painter', 'scribe', 'quill']],
    ['tools', 'not Meeting notes', ['painter', 'quill', 'author']],
    ['tools', 'paid, no robots', []],
    ['directories', 'no Robots', ['gamma', 'alpha', 'beta', 'delta', 'epsilon']],
  ] as const)(
    'the name of a category or tag after a negation leaves its listings out of %s: %s',
    async (path, q, slugs) => {
      expect(await asked(path, q)).toMatchObject({ slugs, match: 'full', missing: null })
    },
  )

  test('a name after a negation is no wish, and the other words are searched', async () => {
    expect(await asked('tools', 'writes mails without meeting notes', '&match=full')).toEqual({
      slugs: ['quill', 'author'],
      match: 'full',
      understood: null,
      missing: null,
    })
    expect(await asked('tools', 'no-robots')).toMatchObject({ understood: 'tag=robots' })
    const { text } = await service.fetch('/tools?q=writes+mails+without+meeting+notes', {
      headers: { accept: 'text/html' },
    })
    expect(text).toContain('<bdi>Not Meeting notes</bdi>')
    await onBoth(service, 'search_tools', { q: 'writes mails without meeting notes' })
  })

  test('a name of one word after a negation, beside other words, is neither looked for nor left out', async () => {
    for (const q of ['writes mails without robots', 'mails, no robots', 'mails that are not about robots']) {
      const { slugs, understood } = await asked('tools', q, '&match=full')
      expect([slugs.toSorted(), understood], q).toEqual([['author', 'quill', 'scribe'], null])
    }
  })

  test('are the same over MCP, which names them in _meta', async () => {
    for (const q of ['free dofollow', 'paid', 'robots', 'free robots', 'DR 60+ without a badge'])
      for (const facts of ['on', 'off']) await onBoth(service, 'search_directories', { q, facts })
    const { result: body } = await service.tool('search_directories', { q: 'free zzzzz' })
    expect(body.result._meta).toMatchObject({ 'catalog/understood': 'cost=Free', 'catalog/missing': 'zzzzz' })
  })

  test('are named in headers of at most 1 KB, each once, and so are the words that no listing has', async () => {
    for (const q of [
      '㉼'.repeat(500),
      `free ${'㉼'.repeat(490)}`,
      'ж'.repeat(500),
      'жжжжж'.repeat(8).concat(' ').repeat(12),
    ])
      for (const path of ['tools', 'directories'] as const) {
        const { missing, understood } = await asked(path, q)
        expect((missing ?? '').length).toBeLessThanOrEqual(1024)
        expect((understood ?? '').length).toBeLessThanOrEqual(1024)
      }
    expect((await asked('tools', `${'q'.repeat(41)} zzzzz`)).missing).toBe('zzzzz')
    const repeated = await asked('directories', Array.from({ length: 60 }, () => 'DR 60').join(' '))
    expect(repeated.understood).toBe('minDomainRating=60')
    const bounds = Array.from({ length: 75 }, (_, at) => `DR ${at + 10}`).join(' ')
    expect((await asked('directories', bounds)).understood?.length).toBeLessThanOrEqual(1024)
    expect((await asked('tools', 'meeting notes '.repeat(30))).understood).toBe('tag=meeting-notes')
  })

  test('a question without a full match names the words that no listing has', async () => {
    const { missing, match } = await asked('tools', 'qqqqq mails über-wxyz')
    expect([decodeURIComponent(missing ?? ''), match]).toEqual(['qqqqq,uber,wxyz', 'partial'])
  })
})
