// The official MCP clients behind one interface: the one that most programs use today, and its successor, which supports old servers, new
// servers, or detects the kind.
import { Client, SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import {
  StreamableHTTPClientTransport as EarlierTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

export interface Exchange {
  method: string
  path: string
  status: number
}

export interface Connection {
  version: string | undefined
  tools(): Promise<any[]>
  call(tool: string, input: Record<string, unknown>): Promise<any>
  close(): Promise<void>
}

export interface SdkClient {
  name: string
  /** The negotiated revision. */
  version: string
  /** Connects with the key in a header; with `signIn` the client may also look for an OAuth server, as desktop programs do. */
  connect(url: string, key: string, exchanges?: Exchange[], signIn?: unknown): Promise<Connection>
}

const ME = { name: 'interop-test', version: '1.0.0' }

/** A fetch that records each request and the status of its answer. */
const recording = (exchanges: Exchange[]) => async (url: string | URL, init?: RequestInit) => {
  const response = await fetch(url, init)
  exchanges.push({ method: init?.method ?? 'GET', path: new URL(url).pathname, status: response.status })
  return response
}

const earlier: SdkClient = {
  name: '@modelcontextprotocol/sdk 1',
  version: '2025-11-25',
  async connect(url, key, exchanges = [], signIn) {
    const client = new EarlierClient(ME)
    const transport = new EarlierTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
      fetch: recording(exchanges),
      authProvider: signIn as never,
    })
    await client.connect(transport as Transport)
    return {
      version: transport.protocolVersion,
      tools: async () => (await client.listTools()).tools,
      call: (name, input) => client.callTool({ name, arguments: input }),
      close: () => client.close(),
    }
  },
}

const successor = (mode: 'legacy' | 'auto' | { pin: string }, name: string, version: string): SdkClient => ({
  name: `@modelcontextprotocol/client 2, ${name}`,
  version,
  async connect(url, key, exchanges = [], signIn) {
    const client = new Client(ME, { versionNegotiation: { mode } })
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
      fetch: recording(exchanges),
      authProvider: signIn as never,
    })
    await client.connect(transport)
    return {
      version: client.getNegotiatedProtocolVersion(),
      tools: async () => (await client.listTools()).tools,
      call: (tool, input) => client.callTool({ name: tool, arguments: input }),
      close: () => client.close(),
    }
  },
})

export const CLIENTS: SdkClient[] = [
  earlier,
  successor('legacy', 'legacy', '2025-11-25'),
  successor('auto', 'auto', '2026-07-28'),
  successor({ pin: '2026-07-28' }, 'modern', '2026-07-28'),
]

/** The HTTP status that a client reports in its error, in whatever form. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof StreamableHTTPError) return error.code
  if (error instanceof SdkHttpError) return error.status
  return (error as { code?: number }).code
}
