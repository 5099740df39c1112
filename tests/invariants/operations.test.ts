// Rules that hold for every operation, including those that are written later.
// @module-tag once
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { beforeAll, describe, expect, test } from 'vitest'
import { operatorOperations, restOperations } from '../../src/features.ts'
import type { RoutedOperation } from '../../src/kernel/operation.ts'
import { expectFailure, validatorOf } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'
import { withDuration } from '../harness/with-duration.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
})

const allOperations = [...restOperations, ...operatorOperations]
const each = (operations: readonly RoutedOperation[]) =>
  operations.map((operation) => [operation.name, operation] as const)
const baseOf = (operation: RoutedOperation) => (operatorOperations.includes(operation) ? '/api/admin' : '/api/v1')
const ask = (operation: RoutedOperation, held: string | null) =>
  service.fetch(baseOf(operation) + operation.path.replace(/:\w+/g, 'x'), {
    method: operation.method,
    key: held,
    ...(operation.body ? { body: '{}', type: operation.lines ? 'application/x-ndjson' : 'application/json' } : {}),
  })

type Node = Record<string, unknown> & { properties?: Record<string, Node> }

/** Yields every property of a schema at any depth, with its path. */
function* propertiesOf(schema: Node, path = ''): Generator<[path: string, property: Node]> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield [`${path}${name}`, property]
    yield* propertiesOf(property, `${path}${name}.`)
  }
  for (const word of ['items', 'additionalProperties'])
    if (typeof schema[word] === 'object') yield* propertiesOf(schema[word] as Node, `${path}[].`)
  for (const word of ['anyOf', 'oneOf', 'allOf'])
    for (const part of (schema[word] as Node[] | undefined) ?? []) yield* propertiesOf(part, path)
}

const properties = (...schemas: (TSchema | undefined)[]) =>
  schemas.flatMap((schema) => (schema ? [...propertiesOf(JSON.parse(JSON.stringify(schema)) as Node)] : []))

test('the names of operations are unique, and so are method and path together', () => {
  expect(new Set(allOperations.map(({ name }) => name)).size).toBe(allOperations.length)
  expect(
    new Set(allOperations.map((operation) => `${operation.method} ${baseOf(operation)}${operation.path}`)).size,
  ).toBe(allOperations.length)
})

test('the first eight operations have the names, methods and paths of the specification', () => {
  expect(restOperations.slice(0, 8).map(({ name, method, path }) => `${name} ${method} ${path}`)).toEqual([
    'search_tools GET /tools',
    'get_top_tools GET /tools/top',
    'get_tool GET /tools/:slug',
    'list_categories GET /categories',
    'list_tags GET /tags',
    'search_directories GET /directories',
    'get_directory GET /directories/:slug',
    'list_directory_categories GET /directory-categories',
  ])
})

describe.each(each(allOperations))('%s', (_name, operation) => {
  test('has a name in words, a summary, a description and a group', () => {
    expect(operation.name).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(operation.summary).toMatch(/^[A-Z].{4,}[^.]$/)
    expect(operation.description).toMatch(/^[A-Z].{20,}\.$/s)
    expect(operation.group).toMatch(/^[A-Z]/)
  })

  test('describes every parameter and every field at any depth in a sentence', () => {
    for (const [path, property] of properties(
      operation.parameters,
      operation.headers,
      operation.body,
      operation.lines,
      operation.data,
    ))
      expect([path, property.description]).toEqual([path, expect.stringMatching(/^\S.{3,}[.…]$/s)])
  })

  test('declares its path parameters', () => {
    for (const [, name] of operation.path.matchAll(/:(\w+)/g))
      expect(Object.keys(operation.parameters.properties)).toContain(name)
  })

  test('has an example that its own schema allows', () => {
    const validator = operation.streams ? Compile(operation.data) : validatorOf(operation)
    expect([...validator.Errors(operation.example)]).toEqual([])
    if (operation.streams) return
    const declared = properties(operation.data).map(([path]) => path)
    for (const path of pathsIn((operation.example as { data: unknown }).data))
      if (isDescribed(operation.data)) expect(declared).toContain(path)
  })

  test('answers 401 without a key and with a wrong one', async () => {
    if (operation.access === 'public') return
    for (const held of [null, 'aid_nonsense']) {
      const reply = await ask(operation, held)
      expect(reply.status).toBe(401)
      expectFailure(reply.body)
    }
  })
})

test.each(each(allOperations.filter(({ access }) => access === 'operator' || access === 'partner')))(
  '%s answers 403 to a catalog key',
  async (_name, operation) => {
    const reply = await ask(operation, key)
    expect(reply.status).toBe(403)
    expectFailure(reply.body)
  },
)

test.each(each(operatorOperations))('%s answers 403 to a partner key', async (_name, operation) => {
  expect((await ask(operation, (await partnerKey()).key)).status).toBe(403)
})

describe.each(each(restOperations.filter(({ access }) => access === 'catalog' || access === 'public')))(
  '%s',
  (_name, operation) => {
    test('has no private field in its output schema', () => {
      const names = properties(operation.data).map(([path]) => path.split('.').at(-1))
      for (const name of [
        'founderEmail',
        'searchWords',
        'submissionLink',
        'webhookSecret',
        'hash',
        'published',
        'adult',
        'email',
      ])
        expect(names).not.toContain(name)
    })

    test('is a GET', () => expect(operation.method).toBe('GET'))
  },
)

test('no pattern of any schema backtracks over a long text', async () => {
  const patterns = new Set(
    allOperations.flatMap(({ parameters, headers, body, lines, data }) =>
      properties(parameters, headers, body, lines, data).flatMap(([, { pattern }]) => pattern ?? []),
    ),
  )
  expect(patterns.size).toBeGreaterThan(1)
  for (const pattern of patterns)
    for (const text of ['a@', 'a.', 'https://', '', '-', 'a'].flatMap((first) =>
      ['.', '@', 'a', ' ', '-', '/', 'a.', 'a-'].map((piece) => `${first}${piece.repeat(10_000)}\n@`),
    )) {
      const [, ms] = await withDuration(async () => new RegExp(String(pattern), 'u').test(text))
      expect(ms, String(pattern)).toBeLessThan(100)
    }
})

test('no operation returns the hash of a key', () => {
  for (const { name, data } of allOperations)
    for (const [path] of properties(data)) expect(`${name} ${path}`).not.toMatch(/[ .]hash$/i)
})

let partner: Promise<{ key: string }> | undefined
const partnerKey = () => (partner ??= service.newPartner())

/** Lists the fields of a value in the notation of `propertiesOf`. */
function pathsIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, `${path}[].`))
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).map((name) => `${path}${name}`)
}

const isDescribed = (schema: TSchema): boolean => properties(schema).length > 0
