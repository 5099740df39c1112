// Listeners that no request may reach, and a record of every connection that this process tries to open.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface Sentinels {
  /** A port that the sentinels listen on besides 80 and 443. */
  port: number
  /** The ports they listen on; 80 and 443 only where this user may listen there and they are free. */
  ports: number[]
  /** How many connections of this process arrived. Tests that run at the same time in another process may connect too. */
  readonly arrivals: number
  close(): Promise<void>
}

/** Listens on every IPv4 and IPv6 address of this machine. Each connection is counted and closed. */
export async function startSentinels(): Promise<Sentinels> {
  const servers: Server[] = []
  let arrived: (number | undefined)[] = []
  const ownPorts = new Set<number | undefined>()
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.once('connect', () => ownPorts.add(socket.localPort))
  }
  subscribe('net.client.socket', onSocket)
  const sentinels: Sentinels = {
    port: 0,
    ports: [],
    get arrivals() {
      return arrived.filter((port) => ownPorts.has(port)).length
    },
    async close() {
      unsubscribe('net.client.socket', onSocket)
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
  const listenOn = (port: number) =>
    new Promise<number | null>((resolve) => {
      const server = createServer((socket) => {
        arrived.push(socket.remotePort)
        socket.destroy()
      })
      server.once('error', () => resolve(null))
      // A server on the unspecified IPv6 address accepts IPv4 too.
      server.listen(port, '::', () => {
        servers.push(server)
        resolve((server.address() as { port: number }).port)
      })
    })
  sentinels.port = (await listenOn(0))!
  for (const port of [80, 443]) if ((await listenOn(port)) !== null) sentinels.ports.push(port)
  sentinels.ports.push(sentinels.port)
  // Checks that the listeners count connections: with listeners that do not, every test would pass.
  for (const port of sentinels.ports)
    for (const host of ['127.0.0.1', '127.0.0.9', '::1']) await connectOnce(host, port)
  const visits = sentinels.arrivals
  arrived = []
  if (visits !== 3 * sentinels.ports.length) throw new Error(`the sentinels saw ${visits} of the visits`)
  return sentinels
}

const connectOnce = (host: string, port: number) =>
  new Promise<void>((resolve) => {
    const socket = connect(port, host)
    socket.resume()
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })

/** Records every address that a socket of this process tries to connect to, until stopped. */
export function watchAttempts(): { attempts: string[]; stop(): void } {
  const attempts: string[] = []
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.on('connectionAttempt', (ip: string) => attempts.push(ip))
  }
  subscribe('net.client.socket', onSocket)
  return { attempts, stop: () => void unsubscribe('net.client.socket', onSocket) }
}
