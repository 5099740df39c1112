// Checks a value from the database against the schema that it is shown in. A row written by another version of the program, by a
// restore or by hand may contain anything that its columns allow. A value that does not fit is replaced by the empty value of its type
// and reported, so that one broken row does not fail a whole list or page.
import type { Static, TSchema } from 'typebox'

export interface Shape {
  matches(value: unknown): boolean
  /** Returns the nearest value that matches, and adds a sentence to `problems` for each value that it replaced. */
  repair(value: unknown, path: string, problems: string[]): unknown
}

interface SchemaNode {
  type?: string | readonly string[]
  format?: string
  enum?: readonly unknown[]
  anyOf?: readonly SchemaNode[]
  oneOf?: readonly SchemaNode[]
  items?: SchemaNode
  properties?: Readonly<Record<string, SchemaNode>>
  required?: readonly string[]
  additionalProperties?: SchemaNode | boolean
}

const shapes = new WeakMap<object, Shape>()

export function shapeOf(schema: TSchema | SchemaNode): Shape {
  let shape = shapes.get(schema)
  if (!shape) shapes.set(schema, (shape = makeShape(schema as SchemaNode)))
  return shape
}

/** Why a value does not match the shape, as one text; undefined when it matches. */
export function shapeProblem(shape: Shape, value: unknown): string | undefined {
  if (shape.matches(value)) return undefined
  const problems: string[] = []
  shape.repair(value, '', problems)
  return problems.join(' ')
}

/** The value in the shape of the schema: a missing field gets the empty value of its type. */
export const withEmptyValues = <T extends TSchema>(schema: T, value: object): Static<T> =>
  shapeOf(schema).repair(value, '', []) as Static<T>

function makeShape(node: SchemaNode): Shape {
  const choices = node.anyOf ?? node.oneOf
  if (choices) return anyOf(choices.map(shapeOf))
  const types = [node.type].flat()
  if (node.type === 'null') return onlyNull
  const type = types.find((one) => one !== 'null')
  const shape = node.enum ? closedList(node.enum) : (BY_TYPE[type ?? ''] ?? anything)(node)
  return types.includes('null') ? nullable(shape) : shape
}

// Writing a deeper value as JSON could overflow the stack.
const DEEPEST = 100
const UNWRITABLE = `is nested deeper than ${DEEPEST} levels, or has a number or text that JSON cannot hold`

const BY_TYPE: Record<string, (node: SchemaNode) => Shape> = {
  string: ({ format }) =>
    format === 'date-time'
      ? plain(isTime, () => new Date(0), 'is not a time')
      : plain(
          (value) => isText(value) || (value instanceof Date && isTime(value)),
          () => '',
          'is not valid text',
        ),
  number: () => plain(isNumber, () => 0, 'is not a number'),
  integer: () => plain(isNumber, () => 0, 'is not a number'),
  boolean: () =>
    plain(
      (value) => typeof value === 'boolean',
      () => false,
      'is neither true nor false',
    ),
  array: list,
  object: (node) =>
    node.properties || typeof node.additionalProperties === 'object'
      ? object(node)
      : plain(
          (value) => isObject(value) && isWritable(value, 0),
          () => ({}),
          `is not an object, or ${UNWRITABLE}`,
        ),
}

const onlyNull: Shape = { matches: (value) => value === null, repair: () => null }

function plain(matches: (value: unknown) => boolean, empty: () => unknown, problem: string): Shape {
  return {
    matches,
    repair(value, path, problems) {
      if (matches(value)) return value
      note(problems, path, value === undefined || value === null ? 'is missing' : problem)
      return empty()
    },
  }
}

// A row may be wrong in thousands of places; the first few are enough to find the cause.
const MOST_PROBLEMS = 10

function note(problems: string[], path: string, problem: string): void {
  if (problems.length < MOST_PROBLEMS) problems.push(`${path || 'The row'} ${problem}.`)
}

/** No database column of text has NUL or half a surrogate pair, but JSON columns may. */
const isText = (value: unknown): boolean => typeof value === 'string' && value.isWellFormed() && !value.includes('\0')

const YEAR_1 = -62_135_596_800_000
const YEAR_10000 = Date.UTC(10_000, 0)

