// The MCP endpoints: the tools of the catalog, those for research, and those of operators. Each is one address for every revision of the
// protocol, without sessions, with answers as JSON. The protocol library has one handler for the newest revision and one for the older
// ones; both use the same tools.
import { isUtf8 } from 'node:buffer'
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteRefusedCall } from '../../features/audit/write-audit.ts'
import { programName } from '../../features/oauth/rules.ts'
import { type Caller, type LimitDecision, workerOf } from '../../kernel/caller.ts'
import { Failure, tooManyRequests } from '../../kernel/errors.ts'
import { charge } from '../../kernel/invoke.ts'
import type { RoutedOperation } from '../../kernel/operation.ts'
import { isObject } from '../../kernel/values/objects.ts'
import { inTime } from '../../kernel/work/deadline.ts'
import { MCP_PATH, OPERATOR_PATH, RESEARCH_PATH } from '../http/addresses.ts'
import { refuseOtherMethods } from '../http/answers/answers.ts'
import { allowAnyOrigin } from '../http/answers/cors.ts'
import { sendFailure, translate } from '../http/answers/failures.ts'
import { REMAINING_HEADER } from '../http/answers/rate-headers.ts'
import {
  freeUnmatchedRouteGate,
  identifiedCaller,
  identifyOrCharge,
  inTurn,
  setRateHeaders,
  showBudget,
} from '../http/gate.ts'
import { identifyAgent, identifyOperatorAgent } from '../http/requests/callers.ts'
import { BODY_LIMIT } from '../http/requests/request-bodies.ts'
import type { Service } from '../http/service.ts'
import {
  INTERNAL,
  INVALID_REQUEST,
  isCall,
  isCancel,
  type McpMessage,
  messagesIn,
  type ProtocolProblem,
  parse,
  problemOf,
  withoutLibraryDetails,
} from './messages.ts'
import { describeOperatorTool, OPERATOR_INSTRUCTIONS, performOperatorTool } from './operator-tools.ts'
import {
  createRememberedAnswers,
  kindOf,
  protocolHeaders,
  type Remembered,
  writeCall,
  writeWhole,
} from './remembered-answers.ts'
import { RESEARCH_INSTRUCTIONS, researchTools } from './research.ts'
import { showsViews } from './results-view.ts'
import { addServerCards } from './server-cards.ts'
import {
  catalogTools,
  createToolServers,
  type Meter,
  TOO_MANY,
  type ToolCall,
  type ToolServers,
  type ToolSet,
} from './tool-server.ts'

/** The budget of tool calls. */
const CALLS = 'mcp'
/** The budget of messages that cost no tool call. */
const FREE = 'mcp-free'
/** Ten calls with the longest arguments fit into this. */
const CALLS_BYTES = 16 * 1024

/** At `libraryPath` the library answers every message; a test compares remembered answers with its answers. */
export function addMcp(
  server: FastifyInstance,
  service: Service,
  operations: { rest: readonly RoutedOperation[]; operator: readonly RoutedOperation[] },
  libraryPath?: string,
): void {
  const tools = catalogTools(operations.rest)
  addMcpAt(MCP_PATH, 'when needed', server, service, tools)
  addMcpAt(RESEARCH_PATH, 'when needed', server, service, catalogTools(researchTools, RESEARCH_INSTRUCTIONS))
  addMcpAt(OPERATOR_PATH, 'always', server, service, operatorTools(operations.operator))
  addServerCards(server, service)
  if (libraryPath) addMcpAt(libraryPath, 'always', server, service, tools)
}

const operatorTools = (operations: readonly RoutedOperation[]): ToolSet => ({
  operations,
  instructions: OPERATOR_INSTRUCTIONS,
  describe: describeOperatorTool,
  perform: async (ctx, operation, given) => ({
    ...(await performOperatorTool(ctx, operation, given)),
    meta: null,
    isTextOnly: true,
  }),
  noteRefused: noteRefusedCall,
})

