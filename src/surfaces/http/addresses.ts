// The paths of the surfaces, relative to PUBLIC_URL.
import type { FastifyRequest } from 'fastify'
import { RESOURCE_PATHS } from '../../features/oauth/rules.ts'

export const REST_BASE = '/api/v1'
/** The REST API as a file for Postman. */
export const POSTMAN_COLLECTION = '/docs/catalog.postman_collection.json'
export const ADMIN_BASE = '/api/admin'
/** Sign-in for agents. */
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'
/** Where the metadata of an MCP address is (RFC 9728, 3.1). */
export const metadataPathOf = (mcpPath: string): string => `${RESOURCE_METADATA}${mcpPath}`
export const SERVER_METADATA = '/.well-known/oauth-authorization-server'
export const AUTHORIZE = '/oauth/authorize'
export const TOKEN = '/oauth/token'
export const REVOKE = '/oauth/revoke'
export const REGISTER = '/oauth/register'
/** The MCP server with all tools, the one with the two tools that hosts for research expect, and the one for agents of administrators. */
export const [MCP_PATH, RESEARCH_PATH, OPERATOR_PATH] = RESOURCE_PATHS
/** Where programs look for what a domain offers them: its MCP servers (the second address is the older one), APIs and skills. */
export const AI_CATALOG = '/.well-known/ai-catalog.json'
export const SERVER_CATALOG = '/.well-known/mcp/catalog.json'
export const API_CATALOG = '/.well-known/api-catalog'
export const AGENT_SKILLS = '/.well-known/agent-skills'
export const ALIVE = '/healthz'
export const READY = '/readyz'

export const isHealth = ({ routeOptions: { url } }: Pick<FastifyRequest, 'routeOptions'>): boolean =>
  url === ALIVE || url === READY
