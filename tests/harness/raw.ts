// Requests as bytes, for what fetch refuses to send.
import { connect } from 'node:net'
import { WAIT_LIMIT_MS } from './process.ts'

export interface RawReply {
  status: number
  headers: Map<string, string>
  text: string
}

/** Sends the bytes and reads one whole answer. */
export function sendRaw(origin: string, request: string | Buffer): Promise<RawReply> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    const finish = (isEnd: boolean) => {
      const reply = parseReply(received, isEnd)
      if (!reply) return
      socket.destroy()
      resolve(reply)
    }
    socket.setTimeout(WAIT_LIMIT_MS, () => {
      socket.destroy()
      reject(new Error(`no whole answer in time: ${received.slice(0, 300)}`))
    })
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      finish(false)
    })
    socket.on('error', reject)
    socket.on('close', () => finish(true))
    socket.write(request)
  })
}

const FIRST_BYTE_MS = 3_000

/** Sends the bytes and returns everything that was received until the server closed the connection or sent nothing for a while. */
export function exchange(origin: string, bytes: string | Buffer, silenceMs = 250): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    // A busy machine may take a while to begin its answer.
    socket.setTimeout(Math.max(silenceMs, FIRST_BYTE_MS), () => socket.destroy())
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      socket.setTimeout(silenceMs)
    })
    // A server may reset the connection while the client still writes: what was received so far is the answer.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => resolve(received))
    socket.write(bytes)
  })
}

/** The status of every answer in the received text. */
export const statusesIn = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

function parseReply(received: string, isEnd: boolean): RawReply | null {
  const split = received.indexOf('\r\n\r\n')
  if (split === -1) return null
  const [first, ...lines] = received.slice(0, split).split('\r\n')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  const text = Buffer.from(received.slice(split + 4), 'latin1').toString()
  const length = Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY)
  if (!isEnd && Buffer.byteLength(text) < length) return null
  return { status: Number(first!.split(' ')[1]), headers, text }
}

export const request = (
  method: string,
  path: string | Buffer,
  headers: readonly string[] = [],
  body: string | Buffer = '',
): Buffer =>
  Buffer.concat([
    Buffer.from(`${method} `),
    Buffer.from(path as string, 'latin1'),
    Buffer.from(
      ` HTTP/1.1\r\nHost: localhost\r\n${headers.map((header) => `${header}\r\n`).join('')}${body.length > 0 ? `Content-Length: ${Buffer.byteLength(body)}\r\n` : ''}\r\n`,
      'latin1',
    ),
    Buffer.from(body as string),
  ])
