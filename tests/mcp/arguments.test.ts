// @module-tag once
// A call that cannot be answered gets an error that a model can act on.
import { beforeAll, describe, expect, test } from 'vitest'
import { FIXTURE } from '../harness/fixture.ts'
import { call, message, modern, rpc } from '../harness/mcp.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
  await service.load(FIXTURE)
})

const errorOf = async (tool: string, input: object): Promise<string> => {
  const { body } = await rpc(service, key, call(tool, input))
  expect(body.result.isError).toBe(true)
  return JSON.parse(body.result.content[0].text).error
}

test.each(['q', 'fields'])('a list for %s gets an error that says to send one text', async (name) => {
  expect(await errorOf('search_tools', { [name]: ['name', 'website'] })).toBe(
    `${name} must be given once, as one text.`,
  )
})

describe('an argument that the tool does not have', () => {
  test.each([
    ['search_tools', 'query', 'q'],
    ['search_tools', 'querry', 'q'],
    ['search_tools', 'Q', 'q'],
    ['search_tools', 'search', 'q'],
    ['search_tools', 'categories', 'category'],
    ['search_tools', 'tags', 'tag'],
    ['search_tools', 'price', 'pricing'],
    ['search_tools', 'max_results', 'limit'],
    ['search_tools', 'per_page', 'limit'],
    ['search_tools', 'feilds', 'fields'],
    ['get_tool', 'id', 'slug'],
    ['get_tool', 'name', 'slug'],
    ['get_directory', 'slugs', 'slug'],
    ['search_directories', 'costs', 'cost'],
  ])('%s: %s is named, and so is the nearest one there is: %s', async (tool, given, meant) => {
    const error = await errorOf(tool, { [given]: 'x' })
    expect(error).toContain(`\`${given}\` is not an argument of ${tool}; did you mean \`${meant}\`?`)
  })

  test.each(['includeAdult', 'match'])('%s of REST is not one of the tool either', async (name) => {
    expect(await errorOf('search_tools', { q: 'wombat', [name]: true })).toBe(
      `\`${name}\` is not an argument of search_tools. Its arguments are q, category, tag, pricing, minRating, featured, facts, sort, fields, page, limit.`,
    )
  })

  test('of a tool without arguments gets an error that says so', async () => {
    expect(await errorOf('list_directory_categories', { q: 'x' })).toBe(
      '`q` is not an argument of list_directory_categories. It takes no arguments.',
    )
  })

  test.each(['constructor', 'toString', 'hasOwnProperty', ''])('may have any name: %j', async (name) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tags","arguments":{${JSON.stringify(name)}:1}}}`
    const { result } = (await rpc(service, key, body)).body
    expect(JSON.parse(result.content[0].text).error).toContain(`\`${name}\` is not an argument of list_tags`)
  })

  test('is cut short when it is long, and only the first five are named', async () => {
    expect((await errorOf('list_tags', { ['x'.repeat(10_000)]: 1 })).length).toBeLessThan(200)
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`n${i}`, 1]))
    expect((await errorOf('list_tags', many)).match(/is not an argument/g)).toHaveLength(5)
  })

  test('is named at the newest revision too', async () => {
    const { body } = await modern(service, key, 'tools/call', { name: 'search_tools', arguments: { query: 'x' } })
    expect(body.result.isError).toBe(true)
    expect(body.result.content[0].text).toContain('did you mean `q`?')
  })

  test('over REST an unknown parameter is ignored as before', async () => {
    expect((await service.rest('/tools?query=x')).status).toBe(200)
  })
})

describe('values that models send', () => {
  test.each([
    ['q: 123', { q: 123 }, { q: '123' }],
    ['q: true', { q: true }, { q: 'true' }],
    ['category: 5', { category: 5 }, { category: '5' }],
    ['limit: "3"', { limit: '3' }, { limit: 3 }],
    ['featured: "true"', { featured: 'true' }, { featured: true }],
    ['featured: 1', { featured: 1 }, { featured: true }],
    ['pricing: "free"', { pricing: 'free' }, { pricing: 'FREE' }],
    ['null for every argument, also for an unknown one', { q: null, tag: null, limit: null, other: null }, {}],
  ])('%s is taken', async (_case, given, meant) => {
    const answer = await service.tool('search_tools', given)
    expect([answer.isError, answer.text]).toEqual([false, (await service.tool('search_tools', meant)).text])
  })

  test.each([{ q: {} }, { q: ['a'] }, { slug: [] }])('an object or a list is not: %j', async (input) => {
    const tool = 'slug' in input ? 'get_tool' : 'search_tools'
    expect(await errorOf(tool, input)).toMatch(/^(q|slug) must be /)
  })

  test('arguments: null counts as none, in every revision and in a batch', async () => {
    const params = { name: 'list_tags', arguments: null }
    const { text } = await service.tool('list_tags')
    const [batched] = [(await rpc(service, key, [message('tools/call', params)])).body].flat()
    for (const { result } of [
      (await rpc(service, key, message('tools/call', params))).body,
      (await modern(service, key, 'tools/call', params)).body,
      batched,
    ])
      expect(result.content[0].text).toBe(text)
  })
})

describe('no message shows the inside of a library', () => {
  const INSIDE = /zod|invalid_type|expected|received|\\n|stack|\.mjs|\.ts\b|node_modules|typebox|ajv/i
  const WRONG: [string, unknown][] = [
    ['tools/call', undefined],
    ['tools/call', {}],
    ['tools/call', { name: 5 }],
    ['tools/call', { name: ['list_tags'] }],
    ['tools/call', { name: 'list_tags', arguments: 'x' }],
    ['tools/call', { name: 'list_tags', arguments: [1] }],
    ['tools/call', { name: 'list_tags', arguments: 5, task: 5 }],
    ['tools/list', { cursor: 5 }],
    ['tools/list', { cursor: {} }],
    ['initialize', {}],
    ['initialize', { protocolVersion: 5 }],
    ['initialize', { protocolVersion: '2025-06-18', capabilities: [], clientInfo: { name: 'a', version: '1' } }],
    ['initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: 1 } }],
  ]

  test.each(WRONG)('%s with %j gets −32602 and says what is needed', async (method, params) => {
    const { status, body, text } = await rpc(service, key, message(method, params as object))
    expect([status, body.error.code]).toEqual([200, -32602])
    expect(body.error.message).toMatch(new RegExp(`^${method} (needs|takes) .+\\.$`))
    expect(text).not.toMatch(INSIDE)
    const newest = await modern(service, key, method, (params ?? {}) as Record<string, unknown>)
    expect(newest.body.error.code).toBe(method === 'initialize' ? -32601 : -32602)
    expect(newest.text).not.toMatch(INSIDE)
  })

  test('each message of a batch gets its own error', async () => {
    const wrong = message('tools/call', { name: 5 })
    const [ping, list] = [message('ping'), message('tools/list', { cursor: 5 })]
    const { body, text } = await rpc(service, key, [ping, wrong, list])
    const byId = new Map(body.map((one: any) => [one.id, one]))
    expect(byId.get(ping.id)).toMatchObject({ result: {} })
    expect(byId.get(wrong.id)).toMatchObject({
      error: { code: -32602, message: expect.stringMatching(/^tools\/call/) },
    })
    expect(byId.get(list.id)).toMatchObject({ error: { code: -32602, message: expect.stringMatching(/^tools\/list/) } })
    expect(text).not.toMatch(INSIDE)
  })
})