function addMcpAt(
  path: string,
  useLibrary: 'always' | 'when needed',
  server: FastifyInstance,
  service: Service,
  tools: ToolSet,
): void {
  const isForOperators = path === OPERATOR_PATH
  const toolServers = createToolServers(service, tools)
  const remembered = createRememberedAnswers()
  const onerror = (error: Error) => service.log.warn({ err: error }, 'MCP request failed')
  const modern = createMcpHandler((ctx) => toolServers.open(ctx.authInfo?.extra?.meter as Meter, 'newest'), {
    legacy: 'reject',
    onerror,
  })

  const answer = async (request: Request, body: unknown, meter: Meter): Promise<Response> => {
    if (!(await isLegacyRequest(request, body)))
      return modern.fetch(request, {
        parsedBody: body,
        authInfo: { token: '', clientId: meter.caller.id, scopes: [], extra: { meter } },
      })
    const instance = toolServers.open(meter, 'older')
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
    // The body is parsed here and not by Fastify, so that invalid JSON gets an error in the protocol's own format.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) =>
      inTurn(request, () => done(null, isUtf8(bytes) ? bytes.toString() : '')),
    )
    scope.setErrorHandler(async (error, request, reply) => {
      if (request.caller && !reply.hasHeader(REMAINING_HEADER)) await showBudget(service, reply, request.caller, CALLS)
      const { status, message, headers } = translate(error)
      return status === 415 && 'accept-encoding' in headers
        ? sendError(reply.headers(headers), { status, code: INVALID_REQUEST, message })
        : sendFailure(service, error, request, reply)
    })
    scope.post(path, {
      onRequest: [
        // No web page may call operator endpoints.
        ...(isForOperators ? [] : [allowAnyOrigin]),
        async (request, reply) => {
          const identify = isForOperators ? identifyOperatorAgent : identifyAgent
          const caller = await identifyOrCharge(service, request, reply, identify)
          await chargeLength(service, reply, caller, Number(request.headers['content-length'] ?? 0))
        },
      ],
      handler: async (request, reply) => {
        const caller = identifiedCaller(request)
        const text = (request.body as string | undefined) ?? ''
        // The length of a body that was sent in chunks is known only now.
        if (request.headers['content-length'] === undefined) await chargeLength(service, reply, caller, text.length)
        const body = parse(text)
        const problem = problemOf(body)
        const messages = problem ? [] : messagesIn(body)
        const calls = messages.filter(isCall).length
        const free = problem ? 1 : messages.length - calls
        const refusal = free > 0 ? await chargeFree(service, reply, caller, free) : null
        if (refusal) return sendTooMany(reply, body, refusal)
        if (problem) return sendError(reply, problem)
        const siteRevision = service.site.revision()
        const kind =
          useLibrary === 'always' ? null : kindOf(body, text.length, request.headers, toolServers.tools, siteRevision)
        const known = remembered.find(kind)
        const id = messages[0]?.id
        if (known?.whole) return reply.type('application/json').send(writeWhole(known.whole, id))
        const toAnswer = messages.filter((message) => !isCancel(message))
        if (toAnswer.length === 0) return reply.code(202).send()
        const meter = newMeter(withProgram(caller, request, messages), request.id, showsViews(messages))
        try {
          const written = known && kind?.call ? await callKnown(toolServers, known, kind.call, meter, id) : null
          if (free === 0 && !meter.answer) await refuseSpent(service, reply, toolServers, meter, messages)
          // A caller without calls left gets the 429 here, without the work of the protocol library.
          if (meter.lastRefusal) return sendTooMany(reply, body, meter.lastRefusal)
          if (written) {
            setRateHeaders(reply, meter.lastDecision)
            return reply.type('application/json').send(written)
          }
          const response = await inTime(
            answer(webRequest(service, request), Array.isArray(body) ? toAnswer : toAnswer[0], meter),
            ANSWER_MS,
            noAnswer,
          )
          // The protocol library refused the call before it was charged; it counts as a free call, like an unreadable body.
          const uncharged = calls > 0 && !meter.lastDecision ? await charge(service.limiter, caller, FREE) : null
          if (uncharged && !uncharged.allowed) return sendTooMany(reply, body, uncharged)
          const { status, type, bytes } = await relayed(reply, response, meter, messages)
          if (kind && status === 200)
            remembered.remember(kind, id, bytes, (await meter.answer?.catch(() => null)) ?? null)
          if (bytes.length > 0) reply.type(type)
          return reply.code(status).send(bytes.length > 0 ? bytes : undefined)
        } catch (error) {
          if (error instanceof Failure) throw error
          service.log.error({ err: error }, 'MCP request failed')
          setRateHeaders(reply, meter.lastDecision)
          return sendError(reply, {
            status: 500,
            code: INTERNAL,
            message: 'Something went wrong on our side. Try again shortly.',
          })
        }
      },
    })
  })
  refuseOtherMethods(server, service, path, {
    allowed: ['POST'],
    forPages: !isForOperators,
    charge: freeUnmatchedRouteGate(service, CALLS, FREE),
  })
}

/**
 * The operator, with the program that calls in the label, which the audit log shows: by the name that the program gives itself in the
 * message (the newest revision) or in its User-Agent header. A grant names its program already.
 */
function withProgram(caller: Caller, { headers }: FastifyRequest, messages: readonly McpMessage[]): Caller {
  if (caller.kind !== 'operator') return caller
  const { _meta: meta } = (messages[0]?.params ?? {}) as { _meta?: Record<string, unknown> }
  const client = meta?.['io.modelcontextprotocol/clientInfo']
  const name = isObject(client) && client.name ? client.name : headers['user-agent']
  return { ...caller, person: workerOf(caller), label: `${caller.label} via ${programName(name)}` }
}

