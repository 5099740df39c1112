// A TCP proxy that can be cut: while it is, open connections are reset and new ones refused.
import { createConnection, createServer, type Server, type Socket } from 'node:net'

export interface FaultProxy {
  port: number
  cut(): Promise<void>
  mend(): Promise<void>
  close(): Promise<void>
}

export async function startFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  const serve = () =>
    createServer((near) => {
      const far = createConnection(target)
      for (const socket of [near, far]) {
        sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => sockets.delete(socket))
      }
      near.pipe(far).pipe(near)
    })
  const listen = (server: Server, port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  let server: Server | null = serve()
  await listen(server, 0)
  const { port } = server.address() as { port: number }
  const cut = async () => {
    const closing = server
    server = null
    const closed = new Promise((resolve) => (closing ? closing.close(resolve) : resolve(null)))
    for (const socket of sockets) socket.resetAndDestroy()
    await closed
  }
  return {
    port,
    cut,
    async mend() {
      server = serve()
      await listen(server, port)
    },
    close: cut,
  }
}
