// A loopback proxy that adds the key, for tools that cannot send their own headers. Everything else passes unchanged, also Host and Origin,
// which some of the tools test.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function keyProxy(origin: string, key: string): Promise<{ origin: string; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    const onward = request(
      origin + incoming.url,
      { method: incoming.method, headers: { ...incoming.headers, authorization: `Bearer ${key}` } },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
