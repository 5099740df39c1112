// Reads what a caller sent into what an operation declared. Parameters (path, query, MCP arguments) are read leniently,
// as the specification's paging rules ask; bodies strictly, naming every offending field at once.
import type { Static, TObject, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { invalid } from './errors.ts'
import { missing, nameProblem, type Problem, problem } from './problem.ts'
import { PATTERNS } from './schema.ts'

interface ParameterSchema {
  type?: string | string[]
  enum?: string[]
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  /** A number that cannot be read is a 400 instead of the default. */
  'x-strict'?: boolean
}

export function readParameters<T extends TObject>(schema: T, raw: Readonly<Record<string, unknown>>): Static<T> {
  const input: Record<string, unknown> = {}
  let problems: Problem[] | undefined
  for (const name in schema.properties) {
    const value = readParameter(
      name,
      schema.properties[name] as ParameterSchema,
      Object.hasOwn(raw, name) ? raw[name] : undefined,
    )
    if (value instanceof Wrong) (problems ??= []).push(value.problem)
    else if (value !== undefined) input[name] = value
    else if (schema.required?.includes(name)) (problems ??= []).push(missing(name))
  }
  if (problems) throw invalid(problems)
  return input as Static<T>
}

/** Told apart from every value that a parameter may have. */
class Wrong {
  readonly problem: Problem
  constructor(name: string, sentence: string) {
    this.problem = problem(name, sentence)
  }
}

function readParameter(name: string, schema: ParameterSchema, raw: unknown): unknown {
  if (schema.type === 'integer')
    return schema['x-strict'] ? readStrictInteger(name, schema, raw) : readInteger(schema, raw)
  // Forms send every field, and models send null for "not given".
  if (raw === undefined || raw === null || (typeof raw === 'string' && raw.trim() === '')) return schema.default
  if (Array.isArray(raw)) return new Wrong(name, `must be given once.`)
  if (schema.type === 'boolean') {
    if (raw === true || raw === 'true' || raw === '1' || raw === 1) return true
    if (raw === false || raw === 'false' || raw === '0' || raw === 0) return false
    return new Wrong(name, `must be true, false, 1 or 0.`)
  }
  if (schema.enum) {
    const found =
      typeof raw === 'string'
        ? schema.enum.find((value) => value.toLowerCase() === raw.trim().toLowerCase())
        : undefined
    return found ?? new Wrong(name, `must be one of ${schema.enum.join(', ')}.`)
  }
  if (typeof raw !== 'string') return new Wrong(name, `must be a string.`)
  const wrong = textSentence(raw)
  if (wrong) return new Wrong(name, wrong)
  if (schema.maxLength !== undefined && raw.length > schema.maxLength)
    return new Wrong(name, `is too long: at most ${schema.maxLength} characters.`)
  return raw
}

const DECIMAL = /^[+-]?\d+(\.\d*)?(e\+?\d+)?$/i

// A missing, zero, negative or non-numeric number falls back to the default; an oversized one is clamped; neither is an error.
function readInteger(schema: ParameterSchema, raw: unknown): unknown {
  const number =
    typeof raw === 'number' ? raw : typeof raw === 'string' && DECIMAL.test(raw.trim()) ? Number(raw) : Number.NaN
  // Digits beyond any number type are Infinity: oversized, not non-numeric.
  const isWhole = Number.isInteger(number) || number === Number.POSITIVE_INFINITY
  if (!isWhole || number < (schema.minimum ?? 1)) return schema.default
  return Math.min(number, schema.maximum ?? Number.MAX_SAFE_INTEGER)
}

function readStrictInteger(
  name: string,
  { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: ParameterSchema,
  raw: unknown,
) {
  if (raw === undefined || raw === null) return undefined
  const number = typeof raw === 'number' ? raw : typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : Number.NaN
  return Number.isInteger(number) && number >= minimum && number <= maximum
    ? number
    : new Wrong(name, `must be a whole number from ${minimum} to ${maximum}.`)
}

const validators = new WeakMap<TSchema, Validator>()
// Its own limit is eight; a caller is told of every field at once.
Settings.Set({ maxErrors: 100 })

/**
 * The body with only the declared fields and every default, or a 400 that names every offending field; `more` is what the
 * caller found wrong beyond the schema.
 */
export function readBody<T extends TSchema>(schema: T, raw: unknown, more: readonly Problem[] = []): Static<T> {
  const result = tryReadBody(schema, raw)
  const problems = [...('problems' in result ? result.problems : []), ...more]
  if (problems.length > 0 || 'problems' in result) throw invalid(problems)
  return result.value
}

/** `cut`: the parts of a body with problems that are within their bounds, for checks that look for further problems. */
export function tryReadBody<T extends TSchema>(
  schema: T,
  raw: unknown,
): { value: Static<T> } | { problems: Problem[]; cut: unknown } {
  const byField = new Map<string, readonly Problem[]>()
  const filled = withinBounds(schema, withDefaults(schema, raw), '', byField)
  for (const [field, found] of textProblems(filled)) if (!byField.has(field)) byField.set(field, [found])
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(schema) as Validator))
  if (byField.size === 0 && validator.Check(filled)) return { value: filled as Static<T> }
  const errors = [...(validator.Errors(filled) as ValidationError[])]
  for (const error of errors.filter((one) => !isEchoed(one, errors))) {
    const found = explain(error)
    // What is wrong with the body as a whole is told beside what is wrong with its text.
    const fields = found.map(({ field }) => field).join() || 'The body'
    if (!byField.has(fields)) byField.set(fields, found)
  }
  return { problems: [...byField.values()].flat(), cut: filled }
}

