// GET /api/admin/openapi.json is the document of the operator API, for operators only.
// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { operatorOperations } from '../../src/features.ts'
import type { RoutedOperation } from '../../src/kernel/operation.ts'
import { readDocument } from '../harness/fuzz/document.ts'
import { expectFailure } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'

let document: any
const service = useService()
beforeAll(async () => {
  document = (await service.admin('GET', '/openapi.json')).body
})

const entryOf = ({ path, method }: RoutedOperation) =>
  document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
const each = operatorOperations.map((operation) => [operation.name, operation] as const)

describe('the operator OpenAPI document', () => {
  test('is OpenAPI 3.1 and describes the operator API', () => {
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.info).toMatchObject({ title: 'Catalog Service: operator API' })
    expect(document.servers[0].url).toBe(`${service.origin}/api/admin`)
  })

  test('names the operator token and the session of an administrator as the ways to authenticate', () => {
    expect(document.security).toEqual([{ operatorToken: [] }, { operatorTokenHeader: [] }, { session: [] }])
    expect(Object.keys(document.components.securitySchemes)).toEqual(document.security.flatMap(Object.keys))
    expect(document.components.securitySchemes.session).toMatchObject({ in: 'cookie', name: expect.any(String) })
  })

  test.each(each)('has %s with its example', (_name, operation) => {
    const entry = entryOf(operation)
    expect(entry).toMatchObject({ operationId: operation.name, summary: operation.summary, tags: [operation.group] })
    const { content } = entry.responses[operation.status ?? 200]
    if (operation.streams)
      expect(content[operation.streams.type].example).toBe(
        typeof operation.example === 'string' ? operation.example : `${JSON.stringify(operation.example)}\n`,
      )
    else expect(content['application/json'].example).toEqual(JSON.parse(JSON.stringify(operation.example)))
    for (const status of [...operation.failures, 401, 403, 405, 500, 503])
      expect(entry.responses).toHaveProperty([status])
  })

  test('has only examples that fit their schema and hold no undeclared field', () => {
    const described = readDocument(
      document,
      ({ requestBody }) => requestBody?.content['application/json'] || !requestBody,
    )
    expect(described.length).toBeGreaterThan(50)
    for (const operation of operatorOperations.filter(({ streams, lines, bytes }) => !streams && !lines && !bytes)) {
      const promised = described.find(({ name }) => name === operation.name)!.answers.get(operation.status ?? 200)!
      expect([operation.name, promised.problems(JSON.parse(JSON.stringify(operation.example)))]).toEqual([
        operation.name,
        [],
      ])
    }
  })

  test('has no entry that is no operation', () => {
    const names = Object.values<any>(document.paths).flatMap((entry) =>
      Object.values<any>(entry).map(({ operationId }) => operationId),
    )
    expect(names.sort()).toEqual([...operatorOperations.map(({ name }) => name), 'operator_openapi'].sort())
  })

  test('declares every shape once', () => {
    const pathsByShape = new Map<string, string[]>()
    const walk = (part: any, path: string): void => {
      if (typeof part !== 'object' || part === null) return
      if (part.type === 'object' && Object.keys(part.properties ?? {}).length > 1 && !part.properties.success)
        pathsByShape.set(JSON.stringify(part.properties), [
          ...(pathsByShape.get(JSON.stringify(part.properties)) ?? []),
          path,
        ])
      for (const [name, one] of Object.entries(part)) walk(one, `${path}/${name}`)
    }
    walk(document, '')
    expect(pathsByShape.size).toBeGreaterThan(40)
    expect([...pathsByShape.values()].filter((paths) => paths.length > 1)).toEqual([])
  })

  test('has a description for every tag', () => {
    for (const { name, description } of document.tags)
      expect([name, description]).toEqual([name, expect.stringMatching(/^.{20,}\.$/)])
  })

  test('is answered 304 for a matching If-None-Match, and compressed for clients that ask', async () => {
    const ask = { key: 'test-operator-token' }
    const { headers } = await service.fetch('/api/admin/openapi.json', ask)
    expect(headers.get('content-encoding')).toMatch(/^(br|gzip)$/)
    const again = await service.fetch('/api/admin/openapi.json', {
      ...ask,
      headers: { 'if-none-match': headers.get('etag')! },
    })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})

describe('access to the operator OpenAPI document', () => {
  test('is a 401 without a token and with a wrong one, a 403 with a key, a 405 for another method', async () => {
    const ask = (key: string | null, method = 'GET') => service.fetch('/api/admin/openapi.json', { key, method })
    const replies = [
      await ask(null),
      await ask('aid_nonsense'),
      await ask((await service.newKey()).key),
      await ask((await service.newPartner()).key),
      await ask('test-operator-token', 'POST'),
    ]
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 403, 403, 405])
    for (const { body } of replies) expectFailure(body)
  })

  test('is not possible from the pages of other sites', async () => {
    const { headers } = await service.fetch('/api/admin/openapi.json', { key: 'test-operator-token' })
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })
})
