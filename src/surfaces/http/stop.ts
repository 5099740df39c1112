// How a server stops without cutting anybody off: it goes on answering for a while, then holds what is still arriving until nothing more
// arrives, closes the port, and answers what it holds.
import { Server as NetServer, type Server, type Socket } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** What is under way after this is cut off. */
const REQUESTS_MS = 5_000
const IDLE_MS = 100
// The system resets a connection that it has accepted when the port is closed before the service has accepted it too. While the service
// holds new connections, their clients wait and open no others, so a moment without a new one comes soon; under more traffic than that
// the service does not wait for it.
const QUIET_MS = 30
const HOLD_MS = 250

/** `drainMs`: answering goes on for so long, and every answer says that its connection ends. */
export async function stopServer(server: FastifyInstance, drainMs: number): Promise<void> {
  if (server.server.listening) {
    if (drainMs > 0) await sleep(drainMs)
    await closePort(server.server)
  }
  // A request that will not end must not keep the rest from ending well, nor one whose connection stays open after its answer.
  const cut = setTimeout(() => server.server.closeAllConnections(), REQUESTS_MS)
  const tidy = setInterval(() => server.server.closeIdleConnections(), IDLE_MS)
  await server.close()
  clearTimeout(cut)
  clearInterval(tidy)
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
  // One connection is taken in each turn of the event loop. Closed right after a turn without any, when none is left in line.
  for (let before = -1; before < held.length; ) {
    before = held.length
    await setImmediate()
  }
  // Only the port: idle connections are closed afterwards.
  NetServer.prototype.close.call(server)
  server.off('connection', hold)
  for (const listener of answering) server.on('connection', listener)
  for (const socket of held) server.emit('connection', socket)
}
