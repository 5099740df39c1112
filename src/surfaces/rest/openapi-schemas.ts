// Schemas as an OpenAPI document has them: plain JSON, every shape with a title named once, in words that generators of clients read.
import type { TSchema } from 'typebox'

export type Json = Record<string, unknown>

/** The schema as a part of the document; every part of it with a title becomes a component of that name. */
export function described(schema: TSchema | Json, components: Json): Json {
  // Schemas carry symbols of their library; this leaves plain JSON.
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

/** Many generators read `enum: ['A', null]` as a list with a value called null; a choice of the list and null is read by all of them. */
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
