// @module-tag once
// Searching on the site: the counts of the filters, what matched, and both catalogs in one box.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(async () => {
  for (const file of ['taxonomy', 'tools', 'directories'])
    await service.load(
      readFileSync(new URL(`../../seeds/demo/${file}.ndjson`, import.meta.url), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    )
  await service.load([
    {
      kind: 'tool',
      slug: 'cliphanger',
      name: 'Cliphanger',
      tagline: 'Turns a wobblecast into snibbles',
      category: 'video',
    },
    { kind: 'tool', slug: 'wobbler', name: 'Wobbler', tagline: 'Records a wobblecast', category: 'video' },
    { kind: 'directory', slug: 'wobble-list', name: 'Wobble List', smallDescription: 'Launch your wobblecast' },
    { kind: 'tag', slug: 'hidden', name: 'Hidden', adult: true },
    { kind: 'tool', slug: 'red-wobble', name: 'Red Wobble', tagline: 'A wobblecast for adults', tags: ['hidden'] },
  ])
})

async function open(path: string): Promise<string> {
  const { status, text } = await service.fetch(path, { headers: { accept: BROWSER } })
  expect([path, status]).toEqual([path, 200])
  return text
}

interface ShownOption {
  value: string
  count: number
  disabled: boolean
  selected: boolean
}

/** The options of a filter except "Any", or its boxes, in the order shown. */
function optionsOf(text: string, name: string): ShownOption[] {
  const boxes = new RegExp(
    `<input type="(?:checkbox|radio)"[^>]* name="${name}(?:\\[\\])?" value="([^"]+)"([^>]*)>[^<]*<span class="count">([\\d,]+)</span>`,
    'g',
  )
  const box = [...text.matchAll(boxes)]
  if (box.length > 0) return box.map(shownOption)
  const select = new RegExp(`<select[^>]* name="${name}"[^>]*>(.*?)</select>`, 's').exec(text)?.[1] ?? ''
  return [...select.matchAll(/<option value="([^"]+)"([^>]*)>[^<]*\(([\d,]+)\)<\/option>/g)].map(shownOption)
}

const shownOption = ([, value, marks, count]: RegExpExecArray): ShownOption => ({
  value: value!,
  count: Number(count!.replaceAll(',', '')),
  disabled: marks!.includes('disabled'),
  selected: /selected|checked/.test(marks!),
})

const totalOf = async (kind: string, query: Record<string, string>): Promise<number> =>
  (await service.rest(`/${kind}?${new URLSearchParams({ ...query, match: 'full', limit: '1' })}`)).body.pagination.total

const FILTERS = { tools: ['category', 'tag', 'pricing'], directories: ['category', 'cost'] } as const

