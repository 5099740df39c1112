// Holds a value that came from the database against the shape that it is shown in. A row that a program of another version, a restored
// file or a person at the database left behind may hold anything that its columns allow: what does not fit is replaced by the empty
// value of its type and named, so that one wrong row fails neither a list nor a page.
import type { Static, TSchema } from 'typebox'

export interface Shape {
  matches(value: unknown): boolean
  /** The nearest value that matches; what was wrong is added to `problems`, a sentence each. */
  mend(value: unknown, path: string, problems: string[]): unknown
}

interface Node {
  type?: string | readonly string[]
  format?: string
  enum?: readonly unknown[]
  anyOf?: readonly Node[]
  oneOf?: readonly Node[]
  items?: Node
  properties?: Readonly<Record<string, Node>>
  required?: readonly string[]
  additionalProperties?: Node | boolean
}

const shapes = new WeakMap<object, Shape>()

export function shapeOf(schema: TSchema | Node): Shape {
  let shape = shapes.get(schema)
  if (!shape) shapes.set(schema, (shape = make(schema as Node)))
  return shape
}

/** What keeps a value from having a shape, as one text; undefined when nothing does. */
export function shapeProblem(shape: Shape, value: unknown): string | undefined {
  if (shape.matches(value)) return undefined
  const problems: string[] = []
  shape.mend(value, '', problems)
  return problems.join(' ')
}

/** The value in its shape: a field that is missing has the empty value of its type. */
export const withEmptyValues = <T extends TSchema>(schema: T, value: object): Static<T> =>
  shapeOf(schema).mend(value, '', []) as Static<T>

function make(node: Node): Shape {
  const choices = node.anyOf ?? node.oneOf
  if (choices) return anyOf(choices.map(shapeOf))
  const types = [node.type].flat()
  if (node.type === 'null') return onlyNull
  const type = types.find((one) => one !== 'null')
  const shape = node.enum ? closedList(node.enum) : (BY_TYPE[type ?? ''] ?? anything)(node)
  return types.includes('null') ? nullable(shape) : shape
}

// Deeper, and writing it as JSON would be the end of the stack.
const DEEPEST = 100
const UNWRITABLE = `is nested deeper than ${DEEPEST} levels, or has a number or text that JSON cannot hold`

const BY_TYPE: Record<string, (node: Node) => Shape> = {
  string: ({ format }) =>
    format === 'date-time'
      ? plain(isTime, () => new Date(0), 'is no time')
      : plain(
          (value) => isText(value) || (value instanceof Date && isTime(value)),
          () => '',
          'is no valid text',
        ),
  number: () => plain(isNumber, () => 0, 'is no number'),
  integer: () => plain(isNumber, () => 0, 'is no number'),
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
          `is no object, or ${UNWRITABLE}`,
        ),
}

const onlyNull: Shape = { matches: (value) => value === null, mend: () => null }

function plain(matches: (value: unknown) => boolean, empty: () => unknown, problem: string): Shape {
  return {
    matches,
    mend(value, path, problems) {
      if (matches(value)) return value
      note(problems, path, value === undefined || value === null ? 'is missing' : problem)
      return empty()
    },
  }
}

// A row may be wrong in thousands of places; the first few say enough.
const MOST_PROBLEMS = 10

function note(problems: string[], path: string, problem: string): void {
  if (problems.length < MOST_PROBLEMS) problems.push(`${path || 'The row'} ${problem}.`)
}

/** Neither database stores NUL or half a surrogate pair as text, but both let JSON have them. */
const isText = (value: unknown): boolean => typeof value === 'string' && value.isWellFormed() && !value.includes('\0')

const YEAR_1 = -62_135_596_800_000
const YEAR_10000 = Date.UTC(10_000, 0)

/** From the year 1 to 9999, which is what ISO 8601 writes in its usual form. */
export function isTime(value: unknown): boolean {
  const time = value instanceof Date ? value.getTime() : isText(value) ? Date.parse(value as string) : Number.NaN
  return time >= YEAR_1 && time < YEAR_10000
}

/** Counts come as text from one of the drivers, and are written as numbers all the same. */
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
  mend(value, path, problems) {
    if (value === null || shape.matches(value)) return value
    shape.mend(value, path, problems)
    return null
  },
})

function anyOf(choices: readonly Shape[]): Shape {
  return {
    matches: (value) => choices.some((one) => one.matches(value)),
    mend(value, path, problems) {
      if (choices.some((one) => one.matches(value))) return value
      // The nearest of them: the one with the fewest problems.
      const [nearest] = choices
        .filter((one) => !one.matches(null))
        .map((one) => {
          const found: string[] = []
          return { mended: one.mend(value, path, found), found }
        })
        .sort((a, b) => a.found.length - b.found.length)
      problems.push(...nearest!.found)
      return choices.some((one) => one.matches(null)) ? null : nearest!.mended
    },
  }
}

function list({ items = {} }: Node): Shape {
  const item = shapeOf(items)
  return {
    matches: (value) => Array.isArray(value) && value.every(item.matches),
    mend(value, path, problems) {
      if (Array.isArray(value)) return value.map((one, i) => item.mend(one, path ? `${path}.${i}` : `${i}`, problems))
      note(problems, path, value === undefined || value === null ? 'is missing' : 'is no list')
      return []
    },
  }
}

function object({ properties = {}, required = [], additionalProperties }: Node): Shape {
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
    mend(value, path, problems) {
      const at = (name: string) => (path ? `${path}.${name}` : name)
      if (!isObject(value)) note(problems, path, value === undefined || value === null ? 'is missing' : 'is no object')
      const given = isObject(value) ? value : {}
      // Of what is no object at all one problem says everything.
      const known = isObject(value) ? problems : []
      // Built anew from pairs: a name such as __proto__ stays a name.
      const mended = new Map(Object.entries(given))
      for (const { name, shape, isRequired } of own)
        if (mended.get(name) !== undefined || isRequired)
          mended.set(name, shape.mend(mended.get(name), at(name), known))
      if (others)
        for (const [name, one] of Object.entries(given))
          if (!hasOwn(name)) mended.set(name, others.mend(one, at(name), known))
      return Object.fromEntries(mended)
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
