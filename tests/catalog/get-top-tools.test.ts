// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { onBoth } from '../harness/both-transports.ts'
import { FIXTURE, isAdult, publishedTools, slugsOf, sortedSlugs, visibleTools } from '../harness/fixture.ts'
import { limitCases } from '../harness/paging-cases.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(FIXTURE))

const top = (input: Record<string, unknown> = {}) => onBoth(service, 'get_top_tools', input)

describe('GET /tools/top', () => {
  test('gives an array of Tool objects ordered by opens, highest first, without pagination', async () => {
    const { data } = await top({ limit: 100 })
    expect(sortedSlugs(data)).toEqual(sortedSlugs(visibleTools))
    const opens = data.map((tool: any) => tool.opens)
    expect(opens).toEqual([...opens].sort((a, b) => b - a))
    expect(data[0].slug).toBe('plain-notes')
  })

  test('puts newer tools first when opens are equal, then orders by id', async () => {
    const { data } = await top({ limit: 100 })
    const tied = data.filter((tool: any) => tool.opens === 20)
    expect(tied.at(-1).slug).toBe('twin-beta')
    const ids = tied.slice(0, 3).map((tool: any) => tool.id)
    expect(ids).toEqual([...ids].sort())
  })

  test.each(limitCases(10, 100))('accepts a limit that is %s', async (_case, limit, applied) => {
    expect((await top({ limit })).data).toHaveLength(Math.min(applied, visibleTools.length))
  })

  test('does not place a featured tool higher', async () => {
    expect(slugsOf((await top({ category: 'code', limit: 100 })).data).at(-1)).toBe('ancient-lamp')
  })

  test('filters by the slug of a category, and an unknown one gives an empty result', async () => {
    const code = visibleTools.filter((line) => line.category === 'code')
    expect(sortedSlugs((await top({ category: 'code' })).data)).toEqual(sortedSlugs(code))
    expect((await top({ category: 'no-such' })).data).toEqual([])
  })

  test('ignores the parameters of the search over REST', async () => {
    expect((await service.rest('/tools/top?q=wombat&page=2&pricing=nonsense')).body).toEqual(await top())
  })

  describe('adult listings', () => {
    test('are excluded by default', async () => {
      const found = slugsOf((await top({ limit: 100 })).data)
      for (const tool of publishedTools.filter(isAdult)) expect(found).not.toContain(tool.slug)
    })

    test('are included with includeAdult=true', async () => {
      const { body } = await service.rest('/tools/top?includeAdult=true&limit=100')
      expect(sortedSlugs(body.data)).toEqual(sortedSlugs(publishedTools))
      expect(slugsOf(body.data).slice(0, 2)).toEqual(['red-room', 'boudoir'])
    })

    test('are not included by includeAdult over MCP', async () => {
      const { envelope } = await service.tool('get_top_tools', { limit: 100 })
      expect(sortedSlugs(envelope.data)).toEqual(sortedSlugs(visibleTools))
      expect(await service.tool('get_top_tools', { limit: 100, includeAdult: true })).toMatchObject({ isError: true })
    })

    test('are included by category=nsfw', async () => {
      expect(slugsOf((await top({ category: 'nsfw' })).data)).toEqual(['red-room', 'velvet'])
    })

    test('are left out of category=image', async () => {
      expect(slugsOf((await top({ category: 'image' })).data)).toEqual(['photo-barn', 'pixel-garden'])
    })
  })
})

describe('GET /tools/top answers 400', () => {
  test('when includeAdult is no boolean', async () => {
    const reply = await service.rest('/tools/top?includeAdult=maybe')
    expect(reply.status).toBe(400)
    expect(reply.body.error).toContain('includeAdult')
  })
})
