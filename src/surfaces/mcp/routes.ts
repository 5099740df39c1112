// POST {mcp_url}: one address for every revision of the protocol, without sessions, answering JSON. The newest revision and the
// ones before it are served by the same tools through the two handlers of the protocol library.
import { isUtf8 } from 'node:buffer'
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Decision } from '../../kernel/caller.ts'
import { Failure, tooManyRequests } from '../../kernel/errors.ts'
import { charge, peek } from '../../kernel/invoke.ts'
import type { RoutedOperation } from '../../kernel/operation.ts'
import { MCP_PATH } from '../http/addresses.ts'
import { refuseOtherMethods } from '../http/answers.ts'
import { identifyKey } from '../http/callers.ts'
import { allowAnyOrigin } from '../http/cors.ts'
import { BODY_LIMIT } from '../http/failures.ts'
import { freeUnmatchedRouteGate, identifyOrCharge, inTurn, setRateHeaders, showBudget } from '../http/gate.ts'
import type { Service } from '../http/service.ts'
import {
  INTERNAL,
  isCall,
  isCancel,
  type Message,
  type Problem,
  parse,
  problemOf,
  standingName,
  wrongInitialize,
} from './messages.ts'
import { createToolServers, type Meter, TOO_MANY, type ToolServers } from './tool-server.ts'

const CALLS = 'mcp'
const FREE = 'mcp-free'
/** Ten calls with the longest arguments fit into this. */
const CALLS_BYTES = 16 * 1024

export function addMcp(server: FastifyInstance, service: Service, operations: readonly RoutedOperation[]): void {
  const toolServers = createToolServers(service, operations)
  // Results that are the same for every client, as the protocol library has written them once.
  const standing = new Map<string | null, Buffer>()
  // Those whose caller had no call left when their headers came.
  const spent = new WeakSet<FastifyRequest>()
  const onerror = (error: Error) => service.log.warn({ err: error }, 'MCP request failed')
  const modern = createMcpHandler((ctx) => toolServers.open(ctx.authInfo?.extra?.meter as Meter), {
    legacy: 'reject',
    onerror,
  })

  const answer = async (request: Request, body: unknown, meter: Meter): Promise<Response> => {
    if (!(await isLegacyRequest(request, body)))
      return modern.fetch(request, {
        parsedBody: body,
        authInfo: { token: '', clientId: meter.caller.id, scopes: [], extra: { meter } },
      })
    const instance = toolServers.open(meter)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    })
    await instance.connect(transport)
    try {
      return await transport.handleRequest(request, { parsedBody: body })
    } finally {
      void instance.close()
    }
  }

  server.register(async (scope) => {
    // Read here and not by the framework, so that unreadable JSON is answered in the protocol's own words.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) =>
      inTurn(request, () => done(null, isUtf8(bytes) ? bytes.toString() : '')),
    )
    scope.post(MCP_PATH, {
      onRequest: [
        allowAnyOrigin,
        async (request, reply) => {
          const caller = await identifyOrCharge(service, request, reply, identifyKey)
          const budget = await showBudget(service, reply, caller, CALLS)
          if (budget && !budget.allowed) spent.add(request)
          await chargeLength(service, reply, caller, Number(request.headers['content-length'] ?? 0))
        },
      ],
      handler: async (request, reply) => {
        const caller = request.caller!
        const text = (request.body as string | undefined) ?? ''
        // Sent in chunks, its length is known only now.
        if (request.headers['content-length'] === undefined) await chargeLength(service, reply, caller, text.length)
        const body = parse(text)
        const problem = problemOf(body)
        const messages = problem ? [] : ([body].flat() as Message[])
        const calls = messages.filter(isCall).length
        const free = problem ? 1 : messages.length - calls
        const ceiling = free > 0 ? await charge(service.limiter, caller, FREE, free) : null
        if (ceiling && !ceiling.allowed) return sendTooMany(reply, body, ceiling)
        if (problem) return sendError(reply, problem)
        // Told at once, without the work of the protocol library.
        const budget = free === 0 && spent.has(request) ? await peek(service.limiter, caller, CALLS) : null
        if (budget && !budget.allowed) return sendTooMany(reply, body, budget)
        const name = Array.isArray(body) ? null : standingName(body, request.headers['mcp-protocol-version'])
        const known = standing.get(name)
        if (known) return reply.type('application/json').send(withId(known, (body as Message).id))
        const rest = messages.filter((message) => !isCancel(message))
        if (rest.length === 0) return reply.code(202).send()
        const meter: Meter = { caller, before: null, listed: false, served: 0, refused: null, last: null }
        try {
          const made = answer(webRequest(service, request), Array.isArray(body) ? rest : rest[0], meter)
          const answered = await inTime(made)
          // Refused by the protocol library before it came to the call: free, like what cannot be read.
          const uncharged = calls > 0 && !meter.last ? await charge(service.limiter, caller, FREE) : null
          if (uncharged && !uncharged.allowed) return sendTooMany(reply, body, uncharged)
          const { status, type, bytes } = await relayed(reply, answered, meter, toolServers.list)
          const result = name !== null && status === 200 ? resultIn(bytes) : null
          if (result) standing.set(name, result)
          // A part of it is wrong that is not looked at here; the library says so as a fault of its own.
          else if (name !== null && status === 200) return sendError(reply, wrongInitialize(body as Message))
          if (bytes.length > 0) reply.type(type)
          return reply.code(status).send(bytes.length > 0 ? bytes : undefined)
        } catch (error) {
          if (error instanceof Failure) throw error
          service.log.error({ err: error }, 'MCP request failed')
          return sendError(reply, {
            status: 500,
            code: INTERNAL,
            message: 'Something went wrong on our side. Try again shortly.',
          })
        }
      },
    })
  })
  refuseOtherMethods(server, service, MCP_PATH, ['POST'], true, freeUnmatchedRouteGate(service, CALLS, FREE))
}

