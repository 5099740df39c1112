// Snippets of code to copy. Each is complete and runs once the user puts in a key.
import { MCP_PATH, REST_BASE } from '../../../http/addresses.ts'
import { CLIENT_PACKAGE } from '../../client-package.ts'
import { codeBlock, codeTabs } from '../../kit/components.ts'
import { html, type Markup } from '../../kit/markup.ts'

const KEY_PLACEHOLDER = 'aid_YOUR_KEY'

export const curlSnippet = (publicUrl: string, key = KEY_PLACEHOLDER): string =>
  `curl -H "Authorization: Bearer ${key}" \\
"${publicUrl}${REST_BASE}/tools?q=free+meeting+notes"`

/** The parameters of a call whose answer is short enough to be shown below the call. */
export const TOP_CALL = { limit: 3, fields: 'opens' } as const

export const topToolsSnippet = (publicUrl: string): string =>
  `curl -H "Authorization: Bearer ${KEY_PLACEHOLDER}" \\
"${publicUrl}${REST_BASE}/tools/top?limit=${TOP_CALL.limit}&fields=${TOP_CALL.fields}"`

/** An answer as JSON with one listing in each line. */
export const answerSnippet = (data: readonly object[]): string =>
  `{ "success": true, "data": [
${data.map((one) => `  ${JSON.stringify(one).replaceAll(/[{,:]/g, '$& ').replace('}', ' }')}`).join(',\n')}
] }`

/** Installs the typed client from this service. */
export const installSnippet = (publicUrl: string): string => `npm install ${publicUrl}${CLIENT_PACKAGE}`

const typescriptSnippet = (publicUrl: string, key = KEY_PLACEHOLDER): string =>
  `import { createClient } from '@catalog-service/client'

const catalog = createClient({ baseUrl: '${publicUrl}', key: '${key}' })

// Waits when the limit is used up, tries again what failed for a moment, and throws a CatalogError otherwise.
const { data, pagination } = await catalog.searchTools({ q: 'meeting notes', pricing: 'FREE' })
for (const tool of data) console.log(tool.name, tool.website)

for await (const directory of catalog.searchDirectories.all({ cost: 'Free' })) console.log(directory.name)`

export const mcpSnippet = (publicUrl: string, key = KEY_PLACEHOLDER): string =>
  JSON.stringify(
    {
      mcpServers: { catalog: { type: 'http', url: publicUrl + MCP_PATH, headers: { Authorization: `Bearer ${key}` } } },
    },
    null,
    2,
  )

/** The snippets of each way to call the catalog, behind tabs. With `answer` the first call is the one that it answers. */
export const snippetTabs = (publicUrl: string, key?: string, answer: readonly object[] = []): Markup =>
  codeTabs('snippet', 'Way in', [
    {
      label: 'curl',
      blocks:
        answer.length > 0
          ? html`${codeBlock('A first call', topToolsSnippet(publicUrl))}
${codeBlock('Its answer', answerSnippet(answer))}`
          : codeBlock('curl', curlSnippet(publicUrl, key)),
    },
    {
      label: 'TypeScript',
      blocks: html`${codeBlock('Install the client', installSnippet(publicUrl))}
${codeBlock('TypeScript', typescriptSnippet(publicUrl, key))}`,
    },
    { label: 'MCP client', blocks: codeBlock('MCP client settings', mcpSnippet(publicUrl, key)) },
  ])
