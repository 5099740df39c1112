// Turns schemas into the form of an OpenAPI document: plain JSON with keywords that client generators understand, and every titled schema
// as a component.
import type { TSchema } from 'typebox'

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
