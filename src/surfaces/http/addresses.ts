// The paths of the surfaces, relative to PUBLIC_URL.
import type { FastifyRequest } from 'fastify'

export const REST_BASE = '/api/v1'
export const ADMIN_BASE = '/api/admin'
export const MCP_PATH = '/mcp'
/** Sign-in for agents. */
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'
export const SERVER_METADATA = '/.well-known/oauth-authorization-server'
export const AUTHORIZE = '/oauth/authorize'
export const TOKEN = '/oauth/token'
export const REVOKE = '/oauth/revoke'
export const REGISTER = '/oauth/register'
/** The two tools that hosts for research expect. */
export const RESEARCH_PATH = '/mcp/research'
/** Where programs look for the MCP servers of a domain. */
export const SERVER_CATALOG = '/.well-known/mcp/catalog.json'
export const ALIVE = '/healthz'
export const READY = '/readyz'

export const isHealth = ({ routeOptions: { url } }: Pick<FastifyRequest, 'routeOptions'>): boolean =>
  url === ALIVE || url === READY
