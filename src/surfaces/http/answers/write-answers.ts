// Additions to the answer of a write: a header says that readers do not see the change yet, and the operation is told when an answer with a
// secret was really sent.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../kernel/context.ts'
import type { Answer } from '../../../kernel/output.ts'
import type { Service } from '../service.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether this request wrote a change that readers do not see yet. */
    isBehind: boolean
    whenSent: (() => Promise<unknown>) | null
  }
}

export const PENDING = 'X-Catalog-Pending'

/** Call it after an operation was run. */
export function noteWrite(request: FastifyRequest, ctx: Pick<Context, 'isBehind'>, answer: Answer<unknown>): void {
  if (ctx.isBehind) request.isBehind = true
  if ('sent' in answer && answer.sent) request.whenSent = answer.sent
}

/** Call it before the answer is sent. */
export function prepareWriteAnswer({ log }: Pick<Service, 'log'>, reply: FastifyReply): void {
  const { isBehind, whenSent, id } = reply.request
  if (isBehind) reply.header(PENDING.toLowerCase(), 'true')
  if (!whenSent) return
  // This event comes when the whole answer was passed to the connection, and not when the connection ended before.
  reply.raw.once('finish', () => {
    whenSent().catch((error) => log.warn({ err: error, id }, 'it could not be noted that an answer was sent'))
  })
}
