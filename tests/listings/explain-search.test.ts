// Operator API: why a search finds what it finds.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { catalog } from '../harness/command.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const tool = (slug: string, name: string, tagline: string, more: object = {}) => ({
  ...{ kind: 'tool', slug, name, tagline, description: '', website: `https://${slug}.example.com`, pricing: 'FREE' },
  ...{ published: true, ...more },
})

const service = useService()
beforeAll(() =>
  service.load([
    { kind: 'tag', slug: 'spicy', name: 'Spicy', adult: true },
    tool('clipper', 'Clipper', 'Podcast clips'),
    tool('recorder', 'Recorder', 'Podcasts on the go', { pricing: 'PAID' }),
    tool('painter', 'Painter', 'Pictures'),
    tool('hot-painter', 'Hot Painter', 'Pictures', { tags: ['spicy'] }),
    tool('draft-clipper', 'Draft Clipper', 'Podcast clips', { published: false }),
    { kind: 'directory', slug: 'podcast-list', name: 'Podcast List', website: 'https://list.example.com' },
  ]),
)

const search = async (query: Record<string, string>) => service.admin('GET', `/search?${new URLSearchParams(query)}`)
const explain = async (query: Record<string, string>) => {
  const reply = await search({ explain: 'true', ...query })
  expect(reply.status, reply.text).toBe(200)
  return reply.body.data
}
const reasonsOf = async (query: Record<string, string>): Promise<string[]> =>
  (await explain(query)).listing.reasons.map(({ reason }: { reason: string }) => reason)

describe('a search of the operator API', () => {
  test('has the hits of the public search, and nothing else without explain=true', async () => {
    const { body } = await search({ q: 'podcast' })
    expect(Object.keys(body.data).sort()).toEqual(['full', 'hits', 'total'])
    const { key } = await service.newKey('standard')
    const found = await service.rest('/tools?q=podcast', { key })
    expect(body.data.hits.map(({ slug }: { slug: string }) => slug)).toEqual(
      found.body.data.map(({ slug }: { slug: string }) => slug),
    )
    expect(body.data.hits[0]).toEqual({ place: 1, slug: 'clipper', name: 'Clipper', match: 'full' })
  })

  test('takes every filter and order of the public search of its kind, and says what was understood', async () => {
    const slugsOf = async (query: Record<string, string>) =>
      (await explain(query)).hits.map(({ slug }: { slug: string }) => slug)
    expect(await slugsOf({ q: 'podcast', minRating: '1' })).toEqual([])
    expect(await slugsOf({ q: 'podcast', sort: 'rating' })).toHaveLength(2)
    expect(await slugsOf({ q: 'podcast', kind: 'directory', badge: 'none', maxPrice: '10', sort: 'price' })).toEqual([
      'podcast-list',
    ])
    expect(await slugsOf({ q: 'podcast', kind: 'directory', minDomainRating: '50' })).toEqual([])
    expect((await explain({ q: 'free podcast' })).understood).toBe('pricing=FREE')
    expect((await search({ q: 'podcast', maxPrice: '10' })).body.error).toContain('maxPrice is no filter of kind=tool')
    expect((await search({ q: 'podcast', sort: 'visits' })).body.error).toContain('match, opens, rating, newest')
  })

  test('explains each hit by parts that add up to its score', async () => {
    const { hits, words } = await explain({ q: 'I need clips of my podcast interviews' })
    expect(hits[0]).toMatchObject({ slug: 'clipper', match: 'partial' })
    for (const { score, words, wholeName, meaning } of hits)
      expect(
        words.reduce((sum: number, { points }: { points: number }) => sum + points, 0) +
          wholeName +
          (meaning?.points ?? 0),
      ).toBe(score)
    expect(Object.fromEntries(words.map(({ word, use }: { word: string; use: string }) => [word, use]))).toMatchObject({
      ...{ need: 'asking', my: 'function', clips: 'counted', interviews: 'unknown' },
    })
  })

  test('searches directories, too', async () => {
    expect((await explain({ kind: 'directory', q: 'podcast' })).hits).toMatchObject([
      { slug: 'podcast-list', words: [{ word: 'podcast', field: 'name', quality: 'exact', points: 1003 }] },
    ])
  })

  test('gives the place of a listing that is named, or why it is not found', async () => {
    expect((await explain({ q: 'podcast', listing: 'recorder' })).listing).toMatchObject({ place: 2, reasons: [] })
    expect(await reasonsOf({ q: 'podcast', pricing: 'PAID', listing: 'clipper' })).toEqual(['filter'])
    expect(await reasonsOf({ q: 'pictures', listing: 'hot-painter' })).toEqual(['filter'])
    expect(await reasonsOf({ q: 'pictures', listing: 'hot-painter', includeAdult: 'true' })).toEqual([])
    expect(await reasonsOf({ q: 'podcast', listing: 'draft-clipper' })).toEqual(['unpublished'])
    expect(await reasonsOf({ q: 'podcast', listing: 'painter' })).toEqual(['words_missing', 'full_matches_enough'])
  })

  test('does not call a listing unpublished that is published and that this process has not loaded yet', async () => {
    // Stored without an announcement, as if the announcement were still under way.
    await service.sql(`update tools set published = true where slug = 'draft-clipper'`)
    try {
      const { listing } = await explain({ q: 'podcast', listing: 'draft-clipper' })
      expect(listing).toMatchObject({ match: 'none', reasons: [{ reason: 'not_loaded' }] })
      expect(listing.reasons[0].detail).toMatch(/^It is published, but the process/)
    } finally {
      await service.sql(`update tools set published = false where slug = 'draft-clipper'`)
    }
  })

  test('refuses what makes no sense, with a sentence', async () => {
    for (const [query, status] of [
      [{ q: 'podcast', cost: 'Free' }, 400],
      [{ q: 'podcast', kind: 'directory', tag: 'spicy' }, 400],
      [{ q: 'podcast', listing: 'clipper' }, 400],
      [{ q: 'podcast', explain: 'true', listing: 'no-such' }, 404],
    ] as const) {
      const reply = await search(query)
      expect([reply.status, reply.body.error], reply.text).toEqual([status, expect.any(String)])
    }
  })
})

describe('catalog search', () => {
  const command = (...words: string[]) => catalog(['search', ...words], { CATALOG_URL: service.origin, ADMIN_TOKEN })

  test('prints each hit with its place and the parts of its score', async () => {
    const { out, status } = await command('podcast')
    expect(status).toBe(0)
    expect(out).toContain('2 found, 2 with every word.')
    expect(out).toContain('1. Clipper (clipper): full, 103\n   103  podcast: in tagline, category or tags\n')
    expect(out).toMatch(/podcast +Counts\. +\d\.\d\d +podcast, podcasts/)
    expect((await command('podcast', '--kind', 'directory')).out).toContain('1. Podcast List (podcast-list): full')
  })

  test('says why a listing is not found, or where it is', async () => {
    expect((await command('podcast', '--listing', 'painter')).out).toContain(
      'painter is not found. It is no full match, because it lacks: podcast.',
    )
    expect((await command('podcast', '--listing', 'recorder')).out).toContain(
      'recorder is found. It is at place 2, a full match.',
    )
    const missing = await command('podcast', '--listing', 'no-such')
    expect([missing.status, missing.err]).toEqual([1, expect.stringContaining('Tool not found.')])
  })

  test('prints the answer of the operator API with --json, with the same filters', async () => {
    const { out } = await command('podcast', '--pricing', 'PAID', '--json')
    expect(JSON.parse(out)).toEqual(await explain({ q: 'podcast', pricing: 'PAID' }))
  })
})
