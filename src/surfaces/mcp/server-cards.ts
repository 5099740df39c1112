// Serves the list of MCP servers at a well-known address, and a card for each server (the Server Card extension of the protocol).
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { FastifyInstance } from 'fastify'
import { SERVER_CATALOG } from '../http/addresses.ts'
import { refuseOtherMethods } from '../http/answers.ts'
import { allowAnyOrigin } from '../http/cors.ts'
import { visitorGate } from '../http/gate.ts'
import {
  CARD_TYPE,
  cardPath,
  type Installation,
  identityOf,
  MCP_SERVERS,
  type McpServer,
  serverCatalog,
} from '../http/mcp-servers.ts'
import { perRevision } from '../http/per-revision.ts'
import type { Service } from '../http/service.ts'

const NEWEST_REVISION = '2026-07-28'
const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'
const CARD_SECONDS = 3600

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

export function addServerCards(server: FastifyInstance, service: Service): void {
  const installation = (): Installation => ({ ...pick(service), names: service.site.fields() })
  const documents = [
    { path: SERVER_CATALOG, type: 'application/json', make: () => serverCatalog(installation()) },
    ...MCP_SERVERS.map((one) => ({
      path: cardPath(one),
      type: CARD_TYPE,
      make: () => serverCard(installation(), one),
    })),
  ]
  for (const { path, type, make } of documents) {
    const bytes = perRevision(service.site, () => Buffer.from(JSON.stringify(make())))
    server.get(path, { onRequest: [allowAnyOrigin, visitorGate(service)] }, (_request, reply) =>
      reply.header('cache-control', `public, max-age=${CARD_SECONDS}`).type(`${type}; charset=utf-8`).send(bytes()),
    )
    refuseOtherMethods(server, service, path, { forPages: true })
  }
}

const pick = ({ publicUrl, version, agentsSignIn }: Service) => ({ publicUrl, version, agentsSignIn })