describe('the filters', () => {
  test.each<['tools' | 'directories', Record<string, string>]>([
    ['tools', {}],
    ['tools', { q: 'image' }],
    ['tools', { q: 'ai', pricing: 'FREE' }],
    ['tools', { category: 'writing', pricing: 'FREEMIUM' }],
    ['tools', { q: 'ai', category: 'writing', tag: 'api' }],
    ['directories', {}],
    ['directories', { q: 'startup', cost: 'Free' }],
    ['directories', { category: 'communities', cost: 'Paid' }],
  ])('of /%s with %j say how many listings each choice leaves', async (kind, query) => {
    const text = await open(`/${kind}?${new URLSearchParams(query)}`)
    await expectSound(text)
    for (const name of FILTERS[kind]) {
      const shown = optionsOf(text, name)
      expect([name, shown.length > 0]).toEqual([name, true])
      const { [name]: _own, ...others } = query
      for (const { value, count } of shown)
        expect([name, value, count]).toEqual([name, value, await totalOf(kind, { ...others, [name]: value })])
      expect(shown.filter(({ selected }) => selected).map(({ value }) => value)).toEqual(
        query[name] ? [query[name]] : [],
      )
    }
  })

  test('of directories count link types, badges and Domain Ratings too', async () => {
    const text = await open('/directories?type=DoFollow')
    for (const [name, others] of [
      ['type', ''],
      ['badge', 'type=DoFollow&'],
      ['rating', 'type=DoFollow&'],
    ])
      for (const { value, count, disabled } of optionsOf(text, name!)) {
        const found = await open(`/directories?${others}${name}=${value}`)
        expect([name, value, count]).toEqual([name, value, Number(/data-count="([\d,]+)/.exec(found)![1])])
        expect(disabled).toBe(count === 0)
      }
  })

  test('take several categories and tags, each with its count, and the chips take each away', async () => {
    const text = await open('/tools?category=writing&category[]=video')
    await expectSound(text)
    const total = async (query: string) => (await service.rest(`/tools?limit=1&${query}`)).body.pagination.total
    expect(text).toContain(`data-count="${await total('category=writing,video')} tools found"`)
    expect(optionsOf(text, 'category').find(({ value }) => value === 'video')).toMatchObject({
      count: await total('category=video'),
      selected: true,
    })
    expect(text).toContain('<a class="on" href="/tools?category=video">')
    expect(text).toContain('<a class="on" href="/tools?category=writing">')
  })

  test.each(['tools', 'directories'])('of %s have a rating or a price, with the counts of the API', async (kind) => {
    const [name, values] =
      kind === 'tools' ? ['minRating', ['3', '4', '4.5']] : ['maxPrice', ['10', '25', '50', '100', '250']]
    const shown = optionsOf(await open(`/${kind}`), name as string)
    expect(shown.map(({ value }) => value).toSorted()).toEqual([...values!].toSorted())
    for (const { value, count } of shown)
      expect([value, count]).toEqual([value, await totalOf(kind, { [name as string]: value })])
    const refused = await service.fetch(`/${kind}?${name as string}=7.5`, { headers: { accept: BROWSER } })
    expect(refused.status).toBe(400)
  })

  test('leave out categories and tags without a listing, and boxes that leave nothing can only be unchosen', async () => {
    const text = await open('/tools?q=wobblecast')
    expect(optionsOf(text, 'category')).toMatchObject([{ value: 'video', count: 2 }])
    const pricing = optionsOf(text, 'pricing')
    expect(pricing).toHaveLength(3)
    expect(pricing.map(({ count, disabled }) => [count === 0, disabled])).toEqual(
      pricing.map(({ count }) => [count === 0, count === 0]),
    )
    expect(pricing.filter(({ disabled }) => disabled)).toHaveLength(2)
    const chosen = await open('/tools?q=wobblecast&category=writing&pricing=PAID')
    expect(optionsOf(chosen, 'category')).toMatchObject([
      { value: 'writing', count: 0, selected: true, disabled: false },
    ])
    expect(optionsOf(chosen, 'pricing').find(({ value }) => value === 'PAID')).toMatchObject({ disabled: false })
  })

  test('count adult listings only for a visitor who opts in', async () => {
    const countOf = async (path: string) =>
      optionsOf(await open(path), 'pricing').reduce((sum, { count }) => sum + count, 0)
    expect(await countOf('/tools?q=wobblecast')).toBe(2)
    expect(await countOf('/tools?q=wobblecast&adult=true')).toBe(3)
  })

  test('count the partial matches that are shown', async () => {
    const text = await open('/tools?q=I+need+snibbles+of+my+wobblecast+zzyzx')
    expect(text).toContain('data-count="2 tools found"')
    expect(optionsOf(text, 'category')).toMatchObject([{ value: 'video', count: 2 }])
  })
})

const reasonsIn = (html: string): string[] =>
  [...html.matchAll(/<p class="reason">(.*?)<\/p>/gs)].map(([, text = '']) => text.replace(/<[^>]*>/g, ''))

describe('what matched', () => {
  test('is said for each partial match, under a sentence that says that no listing has every word', async () => {
    const text = await open('/tools?q=I+need+snibbles+of+my+wobblecast+zzyzx')
    await expectSound(text)
    expect(text).toContain('No tool here mentions zzyzx. These mention wobblecast, some also snibbles:')
    expect(reasonsIn(text)).toEqual([
      '2 of 3 words: snibbles, wobblecast · not zzyzx',
      '1 of 3 words: wobblecast · not snibbles, zzyzx',
    ])
  })

  test('is said for the partial matches after the full ones', async () => {
    const text = await open('/tools?q=snibbles+wobblecast')
    expect(text).toMatch(/Cliphanger.*1 matches every word. These match some of them:.*Wobbler/s)
    expect(reasonsIn(text)).toEqual(['mentions snibbles, wobblecast', '1 of 2 words: wobblecast · not snibbles'])
  })

  test('explains an order in which fewer words come first, unless the visitor has chosen the order', async () => {
    const why = 'Rare words and closeness in meaning count more than the number of words.'
    const text = await open('/tools?q=write+blog+posts+for+free+with+an+api')
    expect(reasonsIn(text).map((reason) => reason.slice(0, 12))).toEqual([
      ...['1 of 4 words', '2 of 4 words', '2 of 4 words'],
    ])
    expect(text).toContain(why)
    expect(await open('/tools?q=write+blog+posts+for+free+with+an+api&sort=opens')).not.toContain(why)
    expect(await open('/tools?q=I+need+snibbles+of+my+wobblecast+zzyzx')).not.toContain(why)
  })

  test('counts a word with a hyphen once, and does not mark its short part in another word', async () => {
    const text = await open('/tools?q=write+the+follow-up+email')
    const reasons = reasonsIn(text)
    expect(reasons).toContain('2 of 3 words: follow-up, emails · not write')
    // It has "follow", which is not the whole word.
    expect(reasons).toContain('2 of 3 words: writing, email · not follow-up')
    expect(reasons.join()).not.toMatch(/of 4 words|\bfollow\b(?!-up)|\bup\b(?<!follow-up)/)
    expect(text).not.toContain('<mark>made-up</mark>')
  })

  test('is said on the page of directories', async () => {
    const text = await open('/directories?q=launch+wobblecast+zzyzx')
    expect(text).toContain('No directory here mentions zzyzx.')
    expect(reasonsIn(text)[0]).toBe('2 of 3 words: launch, wobblecast · not zzyzx')
  })

  test('lacks nothing when every listing matches every word', async () => {
    for (const reason of reasonsIn(await open('/tools?q=image'))) expect(reason).not.toContain('not ')
    expect(await open('/tools?q=image')).not.toMatch(/matches? every word|does all of it/)
    expect(await open('/tools')).not.toMatch(/matches? every word|does all of it/)
  })

  test('shows a word of the question as text', async () => {
    const text = await open(`/tools?q=${encodeURIComponent('wobblecast <b>snibbles</b> zzz')}`)
    await expectSound(text)
    expect(text).not.toContain('<b>')
  })

  test('is not blamed on every word when nothing is found', async () => {
    const text = await open('/tools?q=qqqqqqqq')
    expect(text).toContain('No tool here mentions qqqqqqqq')
    expect(text).not.toContain('Every word must match')
  })
})

describe('one box for both catalogs', () => {
  const groupsOf = (text: string): string[] =>
    [...text.slice(text.indexOf('id="results"')).matchAll(/<h2>(Tools|Directories)<\/h2>/g)].map(([, title]) => title!)

  test('is on the home page and leads to the page of results', async () => {
    const text = await open('/')
    expect(text).toMatch(/<form[^>]* action="\/search" method="get" role="search" data-live="words"/)
    expect(text).toContain('/search?q={search_term_string}')
  })

  test('finds the directory first when the question is its name', async () => {
    const text = await open('/search?q=product+hunt')
    await expectSound(text)
    expect(groupsOf(text)[0]).toBe('Directories')
    expect(/<h3><a href="([^"]+)"/.exec(text.slice(text.indexOf('id="results"')))![1]).toBe('/directories/product-hunt')
  })

  test('shows tools first when they match better; a group that is shown in full has no link to all of it', async () => {
    const text = await open('/search?q=wobblecast')
    expect(groupsOf(text)).toEqual(['Tools', 'Directories'])
    expect(text).toContain('data-count="2 tools and 1 directory found"')
    expect(text).not.toContain('<a href="/tools?q=wobblecast">')
    expect(text).not.toContain('<a href="/directories?q=wobblecast">')
    expect(text).not.toContain('red-wobble')
  })

  test('shows first the group whose best hit has every word, then the one with more of the words', async () => {
    expect(groupsOf(await open('/search?q=launch+wobblecast'))[0]).toBe('Directories')
    expect(groupsOf(await open('/search?q=snibbles+wobblecast'))[0]).toBe('Tools')
    expect(groupsOf(await open('/search?q=launch+your+wobblecast+zzyzx'))[0]).toBe('Directories')
    expect(groupsOf(await open('/search?q=turns+wobblecast+snibbles+zzyzx'))[0]).toBe('Tools')
  })

  test('leaves out a group without a hit', async () => {
    expect(groupsOf(await open('/search?q=cliphanger'))).toEqual(['Tools'])
    expect(groupsOf(await open('/search?q=wobble+list'))[0]).toBe('Directories')
  })

  test('says when nothing is found, and shows the form without a question', async () => {
    const nothing = await open('/search?q=qqqqqqqq')
    await expectSound(nothing)
    expect(nothing).toContain('Nothing here mentions qqqqqqqq')
    expect(nothing).toContain('href="/directories"')
    const empty = await open('/search')
    await expectSound(empty)
    expect(empty).toContain('id="results"')
    expect(empty).toContain('content="noindex"')
  })

  test('refuses a question of 501 characters and shows markup as text', async () => {
    const long = await service.fetch(`/search?q=${'a'.repeat(501)}`, { headers: { accept: BROWSER } })
    expect(long.status).toBe(400)
    await expectSound(await open(`/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`))
  })

  const linksIn = (text: string, folder: string): string[] =>
    [
      ...text.slice(text.indexOf('id="results"')).matchAll(/<h3><a href="\/(tools|directories)\/([a-z0-9-]+)"/g),
    ].flatMap(([, kind, slug = '']) => (kind === folder ? slug : []))
  const decoded = (text: string) => text.replaceAll('&amp;', '&')

  test('says in its tabs how much each catalog has', async () => {
    const tabs = /<fieldset class="dividers" id="search-in">(.*?)<\/fieldset>/s
    const [, shown = ''] = tabs.exec(await open('/search?q=wobblecast&in=tools')) ?? []
    expect(shown.replace(/<[^>]*>/g, '')).toBe('Search inEverythingTools 2Directories 1')
    expect(shown).toMatch(/value="tools" checked/)
    expect((tabs.exec(await open('/search'))?.[1] ?? '').replace(/<[^>]*>/g, '')).toBe(
      'Search inEverythingToolsDirectories',
    )
  })

  test('says the same counts in its tabs whichever catalog is chosen, also of listings that have ended', async () => {
    const record = { kind: 'tool', slug: 'gone-quadrille', name: 'Gone Quadrille', category: 'video' }
    await service.load([
      { ...record, tagline: 'Draws a quadrille' },
      { ...record, slug: 'quadrille', name: 'Quadrille', tagline: 'Draws a quadrille' },
      { kind: 'directory', slug: 'quadrille-list', name: 'Quadrille List', smallDescription: 'Launch a quadrille' },
    ])
    await service.sql(`update tools set ended = 'gone' where slug = 'gone-quadrille'`)
    await service.load([{ ...record, tagline: 'Drew a quadrille' }])
    for (const chosen of ['', 'tools', 'directories']) {
      const text = await open(`/search?q=quadrille&in=${chosen}`)
      const counts = [...text.matchAll(/(Tools|Directories) <span class="count">(\d+)</g)].map(([, of, count]) => [
        of,
        count,
      ])
      expect([chosen, ...counts]).toEqual([chosen, ['Tools', '2'], ['Directories', '1']])
    }
  })

  test('counts in one sentence what the tabs and the list count', async () => {
    const text = await open('/search?q=snibbles+wobblecast&in=tools')
    expect(/<h2 class="answer"[^>]*>([^<]+)</.exec(text)?.[1]).toBe('1 tool does all of it, 1\u00a0more comes close')
    expect(text).toContain('Tools <span class="count">2</span>')
    expect(text).not.toMatch(/match(?:es)? every word/)
  })

  test.each([
    ['tools', ''],
    ['tools', 'rating'],
    ['directories', ''],
    ['directories', 'price'],
  ])('lists all %s of a question page by page, sorted by %j, as the API does', async (kind, sort) => {
    const q = kind === 'tools' ? 'ai' : 'free'
    const { body } = await service.rest(`/${kind}?${new URLSearchParams({ q, sort, limit: '100' })}`)
    const expected: string[] = body.data.map(({ slug }: { slug: string }) => slug)
    expect(expected.length).toBeGreaterThan(20)
    const found: string[] = []
    let path: string | undefined = `/search?q=${q}&in=${kind}${sort && `&sort=${sort}`}`
    while (path) {
      const text: string = await open(path)
      await expectSound(text)
      expect(text).toContain(
        `${found.length + 1}–${Math.min(found.length + 20, expected.length)} of ${expected.length}`,
      )
      found.push(...linksIn(text, kind))
      path = decoded(/<a href="([^"]+)" rel="next"/.exec(text)?.[1] ?? '') || undefined
    }
    expect(found).toEqual(expected)
  })

  test('shows all of the only catalog that has all of it, and leads to what comes close in the other', async () => {
    const text = await open('/search?q=launch+wobblecast')
    await expectSound(text)
    expect(groupsOf(text)).toEqual(['Directories'])
    expect(decoded(text)).toMatch(
      /No tool does all of it. <a href="\/search\?q=launch\+wobblecast&in=tools">\d+ tools? comes? close/,
    )
    expect(linksIn(text, 'tools')).toEqual([])
  })

  test('says how many listings each way to narrow the result leaves', async () => {
    const panel = /<h3>Narrow it down<\/h3>(.*?)<\/section>/s.exec(await open('/search?q=ai&in=tools'))?.[1] ?? ''
    const ways = [...panel.matchAll(/<a href="([^"]+)"><bdi>[^<]+<\/bdi><span class="count">([\d,]+)</g)]
    expect(ways.length).toBeGreaterThan(2)
    for (const [, href = '', count] of ways)
      expect([href, /data-count="([\d,]+) tools? found/.exec(await open(decoded(href)))?.[1]]).toEqual([href, count])
  })

  test('says nothing twice: a fact that is a reason is not listed again, nor a word that is marked', async () => {
    const text = await open('/search?q=free+directories+with+a+DoFollow+link&in=directories')
    for (const [, row = ''] of text.matchAll(/<li class="hit"(.*?)<\/li>\n/gs)) {
      expect(row).toMatch(/<p class="reason">.*(Free|Freemium) · DoFollow/)
      expect(row.replace(/<p class="reason">.*?<\/p>/s, '')).not.toMatch(/>(Free|Freemium|DoFollow)</)
    }
    expect(reasonsIn(await open('/search?q=wobblecast'))).toEqual([])
  })

  test('says when there is no such page, and refuses an order that no list has', async () => {
    const text = await open('/search?q=wobblecast&in=tools&page=9')
    expect(text).toContain('There is no such page')
    expect(text).toContain('href="/search?q=wobblecast&amp;in=tools"')
    const refused = await service.fetch('/search?q=wobblecast&sort=luck', { headers: { accept: BROWSER } })
    expect(refused.status).toBe(400)
  })

  test('is not in the sitemap', async () => {
    expect((await service.fetch('/sitemap.xml')).text).not.toContain(`<loc>${service.origin}/search</loc>`)
  })
})
