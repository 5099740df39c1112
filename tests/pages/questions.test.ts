// @module-tag once
// What a visitor sees of a question: what was understood and can be taken away, why each listing was found, and an honest no.
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { browseDirectories, browseTools } from '../../src/features/catalog/site/site-search.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { madeQuestions } from '../harness/questions.ts'
import { use } from '../harness/use.ts'
import { startDemo } from '../interop/demo.ts'

const service = use(startDemo)
beforeAll(() =>
  service.load([
    {
      kind: 'tool',
      slug: 'hark',
      name: 'Hark & Co',
      tagline: 'Meeting notes <b>without</b> typing',
      description: 'Made in Oslo. It transcribes wobblecasts of any length. Then it sleeps.',
      pricing: 'FREE',
    },
    {
      kind: 'tool',
      slug: 'gist',
      name: 'Gist',
      tagline: 'A frobnicary of all snorkelcasts',
      description: 'Gist is a frobnicary. It is small.',
    },
  ]),
)

const open = async (path: string): Promise<string> => {
  const { status, text } = await service.fetch(path, { headers: { accept: BROWSER } })
  expect([path, status]).toEqual([path, 200])
  await expectSound(text)
  return text.slice(text.indexOf('id="results"'))
}
const decoded = (html: string) => html.replaceAll('&amp;', '&')
const chipsIn = (html: string): Record<string, string> =>
  Object.fromEntries(
    [
      ...html.matchAll(
        /<a class="(?:on|no)" href="([^"]+)"><span><span class="visually-hidden">Without <\/span><bdi>([^<]+)</g,
      ),
    ].map(([, href = '', label = '']) => [label, decoded(href)]),
  )
const answerIn = (html: string) => /<h2 class="answer"[^>]*>([^<]+)</.exec(html)?.[1]
const reasonsIn = (html: string) =>
  [...html.matchAll(/<p class="reason">(.*?)<\/p>/gs)].map(([, text = '']) => text.replace(/<[^>]*>/g, ''))
const at = (path: string, q: string, more: Record<string, string> = {}) =>
  `${path}?${new URLSearchParams({ q, ...more })}`

describe('what was understood', () => {
  const Q = 'free directories with a DoFollow link and DR over 40'

  test.each(['/directories', '/search'])('is shown on %s as chips that can be taken away', async (path) => {
    const page = await open(at(path, Q))
    expect(page).toContain('We looked for:')
    expect(Object.keys(chipsIn(page)).toSorted()).toEqual(['DR 40 and more', 'DoFollow', 'Free or freemium'])
  })

  test('is a link to the question without its words, with which that fact is not understood and others are', async () => {
    const { 'Free or freemium': Free = '' } = chipsIn(await open(at('/directories', Q)))
    expect(new URL(Free, 'http://x').searchParams.get('q')).toBe('directories with a DoFollow link and DR over 40')
    const page = await open(Free)
    expect(Object.keys(chipsIn(page))).toEqual(['DoFollow', 'DR 40 and more'])
    expect(answerIn(page)).toMatch(/^\d+ directories do all of it$/)
  })

  test('is not understood again in the question without it, whatever the question', async () => {
    const ctx = service.context()
    let count = 0
    for (const { kind, q } of madeQuestions(200)) {
      const ask = (q: string) =>
        kind === 'tool' ? browseTools(ctx, { q, page: 1, limit: 1 }) : browseDirectories(ctx, { q, page: 1, limit: 1 })
      for (const { pairs, rest } of (await ask(q)).stated) {
        const [{ filter, value }] = pairs as [(typeof pairs)[number]]
        const again = (await ask(rest)).stated.flatMap((one) => one.pairs)
        const isTerm = filter === 'category' || filter === 'tag'
        expect([q, rest, again.filter((one) => one.filter === filter && (!isTerm || one.value === value))]).toEqual([
          q,
          rest,
          [],
        ])
        count++
      }
    }
    expect(count).toBeGreaterThan(100)
  })

  test('says how many listings each wish costs', async () => {
    const page = await open(at('/directories', Q))
    const [, free] =
      /<span class="visually-hidden">Without <\/span><bdi>Free or freemium<\/bdi><\/span><span class="count">(\d+)</.exec(
        page,
      ) ?? []
    const { body } = await service.rest(at('/directories', 'directories with a DoFollow link and DR over 40'))
    expect(Number(free)).toBe(body.pagination.total)
  })

  test('has prices in the currency of the site, as the reasons have', async () => {
    await service.admin('PUT', '/site', { currency: 'EUR' })
    const page = await open(at('/directories', 'paid directories under $50'))
    expect(Object.keys(chipsIn(page))).toContain('Price up to €50')
    expect(reasonsIn(page)[0]).toMatch(/^Paid · from €\d+/)
    await service.admin('PUT', '/site', {})
  })

  test('names no wish that costs nothing', async () => {
    const page = await open(at('/directories', 'DR over 0 and DoFollow'))
    const { body } = await service.rest(at('/directories', 'DR over 0 and DoFollow'))
    const costs = [...page.matchAll(/<\/s><span class="count">(\d+)</g)].map(([, count]) => Number(count))
    for (const count of costs) expect(count).toBeGreaterThan(body.pagination.total)
  })

  test('leads to the whole list when the question says nothing more', async () => {
    expect(chipsIn(await open(at('/directories', 'free directories')))).toEqual({ 'Free or freemium': '/directories' })
    expect(chipsIn(await open(at('/search', 'free directories')))).toEqual({ 'Free or freemium': '/directories' })
  })

  test('keeps the other filters and signs as they were', async () => {
    const { 'No badge': without = '' } = chipsIn(
      await open(at('/directories', 'no badge, under $50', { cost: 'Paid' })),
    )
    expect([...new URL(without, 'http://x').searchParams]).toEqual([
      ['q', 'under $50'],
      ['cost', 'Paid'],
    ])
  })

  test('is not understood when the visitor asks for the words alone', async () => {
    const page = await open(at('/tools', 'free image tools'))
    expect(page).toContain('/tools?q=free+image+tools&amp;facts=off">Search the words instead')
    const plain = await open(at('/tools', 'free image tools', { facts: 'off' }))
    expect(plain).toContain('We looked for the words alone.')
    expect(chipsIn(plain)).toEqual({})
  })
})

