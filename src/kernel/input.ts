// Reads the input of a call by the operation's schemas. Parameters (path, query, MCP arguments) are read leniently: a page or limit out of
// range is adjusted. Bodies are read strictly, and the error names every wrong field at once.
import type { Static, TObject, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { type BoundedSchema, boundsOf, sentenceFor, withinBounds } from './checks/bounds.ts'
import { invalid } from './errors.ts'
import { missing, nameProblem, type Problem, problem } from './problem.ts'
import { wordsOfPattern } from './schema.ts'
import { isObject } from './values/objects.ts'
import { trimmed } from './values/text.ts'

interface ParameterSchema {
  type?: string | string[]
  enum?: string[]
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  pattern?: string
  /** An invalid number is a 400 instead of becoming the default, and so is a text that does not fit its pattern. */
  'x-strict'?: boolean
  /** The value is not trimmed. */
  'x-verbatim'?: boolean
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
    if (value instanceof InvalidParameter) (problems ??= []).push(value.problem)
    else if (value !== undefined) input[name] = value
    else if (schema.required?.includes(name)) (problems ??= []).push(missing(name))
  }
  if (problems) throw invalid(problems)
  return input as Static<T>
}

/** Why a parameter is refused. It is a class, so that it differs from every value that a parameter may have. */
class InvalidParameter {
  readonly problem: Problem
  constructor(name: string, sentence: string) {
    this.problem = problem(name, sentence)
  }
}

/** The value of a parameter, undefined when it is missing and has no default, or an InvalidParameter. */
function readParameter(name: string, schema: ParameterSchema, given: unknown): unknown {
  const raw = typeof given === 'string' && !schema['x-verbatim'] ? trimmed(given) : given
  if (schema.type === 'integer')
    return schema['x-strict'] ? readStrictInteger(name, schema, raw) : readInteger(schema, raw)
  if (schema.type === 'number') return readNumber(name, schema, raw)
  // Forms send every field, also empty ones. Language models send null for what they leave out, and numbers where text is meant.
  if (raw === undefined || raw === null || raw === '') return schema.default
  // The query string has the parameter twice, or a language model has sent a list where one text is meant.
  if (Array.isArray(raw))
    return new InvalidParameter(
      name,
      schema.enum || schema.type === 'boolean' ? 'must be given once.' : 'must be given once, as one text.',
    )
  if (schema.type === 'boolean') {
    if (raw === true || raw === 'true' || raw === '1' || raw === 1) return true
    if (raw === false || raw === 'false' || raw === '0' || raw === 0) return false
    return new InvalidParameter(name, 'must be true, false, 1 or 0.')
  }
  if (schema.enum) {
    const inLowerCase = typeof raw === 'string' ? raw.toLowerCase() : undefined
    const found = schema.enum.find((value) => value.toLowerCase() === inLowerCase)
    return found ?? new InvalidParameter(name, `must be one of ${schema.enum.join(', ')}.`)
  }
  const text = typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : raw
  if (typeof text !== 'string') return new InvalidParameter(name, 'must be a string.')
  const wrong = storageSentence(text)
  if (wrong) return new InvalidParameter(name, wrong)
  if (schema.maxLength !== undefined && text.length > schema.maxLength)
    return new InvalidParameter(name, `is too long: at most ${schema.maxLength} characters.`)
  if (schema['x-strict'] && schema.pattern && !new RegExp(schema.pattern, 'u').test(text))
    return new InvalidParameter(name, `must ${wordsOfPattern(schema.pattern)}.`)
  return text
}

const DECIMAL = /^[+-]?\d+(\.\d*)?(e\+?\d+)?$/i

/** NaN unless it is a number, or a text of this form. */
function numberFrom(raw: unknown, form = DECIMAL): number {
  if (typeof raw === 'number') return raw
  return typeof raw === 'string' && form.test(raw) ? Number(raw) : Number.NaN
}

