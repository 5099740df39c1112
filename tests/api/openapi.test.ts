// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { restOperations } from '../../src/features.ts'
import { useService } from '../harness/use.ts'

let document: any
const service = useService()
beforeAll(async () => {
  document = (await service.rest('/openapi.json', { key: null })).body
})

const SECURITY: Record<string, object[]> = {
  public: [],
  catalog: [{ bearer: [] }, { apiKey: [] }],
  partner: [{ partnerBearer: [] }, { partnerApiKey: [] }],
  support: [{ partnerBearer: [] }, { partnerApiKey: [] }],
}

const pathOf = (path: string) => path.replace(/:(\w+)/g, '{$1}')

describe('the OpenAPI document', () => {
  test('needs no key, is OpenAPI 3.1 and has version 1.0.0', async () => {
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.info).toMatchObject({ title: 'Catalog Service', version: '1.0.0' })
    expect(document.servers[0].url).toBe(`${service.origin}/api/v1`)
  })

  test('has every REST operation under its own name, method and path', () => {
    for (const { name, method, path, summary } of restOperations)
      expect(document.paths[pathOf(path)][method.toLowerCase()]).toMatchObject({ operationId: name, summary })
  })

  test('says in the example of a repeated submission that nothing was created', () => {
    const { responses } = document.paths['/submit-ai-tool'].post
    const created = (status: number) => responses[status].content['application/json'].example.data.created
    expect([created(201), created(200)]).toEqual([true, false])
  })

  test('has nothing of the operator API', () => {
    const names = new Set(restOperations.map(({ name }) => name))
    for (const entry of Object.values(document.paths) as Record<string, { operationId: string }>[])
      for (const { operationId } of Object.values(entry))
        expect([...names, 'discover', 'openapi']).toContain(operationId)
  })

  test('has no reference without a target', () => {
    for (const reference of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = reference[1]!.split('/').reduce((part, name) => part?.[name], document)
      expect(target, reference[1]).toBeDefined()
    }
  })

  test('has unique operation ids', () => {
    const ids = Object.values(document.paths).flatMap((entry) =>
      Object.values(entry as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each(restOperations.map((operation) => [operation.name, operation] as const))(
    'declares for %s its parameters, its security, its headers on every answer, Allow on 405 and Retry-After on 429',
    (_name, { path, method, parameters, headers, access }) => {
      const entry = document.paths[pathOf(path)][method.toLowerCase()]
      expect(entry.parameters.map(({ name }: { name: string }) => name)).toEqual([
        ...Object.keys(parameters.properties),
        ...Object.keys(headers?.properties ?? {}),
      ])
      for (const parameter of entry.parameters) {
        const isHeader = parameter.name in (headers?.properties ?? {})
        expect(parameter.in).toBe(isHeader ? 'header' : path.includes(`:${parameter.name}`) ? 'path' : 'query')
        expect(parameter.required).toBe(parameter.in === 'path')
      }
      expect(entry.security ?? document.security).toEqual(SECURITY[access])
      const resolved = (answer: { $ref?: string }) =>
        answer.$ref
          ? answer.$ref
              .split('/')
              .slice(1)
              .reduce((part, name) => part[name], document)
          : answer
      for (const answer of Object.values(entry.responses) as { $ref?: string }[])
        expect(Object.keys(resolved(answer).headers)).toEqual(
          expect.arrayContaining(['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id']),
        )
      expect(resolved(entry.responses[429]).headers).toHaveProperty('Retry-After')
      expect(resolved(entry.responses[405]).headers).toHaveProperty('Allow')
      expect(Object.keys(entry.responses)).toEqual(expect.arrayContaining(['401', '405', '429', '500', '503']))
    },
  )

  test.each(
    restOperations.filter(({ path }) => path.includes(':')).map((operation) => [operation.name, operation] as const),
  )('declares the 400 that %s gives for a name that cannot be decoded', async (_name, { path, method }) => {
    const { key } = await service.newPartner({ support: 'hybrid' })
    for (const wrong of ['%', '%00', '%ED%A0%80']) {
      const { status } = await service.rest(path.replace(/:\w+/, wrong), { key, method })
      expect([wrong, status]).toEqual([wrong, 400])
    }
    expect(document.paths[pathOf(path)][method.toLowerCase()].responses).toHaveProperty('400')
  })

  test('has founderEmail, searchWords and submissionLink in no answer', () => {
    const reached = new Set<string>()
    const follow = (value: unknown): string => {
      const text = JSON.stringify(value)
      for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
        if (!reached.has(name!)) {
          reached.add(name!)
          follow(document.components.schemas[name!])
        }
      return text
    }
    for (const entry of Object.values(document.paths) as Record<string, { responses: object }>[])
      for (const { responses } of Object.values(entry))
        expect(follow(responses)).not.toMatch(/founderEmail|searchWords|submissionLink/)
    expect(reached).toContain('ToolDetail')
    for (const name of reached)
      expect(JSON.stringify(document.components.schemas[name]), name).not.toMatch(
        /founderEmail|searchWords|submissionLink/,
      )
  })
})

describe('for code generators the OpenAPI document', () => {
  const schemaOf = (path: string, method: string, status: number) =>
    document.paths[path][method].responses[status].content['application/json'].schema
  const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

  test('makes success the constant true in every success and false in every failure', () => {
    for (const entry of Object.values<any>(document.paths))
      for (const { responses } of Object.values<any>(entry))
        for (const [status, { content }] of Object.entries<any>(responses))
          if (status.startsWith('2') && content['application/json'].schema.properties)
            expect(content['application/json'].schema.properties.success).toMatchObject({
              type: 'boolean',
              const: true,
            })
    expect(document.components.schemas.Error.properties.success).toMatchObject({ type: 'boolean', const: false })
  })

  test('names the two shapes of a conversation and lets a client choose between them', () => {
    expect(document.components.schemas.Conversation.oneOf).toEqual([
      refTo('HybridConversation'),
      refTo('HumanConversation'),
    ])
    expect(schemaOf('/support/ask', 'post', 200).properties.data).toEqual(refTo('Conversation'))
    expect(schemaOf('/support/conversations/{id}', 'get', 200).properties.data).toEqual(refTo('Conversation'))
    expect(schemaOf('/support/conversations', 'get', 200).properties.data.items).toEqual(refTo('ListedConversation'))
    expect(document.components.schemas.HumanConversation.required).toContain('message')
    expect(document.components.schemas.HybridConversation.required).toEqual(
      expect.arrayContaining(['reply', 'replySource', 'messages']),
    )
  })

  test('lets a question be sent as question or as message', () => {
    const { anyOf } = document.components.schemas.CustomerQuestion
    expect(anyOf).toEqual([refTo('CustomerQuestionAsQuestion'), refTo('CustomerQuestionAsMessage')])
    expect(document.components.schemas.CustomerQuestionAsMessage.required).toEqual(['message'])
  })

  test('has no list of values with null in it', () => {
    const lists = [...JSON.stringify(document).matchAll(/"enum":(\[[^\]]*\])/g)].map(([, list]) => JSON.parse(list!))
    expect(lists.length).toBeGreaterThan(10)
    for (const list of lists) expect(list).not.toContain(null)
    expect(document.components.schemas.ToolStatus.properties.submissionState.anyOf).toEqual([
      { type: 'string', enum: ['IN_QUEUE', 'ASSIGNED', 'IN_PROGRESS', 'REVIEW', 'DONE'] },
      { type: 'null' },
    ])
  })

  test('declares no bounds for page and limit, so that no gateway refuses a value that the service would clamp', async () => {
    for (const entry of Object.values<any>(document.paths))
      for (const { parameters = [] } of Object.values<any>(entry))
        for (const { schema, description } of parameters.filter((one: any) => one.schema.type === 'integer')) {
          expect(Object.keys(schema)).not.toEqual(expect.arrayContaining(['maximum']))
          expect(Object.keys(schema)).not.toEqual(expect.arrayContaining(['minimum']))
          expect(description).toMatch(/none is refused/)
        }
    for (const [sent, limit] of [
      ['5000', 100],
      ['0', 20],
      ['-1', 20],
      ['many', 20],
    ])
      expect((await service.rest(`/tools?limit=${sent}`)).body.pagination.limit).toBe(limit)
  })

  test('has a contact and a description for every tag', () => {
    expect(document.info.contact).toEqual({
      name: 'Catalog Service documentation',
      url: `${service.origin}/docs`,
    })
    for (const { name, description } of document.tags)
      expect([name, description]).toEqual([name, expect.stringMatching(/^.{30,}\.$/)])
  })

  test('shows the Location header on a 201', async () => {
    const { headers } = document.paths['/submit-ai-tool'].post.responses[201]
    expect(headers.Location.example).toMatch(/^https:.*\/api\/v1\/ai-tools\/status\?id=/)
    expect(document.paths['/submit-ai-tool'].post.responses[200].headers).not.toHaveProperty('Location')
  })
})

describe('a second request for the OpenAPI document', () => {
  test('with a matching If-None-Match gets a 304', async () => {
    const { headers } = await service.rest('/openapi.json', { key: null })
    const again = await service.rest('/openapi.json', { key: null, headers: { 'if-none-match': headers.get('etag')! } })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})
