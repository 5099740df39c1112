// A stop under load without a load balancer. `node bench/stops.ts` does the same with 5,000 requests.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { newSubmission } from '../harness/done-work.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { createDatabase } from '../harness/service.ts'
import { startLoad } from '../harness/stop-load.ts'
import { timedRequest } from '../harness/timed-requests.ts'

const { TEST_DATABASE_URL } = process.env

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const one of cleanUp.splice(0).reverse()) await one()
})

async function start(settings: Record<string, string> = {}): Promise<ServiceProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-stops-'))
  cleanUp.push(async () => rmSync(folder, { recursive: true, force: true }))
  const service = await spawnService({ DATA_DIR: folder, RATE_LIMIT_SCALE: '1000000', ...settings })
  cleanUp.push(() => service.kill())
  await service.ready()
  const count = Number(settings.WEB_CONCURRENCY ?? 1)
  await until(() => (service.output().match(/"msg":"ready"/g) ?? []).length === count, 60_000)
  return service
}

/** Stops the service during requests on new and kept-alive connections and during submissions. */
async function stopUnderLoad(service: ServiceProcess) {
  await timedRequest(service, '/api/admin/categories/writing', { method: 'PUT', body: { name: 'Writing' } })
  const { key } = (await timedRequest(service, '/api/admin/partners', { body: { name: 'Stops' } })).body.data
  const load = startLoad(service.origin, { kept: 15, fresh: 5, rate: 100, path: '/api/v1/tags', key })
  await sleep(500)
  const begun = performance.now()
  const ended = service.kill('SIGTERM').then((code) => ({ code, ms: performance.now() - begun }))
  const submissions: (number | string)[] = []
  while (performance.now() - begun < 700)
    submissions.push(
      await timedRequest(service, '/api/v1/submit-ai-tool', { key, body: newSubmission() }).then(
        ({ status }) => status,
        (error) => String(error.cause ?? error),
      ),
    )
  const sent = await load.ended(begun)
  const { code, ms } = await ended
  const after = sent.filter(({ at }) => at >= 0)
  const cut = sent.filter(({ outcome }) => outcome === 'cut off')
  console.log(
    `a stop: ${after.length} requests after the signal, ${cut.length} cut off; ended after ${Math.round(ms)} ms with ${code}`,
  )
  expect(after.filter(({ outcome }) => outcome === 'answered').length).toBeGreaterThan(200)
  expect(cut).toEqual([])
  expect(submissions.length).toBeGreaterThan(0)
  expect(submissions.filter((status) => status !== 201)).toEqual([])
  expect(code).toBe(0)
  expect(ms).toBeLessThan(10_000)
}

test('a process that is told to stop answers every request that reaches it, on new connections and on those kept alive', {
  timeout: 120_000,
}, async () => {
  await stopUnderLoad(await start())
})

test.skipIf(!TEST_DATABASE_URL)('several servers on one port do the same', { timeout: 120_000 }, async () => {
  const database = await createDatabase(TEST_DATABASE_URL!)
  cleanUp.push(database.drop)
  const KEY_PEPPER = 'a pepper that all processes share, long enough'
  await stopUnderLoad(await start({ DATABASE_URL: database.url, KEY_PEPPER, WEB_CONCURRENCY: '2' }))
})

test.skipIf(!TEST_DATABASE_URL)(
  'several servers are refused a port that another service has',
  { timeout: 120_000 },
  async () => {
    const database = await createDatabase(TEST_DATABASE_URL!)
    cleanUp.push(database.drop)
    const first = await start()
    const folder = mkdtempSync(join(tmpdir(), 'catalog-stops-'))
    cleanUp.push(async () => rmSync(folder, { recursive: true, force: true }))
    const second = await spawnService({
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      WEB_CONCURRENCY: '2',
      PORT: new URL(first.origin).port,
    })
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain('HOST and PORT cannot be listened on')
  },
)