// A missing, zero, negative or non-numeric value becomes the default, and an oversized one the maximum; neither is an error.
function readInteger(schema: ParameterSchema, raw: unknown): unknown {
  const number = numberFrom(raw)
  // A number with too many digits becomes Infinity, which counts as oversized and not as non-numeric.
  const isWhole = Number.isInteger(number) || number === Number.POSITIVE_INFINITY
  if (!isWhole || number < (schema.minimum ?? 1)) return schema.default
  return Math.min(number, schema.maximum ?? Number.MAX_SAFE_INTEGER)
}

/** A filter that is no number is refused, because ignoring it would show rows that the client did not ask for. */
function readNumber(name: string, { minimum = 0, maximum, ...schema }: ParameterSchema, raw: unknown) {
  if (raw === undefined || raw === null || raw === '') return schema.default
  const number = numberFrom(raw)
  if (Number.isFinite(number) && number >= minimum && number <= (maximum ?? number)) return number
  const range = maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
  return new InvalidParameter(name, `must be a number ${range}.`)
}

function readStrictInteger(
  name: string,
  { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: ParameterSchema,
  raw: unknown,
) {
  if (raw === undefined || raw === null) return undefined
  const number = numberFrom(raw, /^\d+$/)
  return Number.isInteger(number) && number >= minimum && number <= maximum
    ? number
    : new InvalidParameter(name, `must be a whole number from ${minimum} to ${maximum}.`)
}

const validators = new WeakMap<TSchema, Validator>()
// TypeBox reports only eight errors by default, and our answer names every wrong field.
Settings.Set({ maxErrors: 100 })

/**
 * The body with only the declared fields and their defaults, or a 400 that names every wrong field. `more` finds problems beyond the
 * schema, in texts that are trimmed and within their bounds.
 */
export function readBody<T extends TSchema>(
  schema: T,
  raw: unknown,
  more: (body: unknown) => readonly Problem[] = () => [],
): Static<T> {
  const result = tryReadBody(schema, raw)
  const problems = 'problems' in result ? [...result.problems, ...more(result.cut)] : more(result.value)
  if (problems.length > 0 || 'problems' in result) throw invalid(problems)
  return result.value
}

/** Like `readBody`, but returns the problems. `cut`: the body reduced to values within their bounds, which further checks can look at. */
export function tryReadBody<T extends TSchema>(
  schema: T,
  raw: unknown,
): { value: Static<T> } | { problems: Problem[]; cut: unknown } {
  const byField = new Map<string, readonly Problem[]>()
  const filled = withinBounds(boundsOf(schema as BoundedSchema), withDefaults(schema, raw), '', byField)
  if (!isStorable(filled, 0))
    for (const [field, found] of storageProblems(filled)) if (!byField.has(field)) byField.set(field, [found])
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(schema) as Validator))
  if (byField.size === 0 && validator.Check(filled)) return { value: filled as Static<T> }
  const errors = joinChoiceErrors([...(validator.Errors(filled) as ValidationError[])])
  for (const error of errors.filter((one) => !isReportedInside(one, errors))) {
    const found = explain(error)
    // An error of the whole body names no field. Its key is not '', the key that `storageProblems` uses for the whole body, so both stay.
    const key = found.map(({ field }) => field).join() || 'whole body'
    if (!byField.has(key)) byField.set(key, found)
  }
  return { problems: [...byField.values()].flat(), cut: filled }
}

/** Whether the error repeats another one: for a wrong value in a map the validator reports the value, and also the map. */
const isReportedInside = ({ keyword, instancePath }: ValidationError, errors: readonly ValidationError[]): boolean =>
  keyword === 'additionalProperties' && errors.some((other) => other.instancePath.startsWith(`${instancePath}/`))

/**
 * For a field that may be an object or null, the validator reports the errors of both choices. If the client sent an object, only the errors
 * inside it stay, because it was not meant to be null. If the client sent anything else, one error stays, which names both types.
 */
