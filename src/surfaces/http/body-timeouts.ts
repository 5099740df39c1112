// How long a sender may take: whoever sends a byte now and then must not hold a connection for ever.
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** For all headers, from the first byte or from connecting. */
export const HEADERS_MS = 10_000
/** For the whole request: the largest body, 256 KiB, over a line of 13 KB a second. */
export const REQUEST_MS = 20_000
/** How often slow ones are looked for. */
export const LOOK_MS = 2_000

const unhurried = new WeakSet<Socket>()

/** A file or an import takes as long as it takes. Only the operator and administrators send them. */
export function letTakeItsTime({ raw }: FastifyRequest): void {
  const { socket } = raw
  unhurried.add(socket)
  // The next request on this connection may be somebody else's, through a proxy.
  raw.once('close', () => unhurried.delete(socket))
}

export const mayTakeItsTime = (socket: Socket): boolean => unhurried.has(socket)
