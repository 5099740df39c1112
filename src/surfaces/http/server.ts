// The HTTP server without its routes: trusted proxies, time-outs, refusals before routing, request log and health.
import { randomUUID } from 'node:crypto'
import {
  createServer as createHttpServer,
  METHODS,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Caller } from '../../kernel/caller.ts'
import { encodedBody, Failure, starting, thisNotFound } from '../../kernel/errors.ts'
import { requestArrived } from '../../kernel/work/scheduler.ts'
import { ADMIN_BASE, ALIVE, isHealth, MCP_PATH, READY, REST_BASE } from './addresses.ts'
import { createKnownAddresses, knownAddress, refuseMethod } from './answers/answers.ts'
import { sendFailure } from './answers/failures.ts'
import { REMAINING_HEADER } from './answers/rate-headers.ts'
import {
  gate,
  hostGate,
  releaseTurnForBody,
  showVisitorBudget,
  turnGate,
  unmatchedRouteGate,
  visitorGate,
} from './gate.ts'
import { identifyKey, identifyOperator, operator } from './requests/callers.ts'
import { readJsonBodies } from './requests/json-bodies.ts'
import { limitPipelining, MOST_PIPELINED, rawRefusal, refuseBytes } from './requests/raw-refusals.ts'
import { BODY_LIMIT, HEADERS_MS, hasBody, REQUEST_MS, SLOW_CHECK_MS } from './requests/request-bodies.ts'
import type { Service } from './service.ts'

/** Headers of every answer: browsers must not guess another content type, and the id finds the request in the log. */
function setStandardHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-content-type-options', 'nosniff').header('x-request-id', request.id)
}

type Timeouts = Required<Pick<ServerOptions, 'keepAliveTimeout' | 'requestTimeout'>> & { http: ServerOptions }

/** Creates the server as Fastify would, but `answer` gets also the requests that Node would refuse itself, without the envelope. */
function createHttpServerOf(
  answer: RequestListener,
  { http, keepAliveTimeout, requestTimeout }: Timeouts,
  refuse: ReturnType<typeof rawRefusal>,
): Server {
  const server = createHttpServer({ ...http, keepAliveTimeout, requestTimeout, requireHostHeader: false }, answer)
  server.on('checkExpectation', answer)
  server.on('connect', (_request, socket: Socket) => {
    void refuse(socket, 405, 'CONNECT is not allowed here: this service is no proxy.', { Allow: 'GET, HEAD' })
  })
  return server
}

const ROUTER_OPTIONS = {
  ignoreTrailingSlash: true,
  // Longer than any address that Node reads, so that a long slug gets the same 404 as any unknown slug.
  maxParamLength: 32_768,
}

