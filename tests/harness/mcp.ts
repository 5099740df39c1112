// JSON-RPC messages written by hand, for what a correct client would not send.
import type { Reply, TestService } from './service.ts'

export const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
export const NEWEST = '2026-07-28'

export const rpc = (
  service: Pick<TestService, 'fetch'>,
  key: string | null,
  body: unknown,
  headers: Record<string, string> = {},
  type = 'application/json',
): Promise<Reply> => service.fetch('/mcp', { method: 'POST', key, body, headers, type })

let id = 0
export const message = (method: string, params?: object) => ({ jsonrpc: '2.0', id: ++id, method, params })
export const call = (name: string, input: object = {}) => message('tools/call', { name, arguments: input })

const about = (capabilities: object) => ({
  'io.modelcontextprotocol/protocolVersion': NEWEST,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
})

/** The longest name and description that PUT /site takes. */
export const LONGEST_NAMES = { name: '𝒩'.repeat(60), description: '𝒩'.repeat(300) }

/** A request of the newest protocol revision, which describes the client in every message. */
export const modern = (
  service: Pick<TestService, 'fetch'>,
  key: string | null,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
  capabilities: object = {},
  path = '/mcp',
): Promise<Reply> =>
  service.fetch(path, {
    method: 'POST',
    key,
    body: message(method, { ...params, _meta: about(capabilities) }),
    headers: {
      'mcp-protocol-version': NEWEST,
      'mcp-method': method,
      ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
      ...headers,
    },
    type: 'application/json',
  })
