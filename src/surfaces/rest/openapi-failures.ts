// The headers and failures that operations share, as OpenAPI components.
import { ERROR_CODES } from '../../kernel/errors.ts'
import { FAILURES, failureExample } from '../http/answers/failures.ts'
import type { Json } from './openapi-schemas.ts'

export const HEADERS = {
  RequestId: {
    description: 'Names this request in the log of the service. Quote it when you report a problem.',
    required: true,
    schema: { type: 'string' },
    example: '0c1f5d0f6f11',
  },
  RateLimit: {
    description: 'Calls that the window allows.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 60,
  },
  RateRemaining: {
    description: 'Calls that are left in the window.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  RateReset: {
    description: 'Unix time in whole seconds at which the window ends.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 1794707526,
  },
  RateLimitPolicy: {
    description: 'The bucket that was charged, with the calls (q) that a window of w seconds allows.',
    required: true,
    schema: { type: 'string' },
    example: '"rest";q=60;w=60',
  },
  RateLimitState: {
    description: 'The same bucket, with the calls that are left (r) and the seconds until the window ends (t).',
    required: true,
    schema: { type: 'string' },
    example: '"rest";r=59;t=12',
  },
}

const requestId = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }
const rates = {
  'X-RateLimit-Limit': { $ref: '#/components/headers/RateLimit' },
  'X-RateLimit-Remaining': { $ref: '#/components/headers/RateRemaining' },
  'X-RateLimit-Reset': { $ref: '#/components/headers/RateReset' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
  RateLimit: { $ref: '#/components/headers/RateLimitState' },
}

/** The headers of every answer. Calls of the operator API are not limited, so its answers have no rate-limit headers. */
export const headersOf = (isLimited: boolean): Json => (isLimited ? { ...requestId, ...rates } : requestId)

export const errorSchema = {
  type: 'object',
  description: 'A failure.',
  required: ['success', 'error', 'code'],
  properties: {
    // The enum repeats the const, because some generators treat a const of false as missing.
    success: { type: 'boolean', const: false, enum: [false], description: 'false on failure.', examples: [false] },
    error: { type: 'string', description: 'What happened and what to do.', examples: ['Tool not found.'] },
    code: {
      type: 'string',
      description: `What happened, for programs: ${Object.keys(ERROR_CODES).join(', ')}. Later versions may have further ones.`,
      examples: ['not_found'],
    },
    fields: {
      type: 'array',
      description: 'Only where fields are wrong: each of them, and what is wrong with it.',
      items: {
        type: 'object',
        required: ['field', 'problem'],
        properties: {
          field: {
            type: 'string',
            description: 'Path in the body, or name of the parameter; empty for the whole body.',
            examples: ['faq.0.answer'],
          },
          problem: {
            type: 'string',
            description:
              'What is wrong, in words: mostly the end of a sentence that begins with the name of the field, or a whole sentence where several fields do not fit each other.',
            examples: ['must not be empty.'],
          },
        },
      },
      examples: [[{ field: 'pricing', problem: 'must be one of FREE, FREEMIUM, PAID.' }]],
    },
  },
}

/** Contains only the components of these statuses, because linters warn of unused components. */
export const failureComponents = (statuses: ReadonlySet<number>, isLimited: boolean): Json => ({
  NotModified: {
    description: 'The answer is the one whose ETag was sent as If-None-Match.',
    headers: headersOf(isLimited),
  },
  ...Object.fromEntries(
    FAILURES.filter(({ status }) => statuses.has(status)).map(({ status, name, description, error, headers }) => [
      name,
      {
        description,
        headers: { ...headersOf(isLimited), ...headers },
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            example: failureExample({ status, error }),
          },
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
