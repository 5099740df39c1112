// The text that is printed once, at the very first start, and the invitation for the first administrator.
import { LINK_HOURS } from '../features/accounts/rules.ts'
import { hoursText } from '../kernel/values/text.ts'
import { MCP_PATH, REST_BASE } from '../surfaces/http/addresses.ts'
import type { DemoKeys } from './seed.ts'

/** `adminLink` null: an administrator exists already. */
export function welcome(
  origin: string,
  keys: DemoKeys,
  adminTokenFile: string | null,
  adminLink: string | null,
): string {
  const rows: [string, string][] = [
    ['REST', `${origin}${REST_BASE}`],
    ['MCP', `${origin}${MCP_PATH}`],
    ['Site', `${origin}/`],
    ['', ''],
    ['Standard key', keys.standard],
    ['Premium key', keys.premium],
    ['Partner key', keys.partner],
    ['Operator token', adminTokenFile ? `in ${adminTokenFile}` : 'the value of ADMIN_TOKEN'],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const client = {
    mcpServers: {
      catalog: { type: 'http', url: `${origin}${MCP_PATH}`, headers: { Authorization: `Bearer ${keys.premium}` } },
    },
  }
  return `
Catalog Service is running with the demo catalog. The keys are shown this once; keep them.

${rows.map(([name, value]) => (name ? `  ${name.padEnd(width)}  ${value}` : '')).join('\n')}

Try it:

  curl -H 'Authorization: Bearer ${keys.premium}' '${origin}${REST_BASE}/tools?q=meeting+notes&limit=3'

Paste into an MCP client:

${indent(JSON.stringify(client, null, 2))}
${adminLink ? invitation(adminLink) : '\n'}`
}

export const invitation = (adminLink: string): string => `
There is no administrator yet. Open this link to become one; it works once, for ${hoursText(LINK_HOURS)}:

  ${adminLink}

`

const indent = (text: string) => text.replace(/^/gm, '  ')