/** Whether the value is a time in the years 1 to 9999, which ISO 8601 writes in its usual form. */
export function isTime(value: unknown): boolean {
  const time = value instanceof Date ? value.getTime() : isText(value) ? Date.parse(value as string) : Number.NaN
  return time >= YEAR_1 && time < YEAR_10000
}

/** One of the database drivers returns counts as text; answers contain them as numbers. */
const isNumber = (value: unknown): boolean =>
  typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' && /^-?\d{1,15}$/.test(value)

function closedList(values: readonly unknown[]): Shape {
  const allowed = new Set(values)
  const named = values.filter((value) => value !== null).join(', ')
  return plain(
    (value) => allowed.has(value),
    () => values[0],
    `must be one of ${named}`,
  )
}

const nullable = (shape: Shape): Shape => ({
  matches: (value) => value === null || shape.matches(value),
  repair(value, path, problems) {
    if (value === null || shape.matches(value)) return value
    shape.repair(value, path, problems)
    return null
  },
})

function anyOf(choices: readonly Shape[]): Shape {
  return {
    matches: (value) => choices.some((one) => one.matches(value)),
    repair(value, path, problems) {
      if (choices.some((one) => one.matches(value))) return value
      // The nearest choice is the one with the fewest problems.
      const [nearest] = choices
        .filter((one) => !one.matches(null))
        .map((one) => {
          const found: string[] = []
          return { repaired: one.repair(value, path, found), found }
        })
        .sort((a, b) => a.found.length - b.found.length)
      if (nearest) problems.push(...nearest.found)
      return choices.some((one) => one.matches(null)) ? null : nearest?.repaired
    },
  }
}

function list({ items = {} }: SchemaNode): Shape {
  const item = shapeOf(items)
  return {
    matches: (value) => Array.isArray(value) && value.every(item.matches),
    repair(value, path, problems) {
      if (Array.isArray(value)) return value.map((one, i) => item.repair(one, path ? `${path}.${i}` : `${i}`, problems))
      note(problems, path, value === undefined || value === null ? 'is missing' : 'is not a list')
      return []
    },
  }
}

function object({ properties = {}, required = [], additionalProperties }: SchemaNode): Shape {
  const own = Object.entries(properties).map(([name, node]) => ({
    name,
    shape: shapeOf(node),
    isRequired: required.includes(name),
  }))
  const others = typeof additionalProperties === 'object' ? shapeOf(additionalProperties) : null
  const hasOwn = (name: string) => Object.hasOwn(properties, name)
  return {
    matches(value) {
      if (!isObject(value)) return false
      for (const { name, shape, isRequired } of own) {
        const found = value[name]
        if (found === undefined ? isRequired : !shape.matches(found)) return false
      }
      if (others) for (const name of Object.keys(value)) if (!hasOwn(name) && !others.matches(value[name])) return false
      return true
    },
    repair(value, path, problems) {
      const at = (name: string) => (path ? `${path}.${name}` : name)
      if (!isObject(value))
        note(problems, path, value === undefined || value === null ? 'is missing' : 'is not an object')
      const given = isObject(value) ? value : {}
      // If the value is not an object, that one problem is enough: the missing fields are not reported as well.
      const known = isObject(value) ? problems : []
      // A map, because assigning the name __proto__ to an object would change its prototype.
      const repaired = new Map(Object.entries(given))
      for (const { name, shape, isRequired } of own)
        if (repaired.get(name) !== undefined || isRequired)
          repaired.set(name, shape.repair(repaired.get(name), at(name), known))
      if (others)
        for (const [name, one] of Object.entries(given))
          if (!hasOwn(name)) repaired.set(name, others.repair(one, at(name), known))
      return Object.fromEntries(repaired)
    },
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

const anything = (): Shape =>
  plain(
    (value) => isWritable(value, 0),
    () => ({}),
    UNWRITABLE,
  )

function isWritable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isText(value)
  if (typeof value === 'number') return Number.isFinite(value)
  if (value instanceof Date) return isTime(value)
  if (typeof value !== 'object' || value === null) return true
  return depth < DEEPEST && Object.entries(value).every(([name, one]) => isText(name) && isWritable(one, depth + 1))
}
