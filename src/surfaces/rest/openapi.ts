// The OpenAPI 3.1 document, made from the operations.
import type { FastifyInstance } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import type { Operation } from '../../kernel/operation.ts'
import { envelope, prepare } from '../../kernel/output.ts'
import { REST_BASE } from '../http/addresses.ts'
import { allowAnyOrigin } from '../http/cors.ts'
import { visitorGate } from '../http/gate.ts'
import type { Service } from '../http/service.ts'
import { PENDING } from '../http/write-answers.ts'
import { DESCRIPTION, NAME } from './discovery.ts'
import { FAILURES, RATE_HEADERS, rateHeaderRefs } from './openapi-failures.ts'
import { refuseOtherMethods, sendPrepared } from './routes.ts'

const GUIDE = `${DESCRIPTION}

Send an API key as \`Authorization: Bearer <API_KEY>\` or \`X-API-Key: <API_KEY>\`. Every answer is an envelope: \`success\`, then \`data\` (and \`pagination\` on searches) or \`error\`. Limits are counted per key; every answer carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`.`

type Json = Record<string, unknown>

export function openapiDocument(operations: readonly Operation[], publicUrl: string, version: string): Json {
  const schemas: Json = { Error: errorSchema }
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, schemas) }
  }
  paths['/openapi.json'] = { get: ownEntry }
  return {
    openapi: '3.1.0',
    info: {
      title: NAME,
      version,
      summary: DESCRIPTION,
      description: GUIDE,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl + REST_BASE, description: 'This service.' }],
    tags: [...new Set(operations.map((operation) => operation.group))].map((name) => ({
      name,
      description: GROUPS[name] ?? name,
    })),
    paths,
    components: {
      schemas,
      responses: usedFailures(operations),
      headers: RATE_HEADERS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a bearer token.' },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'The API key in a header of its own. Interchangeable with the bearer token.',
        },
      },
    },
  }
}

const GROUPS: Record<string, string> = {
  Catalog: 'Reads of AI tools and submission directories. Any API key will do.',
  Partners: 'Submitting tools and following the work on them. They need an issued partner key and belong on a server.',
  Discovery: 'What is here and where.',
}

const errorSchema = {
  type: 'object',
  description: 'A failure.',
  required: ['success', 'error'],
  properties: {
    success: { type: 'boolean', const: false, description: 'false on failure.', examples: [false] },
    error: { type: 'string', description: 'What happened and what to do.', examples: ['Tool not found.'] },
  },
}

function describe(operation: Operation, schemas: Json): Json {
  const isPublic = operation.access === 'public'
  return {
    operationId: operation.name,
    summary: operation.summary,
    description: operation.description,
    tags: [operation.group],
    security: isPublic ? [] : [{ bearer: [] }, { apiKey: [] }],
    parameters: [...parameters(operation), ...headerParameters(operation)],
    ...(operation.body
      ? {
          requestBody: {
            required: true,
            description: 'The request.',
            content: { 'application/json': { schema: hoist(operation.body, schemas) } },
          },
        }
      : {}),
    responses: {
      [operation.status ?? 200]: success(operation, schemas),
      ...(operation.repeatStatus
        ? { [operation.repeatStatus]: success(operation, schemas, operation.repeatExample) }
        : {}),
      ...(operation.method === 'GET' ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
      ...Object.fromEntries(
        failuresOf(operation).map((name) => [STATUS[name]!, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  }
}

const success = (operation: Operation, schemas: Json, example = operation.example): Json => ({
  description: operation.summary,
  headers: {
    ...rateHeaderRefs,
    ...(operation.method === 'GET'
      ? {
          ETag: {
            description: 'Send it back as If-None-Match.',
            schema: { type: 'string' },
            example: '"lesEhXmy3jxLCDzccjM4aI2xJr0"',
          },
        }
      : {
          [PENDING]: {
            description: 'Only when readers do not see yet what was written: true.',
            schema: { type: 'string', const: 'true' },
            example: 'true',
          },
        }),
  },
  content: {
    'application/json': {
      schema: hoist(envelope(operation.data, operation.paged), schemas),
      example,
    },
  },
})

const STATUS: Record<string, number> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  TooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyRequests: 429,
  ServerError: 500,
  Unavailable: 503,
}

function failuresOf({ access, failures }: Operation): string[] {
  const understood = access === 'public' ? [] : [401]
  const statuses = new Set<number>([...failures, ...understood, 429, 500, 503])
  return Object.keys(STATUS).filter((name) => statuses.has(STATUS[name]!))
}

/** Only what an operation refers to: linters complain about the rest. */
function usedFailures(operations: readonly Operation[]): Json {
  const used = new Set(['NotModified', 'TooManyRequests', ...operations.flatMap(failuresOf)])
  return Object.fromEntries(Object.entries(FAILURES).filter(([name]) => used.has(name)))
}

function parameters({ parameters, path }: Operation): Json[] {
  return Object.entries((parameters as TObject).properties).map(([name, property]) => {
    const { description, examples, ...schema } = JSON.parse(JSON.stringify(property)) as Json & { examples?: unknown[] }
    const inPath = path.includes(`:${name}`)
    return {
      name,
      in: inPath ? 'path' : 'query',
      required: inPath,
      description,
      schema,
      ...(examples ? { example: examples[0] } : {}),
    }
  })
}

const headerParameters = ({ headers }: Operation): Json[] =>
  Object.entries(headers?.properties ?? {}).map(([name, property]) => {
    const { description, examples, ...schema } = JSON.parse(JSON.stringify(property)) as Json & { examples?: unknown[] }
    return { name, in: 'header', required: false, description, schema, ...(examples ? { example: examples[0] } : {}) }
  })

/** The schema as plain JSON; every part with a title becomes a component of that name. */
function hoist(schema: TSchema, schemas: Json): Json {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    const { title, ...rest } = value as Json
    const walked = Object.fromEntries(
      Object.entries(rest).map(([name, item]) => [name, name === 'examples' || name === 'enum' ? item : walk(item)]),
    )
    if (typeof title !== 'string' || rest.type !== 'object') return title === undefined ? walked : { title, ...walked }
    schemas[title] = walked
    return { $ref: `#/components/schemas/${title}` }
  }
  return walk(JSON.parse(JSON.stringify(schema))) as Json
}

const ownEntry = {
  operationId: 'openapi',
  summary: 'This document',
  description: 'The OpenAPI 3.1 document of the REST API. Needs no key.',
  tags: ['Discovery'],
  security: [],
  responses: {
    200: {
      description: 'The OpenAPI document.',
      headers: rateHeaderRefs,
      content: {
        'application/json': {
          schema: { type: 'object', description: 'An OpenAPI 3.1 document.', additionalProperties: true },
          example: { openapi: '3.1.0' },
        },
      },
    },
    304: { $ref: '#/components/responses/NotModified' },
    429: { $ref: '#/components/responses/TooManyRequests' },
  },
}

export function addOpenapi(server: FastifyInstance, service: Service, operations: readonly Operation[]): void {
  const url = `${REST_BASE}/openapi.json`
  const prepared = prepare(Buffer.from(JSON.stringify(openapiDocument(operations, service.publicUrl, service.version))))
  server.get(url, {
    onRequest: [allowAnyOrigin, visitorGate(service)],
    handler: (request, reply) => sendPrepared(request, reply, prepared, { method: 'GET' }, true),
  })
  refuseOtherMethods(server, service, url, ['GET', 'HEAD'], true)
}
