// A Failure is an error that the caller caused or may retry: it has a status and a message that is safe to show. Any other error is a bug:
// it is logged once with its cause and answered with a fixed sentence.
import { type Problem, sentencesOf } from './problem.ts'

/** Programs tell failures apart by these codes. A failure that names no code has the first one of its status. */
export const ERROR_CODES = {
  invalid_input: 400,
  invalid_cursor: 400,
  idempotency_key_reused: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  version_conflict: 409,
  too_large: 413,
  unsupported_type: 415,
  unsupported_expectation: 417,
  misdirected: 421,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const
type ErrorCode = keyof typeof ERROR_CODES

const CODES = Object.keys(ERROR_CODES) as ErrorCode[]

export const codeOf = (status: number): ErrorCode =>
  CODES.find((code) => ERROR_CODES[code] === status) ?? (status < 500 ? 'invalid_input' : 'internal')

export class Failure extends Error {
  readonly status: number
  readonly code: ErrorCode
  readonly headers: Record<string, string>
  /** Further fields of the envelope, for programs. */
  readonly details: Record<string, unknown>
  /** The problem of each field, for forms; the message says the same. */
  readonly problems: readonly Problem[]
  /** Whether it is a 5xx that is no fault and ends by itself. Then only the line of the request is logged. */
  readonly isExpected: boolean
  constructor(
    status: number,
    message: string,
    options: {
      headers?: Record<string, string>
      details?: Record<string, unknown>
      problems?: readonly Problem[]
      cause?: unknown
      isExpected?: boolean
      code?: ErrorCode
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.status = status
    this.code = options.code ?? codeOf(status)
    this.headers = options.headers ?? {}
    this.details = options.details ?? {}
    this.problems = options.problems ?? []
    this.isExpected = options.isExpected ?? false
  }
}

export const badRequest = (message: string, code?: ErrorCode) => new Failure(400, message, { code })
export const invalid = (problems: readonly Problem[]) => new Failure(400, sentencesOf(problems), { problems })
/** A 400 about fields or parameters that do not fit each other or what is stored. */
export const unfit = (sentence: string, ...fields: readonly string[]) =>
  invalid(fields.map((field) => ({ field, sentence, isWhole: true })))
export const unauthorized = (message: string) =>
  new Failure(401, message, { headers: { 'www-authenticate': 'Bearer realm="catalog", error="invalid_token"' } })
export const forbidden = (message: string) => new Failure(403, message)
export const notFound = (thing: string) => new Failure(404, `${thing} not found.`)
/** A 404 about the thing at the address that was asked for. */
export const thisNotFound = (thing: string) => notFound(`This ${thing} was`)

/** The value, or a 404 if there is none. */
export function orNotFound<T>(value: T | null | undefined, thing: string): T {
  if (value === null || value === undefined) throw notFound(thing)
  return value
}
export const methodNotAllowed = (method: string, allow: string) =>
  new Failure(405, `${method} is not allowed here. Use ${allow}.`, { headers: { allow } })
/** The request names a host that is not ours. */
export const misdirected = (message: string) => new Failure(421, message)
/** The change conflicts with what is stored, such as an earlier change by another caller. */
export const conflict = (message: string) => new Failure(409, message)
export const tooLarge = (limit: string) => new Failure(413, `The request body is too large: at most ${limit}.`)
export const unsupportedMediaType = (expected: string) => new Failure(415, `Send the body as ${expected}.`)
/** RFC 9110: the header says which encodings are accepted. */
export const encodedBody = () =>
  new Failure(415, 'Send the body as it is, without compression and without a Content-Encoding header.', {
    headers: { 'accept-encoding': 'identity' },
  })
export const tooManyRequests = (seconds: number, headers: Record<string, string> = {}) =>
  new Failure(429, `Rate limit exceeded. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, {
    headers: { 'retry-after': String(seconds), ...headers },
  })
export const starting = () =>
  new Failure(503, 'The service is still starting. Try again shortly.', {
    headers: { 'retry-after': '1' },
    isExpected: true,
  })
export const unavailable = (cause?: unknown) =>
  new Failure(503, 'The database is not reachable at the moment. Try again shortly.', {
    headers: { 'retry-after': '2' },
    cause,
  })
const noRoom = (cause: unknown) =>
  new Failure(503, 'There is no room left on the disk. Try again when the operator has made some.', {
    headers: { 'retry-after': '60' },
    cause,
  })
export const internal = (cause: unknown) =>
  new Failure(500, 'Something went wrong on our side. Try again shortly.', { cause })

const OUTAGE_ERRNO = new Set(
  'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN ENOENT'.split(' '),
)
// SQLSTATE classes: 08 connection, 53 resources, 57P operator intervention, 58 system error, 25006 read-only standby;
// 40001, 40P01 and 55P03: two transactions blocked each other, and a retry succeeds.
const OUTAGE_SQLSTATE = /^(08|53|57P|58|25006|40001|40P01|55P03)/
const OUTAGE_MESSAGE =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|connection (is )?closed|query read timeout/i

// Error codes of the operating system and of PostgreSQL.
const NO_ROOM = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100'])

function* causesOf(error: unknown): Generator<Error> {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth++)
    yield current
}

export const isDiskFull = (error: unknown): boolean =>
  causesOf(error).some((one) => NO_ROOM.has((one as { code?: unknown }).code))

/** Whether an error means that the database is not reachable, and not that a statement was wrong. */
export function isOutage(error: unknown): boolean {
  for (const current of causesOf(error)) {
    const { code, syscall } = current as { code?: unknown; syscall?: unknown }
    if (typeof code === 'string') {
      if (OUTAGE_ERRNO.has(code) && (code !== 'ENOENT' || syscall === 'connect')) return true
      if (code.length === 5 && OUTAGE_SQLSTATE.test(code)) return true
    }
    if (OUTAGE_MESSAGE.test(current.message)) return true
    if (current instanceof AggregateError && current.errors.some(isOutage)) return true
  }
  return false
}

/** Turns anything that was thrown into the failure that the caller gets. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (isDiskFull(error)) return noRoom(error)
  return isOutage(error) ? unavailable(error) : internal(error)
}

/** An error that the operator can fix: the message says how, and no stack trace is shown. */
export class OperatingError extends Error {}
