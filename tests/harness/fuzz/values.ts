// Values for a schema: valid ones, ones that are wrong by a little, and values that no client sends.
import fc from 'fast-check'
import { HOSTILE_STRINGS } from '../hostile-strings.ts'
import type { Schema } from './document.ts'

/** A placeholder for a value of an earlier answer; filled in when the request is sent. */
interface Placeholder {
  known: string
  number: number
}
export const isPlaceholder = (value: unknown): value is Placeholder =>
  typeof value === 'object' && value !== null && 'known' in value && 'number' in value

/** Fields whose values are taken from earlier answers, and the field of the answer that has them. */
const FROM_ANSWERS: Readonly<Record<string, string>> = {
  id: 'id',
  slug: 'slug',
  website: 'website',
  conversationId: 'id',
  externalId: 'externalId',
}

/** Values that a schema does not name but the catalog has. */
const HINTS: Readonly<Record<string, readonly string[]>> = {
  category: ['writing', 'image', 'Audio', 'CODE'],
  tag: ['api', 'wombat', 'adult-content'],
}

const STRANGE = [
  ...['\0', 'a\0b', '\ud800', 'x\udfff', '\udc00\ud800', '\u202e', '\ufeff', '', ' ', '\t\r\n'],
  ...['1e30', '-0', 'NaN', 'Infinity', '-Infinity', '0x10', '99999999999999999999999', '1e400', '१२३', '1_000', '+1'],
  ...['null', 'undefined', 'true', 'TRUE', 'yes', '0', '-1', '2.7', '9007199254740993', '[object Object]', '[]', '{}'],
  ...[
    "'; drop table tools; --",
    '%',
    '%00',
    '%u0000',
    '../../etc/passwd',
    '__proto__',
    'constructor',
    'a'.repeat(3000),
  ],
]

export const strangeText = fc.oneof(
  fc.constantFrom(...STRANGE),
  fc.constantFrom(...HOSTILE_STRINGS),
  fc.string({ unit: 'binary', maxLength: 30 }),
)

const strangeNumber = fc.oneof(
  fc.constantFrom(-0, 1e308, -1e308, 5e-324, 2 ** 53, 2 ** 53 + 2, 2 ** 31, -(2 ** 63), 0.1, -1, 0, 1e21),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

export const anything: fc.Arbitrary<unknown> = fc.oneof(
  strangeText,
  strangeNumber,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom([], {}, [[]], [null], { length: 1 }, [['a'], 'b'], { toString: 1 }),
)

export function validValue(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one: Schema) => validValue(one, name)))
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type: string) => validValue({ ...schema, type }, name)))
  if (schema.type === 'null') return fc.constant(null)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer')
    return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 200, 1e6) })
  if (schema.type === 'number') return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true })
  if (schema.type === 'array') return validArray(schema, name)
  if (schema.type === 'object') return validObject(schema)
  return validText(schema, name)
}

function validText(schema: Schema, name: string): fc.Arbitrary<unknown> {
  const examples: string[] = (schema.examples ?? []).filter((one: unknown) => typeof one === 'string')
  const known = FROM_ANSWERS[name]
  return fc.oneof(
    ...(known ? [{ weight: 4, arbitrary: fc.nat(500).map((number) => ({ known, number })) }] : []),
    ...(examples.length > 0 ? [{ weight: 3, arbitrary: fc.constantFrom(...examples) }] : []),
    { weight: 3, arbitrary: madeText(schema, name, examples) },
  )
}

function madeText(schema: Schema, name: string, examples: readonly string[]): fc.Arbitrary<string> {
  const { maxLength: most = 2000, minLength: least = 0, pattern, format } = schema
  if (HINTS[name]) return fc.constantFrom(...HINTS[name])
  if (format === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date('1900-01-01'), max: new Date('2100-01-01') })
      .map((date) => date.toISOString())
  // When the example is a URL, the value has the same host and another page.
  if (/^https?:/.test(examples[0] ?? '')) return fc.nat(100_000).map((number) => `${examples[0]}/${number}`)
  if (pattern?.includes('@')) return fc.emailAddress().filter((text) => text.length <= most)
  const words = fc.oneof(
    { weight: 8, arbitrary: fc.string({ minLength: least, maxLength: Math.min(most, 40) }) },
    {
      weight: 8,
      arbitrary: fc.constantFrom(...HOSTILE_STRINGS.filter(({ length }) => length <= most && length >= least)),
    },
    // As long as allowed, up to a bound that keeps the run short.
    { weight: 1, arbitrary: fc.constantFrom('x', '😀').map((letter) => letter.repeat(Math.min(most, 4_000))) },
  )
  return pattern ? words.map((text) => (/\S/.test(text) ? text : 'x')) : words
}

const validArray = (schema: Schema, name: string): fc.Arbitrary<unknown[]> =>
  fc.array(validValue({ examples: (schema.examples ?? []).flat(), ...schema.items }, name), {
    minLength: schema.minItems ?? 0,
    maxLength: Math.min(schema.maxItems ?? 4, 4),
  })

function validObject(schema: Schema): fc.Arbitrary<unknown> {
  if (!schema.properties) {
    const examples: object[] = schema.examples ?? []
    const values =
      schema.additionalProperties === true || !schema.additionalProperties
        ? fc.jsonValue({ maxDepth: 2 })
        : validValue({ ...schema.additionalProperties, examples: examples.flatMap((one) => Object.values(one)) })
    const made = fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), values, { maxKeys: 4 })
    return examples.length > 0 ? fc.oneof(fc.constantFrom(...examples), made) : made
  }
  const fields = Object.fromEntries(
    Object.entries<Schema>(schema.properties).map(([name, one]) => [name, validValue(one, name)]),
  )
  return fc.record(fields, { requiredKeys: schema.required ?? [] })
}

/** A valid object with one mistake: a wrong type, a value out of bounds, a missing or an extra field. */
export function nearlyValid(schema: Schema): fc.Arbitrary<unknown> {
  const properties = Object.entries<Schema>(schema.properties ?? {})
  const more = fc.tuple(strangeText, anything)
  if (properties.length === 0) return more.map((pair) => Object.fromEntries([pair]))
  const slip = fc.oneof(
    fc.constantFrom(...properties).chain(([name, one]) => invalidValue(one, name).map((value) => ({ name, value }))),
    fc.constantFrom(...properties).map(([name]) => ({ name, value: undefined })),
    more.map(([name, value]) => ({ name, value })),
  )
  return fc
    .tuple(validValue(schema), slip)
    .map(([object, { name, value }]) => ({ ...(object as object), [name]: value }))
}

/** A value of the right type out of bounds, or of another type. */
export function invalidValue(schema: Schema, name: string): fc.Arbitrary<unknown> {
  const { maxLength, maximum, minimum, maxItems } = schema
  return fc.oneof(
    anything,
    strangeText,
    ...(maxLength
      ? [fc.constantFrom('x'.repeat(maxLength + 1), '😀'.repeat(maxLength + 1), ' '.repeat(maxLength))]
      : []),
    ...(maximum !== undefined ? [fc.constantFrom(maximum + 1, maximum, -maximum)] : []),
    ...(minimum !== undefined ? [fc.constantFrom(minimum - 1, minimum - 0.5)] : []),
    ...(maxItems ? [validValue(schema.items, name).map((item) => Array(maxItems + 1).fill(item))] : []),
    validValue(schema, name).map((value) => [value]),
    validValue(schema, name).map((value) => ({ value })),
  )
}
