// Requests of one writer over one connection at a time: a write and the read after it reach the same process, and the writer knows of every
// request whether it was answered, refused before it was sent, or cut off.
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { ADMIN_TOKEN } from '../harness/service.ts'

export interface Answer {
  /** 0: cut off, with unknown outcome; -1: nothing listens, so nothing was sent. */
  status: number
  text: string
  body: any
  headers: IncomingMessage['headers']
  /** The connection of the answer: the same connection leads to the same process. */
  socket: Socket | null
}

export interface Ask {
  method?: string
  /** A key instead of the operator's token; null: none. */
  key?: string | null
  headers?: Record<string, string>
  body?: unknown
  type?: string
}

const REQUEST_TIMEOUT_MS = 20_000

export interface Client {
  ask(path: string, ask?: Ask): Promise<Answer>
  close(): void
}

export function createClient(origin: () => string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    ask(path, { method, key = ADMIN_TOKEN, headers = {}, body, type = 'application/json' } = {}) {
      const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      const sent: Record<string, string> = { ...headers }
      if (key !== null) sent.authorization = `Bearer ${key}`
      if (payload !== undefined) {
        sent['content-type'] = type
        sent['content-length'] = String(Buffer.byteLength(payload as string))
      }
      const failed = (error: NodeJS.ErrnoException): Answer => ({
        status: error.code === 'ECONNREFUSED' ? -1 : 0,
        text: String(error),
        body: undefined,
        headers: {},
        socket: null,
      })
      return new Promise((resolve) => {
        const outgoing = request(
          origin() + path,
          {
            method: method ?? (payload === undefined ? 'GET' : 'POST'),
            headers: sent,
            agent,
            timeout: REQUEST_TIMEOUT_MS,
          },
          (response) => {
            const socket = response.socket as Socket
            const chunks: Buffer[] = []
            response.on('data', (chunk) => chunks.push(chunk))
            response.on('error', (error) => resolve(failed(error)))
            response.on('aborted', () => resolve(failed(new Error('aborted'))))
            response.on('end', () => {
              const text = Buffer.concat(chunks).toString()
              resolve({ status: response.statusCode!, text, body: parse(text), headers: response.headers, socket })
            })
          },
        )
        outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')))
        outgoing.on('error', (error) => resolve(failed(error)))
        outgoing.end(payload as string | undefined)
      })
    },
    close: () => agent.destroy(),
  }
}

function parse(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
