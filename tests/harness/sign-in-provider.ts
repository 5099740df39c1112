// The OAuth provider that a program gives to the official MCP clients: everything is kept in memory, and the page that the user is to
// open is only noted.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

interface SignInProvider {
  redirectUrl: string
  clientMetadataUrl?: string
  clientMetadata: Record<string, unknown>
  /** What the client stored. */
  stored: { client?: any; tokens?: any; verifier?: string; discovery?: any }
  /** The pages that the user was to open. */
  opened: URL[]
}

export function createProvider(redirectUrl: string, clientMetadataUrl?: string) {
  const stored: SignInProvider['stored'] = {}
  const opened: URL[] = []
  return {
    stored,
    opened,
    redirectUrl,
    ...(clientMetadataUrl ? { clientMetadataUrl } : {}),
    clientMetadata: {
      client_name: 'Official Client',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
    },
    state: () => 'state-of-the-client',
    clientInformation: () => stored.client,
    saveClientInformation: (client: unknown) => void (stored.client = client),
    tokens: () => stored.tokens,
    saveTokens: (tokens: unknown) => void (stored.tokens = tokens),
    saveCodeVerifier: (verifier: string) => void (stored.verifier = verifier),
    codeVerifier: () => stored.verifier ?? '',
    discoveryState: () => stored.discovery,
    saveDiscoveryState: (state: unknown) => void (stored.discovery = state),
    invalidateCredentials: (scope: string) => {
      if (scope === 'all' || scope === 'client') stored.client = undefined
      if (scope === 'all' || scope === 'tokens') stored.tokens = undefined
    },
    redirectToAuthorization: (url: URL) => void opened.push(url),
  }
}

export type Provider = ReturnType<typeof createProvider>

export interface OfficialClient {
  name: string
  /** Whether it knows programs by the address of a document. */
  knowsDocuments: boolean
  /** Connects, as a program does at each start. */
  connect(url: string, provider: Provider): Promise<{ call(tool: string): Promise<any>; close(): Promise<void> }>
  /** Hands the address over that the browser came back to. */
  finish(url: string, provider: Provider, returned: URL): Promise<void>
}

const ME = { name: 'sign-in-test', version: '1.0.0' }

export const OFFICIAL_CLIENTS: OfficialClient[] = [
  {
    name: '@modelcontextprotocol/client 2',
    knowsDocuments: true,
    async connect(url, provider) {
      const client = new Client(ME, { versionNegotiation: { mode: 'auto' } })
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider: provider as never }))
      return { call: (name) => client.callTool({ name, arguments: {} }), close: () => client.close() }
    },
    finish: (url, provider, returned) =>
      new StreamableHTTPClientTransport(new URL(url), { authProvider: provider as never }).finishAuth(
        returned.searchParams,
      ),
  },
  {
    name: '@modelcontextprotocol/sdk 1',
    knowsDocuments: true,
    async connect(url, provider) {
      const client = new EarlierClient(ME)
      const transport = new EarlierTransport(new URL(url), { authProvider: provider as never })
      await client.connect(transport as Transport)
      return { call: (name) => client.callTool({ name, arguments: {} }), close: () => client.close() }
    },
    finish: (url, provider, returned) =>
      new EarlierTransport(new URL(url), { authProvider: provider as never }).finishAuth(
        returned.searchParams.get('code')!,
      ),
  },
]
