// The name and description of the service in discovery, the OpenAPI document, MCP and on pages.
export const NAME = 'Catalog Service'
export const DESCRIPTION = 'A catalog of AI tools and of startup and SaaS submission directories, over REST and MCP.'
