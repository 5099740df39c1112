// How programs find the MCP addresses before they connect: a list of servers in a place that they know, a card for each server
// (the Server Card extension of the protocol), and `server.json` for the official registry, which operators publish themselves.
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { FastifyInstance } from 'fastify'
import { MCP_PATH, RESEARCH_PATH, SERVER_CATALOG } from '../http/addresses.ts'
import { refuseOtherMethods } from '../http/answers.ts'
import { allowAnyOrigin } from '../http/cors.ts'
import { visitorGate } from '../http/gate.ts'
import { DESCRIPTION, NAME } from '../http/identity.ts'
import type { Service } from '../http/service.ts'

const NEWEST_REVISION = '2026-07-28'
const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'
const REGISTRY_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'
const CARD_TYPE = 'application/mcp-server-card+json'
const CARD_SECONDS = 3600

/** The MCP servers of an installation. The name is unique on its domain. */
export const MCP_SERVERS = [
  { path: MCP_PATH, name: 'catalog', title: NAME, description: DESCRIPTION },
  {
    path: RESEARCH_PATH,
    name: 'catalog-research',
    title: `${NAME}: search and fetch`,
    description: 'Search and fetch for research hosts, over a catalog of AI tools and submission directories.',
  },
] as const

type McpServer = (typeof MCP_SERVERS)[number]

export const cardPath = ({ path }: { path: string }): string => `${path}/server-card`

/** The domain in reverse order, which is the namespace of an owner of that domain: catalog.example.com → com.example.catalog. */
const namespaceOf = (publicUrl: string): string =>
  new URL(publicUrl).hostname
    .split('.')
    .reverse()
    .join('.')
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^-|-$/g, '')

interface Installation {
  publicUrl: string
  version: string
}

function identityOf({ publicUrl, version }: Installation, { path, name, title, description }: McpServer) {
  return {
    name: `${namespaceOf(publicUrl)}/${name}`,
    title,
    description,
    version,
    websiteUrl: `${publicUrl}/developers`,
    remotes: [{ type: 'streamable-http', url: `${publicUrl}${path}`, headers: [KEY_HEADER] }],
  }
}

// A client asks its user for the key and sends it as a secret.
const KEY_HEADER = {
  name: 'Authorization',
  description: 'An API key of the catalog as a Bearer token. The page /developers says how to get one.',
  value: 'Bearer {api_key}',
  isRequired: true,
  isSecret: true,
  variables: { api_key: { description: 'The API key.', isRequired: true, isSecret: true, placeholder: 'aid_…' } },
}

export function serverCard(installation: Installation, server: McpServer) {
  const { remotes, ...identity } = identityOf(installation, server)
  const supportedProtocolVersions = [NEWEST_REVISION, ...SUPPORTED_PROTOCOL_VERSIONS].filter(
    (revision, i, all) => all.indexOf(revision) === i,
  )
  return {
    $schema: CARD_SCHEMA,
    ...identity,
    remotes: remotes.map((remote) => ({ ...remote, supportedProtocolVersions })),
  }
}

/** The file that the official registry takes (`catalog server-json`). */
export const registryFile = (installation: Installation, server: McpServer = MCP_SERVERS[0]) => ({
  $schema: REGISTRY_SCHEMA,
  ...identityOf(installation, server),
})

export const serverCatalog = ({ publicUrl }: Pick<Installation, 'publicUrl'>) => ({
  specVersion: 'draft',
  entries: MCP_SERVERS.map((server) => ({
    identifier: `urn:air:${new URL(publicUrl).hostname}:${server.name}`,
    displayName: server.title,
    type: CARD_TYPE,
    url: `${publicUrl}${cardPath(server)}`,
  })),
})

export function addServerCards(server: FastifyInstance, service: Service): void {
  const documents = [
    { path: SERVER_CATALOG, type: 'application/json', document: serverCatalog(service) },
    ...MCP_SERVERS.map((one) => ({ path: cardPath(one), type: CARD_TYPE, document: serverCard(service, one) })),
  ]
  for (const { path, type, document } of documents) {
    const bytes = Buffer.from(JSON.stringify(document))
    server.get(path, { onRequest: [allowAnyOrigin, visitorGate(service)] }, (_request, reply) =>
      reply.header('cache-control', `public, max-age=${CARD_SECONDS}`).type(`${type}; charset=utf-8`).send(bytes),
    )
    refuseOtherMethods(server, service, path, ['GET', 'HEAD'], true)
  }
}