/** A body that is longer than calls can be costs us by its length, whatever it holds: counted before it is looked at. Past the limit it is a 413. */
async function chargeLength(service: Service, reply: FastifyReply, caller: Caller, length: number): Promise<void> {
  if (length <= CALLS_BYTES) return
  const decision = await charge(service.limiter, caller, FREE, Math.ceil(Math.min(length, BODY_LIMIT) / CALLS_BYTES))
  if (!decision || decision.allowed) return
  setRateHeaders(reply, decision)
  throw tooManyRequests(decision.retryAfter)
}

// No answer takes long here; one that never comes must not hold the connection for ever.
const ANSWER_MS = 30_000

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('the protocol library did not answer')), ANSWER_MS)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
  }
}

const PASSED_ON = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id']

/** What the protocol library needs to see of the request: never the key. A plain curl need not send the right Accept. */
function webRequest(service: Service, request: FastifyRequest): Request {
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' })
  for (const name of PASSED_ON) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  return new Request(`${service.publicUrl}${MCP_PATH}`, { method: 'POST', headers })
}

/** Status, type and body come from the protocol library; the rate headers and a 429 from the meter. */
async function relayed(reply: FastifyReply, response: Response, meter: Meter, list: ToolServers['list']) {
  setRateHeaders(reply, meter.last)
  const overQuota = meter.refused !== null && meter.served === 0
  if (overQuota) reply.headers(tooManyRequests(meter.refused!.retryAfter).headers)
  // As bytes: as text it would be decoded only to be encoded again.
  const bytes = Buffer.from(await response.arrayBuffer())
  return {
    status: overQuota ? 429 : response.status,
    type: response.headers.get('content-type') ?? 'application/json',
    bytes: meter.listed ? list.putInto(bytes) : bytes,
  }
}

/** null: there is none, because something was wrong with this one message. */
function resultIn(answer: Buffer): Buffer | null {
  const { result } = JSON.parse(answer.toString())
  return result === undefined ? null : Buffer.from(JSON.stringify(result))
}

const withId = (result: Buffer, id: unknown): Buffer =>
  Buffer.concat([Buffer.from('{"result":'), result, Buffer.from(`,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`)])

/** Every message that wants an answer gets the same; the headers are those of the budget that is spent. */
function sendTooMany(reply: FastifyReply, body: unknown, decision: Decision): FastifyReply {
  setRateHeaders(reply, decision)
  const { message, headers } = tooManyRequests(decision.retryAfter)
  const error = { code: TOO_MANY, message, data: { retryAfter: decision.retryAfter } }
  const answerTo = (id: unknown) => ({ jsonrpc: '2.0', id, error })
  const asked = problemOf(body)
    ? []
    : ([body].flat() as Message[]).filter(({ id, method }) => id !== undefined && method)
  const answers = asked.map(({ id }) => answerTo(id))
  const isBatch = Array.isArray(body) && answers.length > 0
  return reply
    .code(429)
    .headers(headers)
    .type(JSON_TYPE)
    .send(isBatch ? answers : (answers[0] ?? answerTo(null)))
}

const sendError = (reply: FastifyReply, { status, code, message, id }: Problem): FastifyReply =>
  reply
    .code(status)
    .type(JSON_TYPE)
    .send({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })

const JSON_TYPE = 'application/json; charset=utf-8'