describe('why a listing was found', () => {
  test('is said for full matches in words of the listing, and the words are marked', async () => {
    const page = await open(at('/tools', 'free transcribing of a wobblecast'))
    expect(answerIn(page)).toBe('1 tool does all of it, 3\u00a0more come close')
    expect(reasonsIn(page)[0]).toBe('Free · mentions transcribes, wobblecasts')
    expect(page).toContain(
      '<p class="why" dir="auto">It <mark>transcribes</mark> <mark>wobblecasts</mark> of any length.</p>',
    )
  })

  test('quotes no sentence whose words are marked above it', async () => {
    for (const path of ['/search', '/tools'])
      expect(await open(at(path, 'frobnicary', { in: 'tools' }))).not.toContain('class="why"')
  })

  test('says a word that its quote would cut off', async () => {
    const description = `A grumbletory ${'of all sorts '.repeat(20)}and quibblewort.`
    await service.load([{ kind: 'tool', slug: 'long', name: 'Long', tagline: 'A grumbletory', description }])
    const page = await open(at('/search', 'grumbletory quibblewort', { in: 'tools' }))
    expect(page).not.toContain('class="why"')
    expect(reasonsIn(page)).toEqual(['mentions quibblewort'])
    expect(await open(at('/tools', 'grumbletory quibblewort'))).not.toContain('class="why"')
  })

  test('is not said of two words that are marked as one of the question', async () => {
    const description = 'It is a brindle vosk of a tool.'
    await service.load([{ kind: 'tool', slug: 'pair', name: 'Brindle Vosk', tagline: 'Brindlevosk', description }])
    const page = await open(at('/search', 'brindlevosk', { in: 'tools' }))
    expect(page).toContain('<mark>Brindle</mark> <mark>Vosk</mark>')
    expect(page).not.toMatch(/class="(?:why|reason)"/)
  })

  test('names what a directory has of the facts', async () => {
    for (const path of ['/search', '/directories'])
      for (const reason of reasonsIn(
        await open(at(path, 'free directories with a DoFollow link and DR over 40', { in: 'directories' })),
      ))
        expect(reason).toMatch(/^(Free|Freemium) · DoFollow · DR \d+$/)
  })

  test('marks names and taglines, and never the markup of a listing', async () => {
    const page = await open(at('/tools', 'hark meeting'))
    expect(page).toContain('<bdi><mark>Hark</mark> &amp; Co</bdi>')
    expect(page).toContain('<mark>Meeting</mark> notes &lt;b&gt;without&lt;/b&gt; typing')
    expect(reasonsIn(page)[0]).toBe('named hark · mentions meeting')
  })

  test('marks the word that is meant by a misspelt one', async () => {
    expect(await open(at('/tools', 'wobblecasst'))).toContain('<mark>wobblecasts</mark>')
  })

  test('is no word of asking', async () => {
    expect(await open(at('/tools', 'tools for meeting notes'))).not.toMatch(/<mark>tools?<\/mark>/i)
    for (const reason of reasonsIn(await open(at('/tools', 'a tool for meeting notes'))))
      expect(reason).not.toMatch(/(?:named|mentions|, )\s?tools?\b/)
  })

  test('is not said without a question', async () => {
    for (const path of ['/tools', '/directories']) expect(await open(path)).not.toMatch(/class="reason"|<mark>/)
  })
})

