// Snippets to copy. Each is complete and runs once the user puts in a key.
import { PRICING } from '../../../features/catalog/schema.ts'
import { MCP_PATH, REST_BASE } from '../../http/addresses.ts'

const KEY = 'aid_YOUR_KEY'

export const curlSnippet = (publicUrl: string, key = KEY): string =>
  `curl -H "Authorization: Bearer ${key}" \\
  "${publicUrl}${REST_BASE}/tools?q=meeting+notes&pricing=FREE"`

export const typescriptSnippet = (publicUrl: string, key = KEY): string =>
  `const base = '${publicUrl}${REST_BASE}'
const headers = { authorization: 'Bearer ${key}' }

interface Tool {
  slug: string
  name: string
  tagline: string
  website: string
  pricing: ${PRICING.map((value) => `'${value}'`).join(' | ')}
}

export async function searchTools(q: string): Promise<Tool[]> {
  const url = \`\${base}/tools?\${new URLSearchParams({ q, limit: '10' })}\`
  const response = await fetch(url, { headers })
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after'))
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    return searchTools(q)
  }
  const { success, data, error } = await response.json()
  if (!success) throw new Error(error)
  return data
}`

export const mcpSnippet = (publicUrl: string, key = KEY): string =>
  JSON.stringify(
    {
      mcpServers: { catalog: { type: 'http', url: publicUrl + MCP_PATH, headers: { Authorization: `Bearer ${key}` } } },
    },
    null,
    2,
  )
