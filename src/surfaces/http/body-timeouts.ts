// How long a client may take to send a request. A client that sends a byte now and then must not keep a connection open for ever.
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** The time for all headers, from the connection or from the first byte of a further request. */
export const HEADERS_MS = 10_000
/** The time for the whole request: enough for the largest body, BODY_LIMIT, at 13 KB a second. */
export const REQUEST_MS = 20_000
/** How often Node looks for slow requests. */
export const LOOK_MS = 2_000

const slowBodies = new WeakSet<Socket>()

/** For files and imports, which may take any time. Only the operator and administrators may send them. */
export function allowSlowBody({ raw }: FastifyRequest): void {
  const { socket } = raw
  slowBodies.add(socket)
  // The next request on this connection may be another client's, if a proxy shares it.
  raw.once('close', () => slowBodies.delete(socket))
}

export const maySendSlowly = (socket: Socket): boolean => slowBodies.has(socket)
