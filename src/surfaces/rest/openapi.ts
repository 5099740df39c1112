// The OpenAPI 3.1 documents of the REST API and of the operator API, made from their operations.
import type { FastifyInstance } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import type { DeclaredEvent } from '../../kernel/feature.ts'
import type { Deprecation, RoutedOperation } from '../../kernel/operation.ts'
import { envelope, prepare } from '../../kernel/output.ts'
import { POSTMAN_COLLECTION } from '../http/addresses.ts'
import { refuseOtherMethods } from '../http/answers/answers.ts'
import { allowAnyOrigin } from '../http/answers/cors.ts'
import { failureStatuses } from '../http/answers/failures.ts'
import { PENDING } from '../http/answers/write-answers.ts'
import { gate, visitorGate } from '../http/gate.ts'
import { identifyOperator } from '../http/requests/callers.ts'
import { perRevision, type Service } from '../http/service.ts'
import { API_VERSION, NAME } from '../http/software.ts'
import { type DescribedApi, inGroups, OPERATOR_API, PUBLIC_API } from './openapi-apis.ts'
import { errorSchema, failureComponents, failureRefs, HEADERS, headersOf } from './openapi-failures.ts'
import { documentSchema, type Json, WEBHOOK_GROUP, webhooksSection } from './openapi-schemas.ts'
import { postmanCollection } from './postman.ts'
import { deprecationText, locationOf, REPLAYED, sendPrepared } from './routes.ts'

