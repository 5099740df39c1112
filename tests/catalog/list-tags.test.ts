import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onBoth } from '../harness/both-transports.ts'
import { FIXTURE, publishedTools, slugsOf, TAGS } from '../harness/fixture.ts'
import { limitCases } from '../harness/paging-cases.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.load(FIXTURE)
})
afterAll(() => service.close())

// Case and accents do not count.
const BY_NAME = ['adult-content', 'api', 'francais', 'open-source', 'unused', 'wombat']

const list = (input: Record<string, unknown> = {}) => onBoth(service, 'list_tags', input)

describe('200', () => {
  test('the whole list by name, without a pagination key', async () => {
    expect(slugsOf((await list()).data)).toEqual(BY_NAME)
  })

  test('the fields are those that were stored', async () => {
    const { data } = await list()
    for (const { adult: _adult, ...line } of TAGS)
      expect(data).toContainEqual({ ...line, toolsCount: expect.any(Number) })
  })

  test('toolsCount counts published listings', async () => {
    for (const { slug, toolsCount } of (await list()).data)
      expect([slug, toolsCount]).toEqual([slug, publishedTools.filter((line) => line.tags.includes(slug)).length])
  })

  test.each(limitCases(500, 500))('limit that is %s', async (_case, limit, applied) => {
    expect((await list({ limit })).data).toHaveLength(Math.min(applied, TAGS.length))
  })

  test('limit keeps the first by name', async () => {
    expect(slugsOf((await list({ limit: 2 })).data)).toEqual(BY_NAME.slice(0, 2))
  })

  test.each([
    ['its name', 'API', ['api']],
    ['its name without the accent', 'francais', ['francais']],
    ['all words', 'open source', ['open-source']],
    ['nothing', 'nonexistentword', []],
  ])('q matches %s', async (_case, q, found) => expect(slugsOf((await list({ q })).data)).toEqual(found))

  test('an unknown parameter is ignored', async () =>
    expect(await list({ page: 2, colour: 'red' })).toEqual(await list()))
})

describe('400', () => {
  test('q that is given twice', async () => {
    expect((await onBoth(service, 'list_tags', { q: ['a', 'b'] }, 400)).error).toContain('q ')
  })
})