/** Charges messages that cost no call, and shows the budget of calls. Returns the decision that refuses them. */
async function chargeFree(
  service: Service,
  reply: FastifyReply,
  caller: Caller,
  messages: number,
): Promise<LimitDecision | null> {
  await showBudget(service, reply, caller, CALLS)
  const decision = await charge(service.limiter, caller, FREE, messages)
  return decision?.allowed === false ? decision : null
}

/** When the caller has no call left, records the calls as refused before the protocol library or a tool sees them. */
async function refuseSpent(
  service: Service,
  reply: FastifyReply,
  toolServers: ToolServers,
  meter: Meter,
  messages: readonly McpMessage[],
): Promise<void> {
  const limit = await showBudget(service, reply, meter.caller, CALLS)
  if (!limit || limit.allowed) return
  meter.lastRefusal = limit
  for (const { params } of messages.filter(isCall)) {
    const { name } = (params ?? {}) as { name?: unknown }
    // Charged although nothing is left: the metric of refused calls counts only charges, and `showBudget` made none. If the window has ended
    // since, the call is charged and refused all the same.
    await charge(service.limiter, meter.caller, CALLS)
    await toolServers.refuse(meter, { name: typeof name === 'string' ? name : '' }, limit)
  }
}

/** Charges a body that is longer than ten calls by its length, before it is parsed, because parsing takes time by length. */
async function chargeLength(service: Service, reply: FastifyReply, caller: Caller, length: number): Promise<void> {
  if (length <= CALLS_BYTES) return
  const decision = await charge(service.limiter, caller, FREE, Math.ceil(Math.min(length, BODY_LIMIT) / CALLS_BYTES))
  if (!decision || decision.allowed) return
  setRateHeaders(reply, decision)
  throw tooManyRequests(decision.retryAfter)
}

// Answers take a short time. If one never comes, the connection must not stay open forever.
const ANSWER_MS = 30_000
const noAnswer = () => {
  throw new Error('the protocol library did not answer')
}

const newMeter = (caller: Caller, requestId: string, showsViews: boolean): Meter => ({
  caller,
  requestId,
  showsViews,
  previousCall: null,
  list: null,
  allowedCalls: 0,
  lastRefusal: null,
  lastDecision: null,
  answer: null,
})

/**
 * Calls the tool for a kind of message that the library has answered before. null: no frame is known for the answer. The
 * library must then write the answer that `meter.answer` has, without a second call of the tool.
 */
async function callKnown(
  { call: callTool }: ToolServers,
  known: Remembered,
  call: ToolCall,
  meter: Meter,
  id: unknown,
): Promise<Buffer | null> {
  meter.answer = callTool(meter, call)
  const answer = await inTime(
    meter.answer.catch(() => null),
    ANSWER_MS,
    noAnswer,
  )
  return answer && writeCall(known, id, answer)
}

/** The request for the protocol library: it never contains the key. `accept` is always set, so that a plain curl works too. */
function webRequest(service: Service, request: FastifyRequest): Request {
  const headers = new Headers({
    ...protocolHeaders(request.headers),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  })
  return new Request(`${service.publicUrl}${MCP_PATH}`, { method: 'POST', headers })
}

/** The protocol library gives status, type and body; the meter gives the rate-limit headers and a 429. */
async function relayed(reply: FastifyReply, response: Response, meter: Meter, messages: readonly McpMessage[]) {
  setRateHeaders(reply, meter.lastDecision)
  const overQuota = meter.allowedCalls === 0 ? meter.lastRefusal : null
  if (overQuota) reply.headers(tooManyRequests(overQuota.retryAfter).headers)
  // The answer is read as bytes, because text would be decoded and encoded again.
  const bytes = withoutLibraryDetails(Buffer.from(await response.arrayBuffer()), messages)
  return {
    status: overQuota ? 429 : response.status,
    type: response.headers.get('content-type') ?? 'application/json',
    bytes: meter.list?.putInto(bytes) ?? bytes,
  }
}

/** Every message that expects an answer gets the same error; the headers show the spent budget. */
function sendTooMany(reply: FastifyReply, body: unknown, decision: LimitDecision): FastifyReply {
  setRateHeaders(reply, decision)
  const { message, headers } = tooManyRequests(decision.retryAfter)
  const error = { code: TOO_MANY, message, data: { retryAfter: decision.retryAfter } }
  const answerTo = (id: unknown) => ({ jsonrpc: '2.0', id, error })
  const requests = problemOf(body) ? [] : messagesIn(body).filter(({ id, method }) => id !== undefined && method)
  const answers = requests.map(({ id }) => answerTo(id))
  const isBatch = Array.isArray(body) && answers.length > 0
  return reply
    .code(429)
    .headers(headers)
    .type(JSON_TYPE)
    .send(isBatch ? answers : (answers[0] ?? answerTo(null)))
}

const sendError = (reply: FastifyReply, { status, code, message, id }: ProtocolProblem): FastifyReply =>
  reply
    .code(status)
    .type(JSON_TYPE)
    .send({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })

const JSON_TYPE = 'application/json; charset=utf-8'
