// @module-tag long
// An installation that gets an embedding endpoint, another model, or loses the endpoint again. It costs nothing while it is not set up.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddingsServer, MODEL, SHORT_MODEL, startEmbeddingsServer } from '../harness/embeddings-server.ts'
import { until } from '../harness/process.ts'
import { createDatabase, startService, type TestService } from '../harness/service.ts'

let endpoint: EmbeddingsServer
let database: Awaited<ReturnType<typeof createDatabase>> | null = null
let folder: string
beforeAll(async () => {
  endpoint = await startEmbeddingsServer()
  folder = mkdtempSync(join(tmpdir(), 'catalog-embeddings-'))
  if (process.env.TEST_DATABASE_URL) database = await createDatabase(process.env.TEST_DATABASE_URL)
})
afterAll(async () => {
  await endpoint.close()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

/** A service with the data of the one before. */
const start = (settings: Record<string, string> = {}) =>
  startService({ DATA_DIR: folder, ...(database ? { DATABASE_URL: database.url } : {}), ...settings })
const withModel = (model: string) => start({ EMBEDDINGS_URL: endpoint.url, EMBEDDINGS_MODEL: model })

async function during(starting: Promise<TestService>, work: (service: TestService) => Promise<void>): Promise<void> {
  const service = await starting
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

const vectorsOf = (service: TestService) =>
  service.sql(`select model, dimensions, length(vector) as length, count(*)::int as count
    from tool_embeddings where vector is not null group by 1, 2, 3`)
const jobsOf = (service: TestService) => service.sql(`select name from jobs.job where name like 'embedding%'`)
const tool = (i: number, tagline = `Thing number ${i}`) => ({
  kind: 'tool',
  slug: `tool-${i}`,
  name: `Tool ${i}`,
  tagline,
  description: 'd',
})
const LISTINGS = Array.from({ length: 40 }, (_, i) => tool(i))
const ALL = LISTINGS.length

test('without an endpoint nothing is made, stored or queued', () =>
  during(start(), async (service) => {
    await service.load(LISTINGS)
    await service.admin('PUT', '/tools/tool-0', { name: 'Tool 0', tagline: 'Thing number 0', description: 'd' })
    expect(service.context().meaning).toBeNull()
    expect((await service.admin('GET', '/overview')).body.data).not.toHaveProperty('embeddings')
    expect((await service.fetch('/metrics')).text).not.toContain('catalog_embeddings')
    expect(await jobsOf(service)).toEqual([])
    expect(await service.sql('select 1 from tool_embeddings')).toEqual([])
    expect(endpoint.requests).toEqual([])
  }))

test('a listing that was there before the endpoint was set up gets its vector, and the log tells so', () =>
  during(withModel(MODEL), async (service) => {
    await until(() => service.context().meaning!.size() === ALL, 60_000)
    expect(await vectorsOf(service)).toEqual([{ model: MODEL, dimensions: 512, length: 512, count: ALL }])
    expect(service.logged).toContainEqual(
      expect.objectContaining({
        kind: 'tool',
        listings: ALL,
        message: expect.stringMatching(/^listings need a vector/),
      }),
    )
  }))

test('a start with the same model makes nothing anew', () =>
  during(withModel(MODEL), async (service) => {
    const before = endpoint.requests.length
    await until(() => service.context().meaning!.size() === ALL, 10_000)
    await until(async () => (await jobsOf(service)).length > 0, 10_000)
    await allJobsEnd(service)
    expect(endpoint.requests.length).toBe(before)
  }))

test('what changed while the endpoint was not set up is found at the next start with it', async () => {
  await during(start(), async (service) => {
    await service.load([tool(0, 'A submarine under the ice')])
    await service.admin('DELETE', '/tools/tool-1')
  })
  await during(withModel(MODEL), async (service) => {
    const before = endpoint.requests.length
    await until(() => endpoint.requests.slice(before).some(({ input }) => input.join().includes('submarine')), 20_000)
    await allJobsEnd(service)
    expect(endpoint.requests.slice(before).flatMap(({ input }) => input)).toEqual([
      'Tool 0\nA submarine under the ice\nd',
    ])
    await until(() => service.context().meaning!.size() === ALL - 1, 10_000)
  })
})

test('another model replaces all vectors; until then the listings have none', () =>
  during(withModel(SHORT_MODEL), async (service) => {
    await until(() => service.context().meaning!.size() === ALL - 1, 60_000)
    expect(await vectorsOf(service)).toEqual([{ model: SHORT_MODEL, dimensions: 256, length: 256, count: ALL - 1 }])
    expect(endpoint.requests.at(-1)!.model).toBe(SHORT_MODEL)
    const ask = () => service.context().meaning!.ask('a submarine')
    let near = await ask()
    await until(async () => (near ??= await ask()) !== null, 10_000)
    const { id } = (await service.admin('GET', '/tools/tool-0')).body.data
    expect(near!(id)).toBeGreaterThan(0.2)
  }))

test('a process that is stopped while vectors are made loses none of them', async () => {
  await endpoint.behave({ delayMs: 500 })
  await during(withModel(MODEL), async () => {
    await until(() => endpoint.requests.at(-1)!.model === MODEL, 20_000)
  })
  await endpoint.behave({})
  await during(withModel(MODEL), async (service) => {
    await until(() => service.context().meaning!.size() === ALL - 1, 60_000)
    expect(await vectorsOf(service)).toEqual([{ model: MODEL, dimensions: 512, length: 512, count: ALL - 1 }])
  })
})

const allJobsEnd = (service: TestService) =>
  until(
    async () =>
      (
        await service.sql(
          `select 1 from jobs.job where name like 'embedding%' and state in ('created', 'retry', 'active')`,
        )
      ).length === 0,
    20_000,
  )
