// A Postman collection (format v2.1), made from the OpenAPI document, so that both say the same.
import type { Json } from './openapi-schemas.ts'

const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

interface DocumentParameter {
  name: string
  in: 'path' | 'query' | 'header'
  description?: string
  example?: unknown
}

interface DocumentOperation {
  summary: string
  description: string
  tags: string[]
  security?: Record<string, unknown>[]
  parameters?: DocumentParameter[]
  requestBody?: { content: Record<string, { schema: Json }> }
}

interface Document {
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, DocumentOperation>>
  components: { schemas: Record<string, Json> }
}

/** Keys are variables of the collection, so that none is stored in a request. */
const KEYS = { catalogKey: 'An API key (aid_…).', partnerKey: 'A partner key (aid_p_…) or a test key (aid_test_…).' }
export function postmanCollection(openapi: Json): Json {
  const document = openapi as Json & Document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const folders = document.tags.flatMap(({ name, description }) => {
    const members = operations.filter(({ operation }) => operation.tags.includes(name))
    if (members.length === 0) return []
    return [{ name, description, item: members.map((one) => itemOf(document, one)) }]
  })
  return {
    info: {
      name: document.info.title,
      description: document.info.description,
      version: document.info.version,
      schema: FORMAT,
    },
    auth: bearer('catalogKey'),
    variable: [
      { key: 'baseUrl', value: document.servers[0]?.url, type: 'string' },
      ...Object.entries(KEYS).map(([key, description]) => ({ key, value: '', type: 'string', description })),
    ],
    item: folders,
  }
}

const bearer = (key: keyof typeof KEYS): Json => ({
  type: 'bearer',
  bearer: [{ key: 'token', value: `{{${key}}}`, type: 'string' }],
})

/** Without `security`, the request sends the collection's key. An empty list means no key; any other list, a partner key. */
function authOf({ security }: DocumentOperation): Json {
  if (!security) return {}
  if (security.length === 0) return { auth: { type: 'noauth' } }
  return { auth: bearer('partnerKey') }
}

interface DescribedCall {
  path: string
  method: string
  operation: DocumentOperation
}

function itemOf(document: Document, { path, method, operation }: DescribedCall): Json {
  const { summary, description, parameters = [], requestBody } = operation
  const inPlace = (place: DocumentParameter['in']) => parameters.filter((one) => one.in === place)
  const segments = path.split('/').filter(Boolean)
  const sent = requestBody?.content['application/json']
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      description,
      ...authOf(operation),
      header: [
        ...inPlace('header').map((one) => ({ ...keyAndValue(one), disabled: true })),
        ...(sent ? [{ key: 'Content-Type', value: 'application/json' }] : []),
      ],
      ...(sent ? { body: jsonBody(exampleOf(document, sent.schema)) } : {}),
      url: {
        raw: `{{baseUrl}}/${segments.map(variableSegment).join('/')}`,
        host: ['{{baseUrl}}'],
        path: segments.map(variableSegment),
        // Conditions are switched off at first: with all of them at once few requests find anything.
        query: inPlace('query').map((one) => ({ ...keyAndValue(one), disabled: true })),
        variable: inPlace('path').map(keyAndValue),
      },
    },
    response: [],
  }
}

const variableSegment = (segment: string): string => segment.replace(/^\{(\w+)\}$/, ':$1')

const keyAndValue = ({ name, example, description }: DocumentParameter): Json => ({
  key: name,
  value: String(example ?? ''),
  description,
})

const jsonBody = (value: unknown): Json => ({
  mode: 'raw',
  raw: JSON.stringify(value, null, 2),
  options: { raw: { language: 'json' } },
})

interface BodySchema {
  $ref?: string
  anyOf?: Json[]
  properties?: Record<string, Json>
  required?: string[]
  examples?: unknown[]
}

/** The required fields of a body, as the document's examples show them. For a choice of bodies: those of the first. */
function exampleOf(document: Document, schema: Json): unknown {
  const { $ref, anyOf, properties = {}, required = [], examples } = schema as BodySchema
  if ($ref) return exampleOf(document, document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {})
  if (examples?.length) return examples[0]
  if (anyOf?.[0]) return exampleOf(document, anyOf[0])
  return Object.fromEntries(required.map((name) => [name, exampleOf(document, properties[name] ?? {})]))
}