interface Bounds {
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  items?: Bounds
  properties?: Record<string, Bounds>
  additionalProperties?: Bounds | boolean
}

/**
 * Before anything else looks at a value: what is beyond its bounds is named and left empty, so that no pattern, parser or walk ever
 * meets more than a field may hold.
 */
function withinBounds(
  bounds: Bounds,
  value: unknown,
  path: string,
  problems: Map<string, readonly Problem[]>,
): unknown {
  const { maxLength, maxItems, maxProperties, items, properties, additionalProperties: others } = bounds
  const at = (name: string | number) => (path ? `${path}.${name}` : String(name))
  const refuse = (sentence: string) => problems.set(path, [problem(path, sentence)])
  // A character may count as two here; what is a little too long is left to the validator, which counts as the specification does.
  if (typeof value === 'string' && maxLength !== undefined && value.length > 2 * maxLength) {
    refuse(`must have at most ${maxLength} characters.`)
    return ''
  }
  if (typeof value !== 'object' || value === null) return value
  const isList = Array.isArray(value)
  // Of another kind than its bounds are for: the validator names it, and no other check looks at it.
  if (maxLength !== undefined || (maxItems !== undefined && !isList) || (maxProperties !== undefined && isList))
    return false
  if (isList) {
    if (maxItems !== undefined && value.length > maxItems) {
      refuse(`must not have more than ${maxItems} items.`)
      return []
    }
    return items ? value.map((item, i) => withinBounds(items, item, at(i), problems)) : value
  }
  const names = Object.keys(value)
  if (maxProperties !== undefined && names.length > maxProperties) {
    refuse(`must not have more than ${maxProperties} names.`)
    return {}
  }
  if (!properties && typeof others !== 'object') return value
  const inside = (name: string): Bounds =>
    properties && Object.hasOwn(properties, name) ? properties[name]! : typeof others === 'object' ? others : {}
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withinBounds(inside(name), one, at(name), problems)]),
  )
}

/** A wrong value in a map is named by itself; that the map has it is no second mistake. */
const isEchoed = ({ keyword, instancePath }: ValidationError, errors: readonly ValidationError[]): boolean =>
  keyword === 'additionalProperties' && errors.some((other) => other.instancePath.startsWith(`${instancePath}/`))

