// An operation or a parameter that is declared deprecated says so in its answers and in the OpenAPI document. Nothing is deprecated now, so
// the test declares something before the service is made.
// @module-tag once
import { afterAll, beforeAll, expect, test } from 'vitest'
import { restOperations } from '../../src/features.ts'
import { useService } from '../harness/use.ts'

const named = (name: string) => restOperations.find((operation) => operation.name === name)!
const OLD = { since: '2026-11-01', sunset: '2027-06-01', instead: 'Use GET /tools.' }
const OLD_PARAMETER = { since: '2026-12-01', sunset: '2027-05-01', instead: 'Use q.' }

beforeAll(() => {
  expect(restOperations.filter(({ deprecated, deprecatedParameters }) => deprecated ?? deprecatedParameters)).toEqual(
    [],
  )
  named('get_top_tools').deprecated = OLD
  named('search_tools').deprecatedParameters = { tag: OLD_PARAMETER }
})
afterAll(() => {
  delete named('get_top_tools').deprecated
  delete named('search_tools').deprecatedParameters
})
const service = useService()

const announced = ({ headers }: { headers: Headers }) =>
  ['deprecation', 'sunset', 'link'].map((name) => headers.get(name))

test('every answer of a deprecated operation carries the three headers, also a failure', async () => {
  const { key } = await service.newKey()
  for (const held of [key, null])
    expect(announced(await service.rest('/tools/top', { key: held }))).toEqual([
      `@${Date.UTC(2026, 10, 1) / 1000}`,
      'Tue, 01 Jun 2027 00:00:00 GMT',
      `<${service.origin}/docs#get_top_tools>; rel="deprecation"; type="text/html"`,
    ])
})

test('a deprecated parameter announces itself only where it is used', async () => {
  expect(announced(await service.rest('/tools'))).toEqual([null, null, null])
  expect(announced(await service.rest('/tools?tag=api'))).toEqual([
    `@${Date.UTC(2026, 11, 1) / 1000}`,
    'Sat, 01 May 2027 00:00:00 GMT',
    expect.stringContaining('#search_tools'),
  ])
  expect(announced(await service.rest('/directories?tag=api'))).toEqual([null, null, null])
})

test('the OpenAPI document marks both, with what to use instead', async () => {
  const { body } = await service.rest('/openapi.json')
  const { deprecated, description } = body.paths['/tools/top'].get
  expect([deprecated, description]).toEqual([true, expect.stringMatching(/since 2026-11-01.*Use GET \/tools\.$/)])
  const tag = body.paths['/tools'].get.parameters.find(({ name }: { name: string }) => name === 'tag')
  expect(tag).toMatchObject({ deprecated: true, description: expect.stringMatching(/Use q\.$/) })
  expect(JSON.stringify(body).match(/"deprecated":true/g)).toHaveLength(2)
})
