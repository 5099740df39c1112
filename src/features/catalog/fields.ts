// The parameter `fields`: a client names the fields that it wants, and gets the listings with only these fields.
import { type TObject, Type } from 'typebox'
import { invalid } from '../../kernel/errors.ts'
import { problem } from '../../kernel/problem.ts'
import { stringType } from '../../kernel/schema.ts'

/** The names of the fields to return. */
export type FieldSelection = ReadonlySet<string>

export const fieldsParameter = Type.Optional(
  stringType(
    'Fields to return. Their names with commas between them; slug is always returned, and every field when this is omitted.',
    'name,tagline,website',
    { maxLength: 1000 },
  ),
)

/** Throws a 400 that lists the names when one of the given names is not a field of the answer. */
export function readFields({ properties }: TObject, fields: string | undefined): FieldSelection | undefined {
  if (fields === undefined) return undefined
  const given = fields.split(',').map((name) => name.trim())
  const unknown = given.filter((name) => name !== '' && !Object.hasOwn(properties, name))
  if (unknown.length > 0) {
    const names = [...new Set(unknown)].map((name) => JSON.stringify(name.slice(0, 40)))
    throw invalid([
      problem('fields', `has no field ${names.join(', ')}. The fields are ${Object.keys(properties).join(', ')}.`),
    ])
  }
  return new Set([...given, 'slug'])
}

/** The JSON of a listing with only the selected fields, which stay in the order of the specification. */
export function selectFields(json: Buffer, selection: FieldSelection | undefined): Buffer {
  if (!selection) return json
  const all: Record<string, unknown> = JSON.parse(json.toString())
  return Buffer.from(JSON.stringify(Object.fromEntries(Object.entries(all).filter(([name]) => selection.has(name)))))
}
