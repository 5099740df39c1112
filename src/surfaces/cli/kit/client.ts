// A client of the operator API. It uses node:http, because fetch gives up after five minutes and a large import may take longer.
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import type { OperatorAnswers } from '../../../features.ts'
import type { RoutedOperation } from '../../../kernel/operation.ts'
import { parsedJson } from '../../../kernel/values/text.ts'
import { ADMIN_BASE } from '../../http/addresses.ts'
import { type Connection, connectionOf } from './connection.ts'
import { CommandError } from './output.ts'

const CONNECT_MS = 10_000

export interface CallOptions {
  /** Values of the `:names` in the operation's path. */
  params?: Record<string, string>
  query?: Record<string, unknown>
  /** Sent as JSON. */
  body?: unknown
  /** Sent unchanged, with their media type. */
  bytes?: { type: string; content: Uint8Array }
  /** A stream that is sent while it is produced. */
  lines?: AsyncIterable<Uint8Array>
  /** The media type of `lines`, unless they are NDJSON. */
  lineType?: string
}

/** An error answer of the API. `details`: the fields of the answer besides its message. */
export class ApiRefusal extends CommandError {
  readonly details: Record<string, unknown>
  constructor(message: string, details: Record<string, unknown>) {
    super(message)
    this.details = details
  }
}

export const call = async <N extends keyof OperatorAnswers>(
  command: Command,
  name: N,
  options?: CallOptions,
): Promise<OperatorAnswers[N]> => callOperation<OperatorAnswers[N]>(command, await operationNamed(name), options)

/** Like `call`, for an operation that is already loaded; the caller gives the type of its answer. */
export async function callOperation<T>(
  command: Command,
  operation: RoutedOperation,
  options: CallOptions = {},
): Promise<T> {
  const connection = connectionOf(command)
  await checkSize(options.body)
  return readEnvelope(connection, await sendRequest(connection, operation, options))
}

/** Calls an operation that streams lines, and returns their bytes while they arrive. */
export async function stream(
  command: Command,
  name: string,
  query: Record<string, unknown> = {},
): Promise<AsyncIterable<Uint8Array>> {
  const connection = connectionOf(command)
  const response = await sendRequest(connection, await operationNamed(name), { query })
  if (response.statusCode !== 200) await readEnvelope(connection, response)
  return bytesOf(connection, response)
}

// Imported only for a call, because loading the operations is slow and showing help does not need them.
async function operationNamed(name: string): Promise<RoutedOperation> {
  const { operatorOperations } = await import('../../../features.ts')
  const operation = operatorOperations.find((one) => one.name === name)
  if (!operation) throw new TypeError(`there is no operation ${name}`)
  return operation
}

// The service refuses a large body too, but it then closes the connection, and its message may not arrive.
async function checkSize(body: unknown): Promise<void> {
  if (body === undefined) return
  const { BODY_LIMIT } = await import('../../http/requests/request-bodies.ts')
  if (Buffer.byteLength(JSON.stringify(body)) > BODY_LIMIT)
    throw new CommandError(`That is too large: at most ${BODY_LIMIT / 1024} KiB of JSON at a time.`)
}

function sendRequest(
  connection: Connection,
  operation: RoutedOperation,
  { params, query, body, bytes, lines, lineType = 'application/x-ndjson' }: CallOptions,
) {
  const headers: Record<string, string> = { authorization: `Bearer ${connection.token}`, accept: 'application/json' }
  if (operation.streams) headers.accept = operation.streams.type
  if (lines) headers['content-type'] = lineType
  else if (bytes) headers['content-type'] = bytes.type
  else if (body !== undefined) headers['content-type'] = 'application/json'
  const { protocol, hostname, port } = new URL(connection.url)
  const settings = {
    method: operation.method,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    path: ADMIN_BASE + pathOf(operation, params) + queryOf(query),
    headers,
  }
  return new Promise<IncomingMessage>((resolve, reject) => {
    const fail = (error: Error) => reject(transportError(connection, error))
    try {
      const request = (protocol === 'https:' ? httpsRequest : httpRequest)(settings)
      request.on('response', resolve).on('error', fail).on('socket', limitConnecting)
      // If the answer ends before the whole request was sent, the service has refused the request and does not read the rest of it.
      request.on('response', (response) => response.on('end', () => request.writableFinished || request.destroy()))
      if (lines) pipeline(Readable.from(lines), request).catch(fail)
      else request.end(bytes?.content ?? (body === undefined ? undefined : JSON.stringify(body)))
    } catch (error) {
      fail(error as Error)
    }
  })
}

/** Only connecting has a time limit; an answer may take any time. */
function limitConnecting(socket: Socket): void {
  if (!socket.connecting) return
  socket.setTimeout(CONNECT_MS, () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
  socket.once('connect', () => socket.setTimeout(0))
}

function pathOf({ path }: RoutedOperation, params: Record<string, string> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]?.trim()
    // With an empty value this would be the path of another operation.
    if (!value) throw new CommandError(`The ${name} must not be empty.`)
    return encodeURIComponent(value)
  })
}

function queryOf(query: Record<string, unknown> = {}): string {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
}

/** Returns `data` of the API's answer, or throws the error that the answer states. */
// biome-ignore lint/suspicious/noExplicitAny: the service writes every answer through the schema that the caller names
async function readEnvelope(connection: Connection, response: IncomingMessage): Promise<any> {
  const { statusCode: status = 0, headers } = response
  const content = await text(response).catch((error) => {
    throw transportError(connection, error)
  })
  const envelope = parsedJson(content) as Record<string, unknown> | null | undefined
  if (envelope?.success === true) return envelope.data
  if (typeof envelope?.error !== 'string')
    throw new CommandError(
      `${connection.url} answered ${status}${headers.location ? ` (go to ${headers.location})` : ''} without Catalog Service JSON. Check CATALOG_URL.`,
    )
  const { success: _, error, ...details } = envelope
  if (status === 401)
    throw new ApiRefusal(`${connection.url} refused the operator token ${connection.tokenSource}: ${error}`, details)
  throw new ApiRefusal(error, details)
}

async function* bytesOf(connection: Connection, response: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* response
  } catch (error) {
    throw transportError(connection, error as Error)
  }
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the name could not be looked up',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
}

function transportError({ url, tokenSource }: Connection, error: Error): Error {
  if (error instanceof CommandError) return error
  const { code = '' } = error as NodeJS.ErrnoException
  if (REASONS[code])
    return new CommandError(`Cannot reach ${url} (${REASONS[code]}). Is the service running? Start it with: npm start`)
  if (code === 'ERR_INVALID_CHAR')
    return new CommandError(`The operator token ${tokenSource} has characters that cannot be sent. Check it.`)
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new CommandError(
      `The connection to ${url} broke before the answer was complete. Look at the service's log and try again.`,
    )
  // A wrong certificate and the like: Node's message is the best description.
  if (code !== '') return new CommandError(`Cannot talk to ${url}: ${error.message}`)
  return error
}
