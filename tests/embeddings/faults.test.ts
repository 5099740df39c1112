// @module-tag slow
// An embedding endpoint that is away, slow or wrong harms no read: questions are answered from words alone, the log has one line, and
// everything is repaired when the endpoint is back. The endpoint is a real model behind a real server.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Behaviour, MODEL, startEmbeddingsServer } from '../harness/embeddings-server.ts'
import { until } from '../harness/process.ts'
import { startService } from '../harness/service.ts'
import { use } from '../harness/use.ts'

const AWAY = 'the embedding endpoint cannot be used; questions are answered from words alone until it can'
const BACK = 'the embedding endpoint can be used again'
const RETRY_MS = 45_000

const endpoint = use(startEmbeddingsServer)
const service = use(() =>
  startService(
    { EMBEDDINGS_URL: endpoint.url, EMBEDDINGS_MODEL: MODEL, EMBEDDINGS_API_KEY: 'zqx-embeddings-key' },
    { newDimensionsMs: 3_000 },
  ),
)
beforeAll(async () => {
  await service.load([
    { kind: 'tool', slug: 'scribe', name: 'Scribe', tagline: 'Turns speech into text', description: 'Dictation.' },
    { kind: 'tool', slug: 'ledger', name: 'Ledger', tagline: 'Bookkeeping', description: 'Invoices.' },
  ])
  await until(() => meaning().size() === 2, 20_000)
})
beforeEach(async () => {
  await endpoint.behave({})
  await isBack()
  service.logged.length = 0
})

const meaning = () => service.context().meaning!
const linesWith = (text: string) => service.logged.filter(({ message }) => message === text)
let serial = 0
/** A question that was not asked before, so its vector is not cached. */
const newQuestion = () => `a question number ${++serial}`

/** Asks until the endpoint is used again; it is tried from time to time only. */
const isBack = () => until(async () => (await meaning().ask(newQuestion())) !== null, RETRY_MS)

const FAULTS: [what: string, behaviour: Behaviour][] = [
  ['is away', { isAway: true }],
  ['answers after the deadline', { delayMs: 900 }],
  ['hangs', { delayMs: 20_000 }],
  ['answers 500', { status: 500 }],
  ['answers 401', { status: 401 }],
  ['answers 429', { status: 429 }],
  ['redirects', { status: 307, location: 'http://127.0.0.1:9/' }],
  ['gives vectors of another length', { keeps: 100 }],
  ['gives NaN', { change: 'nan' }],
  ['gives null in place of a number', { change: 'null' }],
  ['gives an infinite number', { change: 'infinity' }],
  ['gives a vector of zeros', { change: 'zeros' }],
  ['gives too few vectors', { change: 'fewer' }],
  ['answers with a page', { raw: '<html>Welcome</html>' }],
  ['answers with other JSON', { raw: '{"embeddings":[[1,2,3]]}' }],
  ['answers with null', { raw: 'null' }],
  ['answers with 20 MB', { raw: 'huge' }],
]

describe.each(FAULTS)('an endpoint that %s', (_, behaviour) => {
  test('gives no nearness, costs no later question any time, is one line in the log, and is used again when it is right', async () => {
    await endpoint.behave(behaviour)
    for (let i = 0; i < 3; i++) expect(await meaning().ask(newQuestion())).toBeNull()
    const asked = endpoint.requests.length
    for (let i = 0; i < 100; i++) expect(await meaning().ask(newQuestion())).toBeNull()
    // It is tried from time to time only.
    expect(endpoint.requests.length - asked).toBeLessThanOrEqual(1)
    expect((await service.rest('/tools?q=dictation')).body.data.map(({ slug }: any) => slug)).toEqual(['scribe'])
    expect(linesWith(AWAY)).toMatchObject([{ level: 'warn', reason: expect.stringMatching(/^\S.*\.$/) }])
    await endpoint.behave({})
    await isBack()
    expect(linesWith(AWAY)).toHaveLength(1)
    expect(linesWith(BACK)).toHaveLength(1)
    expect(meaning().size()).toBe(2)
    expect(JSON.stringify(service.logged)).not.toMatch(/zqx|a question number/)
  }, 120_000)
})

test('the deadline is 300 ms, and the vector that comes later serves the same question the next time', async () => {
  await endpoint.behave({ delayMs: 700 })
  const question = newQuestion()
  const begun = performance.now()
  expect(await meaning().ask(question)).toBeNull()
  expect(performance.now() - begun).toBeGreaterThan(280)
  await until(async () => (await meaning().ask(question)) !== null, 10_000)
})

test('the same question asked many times at once is sent once', async () => {
  const before = endpoint.requests.length
  const question = newQuestion()
  await Promise.all(Array.from({ length: 50 }, () => meaning().ask(question)))
  await meaning().ask(` ${question.replaceAll(' ', '  ')} `)
  expect(endpoint.requests.slice(before).map(({ input }) => input)).toEqual([[question]])
})

