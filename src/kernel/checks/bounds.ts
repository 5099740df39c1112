// Checks the bounds of a body: how long its texts, lists and maps may be. Texts are trimmed, because blanks around them do not count. Also
// the sentences for values that do not fit their schema; each follows the name of the field.
import { nameProblem, type Problem, problem } from '../problem.ts'
import { wordsOfPattern } from '../schema.ts'
import { trimmed } from '../values/text.ts'

export interface BoundedSchema {
  type?: string | readonly string[]
  anyOf?: readonly BoundedSchema[]
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  propertyNames?: BoundedSchema
  items?: BoundedSchema
  /** Blank items of the list are dropped instead of refused. */
  'x-blanks-left-out'?: boolean
  properties?: Record<string, BoundedSchema>
  additionalProperties?: BoundedSchema | boolean
}

/** The bounds of a schema in a form that is fast to read, because an import reads them for each of very many values. */
interface Bounds {
  maxLength: number
  maxItems: number
  maxProperties: number
  maxNameLength: number
  items: Bounds | null
  leavesBlanksOut: boolean
  properties: ReadonlyMap<string, Bounds> | null
  /** The bounds of values whose names `properties` does not have. */
  others: Bounds | null
}

const boundsOfSchemas = new WeakMap<object, Bounds>()

export function boundsOf(schema: BoundedSchema): Bounds {
  const known = boundsOfSchemas.get(schema)
  if (known) return known
  // The schema of an object that may be null has two choices; the bounds are those of the object.
  const node = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
  const { maxLength, maxItems, maxProperties, propertyNames, items, properties, additionalProperties: others } = node
  const bounds = {
    maxLength: maxLength ?? Number.POSITIVE_INFINITY,
    maxItems: maxItems ?? Number.POSITIVE_INFINITY,
    maxProperties: maxProperties ?? Number.POSITIVE_INFINITY,
    maxNameLength: propertyNames?.maxLength ?? Number.POSITIVE_INFINITY,
    items: items ? boundsOf(items) : null,
    leavesBlanksOut: node['x-blanks-left-out'] === true,
    properties: properties ? new Map(Object.entries(properties).map(([name, part]) => [name, boundsOf(part)])) : null,
    others: typeof others === 'object' ? boundsOf(others) : null,
  }
  boundsOfSchemas.set(schema, bounds)
  return bounds
}

/**
 * Returns the value with its texts and the names in its maps trimmed. Call it before every other check: a value beyond its bounds is
 * reported and replaced by an empty one, so that no pattern, parser or loop works on more than a field may hold.
 */
export function withinBounds(
  bounds: Bounds,
  value: unknown,
  path: string,
  problems: Map<string, readonly Problem[]>,
): unknown {
  const { maxLength, maxItems, maxProperties, maxNameLength, items, properties, others } = bounds
  // JavaScript counts some characters as two. A text of up to twice the length is left to the validator, which counts characters.
  if (typeof value === 'string') {
    const text = trimmed(value)
    if (text.length <= 2 * maxLength) return text
    problems.set(path, [problem(path, tooLong(maxLength))])
    return ''
  }
  if (typeof value !== 'object' || value === null) return value
  const isList = Array.isArray(value)
  // The schema wants a text, or a list instead of this object, or the reverse. The validator reports the `false`; other checks skip it.
  if (maxLength < Number.POSITIVE_INFINITY) return false
  if (isList ? maxProperties < Number.POSITIVE_INFINITY : maxItems < Number.POSITIVE_INFINITY) return false
  const pathOf = (name: string | number) => (path ? `${path}.${name}` : String(name))
  if (isList) {
    if (value.length > maxItems) {
      problems.set(path, [problem(path, `must not have more than ${maxItems} items.`)])
      return []
    }
    if (!items) return value
    const kept = value.map((item, i) => withinBounds(items, item, pathOf(i), problems))
    if (bounds.leavesBlanksOut) return kept.filter((item) => item !== '')
    for (const [i, item] of kept.entries())
      if (item === '' && !problems.has(pathOf(i))) problems.set(pathOf(i), [problem(pathOf(i), 'must not be blank.')])
    return kept
  }
  const names = Object.keys(value)
  if (names.some((name) => name.length > maxNameLength && [...trimmed(name)].length > maxNameLength)) {
    problems.set(path, [nameProblem(path, tooLong(maxNameLength))])
    return {}
  }
  if (names.length > maxProperties) {
    problems.set(path, [problem(path, `must not have more than ${maxProperties} names.`)])
    return {}
  }
  if (!properties && !others) return value
  const given = value as Record<string, unknown>
  const kept = names.map((name) => {
    const inner = properties?.get(name) ?? others
    return inner ? withinBounds(inner, given[name], pathOf(name), problems) : given[name]
  })
  // Most values need no change and are not copied.
  const keptNames = properties ? names : names.map(trimmed)
  if (names.every((name, i) => kept[i] === given[name] && keptNames[i] === name)) return value
  return Object.fromEntries(keptNames.map((name, i) => [name, kept[i]]))
}

export const tooLong = (most: number): string => `must have at most ${most} characters.`

/** The sentence for a value that breaks this keyword of its schema; undefined: use the message of the validator. */
export function sentenceFor(keyword: string, params: Record<string, unknown>): string | undefined {
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}.`
  if (keyword === 'maxLength') return tooLong(Number(params.limit))
  if (keyword === 'minLength') return 'must not be empty.'
  if (keyword === 'minItems') return `must have at least ${params.limit} ${params.limit === 1 ? 'item' : 'items'}.`
  if (keyword === 'minimum') return `must be at least ${params.limit}.`
  if (keyword === 'maximum') return `must be at most ${params.limit}.`
  if (keyword === 'type') return `must be ${[params.type].flat().map(readableType).join(' or ')}.`
  if (keyword === 'pattern') return `must ${wordsOfPattern(String(params.pattern))}.`
  if (keyword === 'format') return `must be ${FORMATS[params.format as string] ?? `a valid ${params.format}`}.`
  return undefined
}

const FORMATS: Record<string, string> = {
  'date-time': 'an ISO 8601 time such as 2026-03-01T09:30:00Z',
  email: 'an e-mail address',
  uri: 'a complete http or https address',
}

function readableType(type: unknown): string {
  if (type === 'null') return 'null'
  return type === 'object' || type === 'array' || type === 'integer' ? `an ${type}` : `a ${type}`
}
