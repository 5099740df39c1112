// The headers and failures that operations share, as OpenAPI components.
import { FAILURES } from '../http/described-failures.ts'
import type { Json } from './openapi-schemas.ts'

export const HEADERS = {
  RequestId: {
    description: 'Names this request in the log of the service. Quote it when you report a problem.',
    required: true,
    schema: { type: 'string' },
    example: '0c1f5d0f6f11',
  },
  RateLimit: { description: 'Calls that the window allows.', required: true, schema: { type: 'integer' }, example: 60 },
  RateRemaining: {
    description: 'Calls that are left in the window.',
    required: true,
    schema: { type: 'integer' },
    example: 59,
  },
  RateReset: {
    description: 'Unix time in whole seconds at which the window ends.',
    required: true,
    schema: { type: 'integer' },
    example: 1794707526,
  },
}

const requestId = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }
const rates = {
  'X-RateLimit-Limit': { $ref: '#/components/headers/RateLimit' },
  'X-RateLimit-Remaining': { $ref: '#/components/headers/RateRemaining' },
  'X-RateLimit-Reset': { $ref: '#/components/headers/RateReset' },
}

/** The headers of every answer. Operators have no limits, so their answers have no rate-limit headers. */
export const headersOf = (isLimited: boolean): Json => (isLimited ? { ...requestId, ...rates } : requestId)

export const errorSchema = {
  type: 'object',
  description: 'A failure.',
  required: ['success', 'error'],
  properties: {
    // The enum repeats the const, because some generators treat a const of false as missing.
    success: { type: 'boolean', const: false, enum: [false], description: 'false on failure.', examples: [false] },
    error: { type: 'string', description: 'What happened and what to do.', examples: ['Tool not found.'] },
  },
}

/** Contains only the components of these statuses, because linters warn of unused components. */
export const failureComponents = (statuses: ReadonlySet<number>, isLimited: boolean): Json => ({
  NotModified: {
    description: 'The answer is the one whose ETag was sent as If-None-Match.',
    headers: headersOf(isLimited),
  },
  ...Object.fromEntries(
    FAILURES.filter(({ status }) => statuses.has(status)).map(({ name, description, error, headers }) => [
      name,
      {
        description,
        headers: { ...headersOf(isLimited), ...headers },
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { success: false, error } },
        },
      },
    ]),
  ),
})

/** The answers of one operation for these statuses. */
export const failureRefs = (statuses: ReadonlySet<number>): Json =>
  Object.fromEntries(
    FAILURES.filter(({ status }) => statuses.has(status)).map(({ status, name }) => [
      status,
      { $ref: `#/components/responses/${name}` },
    ]),
  )
