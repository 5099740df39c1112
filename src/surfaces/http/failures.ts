// Turns a thrown error into an answer: a status and the envelope.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { asFailure, badRequest, Failure, tooLarge, unsupportedMediaType } from '../../kernel/errors.ts'
import { failureJson } from '../../kernel/output.ts'
import { BODY_LIMIT_TEXT } from './request-bodies.ts'
import type { Service } from './service.ts'

export function sendFailure(
  service: Pick<Service, 'log'>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const failure = translate(error)
  logFailure(service, failure, request)
  // The rest of the body is not read, so the next request on this connection would never be reached.
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
