// Turns schemas into the form of an OpenAPI document: plain JSON with keywords that client generators understand, and every titled schema
// as a component. Also the `webhooks` section of the document, made from the declared events.
import type { TSchema } from 'typebox'
import { EVENT_HEADERS } from '../../features/webhooks/schema.ts'
import type { DeclaredEvent } from '../../kernel/feature.ts'
import { exampleOf } from '../../kernel/schema.ts'
import { capitalised } from '../../kernel/values/text.ts'

export type Json = Record<string, unknown>

/** The schema for the document; every part of it with a title becomes a component of that name. */
export function documentSchema(schema: TSchema | Json, components: Json): Json {
  // TypeBox schemas have symbols as keys; only plain JSON is left here.
  return walk(JSON.parse(JSON.stringify(schema)) as Json, components)
}

const LISTS = ['anyOf', 'oneOf', 'allOf']

function walk(schema: Json, components: Json): Json {
  const { title, ...rest } = withoutNullInEnum(schema)
  const inside = (part: unknown) => walk(part as Json, components)
  const read: Json = { ...rest }
  if (rest.properties)
    read.properties = Object.fromEntries(Object.entries(rest.properties as Json).map(([n, one]) => [n, inside(one)]))
  if (rest.items) read.items = inside(rest.items)
  if (typeof rest.additionalProperties === 'object') read.additionalProperties = inside(rest.additionalProperties)
  for (const word of LISTS) if (Array.isArray(rest[word])) read[word] = rest[word].map(inside)
  if (typeof title !== 'string') return read
  if (title in components && JSON.stringify(components[title]) !== JSON.stringify(read))
    throw new TypeError(`Two shapes are called ${title}.`)
  components[title] = read
  return { $ref: `#/components/schemas/${title}` }
}

/** Many client generators read `enum: ['A', null]` as a list with a value named null. All of them understand a choice of the list or null. */
function withoutNullInEnum(schema: Json): Json {
  const { type, enum: values, examples, description, ...rest } = schema
  if (!Array.isArray(values) || !values.includes(null)) return schema
  const list = {
    ...rest,
    type: (type as string[]).find((one) => one !== 'null'),
    enum: values.filter((one) => one !== null),
  }
  return { description, anyOf: [list, { type: 'null' }], ...(examples ? { examples } : {}) }
}

/** The heading of the events in the document. */
export const WEBHOOK_GROUP = 'Webhooks'

export const webhooksSection = (events: readonly DeclaredEvent[], schemas: Json): Json =>
  Object.fromEntries(events.map((event) => [event.name, { post: describe(event, schemas) }]))

const describe = ({ name, when, body }: DeclaredEvent, schemas: Json): Json => ({
  operationId: `receive_${name.replace(/\W/g, '_')}`,
  summary: capitalised(`sent ${when}`),
  description: `${(body as { description?: string }).description} There is one attempt; answer any 2xx within ten seconds.`,
  tags: [WEBHOOK_GROUP],
  // The receiver checks the signature instead.
  security: [],
  parameters: headerParameters(name),
  requestBody: {
    required: true,
    description: 'The event. The signatures are made over these very bytes.',
    content: { 'application/json': { schema: documentSchema(body, schemas), example: exampleOf(body) } },
  },
  responses: {
    200: { description: 'The event was received. Any other 2xx counts too; nothing in the answer is read.' },
  },
})

/** OpenAPI does not let a document describe Content-Type as a parameter. */
const headerParameters = (event: string): Json[] =>
  Object.entries<{ meaning: string; example: string; isOfSandbox?: boolean }>(EVENT_HEADERS)
    .filter(([name]) => name !== 'Content-Type')
    .map(([name, { meaning, example, isOfSandbox = false }]) => ({
      name,
      in: 'header',
      required: !isOfSandbox,
      description: meaning,
      schema: { type: 'string' },
      example: name === 'X-Catalog-Event' ? event : example,
    }))
