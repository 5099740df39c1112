// Short forms of the usual schemas, and those that OpenAPI tools and MCP clients understand better than what TypeBox writes.
import {
  type Static,
  type TNumberOptions,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  type TStringOptions,
  Type,
} from 'typebox'

export const stringType = (description: string, example: string, options: TStringOptions = {}) =>
  Type.String({ ...options, description, examples: [example] })
export const booleanType = (description: string, example: boolean, options: TSchemaOptions = {}) =>
  Type.Boolean({ ...options, description, examples: [example] })
export const integerType = (description: string, example: number, options: TNumberOptions = {}) =>
  Type.Integer({ ...options, description, examples: [example] })
export const numberType = (description: string, example: number, options: TNumberOptions = {}) =>
  Type.Number({ ...options, description, examples: [example] })
export const objectType = <T extends TProperties>(description: string, properties: T) =>
  Type.Object(properties, { description })
/** An object that the OpenAPI documents list under its title; other schemas refer to it there. */
export const titledObject = <T extends TProperties>(title: string, description: string, properties: T) =>
  Type.Object(properties, { title, description })

/** A closed list of strings as `type: string, enum: […]`; a union of literals would become `anyOf`. */
export const oneOf = <const T extends readonly string[]>(
  values: T,
  described: string | TSchemaOptions = {},
  example?: T[number],
) => {
  const options = typeof described === 'string' ? { description: described, examples: [example] } : described
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })
}

/** The same scalar, or null, as `type: [t, 'null']`. */
export function nullable<T extends TSchema>(schema: T) {
  const { type, ...rest } = schema as TSchema & { type?: string; enum?: unknown[] }
  const values = rest.enum ? { enum: [...rest.enum, null] } : {}
  return Type.Unsafe<Static<T> | null>({ ...rest, ...values, type: [type, 'null'] })
}

export const nullableObject = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Static<T> | null>({ description, anyOf: [schema, { type: 'null' }] })

/** One of several objects, which differ in what they require. */
export const eitherOf = <const T extends readonly TSchema[]>(
  schemas: T,
  options: { title: string; description: string },
) => Type.Unsafe<Static<T[number]>>({ ...options, oneOf: [...schemas] })

/** A Date, written as ISO 8601. */
export const timestamp = (description: string) =>
  Type.Unsafe<Date>({ type: 'string', format: 'date-time', description, examples: ['2026-03-01T09:30:00.000Z'] })

/** A value as the examples of the schema's fields show it, for documentation. A field with neither example nor parts is null. */
export function exampleOf(schema: TSchema): unknown {
  const { examples, properties, items, anyOf, oneOf } = schema as {
    examples?: readonly unknown[]
    properties?: Readonly<Record<string, TSchema>>
    items?: TSchema
    anyOf?: readonly TSchema[]
    oneOf?: readonly TSchema[]
  }
  if (examples?.length) return examples[0]
  if (properties) return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, exampleOf(part)]))
  if (items) return [exampleOf(items)]
  const [choice] = anyOf ?? oneOf ?? []
  return choice ? exampleOf(choice) : null
}

export const stringMap = (description: string, example: Record<string, string>) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description,
    examples: [example],
  })

/** A `stringMap` for bodies, with bounds for the number of names and the length of each name and text. */
export const boundedMap = (
  description: string,
  example: Record<string, string>,
  { most, maxLength, maxNameLength }: { most: number; maxLength: number; maxNameLength: number },
) => ({
  ...stringMap(description, example),
  maxProperties: most,
  propertyNames: { maxLength: maxNameLength },
  additionalProperties: { type: 'string', maxLength },
})

// The addresses that mail servers accept (RFC 5321): a local part of at most 64 characters without quotes, and a domain name with labels
// of at most 63 characters, the last of which begins with a letter. This does not prove that the address exists.
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const ADDRESS = `(?=[^@]{1,64}@)${ATOM}+(?:\\.${ATOM}+)*@(?:${LABEL}\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])`
const wordsFor = new Map<string, string>()

/**
 * Registers the words of the error message for a pattern; they follow "must". Patterns run on texts of any length: where two neighbouring
 * parts of a pattern match the same character, the second is bounded, because backtracking over a long text could take minutes.
 */
