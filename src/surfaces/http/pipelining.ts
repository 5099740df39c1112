// Limits pipelined requests, which a client sends on a connection before the earlier ones are answered. All that arrive in one piece are
// read at once and wait in memory. Without a limit, one connection without a key could fill the memory.
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** How many requests may wait behind the one that is being answered. Usual clients do not pipeline. */
export const MOST_PIPELINED = 250

/** `refuse` closes the connection. HTTP requires clients that pipeline to repeat the unanswered requests. */
export function limitPipelining(answer: RequestListener, refuse: (socket: Socket) => void): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  return (request, response) => {
    // The response already has the socket, so no earlier request is unanswered.
    if (response.socket !== null) return answer(request, response)
    const { socket } = request
    if (socket.destroyed) return
    const count = (waiting.get(socket) ?? 0) + 1
    if (count > MOST_PIPELINED) return refuse(socket)
    waiting.set(socket, count)
    response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1))
    answer(request, response)
  }
}
