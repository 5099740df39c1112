// Whatever is thrown becomes a status and the envelope.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { asFailure, badRequest, Failure, tooLarge, unsupportedMediaType } from '../../kernel/errors.ts'
import { failureJson } from '../../kernel/output.ts'
import type { Service } from './service.ts'

export const BODY_LIMIT = 256 * 1024

export function sendFailure(
  service: Pick<Service, 'log'>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const failure = translate(error)
  logFailure(service, failure, request)
  // Behind the rest of a body that nobody reads the next request on this connection would wait for ever.
  if (request.raw.readableDidRead && !request.raw.complete) reply.header('connection', 'close')
  return reply
    .code(failure.status)
    .headers(failure.headers)
    .type('application/json; charset=utf-8')
    .send(failureJson(failure))
}

/** What is our fault is logged with its cause; what is expected has the line of its request. */
export function logFailure({ log }: Pick<Service, 'log'>, failure: Failure, request: FastifyRequest): void {
  const { status, message, cause, isExpected } = failure
  if (status >= 500 && !isExpected) log.error({ err: cause ?? failure, id: request.id, status }, message)
}

/** Whatever was thrown, the framework's own errors in our words. */
export function translate(error: unknown): Failure {
  if (error instanceof Failure) return error
  const { code, statusCode } = error as FastifyError
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge('256 KiB')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType('application/json')
  if (code === 'FST_ERR_BAD_URL') return badRequest('The address is not valid: check its percent-encoding.')
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new Failure(statusCode, statusCode === 400 ? 'The body could not be read.' : (error as Error).message)
  return asFailure(error)
}
