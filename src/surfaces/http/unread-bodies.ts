// A request may be answered before its body was read: it is refused, has a wrong address, or is a GET with a body. Node then reads the rest
// as fast as it arrives, which delays all other clients when many large bodies arrive at once. Here each of the caller's turns reads and
// discards one piece instead; until then the sender waits.
import type { FastifyReply, FastifyRequest } from 'fastify'

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

export function discardUnreadBody(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  takeTurn: (work: () => void) => void,
): void {
  // This event comes before Node checks whether the body was read.
  reply.raw.once('prefinish', () => {
    if (raw.readableDidRead || raw.complete) return
    raw.on('readable', () => takeTurn(() => raw.read()))
    raw.read()
  })
}
