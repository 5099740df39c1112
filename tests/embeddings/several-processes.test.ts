// @module-tag long
// Two processes on one PostgreSQL: one of them makes a vector, both have it in memory. tests/with-servers.sh runs this file.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddingsServer, MODEL, startEmbeddingsServer } from '../harness/embeddings-server.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { createDatabase } from '../harness/service.ts'

const { TEST_DATABASE_URL } = process.env

describe.skipIf(!TEST_DATABASE_URL)('two processes with one embedding endpoint', () => {
  let endpoint: EmbeddingsServer
  let database: Awaited<ReturnType<typeof createDatabase>>
  let services: ServiceProcess[]
  const folders: string[] = []
  const start = async (command: readonly string[] = ['serve']) => {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-embeddings-'))
    folders.push(folder)
    return spawnService(
      {
        DATA_DIR: folder,
        DATABASE_URL: database.url,
        KEY_PEPPER: 'a pepper that both processes share, long enough',
        EMBEDDINGS_URL: endpoint.url,
        EMBEDDINGS_MODEL: MODEL,
        EMBEDDINGS_API_KEY: 'zqx-embeddings-key',
      },
      command,
    )
  }
  beforeAll(async () => {
    endpoint = await startEmbeddingsServer()
    database = await createDatabase(TEST_DATABASE_URL!)
    services = [await start(), await start()]
    await Promise.all(services.map((service) => service.ready()))
  })
  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill('SIGTERM')))
    await endpoint.close()
    await database.drop()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  const vectorsIn = async (service: ServiceProcess) => (await service.call('/api/admin/overview')).body.data.embeddings
  const bothHave = (made: number, ms = 20_000) =>
    until(
      async () =>
        (await Promise.all(services.map(vectorsIn))).every((found) => found.made === made && found.waiting === 0),
      ms,
    )
  const put = async (service: ServiceProcess, slug: string, tagline: string) => {
    const body = { name: slug, tagline, description: 'd' }
    expect((await service.call(`/api/admin/tools/${slug}`, { method: 'PUT', body })).status).toBe(200)
  }
  const texts = () => endpoint.requests.flatMap(({ input }) => input).filter((text) => text.includes('\n'))

  test('a listing that one process stores has its vector in both, and the model is asked once for each text', async () => {
    const [a, b] = services as [ServiceProcess, ServiceProcess]
    // Each start checks all listings. One that it finds while the listing is stored is marked twice, and its text may be sent twice.
    await put(a, 'tool-0', 'Thing number 0')
    await bothHave(1)
    await Promise.all(Array.from({ length: 40 }, (_, i) => put(i % 2 === 0 ? a : b, `tool-${i}`, `Thing number ${i}`)))
    await bothHave(40)
    expect(texts().toSorted()).toEqual([...new Set(texts())].toSorted())
    await put(a, 'tool-7', 'Another thing')
    await until(() => texts().includes('tool-7\nAnother thing\nd'), 10_000)
    await b.call('/api/admin/tools/tool-8', { method: 'DELETE' })
    await bothHave(39)
  })

  test('a process that serves no requests makes vectors for the others', async () => {
    const before = services
    services = [await start(['serve', '--no-worker'])]
    await services[0]!.ready()
    await Promise.all(before.map((service) => service.kill('SIGTERM')))
    await put(services[0]!, 'alone', 'Nothing makes my vector yet')
    await until(async () => (await vectorsIn(services[0]!)).made === 39, 10_000)
    const worker = await start(['worker'])
    await bothHave(40)
    await worker.kill('SIGTERM')
    services.push(await start())
    await services[1]!.ready()
  })

  test('while the endpoint is away both processes go on, each with one line, and both repair themselves', async () => {
    const [a, b] = services as [ServiceProcess, ServiceProcess]
    await bothHave(40)
    await endpoint.behave({ isAway: true })
    await put(a, 'during', 'Came during the outage')
    await put(b, 'during-too', 'Came during the outage as well')
    await until(async () => (await vectorsIn(a)).waiting === 2, 10_000)
    // The job is tried a few times in the meantime.
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    await endpoint.behave({})
    await bothHave(42, 40_000)
    const away = services.map(({ output }) => output().match(/the embedding endpoint cannot be used/g)?.length ?? 0)
    expect(Math.max(...away)).toBe(1)
    expect(services.map(({ output }) => output()).join()).not.toMatch(/zqx/)
  })
})
