// REST routes, made from the operations: nothing here knows any of them.
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { tooLarge, unsupportedMediaType } from '../../kernel/errors.ts'
import { perform } from '../../kernel/invoke.ts'
import type { RoutedOperation } from '../../kernel/operation.ts'
import { type Answer, type Held, type Prepared, write } from '../../kernel/output.ts'
import { refuseOtherMethods, streamOf } from '../http/answers.ts'
import { letTakeItsTime } from '../http/body-timeouts.ts'
import { identifyKey, identifyOperator } from '../http/callers.ts'
import { compressedForm, type Encoding, encodingFor, LEAST_COMPRESSED } from '../http/compression.ts'
import { allowAnyOrigin } from '../http/cors.ts'
import { isSeen, tagOf } from '../http/etag.ts'
import { gate, quickGate, visitorGate } from '../http/gate.ts'
import type { Service } from '../http/service.ts'
import { noteWrite, prepareWriteAnswer } from '../http/write-answers.ts'

type Bytes = NonNullable<RoutedOperation['bytes']>

export function addOperations(
  server: FastifyInstance,
  service: Service,
  base: string,
  operations: readonly RoutedOperation[],
): void {
  for (const [path, here] of Map.groupBy(operations, (operation) => base + operation.path)) {
    for (const operation of here) addOperation(server, service, base, operation)
    const methods = here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    refuseOtherMethods(server, service, path, methods, here.some(isForPages))
  }
}

/** Catalog reads may be called from any page. */
const isForPages = ({ access, method }: RoutedOperation): boolean =>
  method === 'GET' && (access === 'catalog' || access === 'public')

function gateOf(service: Service, operation: RoutedOperation) {
  if (operation.access === 'public') return visitorGate(service)
  if (operation.access === 'catalog') return quickGate(service, operation, identifyKey)
  return gate(service, operation, operation.access === 'operator' ? identifyOperator : identifyKey)
}

function addOperation(server: FastifyInstance, service: Service, base: string, operation: RoutedOperation): void {
  const options = {
    onRequest: [...(isForPages(operation) ? [allowAnyOrigin] : []), gateOf(service, operation)],
    ...(operation.lines ? { bodyLimit: Number.MAX_SAFE_INTEGER } : {}),
  }
  const url = base + operation.path
  const route = { method: operation.method, url, ...options, handler: handler(service, base, operation) }
  if (operation.bytes) {
    addBytesRoute(server, route, operation.bytes)
    return
  }
  if (!operation.lines) {
    server.route(route)
    return
  }
  // Lines are handed on as they arrive, however many there are.
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
      (request, payload, done) => {
        letTakeItsTime(request)
        done(null, payload)
      },
    )
    scope.addContentTypeParser('*', (_request, _payload, done) => done(unsupportedMediaType('application/x-ndjson')))
    scope.route(route)
  })
}

/** The body is gathered here, because the limit differs from the one that the server's own parsers keep. */
function addBytesRoute(server: FastifyInstance, route: RouteOptions, { types, maxBytes }: Bytes): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser([...types], async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
      letTakeItsTime(request)
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of payload) {
        if ((size += chunk.length) > maxBytes) throw tooLarge(`${maxBytes / 1024 / 1024} MiB`)
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    })
    scope.addContentTypeParser('*', (_request, _payload, done) => done(unsupportedMediaType(types.join(', '))))
    scope.route(route)
  })
}

