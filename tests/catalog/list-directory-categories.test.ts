// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { onBoth } from '../harness/both-transports.ts'
import { DIRECTORY_CATEGORIES, FIXTURE, slugsOf } from '../harness/fixture.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(FIXTURE))

describe('GET /directory-categories', () => {
  test('gives the whole list by name, without a pagination key', async () => {
    const { data } = await onBoth(service, 'list_directory_categories')
    expect(data).toEqual(expect.arrayContaining(DIRECTORY_CATEGORIES))
    expect(slugsOf(data)).toEqual(['ai', 'ecology', 'nothing', 'saas'])
  })

  test('has no parameters and ignores any that are given over REST', async () => {
    expect((await service.rest('/directory-categories?q=ai&limit=1&page=x')).body).toEqual(
      await onBoth(service, 'list_directory_categories'),
    )
  })

  test('gives the slugs that the category parameter of /directories accepts', async () => {
    const { data } = await onBoth(service, 'list_directory_categories')
    for (const { slug } of data) {
      const found = await onBoth(service, 'search_directories', { category: slug })
      for (const directory of found.data) expect(slugsOf(directory.categories)).toContain(slug)
      expect(found.pagination.total > 0).toBe(slug !== 'nothing')
    }
  })
})
