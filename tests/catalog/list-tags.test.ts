// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { onBoth } from '../harness/both-transports.ts'
import { FIXTURE, publishedTools, slugsOf, TAGS } from '../harness/fixture.ts'
import { limitCases } from '../harness/paging-cases.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(FIXTURE))

// The order ignores case and accents.
const BY_NAME = ['adult-content', 'api', 'francais', 'open-source', 'unused', 'wombat']

const list = (input: Record<string, unknown> = {}) => onBoth(service, 'list_tags', input)

describe('GET /tags', () => {
  test('gives the whole list by name, without a pagination key', async () => {
    expect(slugsOf((await list()).data)).toEqual(BY_NAME)
  })

  test('gives the stored fields', async () => {
    const { data } = await list()
    for (const { adult: _adult, ...line } of TAGS)
      expect(data).toContainEqual({ ...line, toolsCount: expect.any(Number) })
  })

  test('counts published listings in toolsCount', async () => {
    for (const { slug, toolsCount } of (await list()).data)
      expect([slug, toolsCount]).toEqual([slug, publishedTools.filter((line) => line.tags.includes(slug)).length])
  })

  test.each(limitCases(500, 500))('accepts a limit that is %s', async (_case, limit, applied) => {
    expect((await list({ limit })).data).toHaveLength(Math.min(applied, TAGS.length))
  })

  test('keeps the first by name when a limit is given', async () => {
    expect(slugsOf((await list({ limit: 2 })).data)).toEqual(BY_NAME.slice(0, 2))
  })

  test.each([
    ['its name', 'API', ['api']],
    ['its name without the accent', 'francais', ['francais']],
    ['all words', 'open source', ['open-source']],
    ['nothing', 'nonexistentword', []],
  ])('finds what q matches: %s', async (_case, q, found) => expect(slugsOf((await list({ q })).data)).toEqual(found))

  test('ignores an unknown parameter over REST', async () =>
    expect((await service.rest('/tags?page=2&colour=red')).body).toEqual(await list()))
})

describe('GET /tags answers 400', () => {
  test('when q is given twice', async () => {
    expect((await onBoth(service, 'list_tags', { q: ['a', 'b'] }, 400)).error).toContain('q ')
  })
})
