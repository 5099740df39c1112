// Stops a server without cutting off clients: it answers for a while longer, then keeps new connections waiting until no more arrive,
// closes the port, and answers the waiting ones.
import { Server as NetServer, type Server, type Socket } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Requests that take longer than this are cut off. All of a stop has STOP_MS (cli/installation/serve.ts). */
const REQUESTS_MS = 5_000
/** How often connections that became idle are closed during a stop. */
const IDLE_MS = 100
// If the port is closed before the service has accepted a connection, the system resets that connection. While the service keeps new
// connections waiting, their clients open no others, so a moment without a new one comes soon. Under heavier traffic the service does not
// wait for that moment.
const QUIET_MS = 30
const HOLD_MS = 250

/** For `drainMs` the server still answers requests, and every answer says that its connection will be closed. */
export async function stopServer(server: FastifyInstance, drainMs: number): Promise<void> {
  if (server.server.listening) {
    if (drainMs > 0) await sleep(drainMs)
    await closePort(server.server)
  }
  // A request that does not end, or a connection that stays open after its answer, must not delay the stop.
  const closeAll = setTimeout(() => server.server.closeAllConnections(), REQUESTS_MS)
  const closeIdle = setInterval(() => server.server.closeIdleConnections(), IDLE_MS)
  await server.close()
  clearTimeout(closeAll)
  clearInterval(closeIdle)
}

async function closePort(server: Server): Promise<void> {
  const held: Socket[] = []
  const answering = server.listeners('connection') as ((socket: Socket) => void)[]
  let last = performance.now()
  const hold = (socket: Socket) => {
    held.push(socket)
    last = performance.now()
  }
  server.removeAllListeners('connection')
  server.on('connection', hold)
  const end = performance.now() + HOLD_MS
  while (performance.now() < end && performance.now() - last < QUIET_MS) await sleep(5)
  // Node accepts one connection in each iteration of the event loop. After an iteration without a new one, none is left to accept.
  for (let before = -1; before < held.length; ) {
    before = held.length
    await setImmediate()
  }
  // Closes only the port; `stopServer` closes idle connections afterwards.
  NetServer.prototype.close.call(server)
  server.off('connection', hold)
  for (const listener of answering) server.on('connection', listener)
  for (const socket of held) server.emit('connection', socket)
}
