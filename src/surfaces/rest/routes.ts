// REST routes, made from the declared operations. This file knows no single operation. Also announces what is deprecated
// (docs/versioning.md).
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { TObject } from 'typebox'
import { tooLarge, unsupportedMediaType } from '../../kernel/errors.ts'
import { perform } from '../../kernel/invoke.ts'
import { type Deprecation, NDJSON, type RoutedOperation } from '../../kernel/operation.ts'
import { type Answer, type CachedAnswer, type Prepared, write, writeInSlices } from '../../kernel/output.ts'
import { refuseOtherMethods, sendStream } from '../http/answers/answers.ts'
import {
  type ContentEncoding,
  compressedForm,
  encodingFor,
  LEAST_COMPRESSED,
  matchesEtag,
  tagOf,
} from '../http/answers/compression.ts'
import { allowAnyOrigin } from '../http/answers/cors.ts'
import { noteWrite, prepareWriteAnswer } from '../http/answers/write-answers.ts'
import { gate, identifiedCaller, visitorGate } from '../http/gate.ts'
import { identifyKey, identifyOperator } from '../http/requests/callers.ts'
import { allowSlowBody } from '../http/requests/request-bodies.ts'
import type { Service } from '../http/service.ts'

export function addOperations(
  server: FastifyInstance,
  service: Service,
  base: string,
  operations: readonly RoutedOperation[],
): void {
  for (const [path, here] of Map.groupBy(operations, (operation) => base + operation.path)) {
    for (const operation of here) addOperation(server, service, base, operation)
    const methods = here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    refuseOtherMethods(server, service, path, { allowed: methods, forPages: here.some(isForPages) })
  }
}

/** Web pages of any origin may call catalog reads. */
const isForPages = ({ access, method }: RoutedOperation): boolean =>
  method === 'GET' && (access === 'catalog' || access === 'public')

function gateOf(service: Service, operation: RoutedOperation) {
  if (operation.access === 'public') return visitorGate(service)
  return gate(service, operation, operation.access === 'operator' ? identifyOperator : identifyKey)
}

function addOperation(server: FastifyInstance, service: Service, base: string, operation: RoutedOperation): void {
  const deprecation = announceDeprecation(operation, service.publicUrl)
  const options = {
    onRequest: [
      ...(isForPages(operation) ? [allowAnyOrigin] : []),
      ...(deprecation ? [deprecation] : []),
      gateOf(service, operation),
    ],
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
  // `run` gets the lines as they arrive, because there may be any number of them.
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      [...(operation.lineTypes ?? ['application/x-ndjson', 'application/ndjson', 'application/jsonl'])],
      (request, payload, done) => {
        allowSlowBody(request)
        done(null, payload)
      },
    )
    scope.addContentTypeParser('*', (_request, _payload, done) => done(unsupportedMediaType(lineTypeOf(operation))))
    scope.route(route)
  })
}

const lineTypeOf = ({ lineTypes = [NDJSON.type] }: RoutedOperation): string => lineTypes.join(', ')

/** The body is read here, because its size limit differs from that of the server's own parsers. */
function addBytesRoute(
  server: FastifyInstance,
  route: RouteOptions,
  { types, maxBytes }: NonNullable<RoutedOperation['bytes']>,
): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser([...types], async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
      allowSlowBody(request)
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of payload) {
        size += chunk.length
        if (size > maxBytes) throw tooLarge(`${maxBytes / 1024 / 1024} MiB`)
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
  const cache = createAnswerCache()
  return async (request: FastifyRequest, reply: FastifyReply) => {
    // A repeated request for an address gets the cached answer while that is current. The gate has checked its rights and budget.
    const cached = cache.get(request.url)
    if (cached?.isCurrent()) {
      // An answer that is made anew notes this in its operation.
      const { unfound } = cached.prepared
      if (unfound) service.unfound.note(unfound, identifiedCaller(request))
      return sendPrepared(request, reply, cached.prepared, operation, isForPages(operation))
    }
    if (operation.lines && request.body == null) throw unsupportedMediaType(lineTypeOf(operation))
    if (operation.bytes && request.body == null) throw unsupportedMediaType(operation.bytes.types.join(', '))
    const query = request.query as Record<string, unknown>
    const parameters = hasPathParameters ? { ...query, ...(request.params as object) } : query
    const headers = operation.headers ? headersOf(operation.headers, request) : undefined
    const ctx = service.context(identifiedCaller(request))
    const answer = await perform(operation, ctx, parameters, request.body, headers)
    if ('isCurrent' in answer) cache.add(request.url, answer)
    noteWrite(request, ctx, answer)
    prepareWriteAnswer(service, reply)
    setLocation(reply, service.publicUrl + base, operation, answer)
    return send(request, reply, operation, answer)
  }
}

const MOST_CACHED = 1_000
const LONGEST_CACHED_ADDRESS = 500
// Limited, because outdated answers stay in the cache until they are asked for again.
const MOST_CACHED_BYTES = 16 * 1024 * 1024

/** Answers by the address that was asked for. */
function createAnswerCache() {
  const answers = new Map<string, CachedAnswer>()
  let bytes = 0
  return {
    get: (url: string) => answers.get(url),
    add(url: string, answer: CachedAnswer): void {
      if (url.length > LONGEST_CACHED_ADDRESS) return
      bytes += answer.prepared.json.length
      if (answers.size >= MOST_CACHED || bytes > MOST_CACHED_BYTES) {
        answers.clear()
        bytes = answer.prepared.json.length
      }
      answers.set(url, answer)
    },
  }
}

