// Turns a thrown error into an answer (a status and the envelope), and says what each status means in the documentation.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { asFailure, badRequest, codeOf, Failure, tooLarge, unsupportedMediaType } from '../../../kernel/errors.ts'
import { MAX_PICTURE_TEXT } from '../../../kernel/interfaces/picture-store.ts'
import type { RoutedOperation } from '../../../kernel/operation.ts'
import { failureJson } from '../../../kernel/output.ts'
import { BODY_LIMIT_TEXT } from '../requests/request-bodies.ts'
import type { Service } from '../service.ts'

export function sendFailure(
  service: Pick<Service, 'log'>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const failure = translate(error)
  logFailure(service, failure, request)
  // The service does not read the rest of the body, so it could not read the next request on this connection.
  if (request.raw.readableDidRead && !request.raw.complete) reply.header('connection', 'close')
  return reply
    .code(failure.status)
    .headers(failure.headers)
    .type('application/json; charset=utf-8')
    .send(failureJson(failure))
}

/** Logs a fault of the service with its cause. An expected failure only has the log line of its request. */
export function logFailure({ log }: Pick<Service, 'log'>, failure: Failure, request: FastifyRequest): void {
  const { status, message, cause, isExpected } = failure
  if (status >= 500 && !isExpected) log.error({ err: cause ?? failure, id: request.id, status }, message)
}

/** Turns anything that was thrown into a failure. Errors of Fastify get our own messages. */
export function translate(error: unknown): Failure {
  if (error instanceof Failure) return error
  const { code, statusCode } = error as FastifyError
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(BODY_LIMIT_TEXT)
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType('application/json')
  if (code === 'FST_ERR_BAD_URL') return badRequest('The address is not valid: check its percent-encoding.')
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new Failure(statusCode, statusCode === 400 ? 'The body could not be read.' : (error as Error).message)
  return asFailure(error)
}

const retryAfter = (example: number) => ({
  'Retry-After': {
    description: 'Whole seconds after which the call succeeds.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example,
  },
})

interface DescribedHeader {
  description: string
  required: boolean
  schema: object
  example: string | number
}

export interface DescribedFailure {
  status: number
  name: string
  description: string
  error: string
  /** By the name of the header, as OpenAPI describes headers. */
  headers?: Record<string, DescribedHeader>
}

/** Every status with which a call may fail, as the OpenAPI documents and the API reference describe it. */
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
    description: `The body is too large: over ${BODY_LIMIT_TEXT}, or for a picture over ${MAX_PICTURE_TEXT}.`,
    error: `The request body is too large: at most ${BODY_LIMIT_TEXT}.`,
  },
  {
    status: 415,
    name: 'UnsupportedMediaType',
    description: 'The body is not of the expected media type.',
    error: 'Send the body as application/json.',
  },
  {
    status: 421,
    name: 'Misdirected',
    description: 'The request names another host than this service has.',
    error:
      'This service does not answer for the requested host. Use https://catalog.example.com. If the host is right, its operator must add it to ALLOWED_HOSTS.',
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

/** The body of an answer with this status, as an example. */
export const failureExample = ({ status, error }: Pick<DescribedFailure, 'status' | 'error'>) => ({
  success: false,
  error,
  code: codeOf(status),
})

/** The statuses with which a call of the operation may fail. `isLimited`: whether calls have rate limits. */
export function failureStatuses(operation: RoutedOperation, { isLimited }: { isLimited: boolean }): Set<number> {
  const { access, failures, method, lines, path } = operation
  const mayHaveBody = method !== 'GET'
  return new Set<number>([
    ...failures,
    ...(access === 'public' ? [] : [401]),
    ...(access === 'operator' ? [403] : []),
    ...(path.includes(':') ? [400] : []),
    ...(mayHaveBody && !lines ? [400, 413] : []),
    ...(mayHaveBody ? [415] : []),
    ...(isLimited ? [429] : []),
    ...[405, 421, 500, 503],
  ])
}