type AnswerFailure = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** `answerUnknownPage` answers a browser at an address that is neither a page nor part of an API. */
export function createServer(service: Service, answerUnknownPage: AnswerFailure): FastifyInstance {
  const refuseHost = hostGate(service)
  const waitForTurn = turnGate(service)
  const refuse = rawRefusal(service)
  const server = Fastify({
    logger: false,
    // An id that a client sends is ignored, so that no client chooses text in the log.
    genReqId: () => randomUUID().slice(-12),
    bodyLimit: BODY_LIMIT,
    trustProxy: service.trustedProxies.length > 0 ? [...service.trustedProxies] : false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    serverFactory: (answer, options) =>
      createHttpServerOf(
        limitPipelining(answer, (socket) => void refuse(socket, 400, PIPELINED)),
        options as Timeouts,
        refuse,
      ),
    requestTimeout: REQUEST_MS,
    http: { headersTimeout: HEADERS_MS, connectionsCheckingInterval: SLOW_CHECK_MS },
    routerOptions: ROUTER_OPTIONS,
    frameworkErrors: (error, request, reply) => {
      waitForTurn(request, reply as never, () => {
        void refuseAddress(service, refuseHost, error, request, reply as never)
      })
    },
    clientErrorHandler: refuseBytes(refuse),
  })
  // Fastify would answer a method that it does not know in a form of its own.
  for (const method of METHODS)
    if (!server.supportedMethods.includes(method) && method !== 'CONNECT')
      server.addHttpMethod(method, { hasBody: true })
  // Without this parser a text body gets a 415.
  server.removeContentTypeParser('text/plain')
  readJsonBodies(server)
  server.decorate('knownAddresses', createKnownAddresses(ROUTER_OPTIONS))
  server.decorateRequest('turn', null)
  server.decorateRequest('nextTurn', null)
  server.decorateRequest('caller', null)
  server.decorateRequest('operation', null)
  server.decorateRequest('isBehind', false)
  server.decorateRequest('whenSent', null)
  server.decorateRequest('user', null)
  server.decorateRequest('sessionId', null)
  server.decorateRequest('formToken', null)
  server.setErrorHandler((error, request, reply) => {
    const known = request.is404 ? knownAddress(request) : undefined
    if (known?.answerFailure) return known.answerFailure(error, request, reply)
    return request.is404 && !known && !API.test(request.url)
      ? answerUnknownPage(error, request, reply)
      : sendFailure(service, error, request, reply)
  })
  // Runs before the body of a request for an unknown address is read.
  const unmatchedRoute = unmatchedRouteGate(service)
  server.addHook('onRequest', (request, reply, done) => {
    requestArrived()
    waitForTurn(request, reply, done)
  })
  server.addHook('onRequest', (request, reply, done) => {
    setStandardHeaders(request, reply)
    if (service.isClosing()) reply.header('connection', 'close')
    // A load balancer may ask for the health under another host name, and the answer is the same for every client.
    const refusal = isHealth(request) ? null : refusalOf(service, request)
    if (refusal) return void refuseHost(request, reply, refusal).then(done, done)
    // Until the start is complete, a write gets a 503 before its key is checked, because neither keys nor database are available.
    if (!service.isStarted() && isWrite(request))
      return void showVisitorBudget(service, request, reply).then(() => done(starting()))
    if (!request.is404) return done()
    refuseMethod(request, reply)
      .then(() => unmatchedRoute(request, reply))
      .then(() => done(thisNotFound('address')), done)
  })
  server.addHook('preParsing', (request, _reply, payload, done) => {
    releaseTurnForBody(request)
    done(isEncoded(request) ? encodedBody() : null, payload)
  })
  // Never reached: the hook above has refused every request without a route.
  server.setNotFoundHandler(() => {})
  server.addHook('onResponse', (request, reply, done) => {
    done()
    request.turn?.end(isSpent(reply))
    recordAnswer(service, request, reply)
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

/** Whether the request was refused and the budget in the answer's headers is spent. */
const isSpent = (reply: FastifyReply): boolean => reply.statusCode >= 400 && reply.getHeader(REMAINING_HEADER) === '0'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Compressed bodies are refused, because they could decompress to any size. The body of a GET, HEAD or OPTIONS is never read. */
const isEncoded = (request: FastifyRequest): boolean =>
  !/^(identity)?$/i.test(request.headers['content-encoding']?.trim() ?? '') &&
  hasBody(request) &&
  !READS.has(request.method)

/** Whether the request would change something; requests for an unknown address or with a wrong method would not. */
const isWrite = ({ method, is404 }: FastifyRequest): boolean => !READS.has(method) && !is404

/** Logs an answer, counts it, and records it as a call of its key. */
function recordAnswer(service: Service, request: FastifyRequest, reply: FastifyReply): void {
  if (isQuiet(request)) return
  const { caller, operation } = request
  service.countAnswer(surfaceOf(request.url), reply.statusCode, reply.elapsedTime)
  if (caller && operation !== null)
    service.usage.record(caller, 'rest', operation, reply.statusCode, reply.elapsedTime, request.id)
  service.log.request({
    method: request.method,
    path: loggablePath(request.url),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    caller: callerName(caller),
    id: request.id,
  })
}

/** The surface that an address belongs to, as the metrics name it. */
function surfaceOf(url: string): string {
  if (url.startsWith(REST_BASE)) return 'rest'
  if (url.startsWith(MCP_PATH)) return 'mcp'
  if (url.startsWith(ADMIN_BASE)) return 'operator'
  return 'pages'
}

/** Why a request is refused at every address, or null. */
const refusalOf = (service: Service, request: FastifyRequest): Failure | null =>
  service.hosts.refusal(request) ??
  (hasUnknownExpectation(request)
    ? new Failure(417, 'This service cannot do what the header Expect asks for. Send the request without it.')
    : null)

/** 100-continue is answered by Node; HTTP/1.0 does not know the header. */
const hasUnknownExpectation = ({ headers, raw }: FastifyRequest): boolean =>
  headers.expect !== undefined && raw.httpVersion === '1.1' && !/(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect)

/** Refuses an address that cannot be decoded. Fastify runs no hooks for it, so the checks, the charge and the log line are repeated here. */
async function refuseAddress(
  service: Service,
  refuseHost: ReturnType<typeof hostGate>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  setStandardHeaders(request, reply)
  reply.raw.once('finish', () => {
    request.turn?.end(isSpent(reply))
    recordAnswer(service, request, reply)
  })
  try {
    const refusal = refusalOf(service, request)
    if (refusal) throw await refuseHost(request, reply, refusal)
    if (!API.test(request.url)) await visitorGate(service)(request, reply)
    else {
      const identify = request.url.startsWith(ADMIN_BASE) ? identifyOperator : identifyKey
      await gate(service, { name: '', access: 'public', bucket: 'rest' }, identify)(request, reply)
    }
    sendFailure(service, error, request, reply)
  } catch (refusal) {
    sendFailure(service, refusal, request, reply)
  }
}

const PIPELINED = `More than ${MOST_PIPELINED} requests were sent on this connection before their answers. Wait for answers in between.`

// The target of a request may be a whole URL.
const API = /^(https?:\/\/[^/?]*)?\/(api|mcp)(\/|\?|$)/i

/** The caller's name for the log. Users appear by their ids, because e-mail addresses must not be logged; the audit log has both. */
function callerName(caller: Caller | null): string {
  if (!caller) return 'visitor'
  const isPerson = caller.kind === 'user' || (caller.kind === 'operator' && caller.id !== operator.id)
  return isPerson ? `user ${caller.id.slice(0, 8)}` : caller.label
}

const isQuiet = ({ url }: FastifyRequest): boolean => url === ALIVE || url === READY || url === '/metrics'

// A report is readable for everyone who knows its address, so the address is not logged.
const REPORT = /^(.*?\/reports\/)[\s\S]*$/i

/** The path without its query, which may contain a key, and with everything that looks like a key removed. */
function loggablePath(url: string): string {
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  if (!path.includes('%') && !path.includes('aid_')) return path.replace(REPORT, '$1…')
  const plain = path.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  if (REPORT.test(plain)) return plain.replace(REPORT, '$1…')
  const at = plain.indexOf('aid_')
  return at === -1 ? path : `${encodeURI(plain.slice(0, at))}aid_…`
}
