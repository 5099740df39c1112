// The HTTP server without its routes: who is believed, what is logged, what an error looks like, health.
import {
  createServer as createHttpServer,
  METHODS,
  type RequestListener,
  type Server,
  type ServerOptions,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Caller } from '../../kernel/caller.ts'
import { notFound, starting } from '../../kernel/errors.ts'
import { charge } from '../../kernel/invoke.ts'
import { ADMIN_BASE, ALIVE, isHealth, READY } from './addresses.ts'
import { HEADERS_MS, LOOK_MS, mayTakeItsTime, REQUEST_MS } from './body-timeouts.ts'
import { identifyKey, identifyOperator, operator, visitorOf } from './callers.ts'
import { BODY_LIMIT, sendFailure } from './failures.ts'
import { awaitBody, gate, hostGate, strayGate, turnGate, visitorGate } from './gate.ts'
import { readJsonBodies } from './json-bodies.ts'
import { surfaceOf } from './metrics.ts'
import { limitPipelining, MOST_PIPELINED } from './pipelining.ts'
import { rateHeaders } from './rate-headers.ts'
import { newRequestId } from './request-ids.ts'
import type { Service } from './service.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every request of the route is refused, whatever it holds. */
    isRefusal?: boolean
  }
}

/** On every answer: it is what its type says, whatever a browser might take it for, and it can be found in the log. */
function mark(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-content-type-options', 'nosniff').header('x-request-id', request.id)
}

type Timeouts = Required<Pick<ServerOptions, 'keepAliveTimeout' | 'requestTimeout'>> & { http: ServerOptions }

/** As the framework would make it. */
const listening = (answer: RequestListener, { http, keepAliveTimeout, requestTimeout }: Timeouts): Server =>
  createHttpServer({ ...http, keepAliveTimeout, requestTimeout }, answer)

type AnswerFailure = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** `strayAnswer`: what a browser is told at an address that is neither a page nor part of an API. */
export function createServer(service: Service, strayAnswer: AnswerFailure): FastifyInstance {
  const refuseHost = hostGate(service)
  const waitForTurn = turnGate(service)
  const server = Fastify({
    logger: false,
    // Ours, whatever a caller sends: nobody chooses what stands in the log.
    genReqId: newRequestId,
    bodyLimit: BODY_LIMIT,
    trustProxy: service.trustedProxies.length > 0 ? [...service.trustedProxies] : false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    serverFactory: (answer, options) => listening(limitPipelining(answer, refusePipelined), options as Timeouts),
    requestTimeout: REQUEST_MS,
    http: { headersTimeout: HEADERS_MS, connectionsCheckingInterval: LOOK_MS },
    routerOptions: {
      ignoreTrailingSlash: true, // Longer than any address that Node reads: a long slug is an unknown one.
      maxParamLength: 32_768,
    },
    frameworkErrors: (error, request, reply) => {
      waitForTurn(request, reply as never, () => {
        void refuseAddress(service, refuseHost, error, request, reply as never)
      })
    },
    clientErrorHandler: refuseBytes(service),
  })
  // So that every other method on a known path is a 405.
  for (const method of METHODS)
    if (!server.supportedMethods.includes(method) && method !== 'CONNECT')
      server.addHttpMethod(method, { hasBody: true })
  // A text body is no JSON: without this parser it is a 415.
  server.removeContentTypeParser('text/plain')
  readJsonBodies(server)
  server.decorateRequest('turn', null)
  server.decorateRequest('nextTurn', null)
  server.decorateRequest('caller', null)
  server.decorateRequest('isBehind', false)
  server.decorateRequest('whenSent', null)
  server.decorateRequest('user', null)
  server.decorateRequest('sessionId', null)
  server.decorateRequest('formToken', null)
  server.setErrorHandler((error, request, reply) =>
    request.is404 && !API.test(request.url)
      ? strayAnswer(error, request, reply)
      : sendFailure(service, error, request, reply),
  )
  // Before the body is looked at: whatever it is, there is nothing here to take it.
  const stray = strayGate(service)
  server.addHook('onRequest', (request, reply, done) => waitForTurn(request, reply, done))
  server.addHook('onRequest', (request, reply, done) => {
    mark(request, reply)
    if (service.isClosing()) reply.header('connection', 'close')
    // Health is one word, the same for every client, and a load balancer may ask for it by a host name of its own.
    const refusal = isHealth(request) ? null : service.hosts.refusal(request)
    if (refusal) return void refuseHost(request, reply, refusal).then(done, done)
    // Before anything else is looked at: the database is not there for it yet, nor the key that it was sent with.
    if (!service.isStarted() && isWrite(request)) return done(starting())
    if (!request.is404) return done()
    stray(request, reply).then(() => done(notFound('This address was')), done)
  })
  server.addHook('preParsing', (request, _reply, payload, done) => {
    awaitBody(request)
    done(null, payload)
  })
  server.setNotFoundHandler(() => {})
  server.addHook('onResponse', (request, reply, done) => {
    done()
    request.turn?.end(isSpent(reply))
    tell(service, request, reply)
  })
  server.get(ALIVE, { logLevel: 'silent' }, async () => ({ success: true, data: { status: 'ok' } }))
  server.get(READY, async (_request, reply) => {
    const ready = service.isReady()
    return reply
      .code(ready ? 200 : 503)
      .send(
        ready
          ? { success: true, data: { status: 'ready' } }
          : { success: false, error: 'Still loading. Try again shortly.' },
      )
  })
  return server
}

