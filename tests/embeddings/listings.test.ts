// @module-tag long
// The vectors of published listings are made in the background by the operator's embedding endpoint, follow every change, and are no part
// of any answer. The endpoint is a real model behind a real server.
import { beforeAll, expect, test } from 'vitest'
import { MODEL, startEmbeddingsServer } from '../harness/embeddings-server.ts'
import { until } from '../harness/process.ts'
import { startService } from '../harness/service.ts'
import { use } from '../harness/use.ts'

const endpoint = use(startEmbeddingsServer)
const service = use(() =>
  startService({
    EMBEDDINGS_URL: endpoint.url,
    EMBEDDINGS_MODEL: MODEL,
    EMBEDDINGS_API_KEY: 'zqx-embeddings-key',
  }),
)
beforeAll(async () => {
  await service.load([
    { kind: 'category', slug: 'audio', name: 'Audio and voice' },
    { kind: 'tag', slug: 'podcasts', name: 'Podcasts' },
    { kind: 'tag', slug: 'api', name: 'API' },
    { kind: 'directoryCategory', slug: 'launch', name: 'Launch sites' },
    {
      kind: 'tool',
      slug: 'scribe',
      name: 'Scribe',
      tagline: 'Turns speech into text',
      description: 'It writes down what is said.',
      category: 'audio',
      tags: ['podcasts', 'api'],
      founderEmail: 'zqxfounder@private.example',
    },
    { kind: 'tool', slug: 'ledger', name: 'Ledger', tagline: 'Bookkeeping for small shops', description: 'Invoices.' },
    { kind: 'tool', slug: 'draft', name: 'Zqxhidden', tagline: 'Not shown', description: 'x', published: false },
    {
      kind: 'directory',
      slug: 'hunt',
      name: 'Hunt',
      website: 'https://hunt.example',
      smallDescription: 'New products every day',
      fullDescription: 'Makers show what they made.',
      categories: ['launch'],
      submissionLink: 'https://hunt.example/zqxsubmit',
    },
  ])
  await until(() => meaning().size() === 3, 20_000)
})

const meaning = () => service.context().meaning!
const idOf = async (path: string) => (await service.admin('GET', path)).body.data.id as string
const texts = () => endpoint.requests.flatMap(({ input }) => input)

/** The cosines of the question with these listings, once the endpoint has given the vector of the question. */
async function nearness(question: string, ids: readonly string[]): Promise<(number | undefined)[]> {
  let near = await meaning().ask(question)
  // On a busy machine the model may need longer than the deadline; the vector is cached when it comes.
  await until(async () => (near ??= await meaning().ask(question)) !== null, 10_000)
  return ids.map((id) => near!(id))
}

test('the model is asked about the public texts of published listings, and about nothing else', () => {
  expect(texts()).toContain(
    'Scribe\nTurns speech into text\nAudio and voice, Podcasts, API\nIt writes down what is said.',
  )
  expect(texts()).toContain('Hunt\nNew products every day\nLaunch sites\nMakers show what they made.')
  expect(texts().join()).not.toMatch(/zqx/i)
  const [request] = endpoint.requests
  expect(request).toMatchObject({ path: '/v1/embeddings', authorization: 'Bearer zqx-embeddings-key', model: MODEL })
})

test('a question is near to the listing that means the same in other words', async () => {
  const ids = [await idOf('/tools/scribe'), await idOf('/tools/ledger'), await idOf('/directories/hunt')]
  const [scribe, ledger, hunt] = await nearness('transcribe voice recordings', ids)
  expect(scribe).toBeGreaterThan(Math.max(ledger!, hunt!))
})

test("the nearness is the cosine of the model's own vectors, within a hundredth, also for a directory", async () => {
  const question = 'transcribe voice recordings'
  const text = 'Hunt\nNew products every day\nLaunch sites\nMakers show what they made.'
  const response = await fetch(`${endpoint.url}/embeddings`, {
    method: 'POST',
    body: JSON.stringify({ model: MODEL, input: [question, text] }),
  })
  const { data } = (await response.json()) as { data: { index: number; embedding: number[] }[] }
  const [a, b] = data.sort((one, two) => one.index - two.index).map(({ embedding }) => embedding)
  const product = (one: number[], two: number[]) => one.reduce((sum, value, i) => sum + value * two[i]!, 0)
  const cosine = product(a!, b!) / Math.sqrt(product(a!, a!) * product(b!, b!))
  const [near] = await nearness(question, [await idOf('/directories/hunt')])
  expect(Math.abs(near! - cosine)).toBeLessThan(0.01)
})

