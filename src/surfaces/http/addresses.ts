// Where the surfaces are, relative to PUBLIC_URL.
export const REST_BASE = '/api/v1'
export const ADMIN_BASE = '/api/admin'
export const MCP_PATH = '/mcp'