/** Refused, and the budget that its headers speak of has nothing left. */
const isSpent = (reply: FastifyReply): boolean =>
  reply.statusCode >= 400 && reply.getHeader('x-ratelimit-remaining') === '0'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** A request that would change something; neither an unknown address nor a wrong method does. */
const isWrite = ({ method, is404, routeOptions }: FastifyRequest): boolean =>
  !READS.has(method) && !is404 && !routeOptions.config.isRefusal

/** Of every answer: a line in the log and a count. */
function tell(service: Service, request: FastifyRequest, reply: FastifyReply): void {
  if (isQuiet(request)) return
  service.answered(surfaceOf(request.url), reply.statusCode, reply.elapsedTime)
  service.log.request({
    method: request.method,
    path: loggablePath(request.url),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    caller: callerName(request.caller),
    id: request.id,
  })
}

/** An address that cannot be decoded is refused in the order of all checks, charged and told of: no hook runs for it. */
async function refuseAddress(
  service: Service,
  refuseHost: ReturnType<typeof hostGate>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  mark(request, reply)
  reply.raw.once('finish', () => {
    request.turn?.end(isSpent(reply))
    tell(service, request, reply)
  })
  try {
    const refusal = service.hosts.refusal(request)
    if (refusal) throw await refuseHost(request, reply, refusal)
    if (!API.test(request.url)) await visitorGate(service)(request, reply)
    else {
      const identify = request.url.startsWith(ADMIN_BASE) ? identifyOperator : identifyKey
      await gate(service, { access: 'public', bucket: 'rest' }, identify)(request, reply)
    }
    sendFailure(service, error, request, reply)
  } catch (refusal) {
    sendFailure(service, refusal, request, reply)
  }
}

/** From one address in a second; more of them wait, so that no flood of them costs us a connection each as fast as it can be made. */
const UNREADABLE_AT_ONCE = 50
const UNREADABLE_WAIT_MS = 1_000

/**
 * What Node could not read as HTTP has no request: neither the key nor a proxy's word on the address is known. It gets the envelope, and
 * the headers of the budget of the address that the connection comes from, which is charged as for every answer without a key.
 */
function refuseBytes(service: Service) {
  const refused = new WeakSet<Socket>()
  const counts = new Map<string, number>()
  return (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed || refused.has(socket)) return
    const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    if (isSlow && mayTakeItsTime(socket)) return
    refused.add(socket)
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : isSlow ? 408 : 400
    if (isSlow || count(socket.remoteAddress ?? '') <= UNREADABLE_AT_ONCE) return void refuse(status, error, socket)
    socket.pause()
    setTimeout(() => void refuse(status, error, socket), UNREADABLE_WAIT_MS).unref()
  }

  async function refuse(status: number, error: Error, socket: Socket): Promise<void> {
    try {
      const visitor = visitorOf(service, { ip: socket.remoteAddress ?? '' })
      const decision = await charge(service.limiter, visitor, 'rest')
      hangUp(status, error, socket, decision ? rateHeaders(decision) : {})
    } catch (fault) {
      service.log.error({ err: fault }, 'the budget of an unreadable request could not be charged')
      hangUp(status, error, socket, {})
    }
  }

  function count(address: string): number {
    if (counts.size === 0) setTimeout(() => counts.clear(), UNREADABLE_WAIT_MS).unref()
    const soFar = (counts.get(address) ?? 0) + 1
    counts.set(address, soFar)
    return soFar
  }
}

const PIPELINED = `More than ${MOST_PIPELINED} requests were sent on this connection before their answers. Wait for answers in between.`

const refusePipelined = (socket: Socket): void => hangUp(400, new Error(PIPELINED), socket, {}, PIPELINED)

function hangUp(
  status: number,
  error: Error,
  socket: Socket,
  headers: Record<string, string>,
  says = `${STATUS_CODES[status]}.`,
): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const body = JSON.stringify({ success: false, error: says })
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}Connection: close\r\n\r\n${body}`,
    )
  socket.destroy(error)
}

// What is asked for may be a whole address.
const API = /^(https?:\/\/[^/?]*)?\/(api|mcp)(\/|\?|$)/i

/** For the log, which is no place for people's addresses: the audit log says who an identifier is. */
function callerName(caller: Caller | null): string {
  if (!caller) return 'visitor'
  const isPerson = caller.kind === 'user' || (caller.kind === 'operator' && caller.id !== operator.id)
  return isPerson ? `user ${caller.id.slice(0, 8)}` : caller.label
}

const isQuiet = ({ url }: FastifyRequest): boolean => url === ALIVE || url === READY || url === '/metrics'

/** The path without its query (people put keys there), with anything that looks like a key blotted out. */
export function loggablePath(url: string): string {
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  if (!path.includes('%') && !path.includes('aid_')) return path
  const plain = path.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  const at = plain.indexOf('aid_')
  return at === -1 ? path : `${encodeURI(plain.slice(0, at))}aid_…`
}