/** Only the declared fields; an omitted one takes its default, and so does null where null is no value of it. */
export function withDefaults(schema: TSchema, raw: unknown): unknown {
  const properties = (schema as { properties?: Record<string, ParameterSchema> }).properties
  if (!properties || typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw
  const filled: Record<string, unknown> = {}
  for (const name in properties) {
    const property = properties[name]!
    const value = Object.hasOwn(raw, name) ? (raw as Record<string, unknown>)[name] : undefined
    const missing =
      value === undefined || (value === null && property.default !== undefined && property.default !== null)
    if (!missing) filled[name] = value
    else if (property.default !== undefined) filled[name] = structuredClone(property.default)
  }
  return filled
}

interface ValidationError {
  keyword: string
  instancePath: string
  message: string
  params: Record<string, unknown>
}

function explain({ keyword, instancePath, message, params }: ValidationError): Problem[] {
  const field = instancePath.split('/').slice(1).join('.')
  if (keyword === 'required')
    return ((params.requiredProperties as string[]) ?? []).map((name) => missing(field ? `${field}.${name}` : name))
  return [problem(field, sentenceFor(keyword, params) ?? `${message}.`)]
}

function sentenceFor(keyword: string, params: Record<string, unknown>): string | undefined {
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}.`
  if (keyword === 'maxLength') return `must have at most ${params.limit} characters.`
  if (keyword === 'minLength') return 'must not be empty.'
  if (keyword === 'type') return `must be ${[params.type].flat().map(readableType).join(' or ')}.`
  if (keyword === 'pattern') return `must ${PATTERNS[String(params.pattern)] ?? 'have another form'}.`
  if (keyword === 'format') return `must be ${FORMATS[params.format as string] ?? `a valid ${params.format}`}.`
  return undefined
}

const FORMATS: Record<string, string> = {
  'date-time': 'an ISO 8601 time such as 2026-03-01T09:30:00Z',
  email: 'an e-mail address',
  uri: 'a complete http or https address',
}

const readableType = (type: unknown) =>
  type === 'null' ? 'null' : type === 'object' || type === 'array' || type === 'integer' ? `an ${type}` : `a ${type}`

/** Refuses what nobody could look through, also in fields that nobody asked for. */
export function checkDepth(raw: unknown): void {
  const path = deepPath(raw, 0)
  if (path !== null) throw invalid([tooDeep(path.join('.'))])
}

/** The names that lead to what is too deep; null when nothing is. Made only then: a body may have a hundred thousand values. */
function deepPath(value: unknown, depth: number): string[] | null {
  if (typeof value !== 'object' || value === null) return null
  if (depth >= MAX_DEPTH) return []
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const path = deepPath(value[i], depth + 1)
      if (path) return [String(i), ...path]
    }
    return null
  }
  for (const name in value) {
    const path = deepPath((value as Record<string, unknown>)[name], depth + 1)
    if (path) return [name, ...path]
  }
  return null
}

const tooDeep = (path: string): Problem => problem(path, `is nested too deeply: at most ${MAX_DEPTH} levels.`)

/** By field, the first of each. */
function textProblems(raw: unknown): Map<string, Problem> {
  const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw)
  const parts: [string, unknown][] = isObject ? Object.entries(raw) : [['', raw]]
  const found = parts.map(([name, value]): [string, Problem | undefined] => {
    const depth = name ? 1 : 0
    return [name, isStorable(value, depth) ? undefined : textProblem(value, name, depth)]
  })
  return new Map(found.filter((one): one is [string, Problem] => one[1] !== undefined))
}

// Neither database stores NUL or half a surrogate pair, and nothing real nests this deep.
const MAX_DEPTH = 32

export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Whether `textProblem` would find nothing, without a word about where: nearly always nothing is found, in however many values. */
function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isStorableText(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth >= MAX_DEPTH) return false
  if (Array.isArray(value)) return value.every((item) => isStorable(item, depth + 1))
  for (const name in value)
    if (
      name === '__proto__' ||
      !isStorable(name, depth) ||
      !isStorable((value as Record<string, unknown>)[name], depth + 1)
    )
      return false
  return true
}

function textProblem(value: unknown, path: string, depth: number): Problem | undefined {
  if (typeof value === 'string') {
    const wrong = textSentence(value)
    return wrong === undefined ? undefined : problem(path, wrong)
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= MAX_DEPTH) return tooDeep(path)
  for (const [key, item] of Object.entries(value)) {
    // No client means it, and it is a trap for every program that copies objects.
    const wrong = key === '__proto__' ? 'must not be __proto__.' : textSentence(key)
    if (wrong !== undefined) return nameProblem(path, wrong)
    const inside = textProblem(item, path ? `${path}.${key}` : key, depth + 1)
    if (inside) return inside
  }
  return undefined
}

function textSentence(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character NUL.'
  return text.isWellFormed() ? undefined : 'must be valid Unicode text.'
}