test.each<[string, Behaviour]>([
  ['is away', { isAway: true }],
  ['answers 500', { status: 500 }],
  ['answers 429', { status: 429 }],
  ['gives vectors of another length', { keeps: 100 }],
  ['gives NaN', { change: 'nan' }],
  ['answers with a page', { raw: '<html>Welcome</html>' }],
])(
  'listings that change while the endpoint %s get their vectors when it is right',
  { tags: 'long', timeout: 120_000 },
  async (_, behaviour) => {
    await endpoint.behave(behaviour)
    const tagline = `Came while it was wrong ${++serial}`
    for (const slug of ['late', 'later'])
      await service.admin('PUT', `/tools/${slug}`, { name: slug, tagline, description: 'x' })
    await until(() => linesWith(AWAY).length > 0, 20_000)
    expect((await service.admin('GET', '/overview')).body.data.embeddings).toEqual({ made: 2, waiting: 2, refused: 0 })
    for (let i = 0; i < 4; i++) await meaning().ask(newQuestion())
    await endpoint.behave({})
    await until(() => meaning().size() === 4, RETRY_MS)
    await isBack()
    await until(() => linesWith(BACK).length > 0, RETRY_MS)
    expect([linesWith(AWAY).length, linesWith(BACK).length]).toEqual([1, 1])
    for (const slug of ['late', 'later']) await service.admin('DELETE', `/tools/${slug}`)
    await until(() => meaning().size() === 2, 10_000)
  },
)

test('many changes during an outage leave few jobs behind, and each listing gets one vector', async () => {
  await endpoint.behave({ isAway: true })
  const slugs = Array.from({ length: 30 }, (_, i) => `busy-${i}`)
  for (const slug of slugs)
    await service.admin('PUT', `/tools/${slug}`, { name: slug, tagline: 'Busy', description: 'x' })
  const overview = async () => (await service.admin('GET', '/overview')).body.data.embeddings
  await until(async () => (await overview()).waiting === 30, 20_000)
  await until(() => linesWith(AWAY).length > 0, 20_000)
  const jobs = await service.sql(
    `select state::text from jobs.job where name = 'embeddings' and state in ('created', 'retry', 'active')`,
  )
  expect(jobs.length).toBeGreaterThan(0)
  // Two run, and one waits for each of three reasons.
  expect(jobs.length).toBeLessThan(6)
  const before = endpoint.requests.length
  await endpoint.behave({})
  await until(() => meaning().size() === 32, RETRY_MS)
  const texts = endpoint.requests.slice(before).flatMap(({ input }) => input.filter((text) => text.startsWith('busy-')))
  expect(texts.toSorted()).toEqual(slugs.map((slug) => `${slug}\nBusy\nx`).toSorted())
  for (const slug of slugs) await service.admin('DELETE', `/tools/${slug}`)
  await until(() => meaning().size() === 2, 10_000)
}, 120_000)

test('a text that the endpoint refuses keeps no other listing from its vector, and is tried again when it changes', async () => {
  await endpoint.behave({ refuses: 'poison' })
  const tool = (i: number, tagline: string) => ({
    kind: 'tool',
    slug: `mixed-${i}`,
    name: `Mixed ${i}`,
    tagline,
    description: 'x',
  })
  await service.load([0, 1, 2, 3, 4, 5].map((i) => tool(i, i === 3 ? 'This is poison' : 'This is fine')))
  await until(() => meaning().size() === 7, 20_000)
  const overview = async () => (await service.admin('GET', '/overview')).body.data.embeddings
  await until(async () => (await overview()).refused === 1, 10_000)
  expect(await overview()).toEqual({ made: 7, waiting: 0, refused: 1 })
  expect(linesWith(AWAY)).toEqual([])
  expect(service.logged.filter(({ level }) => level === 'warn')).toMatchObject([
    { kind: 'tool', reason: 'The embedding endpoint answered 400.' },
  ])
  await service.load([tool(3, 'This is fine now')])
  await until(() => meaning().size() === 8, 10_000)
  expect(await overview()).toEqual({ made: 8, waiting: 0, refused: 0 })
  for (let i = 0; i < 6; i++) await service.admin('DELETE', `/tools/mixed-${i}`)
  await until(() => meaning().size() === 2, 10_000)
}, 60_000)

test('a text that is too long for the model gets the vector of its beginning', async () => {
  await endpoint.behave({ refuses: 'far away' })
  const description = `${'A long text about boats. '.repeat(40)} far away`
  await service.admin('PUT', '/tools/long', { name: 'Long', tagline: 'Long', description })
  await until(() => meaning().size() === 3, 20_000)
  await service.admin('DELETE', '/tools/long')
  await until(() => meaning().size() === 2, 10_000)
}, 60_000)

test('an endpoint that gives another length for a while has another model, and all vectors are made anew', {
  tags: 'long',
}, async () => {
  const lengths = async () =>
    (await service.sql('select distinct dimensions from tool_embeddings')).map(({ dimensions }) => dimensions)
  expect(await lengths()).toEqual([512])
  await endpoint.behave({ keeps: 128 })
  await until(async () => {
    await meaning().ask(newQuestion())
    return (await lengths()).join() === '128'
  }, RETRY_MS)
  await isBack()
  expect(meaning().size()).toBe(2)
  expect(linesWith(AWAY)).toHaveLength(1)
  await endpoint.behave({})
  await until(async () => {
    await meaning().ask(newQuestion())
    return (await lengths()).join() === '512'
  }, RETRY_MS)
})
