// A loopback proxy that adds the key, for tools that cannot send their own headers. Everything else passes unchanged, also Host and Origin,
// which some of the tools test.
import { createServer, request } from 'node:http'
import { listening } from '../harness/listening.ts'

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
  const { url, close } = await listening(server)
  return { origin: url, close }
}
