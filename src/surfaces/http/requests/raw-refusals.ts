// Refusals that are written to the connection itself, because Node has no request to answer: bytes that are not HTTP, a request that
// arrives too slowly, CONNECT, and too many pipelined requests. They have the envelope and rate-limit headers like every answer.
import { maxHeaderSize, type RequestListener, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Failure } from '../../../kernel/errors.ts'
import { charge } from '../../../kernel/invoke.ts'
import { failureJson } from '../../../kernel/output.ts'
import { rateHeaders } from '../answers/rate-headers.ts'
import type { Service } from '../service.ts'
import { visitorOf } from './callers.ts'
import { HEADERS_MS, maySendSlowly, REQUEST_MS } from './request-bodies.ts'

/** How many unreadable requests of one address are refused immediately in a second. Further ones wait a second, to slow down a flood. */
const UNREADABLE_AT_ONCE = 50
const UNREADABLE_WAIT_MS = 1_000

const MESSAGES = {
  400: 'These bytes cannot be read as an HTTP/1.1 request. Check the request line, the headers and the length of the body.',
  408: `The request did not arrive in time: its headers must within ${HEADERS_MS / 1000} seconds, all of it within ${REQUEST_MS / 1000}. Send it again on a new connection.`,
  431: `The address and the headers of the request are too long: at most ${maxHeaderSize / 1024} KiB together. Send fewer or shorter ones.`,
} as const

type Refuse = (socket: Socket, status: number, message: string, headers?: Record<string, string>) => Promise<void>

/**
 * Neither the key nor the address that a proxy forwards is known, so the address of the connection is charged, as for every answer
 * without a key. The connection is closed.
 */
export function rawRefusal(service: Service): Refuse {
  const refused = new WeakSet<Socket>()
  return async (socket, status, message, headers = {}) => {
    if (refused.has(socket)) return
    refused.add(socket)
    socket.pause()
    try {
      const visitor = visitorOf(service, { ip: socket.remoteAddress ?? '' })
      const decision = await charge(service.limiter, visitor, 'rest')
      sendAndClose(socket, status, message, { ...headers, ...(decision ? rateHeaders(decision) : {}) })
    } catch (fault) {
      service.log.error({ err: fault }, 'the budget of an unreadable request could not be charged')
      sendAndClose(socket, status, message, headers)
    }
  }
}

/** Refuses what Node cannot read as HTTP, or what arrives too slowly. */
export function refuseBytes(refuse: Refuse) {
  const refused = new WeakSet<Socket>()
  const counts = new Map<string, number>()
  return (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed || refused.has(socket)) return
    const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    if (isSlow && maySendSlowly(socket)) return
    refused.add(socket)
    const unreadableStatus = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
    const status = isSlow ? 408 : unreadableStatus
    if (isSlow || count(socket.remoteAddress ?? '') <= UNREADABLE_AT_ONCE)
      return void refuse(socket, status, MESSAGES[status])
    socket.pause()
    setTimeout(() => void refuse(socket, status, MESSAGES[status]), UNREADABLE_WAIT_MS).unref()
  }

  function count(address: string): number {
    if (counts.size === 0) setTimeout(() => counts.clear(), UNREADABLE_WAIT_MS).unref()
    const soFar = (counts.get(address) ?? 0) + 1
    counts.set(address, soFar)
    return soFar
  }
}

function sendAndClose(socket: Socket, status: number, message: string, headers: Record<string, string>): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const body = failureJson(new Failure(status, message))
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}Connection: close\r\n\r\n${body}`,
    )
  socket.destroy()
}

// Limits pipelined requests, which a client sends on a connection before the earlier ones are answered. All that arrive in one piece are
// read at once and wait in memory. Without a limit, one connection without a key could fill the memory.

/** How many requests may wait behind the one that is being answered. Usual clients do not pipeline. */
export const MOST_PIPELINED = 250

/** `refuse` closes the connection. HTTP requires clients that pipeline to repeat the unanswered requests. */
export function limitPipelining(answer: RequestListener, refuse: (socket: Socket) => void): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  return (request, response) => {
    // The response already has the socket, so no earlier request is unanswered.
    if (response.socket !== null) return answer(request, response)
    const { socket } = request
    if (socket.destroyed) return
    const count = (waiting.get(socket) ?? 0) + 1
    if (count > MOST_PIPELINED) return refuse(socket)
    waiting.set(socket, count)
    response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1))
    answer(request, response)
  }
}
