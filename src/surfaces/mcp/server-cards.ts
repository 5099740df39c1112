// Serves what programs look for at well-known addresses: the MCP servers, a card for each of them (the Server Card extension of the
// protocol), the APIs and the skills.
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { FastifyInstance } from 'fastify'
import { prepare } from '../../kernel/output.ts'
import { AI_CATALOG, API_CATALOG, SERVER_CATALOG } from '../http/addresses.ts'
import { refuseOtherMethods } from '../http/answers/answers.ts'
import { matchesEtag } from '../http/answers/compression.ts'
import { allowAnyOrigin } from '../http/answers/cors.ts'
import { visitorGate } from '../http/gate.ts'
import {
  aiCatalog,
  apiCatalog,
  CARD_TYPE,
  cardPath,
  type Installation,
  identityOf,
  MCP_SERVERS,
  type McpServer,
  serverCatalog,
} from '../http/mcp-servers.ts'
import { perRevision, type Service } from '../http/service.ts'
import { SKILL_INDEX, SKILL_PATH, skillIndex, skillText } from '../http/skill.ts'

const NEWEST_REVISION = '2026-07-28'
const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'
const CARD_SECONDS = 3600
const LINKSET_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

function serverCard(installation: Installation, server: McpServer) {
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
  const { publicUrl } = service
  const documents: { path: string; type: string; make(): object | string }[] = [
    { path: AI_CATALOG, type: 'application/ai-catalog+json', make: () => aiCatalog(installation()) },
    { path: SERVER_CATALOG, type: 'application/json', make: () => serverCatalog(installation()) },
    { path: API_CATALOG, type: LINKSET_TYPE, make: () => apiCatalog(publicUrl) },
    { path: SKILL_INDEX, type: 'application/json', make: () => skillIndex(publicUrl) },
    { path: SKILL_PATH, type: 'text/markdown', make: () => skillText(publicUrl) },
    ...MCP_SERVERS.map((one) => ({
      path: cardPath(one),
      type: CARD_TYPE,
      make: () => serverCard(installation(), one),
    })),
  ]
  for (const { path, type, make } of documents) {
    const document = perRevision(service.site, () => prepare(bytesOf(make())))
    server.get(path, { onRequest: [allowAnyOrigin, visitorGate(service)] }, (request, reply) => {
      const { json: bytes, etag } = document()
      const caching = { 'cache-control': `public, max-age=${CARD_SECONDS}`, etag }
      reply.headers({ ...caching, link: `<${API_CATALOG}>; rel="api-catalog"` })
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return reply.type(`${type}; charset=utf-8`).send(bytes)
    })
    refuseOtherMethods(server, service, path, { forPages: true })
  }
}

const bytesOf = (document: object | string): Buffer =>
  Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))

const pick = ({ publicUrl, version, agentsSignIn }: Service) => ({ publicUrl, version, agentsSignIn })