describe('an honest no', () => {
  test('names what no listing mentions, what those shown have, and what each lacks', async () => {
    const page = await open(at('/tools', 'wobblecasts from oslo for zzyzx'))
    expect(answerIn(page)).toBe('No tool here mentions zzyzx. This one mentions wobblecasts and oslo:')
    expect(chipsIn(page)).toEqual({
      wobblecasts: '/tools?q=from+oslo+for+zzyzx',
      oslo: '/tools?q=wobblecasts+from+for+zzyzx',
      zzyzx: '/tools?q=wobblecasts+from+oslo',
    })
    expect(page).toContain('<bdi>zzyzx</bdi>, 0 found')
    expect(reasonsIn(page)).toEqual(['2 of 3 words: wobblecasts, oslo · not zzyzx'])
  })

  test('does not call a word unknown of which a listing on the page has a form', async () => {
    const page = await open(at('/tools', 'frobnicarise snorkelcasts'))
    expect(answerIn(page)).toBe('No tool does all of it. This one mentions snorkelcasts:')
    expect(reasonsIn(page)).toEqual(['mentions snorkelcasts'])
    expect(page).not.toMatch(/0 found|not frobnicarise/)
  })

  test('leads to categories, to questions that find something, and to the operator where there is one', async () => {
    const page = await open(at('/search', 'qqqqqqqq for writing'))
    expect(page).toContain('Nothing here mentions qqqqqqqq')
    expect(page).toContain('href="/categories/writing"')
    expect(page).toContain('Questions that find something')
    expect(page).not.toContain('Tell the operator')
    expect(await open(at('/directories', 'qqqqqqqq communities'))).toContain('href="/directories?category=communities"')
    await service.admin('PUT', '/site', { contactEmail: 'ask@example.com' })
    expect(await open(at('/search', 'qqqqqqqq "><b>'))).toMatch(
      /href="mailto:ask@example\.com\?subject=Missing%20on%20Catalog%20Service%3A%20qqqqqqqq%20%22%3E%3Cb%3E"/,
    )
  })
})

test('the greatest question and the longest sentences take few readings of the shown texts', async () => {
  const asked = Array.from('abcdefghijklmnopqrst', (letter) => ['q', 'x', 'z'].map((one) => letter + one)).flat()
  const longer = asked.flatMap((word) => Array.from('abcdefgh', (letter) => word + letter))
  const description = `${'common word '.repeat(333).trim()}. ${longer.join(' ')}`
  await service.load(
    Array.from({ length: 20 }, (_, i) => ({ kind: 'tool', slug: `c-${i}`, name: `Common word ${i}`, description })),
  )
  for (const path of ['/tools', '/search']) {
    const ask = () => service.fetch(at(path, `common word ${asked.join(' ')}`, { facts: 'off', in: 'tools' }))
    await ask()
    // Words are found in a text with these two. The answer of the search itself is remembered.
    const spies = (['match', 'matchAll'] as const).map((name) => vi.spyOn(String.prototype, name))
    const { text } = await ask()
    const read = spies.flatMap(({ mock }) => mock.contexts.map(String)).reduce((sum, { length }) => sum + length, 0)
    vi.restoreAllMocks()
    expect(text.split('<mark>').length).toBeGreaterThan(40)
    // For each of 20 rows a few times its name, line and quote, of 160 characters each.
    expect(read).toBeGreaterThan(20 * 160)
    expect(read).toBeLessThan(20 * 10_000)
  }
})
