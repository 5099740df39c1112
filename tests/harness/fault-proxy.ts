// A TCP proxy whose connections fail in the ways that networks and servers do.
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface FaultProxy {
  port: number
  /** Resets open connections and refuses new ones. */
  cut(): Promise<void>
  /** Connections stay open and new ones are accepted, but no byte passes either way until restore(). */
  stall(): void
  /** Delays every chunk by so many milliseconds. */
  slow(milliseconds: number): void
  /** Resets open connections; new ones work. */
  reset(): void
  /** Open connections stay open but pass no more bytes, as when a machine disappears; new ones work. */
  lose(): void
  restore(): Promise<void>
  close(): Promise<void>
}

const never = new Promise<void>(() => {})

export async function startFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  let lost = new WeakSet<Socket>()
  let delay = 0
  let passes = Promise.resolve()
  let release = () => {}

  // Ends and resets wait like bytes: while the proxy stalls, neither side learns that the other has closed.
  const mayPass = async (from: Socket) => {
    if (delay > 0) await sleep(delay)
    await passes
    if (lost.has(from)) await never
  }
  async function pass(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from) {
        await mayPass(from)
        to.write(chunk)
      }
      await mayPass(from)
      to.end()
    } catch {
      await mayPass(from)
      to.resetAndDestroy()
    }
  }
  const serve = () =>
    createServer({ allowHalfOpen: true }, (near) => {
      const far = createConnection({ ...target, allowHalfOpen: true })
      for (const socket of [near, far]) {
        sockets.add(socket)
        socket.setNoDelay()
        socket.on('error', () => {})
        socket.on('close', () => sockets.delete(socket))
      }
      void pass(near, far)
      void pass(far, near)
    })
  const listen = (server: Server, port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  let server: Server | null = serve()
  await listen(server, 0)
  const { port } = server.address() as { port: number }

  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  const cut = async () => {
    const closing = server
    server = null
    const closed = new Promise((resolve) => (closing ? closing.close(resolve) : resolve(null)))
    reset()
    await closed
  }
  return {
    port,
    cut,
    reset,
    stall() {
      passes = new Promise((resolve) => (release = resolve))
    },
    slow(milliseconds) {
      delay = milliseconds
    },
    lose() {
      lost = new WeakSet(sockets)
    },
    async restore() {
      delay = 0
      release()
      if (server) return
      server = serve()
      await listen(server, port)
    },
    close: cut,
  }
}
