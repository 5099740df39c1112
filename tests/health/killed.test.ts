// A process that is killed (SIGKILL) while it looks at a website loses nothing: the look is repeated once its claim ends.
// @module-tag slow
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { productSite } from '../harness/product-site.ts'
import { use } from '../harness/use.ts'

const MINUTE = 60_000
const WEEK = 7 * 24 * 60 * MINUTE

const folder = mkdtempSync(join(tmpdir(), 'catalog-health-'))
const clockFile = join(folder, 'clock')
const preload = new URL('../harness/stepped-clock.ts', import.meta.url).href
let isHanging = true
const site = use(() =>
  productSite({ '/': (_request, response) => void (isHanging || response.writeHead(410).end('No longer here')) }),
)

let running: ServiceProcess | undefined
async function start(clock: number): Promise<ServiceProcess> {
  writeFileSync(`${clockFile}.new`, String(clock))
  renameSync(`${clockFile}.new`, clockFile)
  running = await spawnService({
    ...{ DATA_DIR: join(folder, 'data'), OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', HEALTH_CHECKS: 'on' },
    ...{ CLOCK_FILE: clockFile, NODE_OPTIONS: `--import=${preload}` },
  })
  await running.ready()
  return running
}
afterAll(async () => {
  await running?.kill()
  rmSync(folder, { recursive: true, force: true })
})

const stored = async (service: ServiceProcess) => (await service.call('/api/admin/health')).body.data[0]
const pageLooks = () => site.asked.filter((path) => path === '/').length

test('a look that is killed is made again, and counts once', { timeout: 300_000 }, async () => {
  let service = await start(0)
  const tool = { name: 'Killed', website: site.url }
  expect((await service.call('/api/admin/tools/killed', { method: 'PUT', body: tool })).status).toBeLessThan(300)
  await service.kill()
  // A start plans the first look.
  service = await start(0)
  await until(async () => (await stored(service)) !== undefined)
  await service.kill()
  service = await start(WEEK + MINUTE)
  await until(() => pageLooks() === 1)
  await service.kill('SIGKILL')
  isHanging = false
  service = await start(WEEK + 10 * MINUTE)
  await until(async () => (await stored(service)).checkedAt !== null)
  expect(pageLooks()).toBe(2)
  // One look that finds it gone says nothing yet.
  expect(await stored(service)).toMatchObject({ state: 'unknown', status: 410 })
})
