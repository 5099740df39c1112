// Requests that a client sends on a connection before the earlier ones on it are answered. All that arrive in one piece are read at once,
// and each of them then waits in memory for its turn: without a limit, one connection without a key could fill the memory with them.
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** How many may wait behind the one that is being answered. The usual clients send none. */
export const MOST_PIPELINED = 250

/** `refuse` ends the connection; the client sends what was not answered again, as HTTP asks of clients that do this. */
export function limitPipelining(answer: RequestListener, refuse: (socket: Socket) => void): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  return (request, response) => {
    // Its answer has the connection already, so nothing is before it.
    if (response.socket !== null) return answer(request, response)
    const { socket } = request
    if (socket.destroyed) return
    const count = (waiting.get(socket) ?? 0) + 1
    if (count > MOST_PIPELINED) return refuse(socket)
    waiting.set(socket, count)
    response.once('close', () => waiting.set(socket, waiting.get(socket)! - 1))
    answer(request, response)
  }
}