test('a listing without a vector has no nearness', async () => {
  expect(await nearness('transcribe voice recordings', ['none', await idOf('/tools/draft')])).toEqual([
    undefined,
    undefined,
  ])
})

test('a text that changes gets another vector, and what does not change the text gets none', async () => {
  const id = await idOf('/tools/ledger')
  const [before] = await nearness('sail a boat across the sea', [id])
  const body = { name: 'Ledger', tagline: 'Sailing boats on the ocean', description: 'Sails.' }
  expect((await service.admin('PUT', '/tools/ledger', body)).status).toBe(200)
  await until(async () => (await nearness('sail a boat across the sea', [id]))[0]! > before! + 0.1, 10_000)
  const asked = texts().length
  await service.admin('PATCH', '/tools/ledger', { featured: true })
  await service.admin('PUT', '/tools/ledger', { ...body, rating: 4 })
  await service.admin('PUT', '/tools/other', { name: 'Other', tagline: 'Something else', description: 'o' })
  await until(() => meaning().size() === 4, 10_000)
  expect(texts().slice(asked)).toEqual(['Other\nSomething else\no'])
})

test('another name of a tag changes the text of every listing that has it', async () => {
  await service.admin('PUT', '/tags/podcasts', { name: 'Radio shows' })
  const text = 'Scribe\nTurns speech into text\nAudio and voice, Radio shows, API\nIt writes down what is said.'
  await until(() => texts().includes(text), 10_000)
})

test('a listing that is hidden or deleted loses its vector, and gets one when it is published', async () => {
  const id = await idOf('/tools/other')
  await service.admin('PATCH', '/tools/other', { published: false })
  await until(() => meaning().size() === 3, 10_000)
  expect(await service.sql(`select 1 from tool_embeddings where listing_id = '${id}'`)).toEqual([])
  await service.admin('PATCH', '/tools/other', { published: true })
  await until(() => meaning().size() === 4, 10_000)
  await service.admin('DELETE', '/tools/other')
  expect(await service.sql(`select 1 from tool_embeddings where listing_id = '${id}'`)).toEqual([])
  await until(() => meaning().size() === 3, 10_000)
})

test('an import gets its vectors in batches, and the overview, the metrics and the log tell how far it is', async () => {
  const many = Array.from({ length: 200 }, (_, i) => ({
    kind: 'tool',
    slug: `imported-${i}`,
    name: `Imported ${i}`,
    tagline: `Thing ${i}`,
    description: 'd',
  }))
  const requests = endpoint.requests.length
  await service.load(many)
  await until(async () => (await service.admin('GET', '/overview')).body.data.embeddings.made === 203, 30_000)
  expect((await service.admin('GET', '/overview')).body.data.embeddings).toEqual({ made: 203, waiting: 0, refused: 0 })
  expect(endpoint.requests.length - requests).toBeLessThan(20)
  const metrics = (await service.fetch('/metrics')).text
  expect(metrics).toMatch(/^catalog_embeddings 203$/m)
  expect(metrics).toMatch(/^catalog_embeddings_open\{state="waiting"\} \d+$/m)
  const lines = service.logged.map(({ message, ...rest }) => [message, rest])
  expect(lines).toContainEqual(['all listings have vectors', expect.objectContaining({ waiting: 0 })])
})

test('vectors and what they were made of are in no answer', async () => {
  const answers = await Promise.all([
    service.rest('/tools/scribe'),
    service.rest('/tools?q=scribe'),
    service.rest('/directories/hunt'),
    service.admin('GET', '/tools/scribe'),
    service.admin('GET', '/export'),
  ])
  for (const { text } of answers) expect(text).not.toMatch(/embedding|vector|use-lite/i)
})

test('no log line has the key, a text of a listing or a question', () => {
  expect(JSON.stringify(service.logged)).not.toMatch(/zqx|transcribe|Turns speech/)
})

test('a vector that was written by hand and fits no other is left out, and the others are used', async () => {
  const id = await idOf('/tools/scribe')
  await service.sql(
    `update tool_embeddings set vector = 'x', made_at = '2999-01-01' where listing_id = '${await idOf('/tools/ledger')}'`,
  )
  await service.context().transaction((ctx) => ctx.announce({ topic: 'toolEmbeddings' }))
  await until(() => meaning().size() === 202, 10_000)
  expect((await nearness('transcribe voice recordings', [id]))[0]).toBeGreaterThan(0.3)
})
