// A real webhook receiver that keeps the bytes of every request and answers as the test says.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening } from './listening.ts'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface Receiver {
  origin: string
  port: number
  arrivals: ReceivedRequest[]
  /** The requests whose path begins with `path`. */
  at(path: string): ReceivedRequest[]
  close(): Promise<void>
}

export type ReceiverAnswer = (response: ServerResponse, request: IncomingMessage) => void

/** `answers` by path; every other path is answered with 200 `ok`. */
export async function startReceiver(
  answers: Record<string, ReceiverAnswer> = {},
  host = '127.0.0.1',
): Promise<Receiver> {
  const arrivals: ReceivedRequest[] = []
  const server = createServer({ maxHeaderSize: 1024 * 1024 }, async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    const { method = '', url: path = '', headers } = request
    arrivals.push({ method, path, headers, body: Buffer.concat(chunks) })
    const answer = answers[path.split('?')[0]!]
    if (answer) answer(response, request)
    else response.end('ok')
  })
  const { url, port, close } = await listening(server, host)
  return {
    origin: url,
    port,
    arrivals,
    at: (path) => arrivals.filter((arrival) => arrival.path.startsWith(path)),
    close,
  }
}