const handler = (service: Service, base: string, operation: RoutedOperation) => {
  const hasPathParameters = operation.path.includes(':')
  const held = new Map<string, Held>()
  return (request: FastifyRequest, reply: FastifyReply) => {
    // The same address, asked again while its answer holds: neither read nor run again. May-it and has-it-budget are behind us.
    const before = held.get(request.url)
    if (before?.holds()) return void sendPrepared(request, reply, before.prepared, operation, isForPages(operation))
    // What no longer holds went with all the others.
    if (before) held.clear()
    if (operation.lines && request.body == null) throw unsupportedMediaType('application/x-ndjson')
    if (operation.bytes && request.body == null) throw unsupportedMediaType(operation.bytes.types.join(', '))
    const query = request.query as Record<string, unknown>
    const parameters = hasPathParameters ? { ...query, ...(request.params as object) } : query
    const headers = operation.headers ? headersOf(operation, request) : undefined
    const ctx = service.context(request.caller!)
    const answer = perform(operation, ctx, parameters, request.body, headers)
    if ('holds' in answer) hold(held, request.url, answer)
    // A catalog read has its answer at once; waiting for nothing would cost more than the read.
    if (!(answer instanceof Promise)) return send(request, reply, operation, answer)
    return answer.then((made) => {
      noteWrite(request, ctx, made)
      prepareWriteAnswer(service, reply)
      setLocation(reply, service.publicUrl + base, operation, made)
      return send(request, reply, operation, made)
    })
  }
}

const HELD_ADDRESSES = 1_000
const LONG_ADDRESS = 500

function hold(held: Map<string, Held>, url: string, answer: Held): void {
  if (url.length > LONG_ADDRESS) return
  const [oldest] = held.values()
  if (held.size >= HELD_ADDRESSES || oldest?.holds() === false) held.clear()
  held.set(url, answer)
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: RoutedOperation,
  answer: Answer<unknown>,
): FastifyReply {
  // It holds what only the operator may see, and new secrets are in answers to POST.
  if (operation.access === 'operator') reply.header('cache-control', 'no-store')
  if ('lines' in answer) return reply.type('application/x-ndjson; charset=utf-8').send(streamOf(answer.lines))
  const status = ('data' in answer ? answer.status : undefined) ?? operation.status
  return sendPrepared(
    request,
    reply,
    write(operation, answer),
    { method: operation.method, status },
    isForPages(operation),
  )
}

/** Of an answer that something was made: where it is. */
function setLocation(
  reply: FastifyReply,
  base: string,
  { location, status }: RoutedOperation,
  answer: Answer<unknown>,
): void {
  if (!location || !('data' in answer) || (answer.status ?? status) !== 201) return
  reply.header('location', locationOf(base, location, answer.data as Record<string, unknown>))
}

/** An address that an operation declares, with its names replaced by the fields of an answer. */
export const locationOf = (base: string, location: string, data: Readonly<Record<string, unknown>>): string =>
  base + location.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(data[name])))

/** The headers that the operation names, under the names it gives them. */
function headersOf({ headers }: RoutedOperation, request: FastifyRequest): Record<string, unknown> {
  return Object.fromEntries(Object.keys(headers!.properties).map((name) => [name, request.headers[name.toLowerCase()]]))
}

const JSON_TYPE = 'application/json; charset=utf-8'

export function sendPrepared(
  request: FastifyRequest,
  reply: FastifyReply,
  { json, etag }: Prepared,
  { method, status }: Pick<RoutedOperation, 'method' | 'status'>,
  mayCompress: boolean,
): FastifyReply {
  let encoding: Encoding | null = null
  if (mayCompress && json.length > LEAST_COMPRESSED) {
    reply.header('vary', 'Accept-Encoding')
    encoding = encodingFor(request.headers['accept-encoding'], ENCODINGS)
  }
  if (method === 'GET') {
    const tag = tagOf(etag, encoding)
    reply.header('etag', tag)
    reply.header('cache-control', 'private, no-cache')
    if (isSeen(request.headers['if-none-match'], tag)) return reply.code(304).send()
  }
  reply.code(status ?? 200).header('content-type', JSON_TYPE)
  return encoding ? sendCompressed(reply, json, encoding) : reply.send(json)
}

const ENCODINGS: readonly Encoding[] = ['br', 'gzip']

function sendCompressed(reply: FastifyReply, json: Buffer, encoding: Encoding): FastifyReply {
  const send = (form: Buffer | null) =>
    form ? reply.header('content-encoding', encoding).send(form) : reply.send(json)
  const form = compressedForm(json, encoding)
  if (form instanceof Promise) form.then(send)
  else send(form)
  return reply
}
