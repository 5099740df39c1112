// Calls of the MCP tools, made from the schemas that tools/list returns.
import fc from 'fast-check'
import { NEWEST } from '../mcp.ts'
import { headerProblem, parsed } from './checks.ts'
import { problemsWith, type Schema } from './document.ts'
import type { Answer } from './fuzzer.ts'
import type { Request } from './requests.ts'
import { anything, isPlaceholder, nearlyValid, strangeText, validValue } from './values.ts'

export interface ToolDescription {
  name: string
  inputSchema: Schema
  outputSchema: Schema
}

interface ToolCall {
  input: unknown
  newest: boolean
  id: string | number
  who: string
}

export function toolCall(
  { inputSchema }: ToolDescription,
  who: { fitting: string[]; all: string[] },
): fc.Arbitrary<ToolCall> {
  return fc.record({
    input: fc.oneof(
      { weight: 5, arbitrary: validValue(inputSchema) },
      { weight: 3, arbitrary: nearlyValid(inputSchema) },
      {
        weight: 1,
        arbitrary: fc.dictionary(
          fc.oneof(fc.constantFrom('__proto__', 'limit', 'page', 'q', 'slug'), strangeText),
          anything,
        ),
      },
      { weight: 1, arbitrary: anything },
    ),
    newest: fc.boolean(),
    id: fc.oneof(fc.integer(), fc.string()),
    who: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...who.fitting) },
      { weight: 1, arbitrary: fc.constantFrom(...who.all) },
    ),
  })
}

export function toolRequest(
  { name }: ToolDescription,
  { input, newest, id, who }: ToolCall,
  keys: Readonly<Record<string, string | null>>,
  look: (name: string, number: number) => string,
): Request {
  const key = keys[who] ?? null
  const about = newest
    ? {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': NEWEST,
          'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      }
    : {}
  const given = JSON.parse(JSON.stringify(input ?? null), (_name, value) =>
    isPlaceholder(value) ? look(value.known, value.number) : value,
  )
  return {
    method: 'POST',
    path: '/mcp',
    headers: [
      ...['Content-Type', 'application/json', 'Accept', 'application/json, text/event-stream'],
      ...(newest ? ['MCP-Protocol-Version', NEWEST, 'Mcp-Method', 'tools/call', 'Mcp-Name', name] : []),
      ...(key === null ? [] : ['Authorization', `Bearer ${key}`]),
    ],
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given, ...about } }),
  }
}

const RATE = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].map((name) => ({
  name,
  isWhole: true,
}))

/** What is wrong with the answer to a call; null when nothing is. */
export function toolProblem({ outputSchema }: ToolDescription): (answer: Answer) => string | null {
  const problems = problemsWith(outputSchema)
  return (answer) => {
    const { status, text } = answer
    const body = parsed(text)
    const wrong = headerProblem({ headers: RATE, type: 'application/json' }, answer)
    if (wrong) return wrong
    if (status === 401) return isFailure(body) ? null : `401 without the envelope: ${text}`
    // Arguments that are not an object are refused with a JSON-RPC error.
    if (body?.error)
      return [200, 400].includes(status) && body.error.code === -32602 ? null : `${status}: ${text.slice(0, 300)}`
    if (status !== 200 || !body?.result) return `answered ${status}: ${text.slice(0, 300)}`
    const { content, structuredContent, isError } = body.result
    const textContent = parsed(content?.[0]?.text)
    if (isError) return isFailure(textContent) ? null : `a failure without the envelope: ${text.slice(0, 300)}`
    if (JSON.stringify(textContent) !== JSON.stringify(structuredContent)) return 'text and structuredContent differ'
    const found = problems(structuredContent)
    return found.length > 0 ? `against its schema: ${found.slice(0, 5).join('; ')}\n${text.slice(0, 500)}` : null
  }
}

const isFailure = ({ success, error, code, fields = [], ...more }: any = {}): boolean =>
  success === false &&
  [error, code].every((text) => typeof text === 'string' && text !== '') &&
  Array.isArray(fields) &&
  Object.keys(more).length === 0
