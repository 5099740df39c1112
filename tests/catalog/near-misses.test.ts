// @module-tag once
// A question that no listing answers gets the nearest few, or nothing, and the words that no listing has.
import { beforeAll, expect, test } from 'vitest'
import { useService } from '../harness/use.ts'

const tool = (slug: string, name: string, tagline: string, description = '') => ({
  ...{ kind: 'tool', slug, name, tagline, description },
  website: `https://${slug}.example.com`,
  pricing: 'FREE',
})

const service = useService()
beforeAll(() =>
  service.load([
    ...Array.from({ length: 6 }, (_, i) => tool(`podcast-${i}`, `Podcast ${i}`, 'Records a podcast with guests')),
    ...Array.from({ length: 6 }, (_, i) => tool(`invoice-${i}`, `Invoice ${i}`, 'Sends invoices and reminders')),
    ...Array.from({ length: 60 }, (_, i) => tool(`filler-${i}`, `Filler ${i}`, 'Common words that everyone has')),
  ]),
)

async function ask(q: string, more = '') {
  const { body, headers } = await service.rest(`/tools?q=${encodeURIComponent(q)}${more || '&limit=100'}`)
  const missing = headers.get('x-catalog-missing')
  return {
    slugs: body.data.map(({ slug }: { slug: string }) => slug) as string[],
    total: body.pagination.total as number,
    match: headers.get('x-catalog-match'),
    missing: missing === null ? [] : missing.split(',').map(decodeURIComponent),
  }
}

const FAR = 'translate the subtitles of my podcast into Portuguese for television'

test('of listings with less than half of what is asked for, the best three are shown, with the words that are missing', async () => {
  const { slugs, total, match, missing } = await ask(FAR)
  expect([total, match]).toEqual([3, 'partial'])
  for (const slug of slugs) expect(slug).toMatch(/^podcast-/)
  expect(missing).toEqual(['translate', 'subtitles', 'portuguese', 'television'])
})

test('of listings with half of it or more, all are shown', async () => {
  const { slugs, missing } = await ask('podcast subtitles guests')
  expect(slugs.filter((slug) => slug.startsWith('podcast-'))).toHaveLength(6)
  expect(missing).toEqual(['subtitles'])
})

test('nothing is shown that shares a chance word with the question and is far from its meaning', async () => {
  const { slugs, match, missing } = await ask('reminders of childhood asthma symptoms and allergies in toddlers')
  expect([slugs, match]).toEqual([[], 'full'])
  expect(missing).toContain('asthma')
})

test('full matches are all shown, and pages add up', async () => {
  expect((await ask('invoices')).total).toBe(6)
  const pages = [await ask(FAR, '&limit=2'), await ask(FAR, '&limit=2&page=2'), await ask(FAR, '&limit=2&page=3')]
  expect(pages.map(({ slugs }) => slugs.length)).toEqual([2, 1, 0])
})

test('facts=off shows them all, as before there were facts', async () => {
  const { total, missing } = await ask(FAR, '&facts=off')
  expect(total).toBeGreaterThan(3)
  expect(missing).toEqual([])
})

test('operators are told why a near miss is not shown', async () => {
  const { slugs } = await ask(FAR)
  const left = Array.from({ length: 6 }, (_, i) => `podcast-${i}`).find((slug) => !slugs.includes(slug))
  const { body } = await service.admin('GET', `/search?explain=true&q=${encodeURIComponent(FAR)}&listing=${left}`)
  const reasons = body.data.listing.reasons as { reason: string; detail: string }[]
  expect(reasons.at(-1)).toMatchObject({
    reason: 'little_of_question',
    detail: expect.stringContaining('only the best 3 are shown'),
  })
})
