// Reads the body of an MCP request before the protocol library does: which messages it has, what they cost, and what is wrong with them.
const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL = -32603

export interface McpMessage {
  id?: string | number
  method?: string
  params?: Record<string, unknown>
}

export interface ProtocolProblem {
  status: number
  code: number
  message: string
  id?: string | number
}

/** The most messages in one request. No client sends larger batches, except to make one request cost as much as many. */
const MOST_MESSAGES = 10
/** The list of tools is by far the longest answer that is free. */
const MOST_LISTS = 1

/** The items of a batch, or the only one. Only `problemOf` says whether they are messages. */
export const messagesIn = (body: unknown): McpMessage[] => (Array.isArray(body) ? body : [body as McpMessage])

/** Returns the parsed body, or undefined if it is not JSON. */
export function parse(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text)
    for (const message of messagesIn(body)) replaceNullArguments(message)
    return body
  } catch {
    return undefined
  }
}

/** Some clients send `arguments: null` for a call without arguments, which the protocol library refuses. */
function replaceNullArguments(message: unknown): void {
  const { method, params } = Object(message) as McpMessage
  if (method === 'tools/call' && params?.arguments === null) params.arguments = {}
}

/** Why a body is refused as a whole, or null. */
export function problemOf(body: unknown): ProtocolProblem | null {
  if (body === undefined) return { status: 400, code: PARSE_ERROR, message: 'The body is not valid JSON.' }
  const invalid = (message: string): ProtocolProblem => ({ status: 400, code: INVALID_REQUEST, message })
  if (Array.isArray(body) && body.length > MOST_MESSAGES)
    return invalid(`A batch holds at most ${MOST_MESSAGES} messages. Send the others in another.`)
  const messages = messagesIn(body)
  if (messages.length === 0 || !messages.every(isMessage)) return invalid('The body is not a JSON-RPC 2.0 request.')
  if (messages.filter(({ method }) => method === 'tools/list').length > MOST_LISTS)
    return invalid('A batch holds at most one tools/list. The list is the same every time.')
  return messages.map(refused).find((problem) => problem !== null) ?? null
}

function isMessage(item: unknown): item is McpMessage {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  const { jsonrpc, method, id, params } = item as Record<string, unknown>
  const isId = id === undefined || typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id))
  const asks = typeof method === 'string' && (params === undefined || (typeof params === 'object' && params !== null))
  const isAnswer = method === undefined && id !== undefined && ('result' in item || 'error' in item)
  return jsonrpc === '2.0' && isId && (asks || isAnswer)
}

/** Why a message is refused here, because the protocol library would never finish its answer; null for all other messages. */
function refused(message: McpMessage): ProtocolProblem | null {
  // The library would keep the answer open as a stream of changes, but the list of tools never changes while the service runs.
  if (message.method === 'subscriptions/listen')
    return { status: 200, code: METHOD_NOT_FOUND, message: 'There is nothing to subscribe to here.', id: message.id }
  return null
}

const NEEDS: Readonly<Record<string, string>> = {
  initialize:
    'initialize needs protocolVersion, capabilities and clientInfo, each in the form that the protocol gives them.',
  'tools/call': 'tools/call needs the name of a tool as text, and its arguments, if it has any, as an object.',
  'tools/list': 'tools/list takes no parameters, or a cursor as text.',
}

// Quotes inside texts are escaped, so the text of a listing in an answer never contains these bytes.
const LIBRARY_ERROR = '"error":{"code":-3260'

/**
 * The library's answer without the texts that its validator writes about wrong parameters: they show details of its code, and some of them
 * say that the fault is ours.
 */
export function withoutLibraryDetails(answer: Buffer, messages: readonly McpMessage[]): Buffer {
  if (!answer.includes(LIBRARY_ERROR)) return answer
  const parsed = JSON.parse(answer.toString())
  for (const { id, error } of [parsed].flat()) {
    // Only the validator writes several lines.
    if (!error?.message.includes('\n')) continue
    const method = messages.find((message) => message.id === id)?.method ?? ''
    error.code = INVALID_PARAMS
    error.message = NEEDS[method] ?? `The parameters of ${method} do not have the form that the protocol gives them.`
  }
  return Buffer.from(JSON.stringify(parsed))
}

/** Whether a message is charged as a tool call. A call without a tool's name is not, because the library refuses it first. */
export const isCall = ({ method, params }: McpMessage): boolean =>
  method === 'tools/call' && typeof params?.name === 'string'

/** Cancellations are ignored: every call ends with its request, and the library never answers a call that the same batch cancels. */
export const isCancel = ({ method }: McpMessage): boolean => method === 'notifications/cancelled'
