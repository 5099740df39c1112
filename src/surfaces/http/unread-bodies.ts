// A request may be answered before its body was read: refused, at a wrong address, or a GET that has one. Node then reads the rest as fast as
// it comes, which with many large bodies at once keeps all other clients waiting. Here it is read away in the caller's turns instead, a piece
// in each; until then the sender is held up by its own connection.
import type { FastifyReply, FastifyRequest } from 'fastify'

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

export function readAwayUnread(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  takeTurn: (work: () => void) => void,
): void {
  // Before Node looks whether the body was read.
  reply.raw.once('prefinish', () => {
    if (raw.readableDidRead || raw.complete) return
    raw.on('readable', () => takeTurn(() => raw.read()))
    raw.read()
  })
}