function joinChoiceErrors(errors: readonly ValidationError[]): ValidationError[] {
  const isChoice = (path: string) => errors.some((one) => one.keyword === 'anyOf' && one.instancePath === path)
  const isType = ({ keyword }: ValidationError) => keyword === 'type'
  return errors.flatMap((error) => {
    const { keyword, instancePath, params } = error
    if (keyword === 'anyOf') return []
    if (!isType(error) || !isChoice(instancePath)) return [error]
    const here = errors.filter((one) => isType(one) && one.instancePath === instancePath)
    const types = here.map((one) => one.params.type)
    // Only the choice `null` refused the type, so the value is an object, and the errors inside it say what is wrong.
    return types.every((type) => type === 'null') || error !== here[0]
      ? []
      : [{ ...error, params: { ...params, type: types } }]
  })
}

/** Keeps only the declared fields. An omitted field takes its default, and so does null unless the default itself is null. */
export function withDefaults(schema: TSchema, raw: unknown): unknown {
  const properties = (schema as { properties?: Record<string, ParameterSchema> }).properties
  if (!properties || !isObject(raw)) return raw
  const filled: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(properties)) {
    const value = Object.hasOwn(raw, name) ? raw[name] : undefined
    const isMissing =
      value === undefined || (value === null && property.default !== undefined && property.default !== null)
    if (!isMissing) filled[name] = value
    else if (property.default !== undefined)
      filled[name] = typeof property.default === 'object' ? structuredClone(property.default) : property.default
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

/** Refuses a body that is nested too deeply, also in fields that the schema does not declare. */
export function checkDepth(raw: unknown): void {
  const path = deepPath(raw, 0)
  if (path !== null) throw invalid([tooDeep(path.join('.'))])
}

/** The path to the first value that is too deep, or null. The path is only built when one is found: a body may have 100,000 values. */
function deepPath(value: unknown, depth: number): string[] | null {
  if (typeof value !== 'object' || value === null) return null
  if (depth >= MAX_DEPTH) return []
  const values = Array.isArray(value) ? value : Object.values(value)
  for (let i = 0; i < values.length; i++) {
    const path = deepPath(values[i], depth + 1)
    if (path) return [Object.keys(value)[i] ?? '', ...path]
  }
  return null
}

const tooDeep = (path: string): Problem => problem(path, `is nested too deeply: at most ${MAX_DEPTH} levels.`)

/** The first problem of each top-level field: its text cannot be stored, or it is nested too deeply. */
function storageProblems(raw: unknown): Map<string, Problem> {
  const parts: [string, unknown][] = isObject(raw) ? Object.entries(raw) : [['', raw]]
  const found = parts.map(([name, value]): [string, Problem | undefined] => {
    const depth = name ? 1 : 0
    return [name, isStorable(value, depth) ? undefined : storageProblem(value, name, depth)]
  })
  return new Map(found.filter((one): one is [string, Problem] => one[1] !== undefined))
}

/** Real input is never nested this deeply; a body that is gets a 400. */
export const MAX_DEPTH = 32

/** Neither PostgreSQL nor the embedded database stores NUL or half a surrogate pair. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Whether `storageProblem` would find nothing. It builds no paths, so it is faster for the usual body, which has no problem. */
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

function storageProblem(value: unknown, path: string, depth: number): Problem | undefined {
  if (typeof value === 'string') {
    const wrong = storageSentence(value)
    return wrong === undefined ? undefined : problem(path, wrong)
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= MAX_DEPTH) return tooDeep(path)
  for (const [key, item] of Object.entries(value)) {
    // No client needs this name, and it changes the prototype in programs that copy objects carelessly.
    const wrong = key === '__proto__' ? 'must not be __proto__.' : storageSentence(key)
    if (wrong !== undefined) return nameProblem(path, wrong)
    const inside = storageProblem(item, path ? `${path}.${key}` : key, depth + 1)
    if (inside) return inside
  }
  return undefined
}

/** Why a text cannot be stored, as the end of a sentence; undefined when it can. */
function storageSentence(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character NUL.'
  return text.isWellFormed() ? undefined : 'must be valid Unicode text.'
}
