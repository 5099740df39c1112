// Web pages of any origin that have a key may call catalog reads and MCP; no web page may call partner and operator endpoints.
import type { FastifyReply, FastifyRequest } from 'fastify'

const EXPOSED =
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit-Policy, RateLimit, Retry-After, ETag, WWW-Authenticate, X-Request-Id, X-Catalog-Match, X-Catalog-Understood, X-Catalog-Missing, X-Catalog-Ranking, Deprecation, Sunset, Link'
const ACCEPTED =
  'Authorization, X-API-Key, Content-Type, Accept, If-None-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID'

export function allowAnyOrigin(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('access-control-allow-origin', '*')
  reply.header('access-control-expose-headers', EXPOSED)
  done()
}

export const preflight = (methods: string) => (_request: FastifyRequest, reply: FastifyReply) =>
  reply
    .code(204)
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', ACCEPTED)
    .header('access-control-max-age', '86400')
    .send()
