// @module-tag slow
// Partial matches are ranked by the vectors of the operator's embedding endpoint, too; without the endpoint a search is answered from words.
import { beforeAll, expect, test } from 'vitest'
import { signedUpAdmin } from '../harness/browser.ts'
import { catalog } from '../harness/command.ts'
import { MODEL, startEmbeddingsServer } from '../harness/embeddings-server.ts'
import { until } from '../harness/process.ts'
import { ADMIN_TOKEN, startService } from '../harness/service.ts'
import { use } from '../harness/use.ts'

const endpoint = use(startEmbeddingsServer)
const service = use(() => startService({ EMBEDDINGS_URL: endpoint.url, EMBEDDINGS_MODEL: MODEL }))
beforeAll(async () => {
  const tool = (slug: string, name: string, tagline: string) => ({
    kind: 'tool',
    slug,
    name,
    tagline,
    description: tagline,
  })
  await service.load([
    tool('plumber', 'Faucet', 'Finds someone who repairs a leaking tap in the kitchen'),
    tool('cook', 'Spoon', 'Plans the dinners that a kitchen can make this week'),
    tool('ledger', 'Ledger', 'Bookkeeping for small shops'),
  ])
  await until(() => service.context().meaning!.size() === 3, 20_000)
})
// A test ends the endpoint.

const ask = async (q: string) => {
  const { body, headers } = await service.rest(`/tools?q=${encodeURIComponent(q)}`)
  return {
    slugs: body.data.map(({ slug }: { slug: string }) => slug),
    match: headers.get('x-catalog-match'),
    ranking: headers.get('x-catalog-ranking'),
  }
}

test('partial matches are ranked by the vectors of the endpoint, the same over REST and MCP', async () => {
  const q = 'water drips from the pipe under my kitchen sink'
  await until(async () => (await ask(q)).ranking === null, 20_000)
  const found = await ask(q)
  expect(found.match).toBe('partial')
  expect(found.slugs[0]).toBe('plumber')
  const { envelope } = await service.tool('search_tools', { q })
  expect(envelope.data.map(({ slug }: { slug: string }) => slug)).toEqual(found.slugs)
})

test('the site ranks partial matches by the same vectors', async () => {
  const shown = async (path: string) =>
    [...(await service.fetch(path)).text.matchAll(/<h3><a href="\/tools\/([\w-]+)"/g)].map(([, slug]) => slug)
  for (const [path, q] of [
    ['/tools', 'the tap of my kitchen sink is leaking again'],
    ['/search', 'a person who repairs my leaking kitchen pipe'],
  ] as const) {
    const address = `${path}?q=${encodeURIComponent(q)}`
    const before = endpoint.requests.length
    await shown(address)
    expect(endpoint.requests.slice(before).flatMap(({ input }) => input)).toEqual([q])
    await until(async () => (await ask(q)).ranking === null, 20_000)
    const { slugs, match } = await ask(q)
    expect(match).toBe('partial')
    expect(await shown(address)).toEqual(slugs)
    expect(slugs[0]).toBe('plumber')
  }
  const before = endpoint.requests.length
  expect(await shown('/tools?q=bookkeeping')).toEqual(['ledger'])
  expect(await shown('/tools')).toHaveLength(3)
  expect(endpoint.requests).toHaveLength(before)
})

const explain = async (q: string) =>
  (await service.admin('GET', `/search?explain=true&q=${encodeURIComponent(q)}`)).body.data

test('an explained search shows what the endpoint adds', async () => {
  const { hits, ranking } = await explain('water drips from the pipe under my kitchen sink')
  expect(ranking).toBeUndefined()
  expect(hits[0]).toMatchObject({ slug: 'plumber', endpoint: { points: expect.any(Number) } })
})

test('full matches do not ask the endpoint', async () => {
  const before = endpoint.requests.length
  expect(await ask('bookkeeping')).toEqual({ slugs: ['ledger'], match: 'full', ranking: null })
  expect(endpoint.requests).toHaveLength(before)
})

test('while the endpoint is away a search is answered from words alone and says so', async () => {
  await endpoint.close()
  const found = await ask('what can my kitchen cook for dinner tonight')
  expect(found).toEqual({ slugs: ['cook', 'plumber'], match: 'partial', ranking: 'words' })
  const { result } = await service.tool('search_tools', { q: 'what can my kitchen cook for dinner tomorrow' })
  expect(result.result._meta).toEqual({
    'catalog/match': 'partial',
    'catalog/missing': 'cook,tomorrow',
    'catalog/ranking': 'words',
  })
})

test('while the endpoint is away the site is answered from words alone', async () => {
  const { status, text } = await service.fetch('/tools?q=what+can+my+kitchen+cook+for+breakfast')
  expect(status).toBe(200)
  expect(text).toMatch(/Spoon.*Faucet/s)
})

test('while the endpoint is away an explained search says so, in the console, too', async () => {
  const q = 'what can my kitchen cook for lunch'
  const { hits, ranking } = await explain(q)
  expect(ranking).toBe('words')
  expect(hits.map(({ endpoint }: { endpoint?: object }) => endpoint)).toEqual([undefined, undefined])
  expect((await explain('bookkeeping')).ranking).toBeUndefined()
  const admin = await signedUpAdmin(service)
  const sentence = 'The embedding endpoint gave no vector of this question in time'
  expect((await admin.open(`/admin/search?q=${encodeURIComponent(q)}`)).text).toContain(sentence)
  expect((await catalog(['search', q], { CATALOG_URL: service.origin, ADMIN_TOKEN })).out).toContain(sentence)
})
