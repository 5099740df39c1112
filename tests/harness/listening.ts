import type { AddressInfo, Server, Socket } from 'node:net'

export interface Listening {
  port: number
  /** For a server that speaks plain HTTP. */
  url: string
  /** Ends the connections too, also those that still wait for an answer. */
  close(): Promise<void>
}

/** Lets a server listen on a free port. */
export async function listening(server: Server, host = '127.0.0.1'): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
