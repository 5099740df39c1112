// The answer to a write says so when readers do not see yet what was written.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../kernel/context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether something was written for this request that readers do not see yet. */
    isBehind: boolean
  }
}

export const PENDING = 'X-Catalog-Pending'

/** After an operation was run. */
export function noteBehind(request: FastifyRequest, { isBehind }: Pick<Context, 'isBehind'>): void {
  if (isBehind) request.isBehind = true
}

/** Before the answer is sent. */
export function setPending(reply: FastifyReply): void {
  if (reply.request.isBehind) reply.header(PENDING.toLowerCase(), 'true')
}
