// Many submissions at once, on either database.
// @module-tag slow
import { beforeAll, expect, test } from 'vitest'
import { newTool, queue, SUBMISSION_CATALOG, spellings, submit } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(SUBMISSION_CATALOG))

const all = async (key: string, bodies: Record<string, unknown>[]) => {
  const replies = await Promise.all(bodies.map((body) => submit(service, key, body)))
  return {
    statuses: replies.map(({ status }) => status).sort(),
    data: replies.map(({ body }) => body.data),
  }
}
const unique = <T>(values: T[]) => new Set(values).size

test('100 parallel submissions of one name (different websites) give 100 distinct slugs', async () => {
  const { id, key } = await service.newPartner()
  const bodies = Array.from({ length: 100 }, () => newTool({ name: 'One Name' }))
  const { statuses, data } = await all(key, bodies)
  expect(statuses).toEqual(Array(100).fill(201))
  const slugs = data.map(({ slug }) => slug)
  const expected = ['one-name', ...Array.from({ length: 99 }, (_, i) => `one-name-${i + 2}`)]
  expect(slugs.sort()).toEqual(expected.sort())
  expect(await queue(service, { client: id })).toHaveLength(100)
  await service.settled()
  const read = (await service.rest('/tools?q=one+name&limit=100')).body
  expect(read.pagination.total).toBe(100)
  expect(unique(read.data.map((tool: { website: string }) => tool.website))).toBe(100)
})

test('names that lead to the same numbered slugs do not replace each other', async () => {
  const { key } = await service.newPartner()
  const names = ['Meet', 'Meet', 'Meet 2', 'Meet', 'Meet 3', 'Meet 2 2', 'Meet 2', 'Meet']
  for (let round = 0; round < 3; round++) {
    const bodies = names.map((name) => newTool({ name: `R${round} ${name}` }))
    const { statuses, data } = await all(key, bodies)
    expect(statuses).toEqual(Array(names.length).fill(201))
    expect(unique(data.map(({ id }) => id))).toBe(names.length)
    expect(unique(data.map(({ slug }) => slug))).toBe(names.length)
    expect(data.map(({ website }) => website)).toEqual(bodies.map(({ website }) => website))
  }
})

test('20 parallel submissions of one website give one listing and one submission', async () => {
  const { id, key } = await service.newPartner()
  const website = 'https://one-site.example.com/app'
  const written = [website, ...spellings(website)]
  const bodies = Array.from({ length: 20 }, (_, i) =>
    newTool({ name: `Name ${i}`, website: written[i % written.length] }),
  )
  const { statuses, data } = await all(key, bodies)
  expect(statuses).toEqual([...Array(19).fill(200), 201])
  expect(unique(data.map((one) => one.id))).toBe(1)
  expect(data.filter(({ created }) => created)).toHaveLength(1)
  expect(await queue(service, { client: id })).toHaveLength(1)
  await service.settled()
  expect((await service.rest('/tools?q=one-site')).body.data.length).toBeLessThanOrEqual(1)
})

test('ten partners with one website at once share one listing', async () => {
  const partners = await Promise.all(Array.from({ length: 10 }, () => service.newPartner()))
  const website = 'https://many-partners.example.com'
  const replies = await Promise.all(partners.map(({ key }) => submit(service, key, newTool({ website }))))
  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(201))
  expect(unique(replies.map(({ body }) => body.data.id))).toBe(1)
})

test('new tags in parallel submissions, in any order, are created once each', async () => {
  const { key } = await service.newPartner()
  for (let round = 0; round < 3; round++) {
    const tags = Array.from({ length: 5 }, (_, i) => `fresh ${round} ${i}`)
    const bodies = Array.from({ length: 10 }, (_, i) => newTool({ tags: i % 2 ? tags : [...tags].reverse() }))
    const { statuses, data } = await all(key, bodies)
    expect(statuses).toEqual(Array(10).fill(201))
    for (const one of data) expect(one.tags).toHaveLength(5)
  }
  await service.settled()
  const known: { slug: string; toolsCount: number }[] = (await service.rest('/tags?q=fresh')).body.data
  expect(known).toHaveLength(15)
  for (const tag of known) expect(tag.toolsCount, tag.slug).toBe(10)
})