function openapiDocument(
  api: DescribedApi,
  given: readonly RoutedOperation[],
  publicUrl: string,
  events: readonly DeclaredEvent[] = [],
): Json {
  const operations = inGroups(api, given)
  if (operations.length < given.length)
    throw new TypeError(`an operation has a group that ${api.title} does not declare`)
  const schemas: Json = { Error: errorSchema }
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationEntry(api, operation, schemas) }
  }
  paths['/openapi.json'] = { get: ownEntry(api) }
  const webhooks = webhooksSection(events, schemas)
  const groups = new Set([
    ...operations.map(({ group }) => group),
    ...(events.length > 0 ? [WEBHOOK_GROUP] : []),
    api.ownEntry.group,
  ])
  const statuses = new Set([
    ...operations.flatMap((operation) => [...failureStatuses(operation, api)]),
    ...ownStatuses(api),
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: API_VERSION,
      summary: api.summary,
      description: api.description,
      contact: { name: `${api.title} documentation`, url: `${publicUrl}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl + api.base, description: 'This service.' }],
    security: api.security,
    tags: [...groups].map((name) => ({ name, description: api.groups[name] })),
    paths,
    ...(events.length > 0 ? { webhooks } : {}),
    components: {
      schemas,
      responses: failureComponents(statuses, api.isLimited),
      headers: Object.fromEntries(Object.entries(HEADERS).filter(([name]) => api.isLimited || name === 'RequestId')),
      securitySchemes: api.securitySchemes(publicUrl),
    },
  }
}

function operationEntry(api: DescribedApi, operation: RoutedOperation, schemas: Json): Json {
  const security = api.securityOf[operation.access]
  return {
    operationId: operation.name,
    summary: operation.summary,
    ...descriptionOf(operation.description, operation.deprecated),
    tags: [operation.group],
    ...(security ? { security } : {}),
    parameters: [...parameters(operation), ...headerParameters(operation)],
    ...requestBody(operation, schemas),
    responses: {
      [operation.status ?? 200]: success(api, operation, schemas),
      ...(operation.repeatStatus
        ? { [operation.repeatStatus]: success(api, operation, schemas, operation.repeatExample) }
        : {}),
      ...(hasEtag(operation) ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
      ...failureRefs(failureStatuses(operation, api)),
    },
  }
}

/** The media type of a body of lines. */
const LINES = 'application/x-ndjson'
const hasEtag = ({ method, streams }: RoutedOperation): boolean => method === 'GET' && !streams

function requestBody({ body, lines, lineTypes, bytes }: RoutedOperation, schemas: Json): Json {
  const required = (description: string, content: Json) => ({ requestBody: { required: true, description, content } })
  if (lines && lineTypes)
    return required('The table.', Object.fromEntries(lineTypes.map((type) => [type, tableOf(lines, type)])))
  if (lines) return required('One JSON value a line, in a stream of any length.', { [LINES]: linesOf(lines, LINES) })
  if (bytes) return required('The file.', Object.fromEntries(bytes.types.map((type) => [type, {}])))
  return body ? required('The request.', { 'application/json': { schema: documentSchema(body, schemas) } }) : {}
}

const tableOf = (schema: TSchema, type: string): Json =>
  type === 'application/json'
    ? { schema: { type: 'array', description: 'The rows.', items: { type: 'object', additionalProperties: true } } }
    : linesOf(schema, type)

/** A table or a stream of JSON lines is not one JSON value, so its schema is a string, whose description explains the fields of a line. */
function linesOf(schema: TSchema, type: string, example?: unknown): Json {
  const { properties = {}, description } = plain(schema) as Property & { properties?: Record<string, Property> }
  const fields = Object.entries(properties).map(([name, field]) => `\`${name}\`: ${field.description}`)
  return {
    schema: { type: 'string', contentMediaType: type, description: [description, ...fields].join(' ') },
    ...(example ? { example: typeof example === 'string' ? example : `${JSON.stringify(example)}\n` } : {}),
  }
}

/** The successful answer; with `repeatExample`, the answer to a repeated call that made nothing new. */
function success(api: DescribedApi, operation: RoutedOperation, schemas: Json, repeatExample?: unknown): Json {
  const { streams, data, summary, example } = operation
  return {
    description: summary,
    headers: {
      ...headersOf(api.isLimited),
      ...(hasEtag(operation) ? { ETag: etag } : {}),
      ...(operation.method === 'GET' ? {} : { [PENDING]: pending }),
      ...answerHeaders(operation),
      ...(operation.headers?.properties['Idempotency-Key'] ? { [REPLAYED]: replayed } : {}),
      ...(operation.location && repeatExample === undefined
        ? { Location: location(api, operation.location, example) }
        : {}),
    },
    content: streams
      ? { [streams.type]: linesOf(data, streams.type, example) }
      : {
          'application/json': {
            schema: documentSchema(envelope(operation), schemas),
            example: repeatExample ?? example,
          },
        },
  }
}

const etag = {
  description: 'Send it back as If-None-Match.',
  required: true,
  schema: { type: 'string' },
  example: '"lesEhXmy3jxLCDzccjM4aI2xJr0"',
}
const pending = {
  description: 'Only when readers do not see yet what was written: true.',
  schema: { type: 'string', const: 'true' },
  example: 'true',
}
const replayed = {
  description:
    'Only when a request with this Idempotency-Key was answered before, and this is its answer once more: true.',
  schema: { type: 'string', const: 'true' },
  example: 'true',
}
const location = ({ base }: DescribedApi, location: string, example: unknown) => ({
  description: 'Where what was made is from now on.',
  required: true,
  schema: { type: 'string', format: 'uri' },
  example: locationOf(`https://catalog.example.com${base}`, location, (example as { data: Json }).data),
})

/** The description of an operation or a parameter, with the note that it is deprecated. */
const descriptionOf = (text: string | undefined, deprecation: Deprecation | undefined): Json => {
  const description = [text, deprecation && deprecationText(deprecation)].filter(Boolean).join(' ')
  return deprecation ? { description, deprecated: true } : { description }
}

function parameters({ parameters, path, deprecatedParameters = {} }: RoutedOperation): Json[] {
  return Object.entries((parameters as TObject).properties).map(([name, property]) => {
    const { description, examples, ...schema } = plain(property)
    const inPath = path.includes(`:${name}`)
    return {
      name,
      in: inPath ? 'path' : 'query',
      required: inPath,
      ...descriptionOf([description, clamping(schema)].filter(Boolean).join(' '), deprecatedParameters[name]),
      schema: withoutClamps(schema),
      ...(examples ? { example: examples[0] } : {}),
    }
  })
}

type Property = Json & { description?: string; examples?: unknown[] }
/** Without the symbols and optional markers of TypeBox. */
const plain = (property: unknown) => JSON.parse(JSON.stringify(property)) as Property

/** The service accepts numbers out of range and adjusts them, so the schema must not make a gateway refuse them. */
function withoutClamps({ minimum, maximum, ...schema }: Json): Json {
  return isClamped(schema) ? schema : { ...schema, minimum, maximum }
}

const isClamped = (schema: Json): boolean => schema.type === 'integer' && !schema['x-strict']

function clamping(schema: Json): string | null {
  if (!isClamped(schema)) return null
  const { maximum, default: standard } = schema
  const tooLow = `Zero, negative numbers and what is no whole number count as ${standard ?? 'not given'}`
  return `${tooLow}${maximum === undefined ? '' : `, larger numbers as ${maximum}`}; none is refused.`
}

const answerHeaders = ({ answerHeaders }: RoutedOperation): Json =>
  Object.fromEntries(
    Object.entries(answerHeaders?.properties ?? {}).map(([name, property]) => {
      const { description, examples, ...schema } = plain(property) as Property & { examples?: string[] }
      const required = answerHeaders?.required?.includes(name) ? { required: true } : {}
      return [name, { description, ...required, schema, example: examples?.[0] }]
    }),
  )

const headerParameters = ({ headers, deprecatedParameters = {} }: RoutedOperation): Json[] =>
  Object.entries(headers?.properties ?? {}).map(([name, property]) => {
    const { description, examples, ...schema } = plain(property)
    const text = descriptionOf(description, deprecatedParameters[name])
    return { name, in: 'header', required: false, ...text, schema, ...(examples ? { example: examples[0] } : {}) }
  })

/** The statuses with which a request for the document itself may fail. */
const ownStatuses = ({ ownEntry, isLimited }: DescribedApi): Set<number> =>
  new Set([405, 421, ...(ownEntry.access === 'public' ? [] : [401, 403, 500, 503]), ...(isLimited ? [429] : [])])

function ownEntry(api: DescribedApi): Json {
  const { operationId, description, group, access } = api.ownEntry
  const security = api.securityOf[access]
  return {
    operationId,
    summary: 'This document',
    description,
    tags: [group],
    ...(security ? { security } : {}),
    responses: {
      200: {
        description: 'The OpenAPI document.',
        headers: { ...headersOf(api.isLimited), ETag: etag },
        content: {
          'application/json': {
            schema: { type: 'object', description: 'An OpenAPI 3.1 document.', additionalProperties: true },
            example: { openapi: '3.1.0' },
          },
        },
      },
      304: { $ref: '#/components/responses/NotModified' },
      ...failureRefs(ownStatuses(api)),
    },
  }
}

/** `operations` are those of the REST API and of the operator API, which have a document each. */
export function addOpenapi(
  server: FastifyInstance,
  service: Service,
  operations: { rest: readonly RoutedOperation[]; operator: readonly RoutedOperation[] },
  events: readonly DeclaredEvent[],
): void {
  const documentOf = (api: DescribedApi, given: readonly RoutedOperation[]) => {
    const named = { ...api, title: api.title.replace(NAME, () => service.site.fields().name) }
    return openapiDocument(named, given, service.publicUrl, api === PUBLIC_API ? events : [])
  }
  const mayCompress = true
  const add = (url: string, make: () => Json, onRequest: object[], forPages: boolean) => {
    const prepared = perRevision(service.site, () => prepare(Buffer.from(JSON.stringify(make()))))
    server.get(url, {
      onRequest: onRequest as never,
      handler: (request, reply) => sendPrepared(request, reply, prepared(), { method: 'GET' }, mayCompress),
    })
    refuseOtherMethods(server, service, url, { forPages })
  }
  const publicDocument = () => documentOf(PUBLIC_API, operations.rest)
  const operatorGate = gate(service, { name: '', access: 'operator', bucket: 'rest' }, identifyOperator)
  const forVisitors = [allowAnyOrigin, visitorGate(service)]
  add(`${PUBLIC_API.base}/openapi.json`, publicDocument, forVisitors, true)
  add(POSTMAN_COLLECTION, () => postmanCollection(publicDocument()), forVisitors, true)
  add(`${OPERATOR_API.base}/openapi.json`, () => documentOf(OPERATOR_API, operations.operator), [operatorGate], false)
}
