// A program as a user of the API would write it: every catalog endpoint through types that openapi-typescript made from the served
// document (schema.d.ts, put beside this file by the test). It must type-check, run, and be told the truth by its types.
// Usage: node program.ts {base_url} {key}
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

declare const process: { argv: string[] }
const [, , baseUrl = '', key = ''] = process.argv

const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } })
const called: string[] = []
api.use({
  onRequest: ({ schemaPath, request }) => {
    called.push(`${request.method} ${schemaPath}`)
  },
})

function must<T>({ data, error, response }: { data?: T; error?: { error: string }; response: Response }): T {
  if (data === undefined) throw new Error(`${response.status} ${response.url}: ${error?.error}`)
  return data
}

function check(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`not so: ${what}`)
}

const here = must(await api.GET('/'))
check(here.data.endpoints.length > 0, 'discovery names endpoints')
check(here.data.openapi === `${baseUrl}/openapi.json`, 'discovery knows the document')

const document = must(await api.GET('/openapi.json'))
check(document.openapi === '3.1.0', 'the document is OpenAPI 3.1')

const found = must(
  await api.GET('/tools', { params: { query: { q: 'writing', pricing: 'FREEMIUM', limit: 5, page: 1 } } }),
)
const { total, pages }: { total: number; pages: number } = found.pagination
check(found.data.length > 0 && total >= found.data.length && pages >= 1, 'a search finds something')

// What may be null must be so in the types, and nothing else.
type Tool = components['schemas']['Tool']
type Directory = components['schemas']['Directory']
type MayBeNull<T> = null extends T ? true : false
const mayBeNull: [
  MayBeNull<Tool['category']>,
  MayBeNull<Tool['icon']>,
  MayBeNull<Tool['domainRating']>,
  MayBeNull<Tool['createdAt']>,
  MayBeNull<Directory['monthlyVisits']>,
] = [true, true, true, true, true]
const neverNull: [MayBeNull<Tool['name']>, MayBeNull<Tool['tags']>, MayBeNull<Directory['cost']>] = [
  false,
  false,
  false,
]
check(mayBeNull.length > neverNull.length, 'the types are right')

const describeTool = (tool: Tool): string =>
  `${tool.name} (${tool.category?.name ?? 'no category'}, ${tool.pricing.toLowerCase()}, DR ${tool.domainRating?.toFixed(0) ?? '?'})`
check(
  found.data.map(describeTool).every((line) => line.includes('freemium')),
  'the filter holds',
)

const top = must(await api.GET('/tools/top', { params: { query: { limit: 3 } } }))
check(top.data.length === 3 && top.data[0]!.opens >= top.data[2]!.opens, 'the top is ordered')

const tool = must(await api.GET('/tools/{slug}', { params: { path: { slug: top.data[0]!.slug } } }))
const questions: string[] = tool.data.faqs.map(({ question }) => question)
const features: string[] = Object.values(tool.data.features)
check(
  tool.data.slug === top.data[0]!.slug && Array.isArray(questions) && Array.isArray(features),
  'one tool has its extras',
)

const categories = must(await api.GET('/categories', { params: { query: { limit: 500 } } }))
check(
  categories.data.some(({ toolsCount }) => toolsCount > 0),
  'categories count their tools',
)

const tags = must(await api.GET('/tags', { params: { query: { q: 'api' } } }))
check(tags.data.length > 0, 'there are tags')

const directories = must(await api.GET('/directories', { params: { query: { cost: 'Free', featured: true } } }))
check(directories.data.length > 0 && directories.data.every(({ cost }) => cost === 'Free'), 'directories are filtered')

const directory = must(await api.GET('/directories/{slug}', { params: { path: { slug: directories.data[0]!.slug } } }))
const evidence = must(
  await api.GET('/directories/{slug}/evidence', { params: { path: { slug: directories.data[0]!.slug } } }),
)
if (evidence.data.live > evidence.data.submitted) throw new Error('more are live than were submitted')
const path = { slug: directories.data[0]!.slug }
const health = must(await api.GET('/directories/{slug}/health', { params: { path } }))
check(health.data.state === 'unknown' && health.data.alternatives.length === 0, 'a directory has its health')
const ofTool = must(await api.GET('/tools/{slug}/health', { params: { path: { slug: top.data[0]!.slug } } }))
check(ofTool.data.slug === top.data[0]!.slug && ofTool.data.successor === null, 'a tool has its health')
const code: string | undefined = directory.data.deal?.code
check(directory.data.useCases.length >= 0 && code !== '', 'one directory has its extras')

const kinds = must(await api.GET('/directory-categories'))
check(kinds.data.length > 0, 'there are directory categories')

// Failures are typed too.
const missing = await api.GET('/tools/{slug}', { params: { path: { slug: 'no-such-tool' } } })
check(
  missing.response.status === 404 && missing.error?.success === false && missing.error.error !== '',
  'a 404 has its envelope',
)
const refused = await api.GET('/tags', { headers: { Authorization: 'Bearer aid_wrong' } })
check(refused.response.status === 401 && refused.error?.success === false, 'a wrong key is refused')

console.log(JSON.stringify({ called: [...new Set(called)] }))
