// Ready means that the catalog is there, and "stopped" that the process is about to be gone.
// @module-tag long
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { createDatabase } from '../harness/service.ts'

const { TEST_DATABASE_URL } = process.env

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const one of cleanUp.splice(0).reverse()) await one()
})

function newFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `catalog-${name}-`))
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function start(settings: Record<string, string>): Promise<ServiceProcess> {
  const service = await spawnService({ RATE_LIMIT_SCALE: '1000000', ...settings })
  cleanUp.push(() => service.kill())
  return service
}

/** Asks all the time from the first answer on, and returns what was seen before the service was ready, and right after. */
async function firstAnswers(service: ServiceProcess) {
  const before: string[] = []
  for (;;) {
    const get = (path: string) => fetch(service.origin + path).catch(() => null)
    // The page is asked for after the health, so a ready service must have its catalog.
    const ready = await get('/readyz')
    const page = await get('/tools')
    const text = (await page?.text()) ?? ''
    const isFilled = /<a [^>]*href="[^"]*\/tools\/[a-z0-9-]+"/.test(text)
    if (ready?.status === 200) return { before: new Set(before), isFilled }
    if (ready && page) before.push(page.status === 200 ? (isFilled ? 'filled' : 'empty') : String(page.status))
    await sleep(10)
  }
}

test('a first start is ready when the demo catalog is there, and what the welcome names works at once', async () => {
  const service = await start({ DATA_DIR: newFolder('ready'), SEED: 'demo' })
  const { before, isFilled } = await firstAnswers(service)
  expect(isFilled).toBe(true)
  expect(before).not.toContain('empty')
  await until(() => service.output().includes('Try it:'), 60_000)
  const key = /Premium key\s+(\S+)/.exec(service.output())?.[1] ?? ''
  const found = await service.call('/api/v1/tools?q=meeting+notes&limit=3', { token: key })
  expect([found.status, found.body.data.length]).toEqual([200, 3])
  expect(await service.kill('SIGTERM')).toBe(0)
})

test.skipIf(!TEST_DATABASE_URL)('several servers are ready when the demo catalog is there', async () => {
  const database = await createDatabase(TEST_DATABASE_URL!)
  cleanUp.push(database.drop)
  const KEY_PEPPER = 'a pepper that all processes share, long enough'
  const settings = { DATABASE_URL: database.url, KEY_PEPPER, WEB_CONCURRENCY: '2', SEED: 'demo' }
  const service = await start({ DATA_DIR: newFolder('ready'), ...settings })
  const { before, isFilled } = await firstAnswers(service)
  expect([isFilled, before.has('empty')]).toEqual([true, false])
  for (let asked = 0; asked < 40; asked++) expect(await firstAnswers(service)).toMatchObject({ isFilled: true })
  expect(await service.kill('SIGTERM')).toBe(0)
})

test('three services that are stopped at the same time on a busy machine are gone when they have said so', {
  timeout: 600_000,
}, async () => {
  // The first start of an installation compiles everything: an empty folder is where Node keeps that.
  const services = await Promise.all(
    [0, 1, 2].map(() => start({ DATA_DIR: newFolder('gone'), TMPDIR: newFolder('compiled') })),
  )
  for (const service of services) await service.ready()
  const busy = [0, 1, 2, 3].map(() => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  cleanUp.push(() => busy.map((one) => one.kill('SIGKILL')))
  let isOver = false
  const asking = services.map(async ({ origin }) => {
    while (!isOver)
      await fetch(`${origin}/tools?q=notes`).then(
        (reply) => reply.text(),
        () => sleep(50),
      )
  })
  await sleep(3_000)
  const codes = await Promise.all(
    services.map(async (service) => {
      const ended = service.kill('SIGTERM')
      await until(() => service.output().includes('"msg":"stopped"'), 60_000)
      const said = performance.now()
      return [await ended, performance.now() - said < 5_000]
    }),
  )
  isOver = true
  await Promise.all(asking)
  expect(codes).toEqual([0, 1, 2].map(() => [0, true]))
})
