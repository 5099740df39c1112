// The few shapes that TypeBox does not spell the way JSON Schema readers (OpenAPI tools, MCP clients) like best.
import { type Static, type TSchema, Type } from 'typebox'

/** A closed list of strings as `type: string, enum: […]`; a union of literals would become `anyOf`. */
export const oneOf = <const T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

/** The same scalar, or null, as `type: [t, 'null']`. */
export function nullable<T extends TSchema>(schema: T) {
  const { type, ...rest } = schema as unknown as { type: string; enum?: unknown[] }
  const values = rest.enum ? { enum: [...rest.enum, null] } : {}
  return Type.Unsafe<Static<T> | null>({ ...rest, ...values, type: [type, 'null'] })
}

/** The same object, or null. */
export const nullableObject = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Static<T> | null>({ description, anyOf: [schema, { type: 'null' }] })

/** Written as ISO 8601; a Date may be handed to it as it is. */
export const timestamp = (description: string) =>
  Type.Unsafe<string | Date>({
    type: 'string',
    format: 'date-time',
    description,
    examples: ['2026-03-01T09:30:00.000Z'],
  })

export const stringMap = (description: string, example: Record<string, string>) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description,
    examples: [example],
  })

// Patterns in words, for the sentence that refuses a value. The first catches slips; only a mail that arrives proves an address.
// No two neighbouring parts of a pattern may take the same character: it is tried on texts of any length, and going back over them
// would take minutes.
export const EMAIL_PATTERN = '^[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+$'
export const NOT_BLANK_PATTERN = '\\S'
export const PATTERNS: Readonly<Record<string, string>> = {
  [EMAIL_PATTERN]: 'be an e-mail address such as ada@example.com',
  [NOT_BLANK_PATTERN]: 'not be blank',
}
