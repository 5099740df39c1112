// What programs read about an installation before they connect: the list of MCP servers, the card of each server, the list of APIs, and
// `server.json`, which operators publish in the official MCP registry.
import type { SiteFields } from '../../features/site/schema.ts'
import { MCP_PATH, READY, RESEARCH_PATH, REST_BASE } from './addresses.ts'
import { DESCRIPTION, NAME } from './software.ts'

const REGISTRY_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'
export const CARD_TYPE = 'application/mcp-server-card+json'

type SiteNames = Pick<SiteFields, 'name' | 'description'>
const DEFAULT_NAMES: SiteNames = { name: NAME, description: DESCRIPTION }

/** One entry for each MCP address. `name` is unique within the domain; `queries` are questions by which registries find it. */
export const MCP_SERVERS = [
  {
    path: MCP_PATH,
    name: 'catalog',
    titleOf: ({ name }: SiteNames) => name,
    descriptionOf: ({ description }: SiteNames) => description,
    queries: [
      'Which AI tools write meeting notes for free?',
      'Which AI tools are alternatives to the one that I use?',
      'Where can I submit my startup or SaaS product?',
    ],
  },
  {
    path: RESEARCH_PATH,
    name: 'catalog-research',
    titleOf: ({ name }: SiteNames) => `${name}: search and fetch`,
    descriptionOf: () => 'Search and fetch for research hosts, over a catalog of AI tools and submission directories.',
    queries: ['Find and read about AI tools for research.', 'Find and read about directories for a product launch.'],
  },
] as const

export type McpServer = (typeof MCP_SERVERS)[number]

export const cardPath = ({ path }: { path: string }): string => `${path}/server-card`

/** The registry's namespace for the owner of a domain is the domain in reverse order: catalog.example.com → com.example.catalog. */
const namespaceOf = (publicUrl: string): string =>
  new URL(publicUrl).hostname
    .split('.')
    .reverse()
    .join('.')
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^-|-$/g, '')

export interface Installation {
  publicUrl: string
  version: string
  /** Whether a program may sign in instead of sending a key. */
  agentsSignIn: boolean
  /** The name of the site as programs see it; the default when omitted. */
  names?: SiteNames
}

/** What the card of a server and its registry file both contain. */
export function identityOf(
  { publicUrl, version, agentsSignIn, names = DEFAULT_NAMES }: Installation,
  { path, name, titleOf, descriptionOf }: McpServer,
) {
  return {
    name: `${namespaceOf(publicUrl)}/${name}`,
    title: titleOf(names),
    description: descriptionOf(names),
    version,
    websiteUrl: `${publicUrl}/developers`,
    remotes: [
      { type: 'streamable-http', url: `${publicUrl}${path}`, headers: [{ ...KEY_HEADER, isRequired: !agentsSignIn }] },
    ],
  }
}

// Tells clients to ask their user for the key and to treat it as a secret.
const KEY_HEADER = {
  name: 'Authorization',
  description: 'An API key of the catalog as a Bearer token. The page /developers says how to get one.',
  value: 'Bearer {api_key}',
  isSecret: true,
  variables: { api_key: { description: 'The API key.', isRequired: true, isSecret: true, placeholder: 'aid_…' } },
}

/** The file `server.json` for the official MCP registry; the command `catalog server-json` writes it. */
export const registryFile = (installation: Installation, server: McpServer = MCP_SERVERS[0]) => ({
  $schema: REGISTRY_SCHEMA,
  ...identityOf(installation, server),
})

/** The list of MCP servers with the address of the card of each, in the older form, which knows only MCP servers. */
export const serverCatalog = ({ publicUrl, names = DEFAULT_NAMES }: Pick<Installation, 'publicUrl' | 'names'>) => ({
  specVersion: 'draft',
  entries: MCP_SERVERS.map((server) => ({
    identifier: `urn:air:${new URL(publicUrl).hostname}:${server.name}`,
    displayName: server.titleOf(names),
    type: CARD_TYPE,
    url: `${publicUrl}${cardPath(server)}`,
    representativeQueries: server.queries,
  })),
})

/** The same entries as an AI catalog, which also says who offers them. */
export const aiCatalog = (installation: Pick<Installation, 'publicUrl' | 'names'>) => ({
  ...serverCatalog(installation),
  specVersion: '1.0',
  host: {
    displayName: (installation.names ?? DEFAULT_NAMES).name,
    documentationUrl: `${installation.publicUrl}/developers`,
  },
})

/** The APIs of this host with their descriptions and documentation, as a set of links (RFC 9727, RFC 9264). */
export const apiCatalog = (publicUrl: string) => ({
  linkset: [
    {
      anchor: `${publicUrl}${REST_BASE}`,
      'service-desc': [{ href: `${publicUrl}${REST_BASE}/openapi.json`, type: 'application/json' }],
      'service-doc': [{ href: `${publicUrl}/docs`, type: 'text/html' }],
      status: [{ href: `${publicUrl}${READY}` }],
    },
    ...MCP_SERVERS.map((server) => ({
      anchor: `${publicUrl}${server.path}`,
      'service-desc': [{ href: `${publicUrl}${cardPath(server)}`, type: CARD_TYPE }],
      'service-doc': [{ href: `${publicUrl}/developers`, type: 'text/html' }],
    })),
  ],
})
