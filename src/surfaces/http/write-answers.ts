// What the answer to a write does besides saying what was written: it tells when readers do not see that yet, and it notes that a secret
// that is shown once was really sent.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../kernel/context.ts'
import type { Answer } from '../../kernel/output.ts'
import type { Service } from './service.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether something was written for this request that readers do not see yet. */
    isBehind: boolean
    /** To be done when the answer was sent. */
    whenSent: (() => Promise<unknown>) | null
  }
}

export const PENDING = 'X-Catalog-Pending'

/** After an operation was run. */
export function noteWrite(request: FastifyRequest, ctx: Pick<Context, 'isBehind'>, answer: Answer<unknown>): void {
  if (ctx.isBehind) request.isBehind = true
  if ('sent' in answer && answer.sent) request.whenSent = answer.sent
}

/** Before the answer is sent. */
export function prepareWriteAnswer({ log }: Pick<Service, 'log'>, reply: FastifyReply): void {
  const { isBehind, whenSent, id } = reply.request
  if (isBehind) reply.header(PENDING.toLowerCase(), 'true')
  if (!whenSent) return
  // Only when all of it was handed to the connection: not when that has ended before.
  reply.raw.once('finish', () => {
    whenSent().catch((error) => log.warn({ err: error, id }, 'it could not be noted that an answer was sent'))
  })
}
