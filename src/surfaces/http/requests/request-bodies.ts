// The limits of request bodies: their length, how slowly a client may send one, and what happens to a body that no handler reads.
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The most bytes that a body of JSON or of a form may have. */
export const BODY_LIMIT = 256 * 1024
export const BODY_LIMIT_TEXT = `${BODY_LIMIT / 1024} KiB`

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

/**
 * A request may be answered before its body was read: it is refused, has a wrong address, or is a GET with a body. Node then reads the rest
 * as fast as it arrives, which delays all other clients when many large bodies arrive at once. Here each of the caller's turns reads and
 * discards one piece instead; until then the sender waits.
 */
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

// These limits end a connection on which a client sends a byte now and then.
/** The time for all headers, from the connection or from the first byte of a further request. */
export const HEADERS_MS = 10_000
/** The time for the whole request: enough for the largest body, BODY_LIMIT, at 13 KB a second. */
export const REQUEST_MS = 20_000
export const SLOW_CHECK_MS = 2_000

const slowBodies = new WeakSet<Socket>()

/** Lifts the time limits for files and imports, which only the operator and administrators may send. */
export function allowSlowBody({ raw }: FastifyRequest): void {
  const { socket } = raw
  slowBodies.add(socket)
  // The next request on this connection may be another client's, if a proxy shares it.
  raw.once('close', () => slowBodies.delete(socket))
}

export const maySendSlowly = (socket: Socket): boolean => slowBodies.has(socket)
