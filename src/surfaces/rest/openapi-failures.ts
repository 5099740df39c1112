// The headers and failures that operations share, as OpenAPI components.
import type { Json } from './openapi-schemas.ts'

export const HEADERS = {
  RequestId: {
    description: 'Names this request in the log of the service. Quote it when you report a problem.',
    required: true,
    schema: { type: 'string' },
    example: '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11',
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

const retryAfter = (example: number) => ({
  'Retry-After': {
    description: 'Whole seconds after which the call succeeds.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example,
  },
})

interface DescribedFailure {
  status: number
  name: string
  description: string
  error: string
  headers?: Json
}

/** Every status with which a call may fail. */
export const FAILURES: readonly DescribedFailure[] = [
  {
    status: 400,
    name: 'BadRequest',
    description: 'Bad request: the message names what is wrong.',
    error: 'pricing must be one of FREE, FREEMIUM, PAID.',
  },
  {
    status: 401,
    name: 'Unauthorized',
    description: 'The API key or operator token is missing, invalid or revoked.',
    error: 'This API key is not valid: it is mistyped, revoked or unknown.',
    headers: {
      'WWW-Authenticate': {
        description: 'How to authenticate.',
        required: true,
        schema: { type: 'string' },
        example: 'Bearer realm="catalog", error="invalid_token"',
      },
    },
  },
  {
    status: 403,
    name: 'Forbidden',
    description: 'The caller is known but may not do this.',
    error: 'This key cannot use partner endpoints. They need an issued partner key.',
  },
  { status: 404, name: 'NotFound', description: 'There is no such thing.', error: 'Tool not found.' },
  {
    status: 405,
    name: 'MethodNotAllowed',
    description: 'The address does not take this method.',
    error: 'POST is not allowed here. Use GET, HEAD.',
    headers: {
      Allow: {
        description: 'The methods that it takes.',
        required: true,
        schema: { type: 'string' },
        example: 'GET, HEAD',
      },
    },
  },
  {
    status: 409,
    name: 'Conflict',
    description: 'Another write came first, or something still uses it: the message says which.',
    error: 'The tool exists already, or was changed since you looked at it. Nothing was saved.',
  },
  {
    status: 413,
    name: 'TooLarge',
    description: 'The body is too large: over 256 KiB, or for a picture over 10 MiB.',
    error: 'The request body is too large: at most 256 KiB.',
  },
  {
    status: 415,
    name: 'UnsupportedMediaType',
    description: 'The body is not of the expected media type.',
    error: 'Send the body as application/json.',
  },
  {
    status: 429,
    name: 'TooManyRequests',
    description: 'The rate limit is exceeded.',
    error: 'Rate limit exceeded. Try again in 21 seconds.',
    headers: retryAfter(21),
  },
  {
    status: 500,
    name: 'ServerError',
    description: 'Something went wrong on our side; retry.',
    error: 'Something went wrong on our side. Try again shortly.',
  },
  {
    status: 503,
    name: 'Unavailable',
    description: 'The database is not reachable; retry.',
    error: 'The database is not reachable at the moment. Try again shortly.',
    headers: retryAfter(2),
  },
]

/** Only the components of these statuses, because linters warn of unused ones. */
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
