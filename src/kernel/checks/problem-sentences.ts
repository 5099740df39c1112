// The sentences for values of a body that do not fit its schema. Each follows the name of the field.
import { wordsOfPattern } from '../schema.ts'

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
