// The view of search results, for hosts that show apps in the conversation (the extension MCP Apps): a page in a sandboxed frame, which the
// host fills with the answer of the tool. Other hosts are told nothing of it.
import { readFileSync } from 'node:fs'
import { ProtocolError, type ReadResourceResult, type Tool } from '@modelcontextprotocol/server'
import { isObject } from '../../kernel/values/objects.ts'
import { INVALID_PARAMS, type McpMessage } from './messages.ts'
import type { ToolOperation } from './tools.ts'

const EXTENSION = 'io.modelcontextprotocol/ui'
const HTML = 'text/html;profile=mcp-app'
const RESULTS = 'ui://catalog/results'

// The host allows the page nothing but its own script and style, because it names no other origin.
const resource = { uri: RESULTS, name: 'results', title: 'Results', mimeType: HTML }
const content: ReadResourceResult = {
  contents: [
    {
      ...{ uri: RESULTS, mimeType: HTML, _meta: { ui: { prefersBorder: true } } },
      text: readFileSync(new URL('./results-view.html', import.meta.url), 'utf8'),
    },
  ],
}

/** Only the newest revision says with every message what the host can show; there are no sessions in which to remember it. */
export function showsViews(messages: readonly McpMessage[]): boolean {
  const [meta, ...others] = messages.map(({ params }) => params?._meta)
  const capabilities = isObject(meta) ? meta['io.modelcontextprotocol/clientCapabilities'] : undefined
  const extensions = isObject(capabilities) ? capabilities.extensions : undefined
  const ui = isObject(extensions) ? extensions[EXTENSION] : undefined
  return others.length === 0 && isObject(ui) && Array.isArray(ui.mimeTypes) && ui.mimeTypes.includes(HTML)
}

export const VIEW_CAPABILITIES = { resources: {}, extensions: { [EXTENSION]: {} } }

export const withView = (described: Tool, { tool }: ToolOperation): Tool =>
  tool.hasView ? { ...described, _meta: { ui: { resourceUri: RESULTS } } } : described

export const listResultViews = () => ({ resources: [resource] })

export function readView(uri: string): ReadResourceResult {
  if (uri !== RESULTS) throw new ProtocolError(INVALID_PARAMS, `There is no resource but ${RESULTS}.`)
  return content
}
