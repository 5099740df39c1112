// The demo catalog as realistic data, and one call of every tool with the REST request for the same answer.
import { readFileSync } from 'node:fs'
import { startService, type TestService } from '../harness/service.ts'

const seeds = new URL('../../seeds/demo/', import.meta.url)
export const lines = (name: string) =>
  readFileSync(new URL(name, seeds), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

export async function startDemo(environment: Record<string, string> = {}): Promise<TestService> {
  const service = await startService(environment)
  await service.load(['taxonomy', 'tools', 'directories'].flatMap((name) => lines(`${name}.ndjson`)))
  return service
}

export const TOOL = 'grammarly'
export const DIRECTORY = 'product-hunt'

interface Call {
  tool: string
  input: Record<string, unknown>
  rest: string
}

export const CALLS: Call[] = [
  { tool: 'search_tools', input: { q: 'writing', limit: 5 }, rest: '/tools?q=writing&limit=5' },
  { tool: 'get_top_tools', input: { limit: 3 }, rest: '/tools/top?limit=3' },
  { tool: 'get_tool', input: { slug: TOOL }, rest: `/tools/${TOOL}` },
  { tool: 'list_categories', input: {}, rest: '/categories' },
  { tool: 'list_tags', input: { q: 'api', limit: 10 }, rest: '/tags?q=api&limit=10' },
  { tool: 'search_directories', input: { cost: 'Free', page: 2 }, rest: '/directories?cost=Free&page=2' },
  { tool: 'get_directory', input: { slug: DIRECTORY }, rest: `/directories/${DIRECTORY}` },
  { tool: 'list_directory_categories', input: {}, rest: '/directory-categories' },
]
