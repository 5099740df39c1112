// POST {mcp_url}: one address for every revision of the protocol, without sessions, answering JSON. The newest revision and the
// ones before it are served by the same tools through the two handlers of the protocol library.
import { isUtf8 } from 'node:buffer'
import {
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure, tooManyRequests } from '../../kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import { MCP_PATH } from '../http/addresses.ts'
import { identifyKey } from '../http/callers.ts'
import { allowAnyOrigin } from '../http/cors.ts'
import { freeStrayGate, identified, setRateHeaders, showBudget } from '../http/gate.ts'
import type { Service } from '../http/service.ts'
import { refuseOtherMethods } from '../rest/routes.ts'
import { createToolServers, type Meter } from './tool-server.ts'

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602
const INTERNAL = -32603

export function addMcp(server: FastifyInstance, service: Service, operations: readonly Operation[]): void {
  const toolServer = createToolServers(service, operations)
  const onerror = (error: Error) => service.log.warn({ err: error }, 'MCP request failed')
  const modern = createMcpHandler((ctx) => toolServer(ctx.authInfo?.extra?.meter as Meter), {
    legacy: 'reject',
    onerror,
  })

  const answer = async (request: Request, body: unknown, meter: Meter): Promise<Response> => {
    if (!(await isLegacyRequest(request, body)))
      return modern.fetch(request, {
        parsedBody: body,
        authInfo: { token: '', clientId: meter.caller.id, scopes: [], extra: { meter } },
      })
    const instance = toolServer(meter)
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
    scope.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, bytes, done) =>
      done(null, isUtf8(bytes) ? bytes.toString() : ''),
    )
    scope.post(MCP_PATH, {
      onRequest: [
        allowAnyOrigin,
        async (request, reply) => {
          await showBudget(service, reply, await identified(service, request, reply, identifyKey), 'mcp')
        },
      ],
      handler: async (request, reply) => {
        const given = parse(request.body as string)
        if (given === undefined) return sendError(reply, 400, PARSE_ERROR, 'The body is not valid JSON.')
        if (!isJsonRpc(given)) return sendError(reply, 400, INVALID_REQUEST, 'The body is not a JSON-RPC 2.0 request.')
        const body = withoutCancels(given)
        if (body === null) return reply.code(202).send()
        const wrong = [body].flat().find(isWrongInitialize)
        if (wrong)
          return sendError(
            reply,
            200,
            INVALID_PARAMS,
            'initialize needs protocolVersion, capabilities and clientInfo.',
            wrong.id,
          )
        if (subscribes(body))
          return sendError(reply, 200, METHOD_NOT_FOUND, 'There is nothing to subscribe to here.', body.id)
        const meter: Meter = { caller: request.caller!, served: 0, refused: null, last: null }
        try {
          return await relay(reply, await inTime(answer(webRequest(service, request), body, meter)), meter)
        } catch (error) {
          if (error instanceof Failure) throw error
          service.log.error({ err: error }, 'MCP request failed')
          return sendError(reply, 500, INTERNAL, 'Something went wrong on our side. Try again shortly.')
        }
      },
    })
  })
  refuseOtherMethods(server, service, MCP_PATH, ['POST'], true, freeStrayGate(service, 'mcp'))
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

// A batch larger than any client's is an attempt to make one request cost as much as many.
const MAX_BATCH = 50
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

/**
 * Nothing outlives its request here, so there is nothing to cancel; and the library never answers what the same batch cancels.
 * null: nothing else was sent.
 */
function withoutCancels(body: unknown): unknown {
  if (!Array.isArray(body)) return body
  const rest = body.filter((message) => message?.method !== 'notifications/cancelled')
  return rest.length === 0 && body.length > 0 ? null : rest
}

function isJsonRpc(body: unknown): boolean {
  if (Array.isArray(body))
    return body.length > 0 && body.length <= MAX_BATCH && body.every((item) => !Array.isArray(item) && isJsonRpc(item))
  if (typeof body !== 'object' || body === null) return false
  const { jsonrpc, method, id, params } = body as Record<string, unknown>
  const isId = id === undefined || typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id))
  const isCall = typeof method === 'string' && (params === undefined || (typeof params === 'object' && params !== null))
  const isAnswer = method === undefined && id !== undefined && ('result' in body || 'error' in body)
  return jsonrpc === '2.0' && isId && (isCall || isAnswer)
}

// The library would hold the answer open as a stream of changes; the list of tools never changes while we run.
const subscribes = (body: unknown): body is { id: unknown } =>
  (body as { method?: unknown }).method === 'subscriptions/listen'

// The protocol library answers these as an internal fault, with its inner detail.
function isWrongInitialize(body: unknown): body is { id?: string | number } {
  const { method, params } = body as { method?: unknown; params?: Record<string, unknown> }
  // The newest revision has no initialize; it says which revision it is in every request, and is answered by the library.
  const isNewest = PROTOCOL_VERSION_META_KEY in Object(params?._meta)
  if (method !== 'initialize' || isNewest) return false
  const isObject = (value: unknown) => typeof value === 'object' && value !== null
  const client = params?.clientInfo as Record<string, unknown> | undefined
  return !(
    typeof params?.protocolVersion === 'string' &&
    isObject(params.capabilities) &&
    typeof client?.name === 'string' &&
    typeof client.version === 'string'
  )
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
async function relay(reply: FastifyReply, response: Response, meter: Meter): Promise<FastifyReply> {
  setRateHeaders(reply, meter.last)
  const overQuota = meter.refused !== null && meter.served === 0
  if (overQuota) reply.headers(tooManyRequests(meter.refused!.retryAfter).headers)
  // As bytes: as text it would be decoded only to be encoded again.
  const body = Buffer.from(await response.arrayBuffer())
  if (body.length > 0) reply.header('content-type', response.headers.get('content-type') ?? 'application/json')
  return reply.code(overQuota ? 429 : response.status).send(body.length > 0 ? body : undefined)
}

const sendError = (
  reply: FastifyReply,
  status: number,
  code: number,
  message: string,
  id: unknown = null,
): FastifyReply =>
  reply.code(status).type('application/json; charset=utf-8').send({ jsonrpc: '2.0', id, error: { code, message } })