export function patternOf(pattern: string, inWords: string): string {
  wordsFor.set(pattern, inWords)
  return pattern
}

export const wordsOfPattern = (pattern: string): string => wordsFor.get(pattern) ?? 'have the form that is documented'

export const EMAIL_PATTERN = patternOf(`^${ADDRESS}$`, 'be an e-mail address such as ada@example.com')
/** For an address that stored texts may contain although this service does not accept it, such as jürgen@example.com. */
export const WRITTEN_EMAIL_PATTERN = patternOf('^[^\\s@]+@[^\\s@]+$', 'be an e-mail address such as ada@example.com')
export const OPTIONAL_EMAIL_PATTERN = patternOf(
  `^(?:${ADDRESS})?$`,
  'be an e-mail address such as ada@example.com, or empty',
)
/** Slugs are part of addresses, so they contain no character with a special meaning there. */
export const SLUG_PATTERN = patternOf('^[a-z0-9]+(?:-[a-z0-9]+)*$', 'be lower-case letters, digits and single hyphens')
export const NOT_BLANK_PATTERN = patternOf('\\S', 'not be blank')
const IN_ONE_LINE = '[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$'
/** For names and titles: pages, mails and logs show them in one line. */
export const NAME_PATTERN = patternOf(`^(?=.*\\S)${IN_ONE_LINE}`, 'be one line of text that is not blank')
export const OPTIONAL_NAME_PATTERN = patternOf(`^${IN_ONE_LINE}`, 'be one line of text')
export const OPTIONAL_DAY_PATTERN = patternOf(
  '^(?:\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01]))?$',
  'be a day such as 2026-03-01',
)
/** A language tag as most programs write it (BCP 47): a language, and perhaps a script or a region. */
export const LANGUAGE_PATTERN = patternOf(
  '^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$',
  'be a language code such as en or pt-BR',
)

/** The fields of an object that a caller must give. A field with a default may be left out, although its schema lists it as required. */
export function requiredFields(schema: object = {}): string[] {
  const { required = [], properties = {} } = schema as {
    required?: readonly string[]
    properties?: Readonly<Record<string, object>>
  }
  return required.filter((name) => !('default' in (properties[name] ?? {})))
}

interface ShownField {
  type?: string | readonly string[]
  format?: string
  enum?: readonly unknown[]
}

/** Whether a value of the field is one text, number or flag: it fits into a cell of a table, and into a field of a form. */
export const isScalar = ({ type, format, enum: values }: ShownField): boolean =>
  values !== undefined ||
  format !== undefined ||
  [type ?? []].flat().some((one) => ['string', 'integer', 'number', 'boolean'].includes(one))

/** The fields of the items of a list that are columns where a table declares none: the scalar ones that at least one row has. */
export const columnFields = <Field extends ShownField>(
  items: { properties?: Readonly<Record<string, Field>> } | undefined,
  rows: readonly object[],
): [name: string, field: Field][] =>
  Object.entries(items?.properties ?? {}).filter(
    ([name, field]) => isScalar(field) && rows.some((row) => (row as Record<string, unknown>)[name] !== undefined),
  )

// Parameters of lists that have `limit` and `page` and no pagination object.

export const pageParameters = (limit: number, maximum: number) => ({
  limit: integerType(`Items to return: ${limit} by default, ${maximum.toLocaleString('en')} at most.`, limit, {
    minimum: 1,
    default: limit,
    maximum,
  }),
  // PostgreSQL's offset has 64 bits; the largest page must not exceed it.
  page: integerType('Page, counted from 1.', 1, { minimum: 1, default: 1, maximum: 1_000_000_000 }),
})

/** Sort orders of the operator's work lists, such as submissions and conversations. */
export const WORK_LIST_SORTS = ['newest', 'oldest', 'changed'] as const
export type WorkListSort = (typeof WORK_LIST_SORTS)[number]

/** For lists of the operator API. */
export const listPage = pageParameters(200, 1000)

export const offsetOf = ({ page, limit }: { page: number; limit: number }): number => (page - 1) * limit
