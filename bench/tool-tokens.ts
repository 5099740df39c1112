// How many tokens a model reads: the list of tools, and what each tool answers. Used by bench/tokens.ts and by a test.
import { encode } from 'gpt-tokenizer/encoding/o200k_base'

interface MeasuredCall {
  tool: string
  input: Record<string, unknown>
}

export interface TokenCount {
  /** The call as a person writes it. */
  call: string
  /** Tokens of the text that hosts show to the model. */
  tokens: number
  /** Bytes of the whole answer. */
  bytes: number
}

/** Sends one JSON-RPC message and returns the text of the answer. */
export type Post = (message: object) => Promise<string>

export const SHORT_LIST: MeasuredCall = { tool: 'search_tools', input: { limit: 100, fields: 'name,tagline,website' } }

// Every tool with its default arguments, on the demo catalog.
const CALLS: readonly MeasuredCall[] = [
  { tool: 'search_tools', input: {} },
  { tool: 'get_top_tools', input: {} },
  { tool: 'get_tool', input: { slug: 'grammarly' } },
  { tool: 'list_categories', input: {} },
  { tool: 'list_tags', input: {} },
  { tool: 'search_directories', input: {} },
  { tool: 'get_directory', input: { slug: 'product-hunt' } },
  { tool: 'list_directory_categories', input: {} },
  SHORT_LIST,
  { tool: 'search_directories', input: { limit: 80, fields: 'name,cost,domainRating' } },
]

export const callText = ({ tool, input }: MeasuredCall): string =>
  Object.keys(input).length === 0 ? tool : `${tool} ${JSON.stringify(input)}`

export async function countToolTokens(post: Post): Promise<TokenCount[]> {
  const list = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const { tools } = JSON.parse(list).result
  // Hosts give a model the name, description and input schema of each tool.
  const shown = tools.map(({ name, description, inputSchema }: Record<string, unknown>) => ({
    name,
    description,
    inputSchema,
  }))
  const counts = [{ call: 'tools/list', tokens: tokensIn(JSON.stringify(shown)), bytes: Buffer.byteLength(list) }]
  for (const call of CALLS) {
    const params = { name: call.tool, arguments: call.input }
    const answer = await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const { text } = JSON.parse(answer).result.content[0]
    counts.push({ call: callText(call), tokens: tokensIn(text), bytes: Buffer.byteLength(answer) })
  }
  return counts
}

const tokensIn = (text: string): number => encode(text).length

/** The rows of the table of docs/agents.md. Rounded, because the ids of listings differ from one catalog to the next. */
export const tokenRows = (counts: readonly TokenCount[]): string =>
  counts
    .map(({ call, tokens, bytes }) => `| \`${call}\` | ${rounded(tokens)} | ${(bytes / 1000).toFixed(0)} KB |\n`)
    .join('')

const rounded = (tokens: number): string => (Math.round(tokens / 50) * 50).toLocaleString('en')