/** The header of an answer that repeats the answer to an earlier request with the same Idempotency-Key. */
export const REPLAYED = 'Idempotency-Replayed'

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: RoutedOperation,
  answer: Answer<unknown>,
): Promise<FastifyReply> {
  // Only the operator may see these answers, and answers to POST may contain new secrets.
  if (operation.access === 'operator') reply.header('cache-control', 'no-store')
  if ('lines' in answer) {
    if (!operation.streams) throw new TypeError(`${operation.name} declares no media type for its lines`)
    return sendStream(reply.headers(answer.headers ?? {}), operation.streams.type, answer.lines)
  }
  if ('data' in answer && answer.headers) reply.headers(answer.headers)
  if ('data' in answer && answer.isReplayed) reply.header(REPLAYED.toLowerCase(), 'true')
  const status = ('data' in answer ? answer.status : undefined) ?? operation.status
  return sendPrepared(
    request,
    reply,
    operation.access === 'operator' ? await writeInSlices(operation, answer) : write(operation, answer),
    { method: operation.method, status },
    isForPages(operation),
  )
}

/** Sets the Location header of an answer with status 201. */
function setLocation(
  reply: FastifyReply,
  base: string,
  { location, status }: RoutedOperation,
  answer: Answer<unknown>,
): void {
  if (!location || !('data' in answer) || (answer.status ?? status) !== 201) return
  reply.header('location', locationOf(base, location, answer.data as Record<string, unknown>))
}

/** The address that an operation declares, with its `:name` parts replaced by fields of the answer. */
export const locationOf = (base: string, location: string, data: Readonly<Record<string, unknown>>): string =>
  base + location.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(data[name])))

/** The headers that the operation declares, under the declared names. */
function headersOf(headers: TObject, request: FastifyRequest): Record<string, unknown> {
  return Object.fromEntries(Object.keys(headers.properties).map((name) => [name, request.headers[name.toLowerCase()]]))
}

const JSON_TYPE = 'application/json; charset=utf-8'

export function sendPrepared(
  request: FastifyRequest,
  reply: FastifyReply,
  { json, etag, match, understood, missing, ranking }: Prepared,
  { method, status }: Pick<RoutedOperation, 'method' | 'status'>,
  mayCompress: boolean,
): FastifyReply | Promise<FastifyReply> {
  if (match) reply.header('x-catalog-match', match)
  if (understood) reply.header('x-catalog-understood', understood)
  if (missing) reply.header('x-catalog-missing', missing)
  if (ranking) reply.header('x-catalog-ranking', ranking)
  let encoding: ContentEncoding | null = null
  if (mayCompress && json.length > LEAST_COMPRESSED) {
    reply.header('vary', 'Accept-Encoding')
    encoding = encodingFor(request.headers['accept-encoding'], ENCODINGS)
  }
  if (method === 'GET') {
    const tag = tagOf(etag, encoding)
    reply.header('etag', tag)
    reply.header('cache-control', 'private, no-cache')
    if (matchesEtag(request.headers['if-none-match'], tag)) return reply.code(304).send()
  }
  reply.code(status ?? 200).header('content-type', JSON_TYPE)
  return encoding ? sendCompressed(reply, json, encoding) : reply.send(json)
}

const ENCODINGS: readonly ContentEncoding[] = ['br', 'gzip']

async function sendCompressed(reply: FastifyReply, json: Buffer, encoding: ContentEncoding): Promise<FastifyReply> {
  const form = await compressedForm(json, encoding)
  return form ? reply.header('content-encoding', encoding).send(form) : reply.send(json)
}

/** Returns a hook that sets the headers when the operation, or a parameter of the request, is deprecated; null when nothing can be. */
function announceDeprecation(operation: RoutedOperation, publicUrl: string) {
  const { deprecated, deprecatedParameters = {}, name } = operation
  if (!deprecated && Object.keys(deprecatedParameters).length === 0) return null
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const query = request.query as Record<string, unknown>
    const used = Object.entries(deprecatedParameters)
      .filter(([parameter]) => parameter in query || request.headers[parameter.toLowerCase()] !== undefined)
      .map(([, deprecation]) => deprecation)
    const found = deprecated ? [deprecated, ...used] : used
    if (found.length > 0) reply.headers(deprecationHeaders(found, `${publicUrl}/docs#${name}`))
    done()
  }
}

/** Of several deprecations the headers show the earliest dates. */
function deprecationHeaders(found: readonly Deprecation[], documentation: string): Record<string, string> {
  const times = (field: 'since' | 'sunset') => found.map((deprecation) => Date.parse(deprecation[field]))
  return {
    // RFC 9745.
    deprecation: `@${Math.min(...times('since')) / 1000}`,
    // RFC 8594.
    sunset: new Date(Math.min(...times('sunset'))).toUTCString(),
    link: `<${documentation}>; rel="deprecation"; type="text/html"`,
  }
}

/** The sentences for the OpenAPI document and the API reference. */
export const deprecationText = ({ since, sunset, instead }: Deprecation): string =>
  `Deprecated since ${since}, and may be gone from ${sunset} on. ${instead}`
