// An import of 1,000 listings with pictures on 20 hosts: its progress is shown, and a kill -9 in the middle costs nothing but time.
// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalog } from '../harness/command.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { ADMIN_TOKEN, freePort } from '../harness/service.ts'

const LISTINGS = 1_000
const HOSTS = 20
const folder = mkdtempSync(join(tmpdir(), 'catalog-pictures-'))
let server: Server
let port: number
let service: ServiceProcess | undefined
const requests = new Map<string, number>()
let running = 0
const runningOfHost = new Map<string, number>()
let mostOfHost = 0

beforeAll(async () => {
  const colours = Array.from({ length: 50 }, (_, i) => `#${(i * 331_777).toString(16).padStart(6, '0')}`)
  const pictures = await Promise.all(
    colours.map((background) =>
      sharp({ create: { width: 320, height: 200, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )
  server = createServer((request, response) => {
    const key = `${request.headers.host}${request.url}`
    requests.set(key, (requests.get(key) ?? 0) + 1)
    const host = request.headers.host ?? ''
    const now = (runningOfHost.get(host) ?? 0) + 1
    runningOfHost.set(host, now)
    mostOfHost = Math.max(mostOfHost, now)
    running++
    setTimeout(() => {
      running--
      runningOfHost.set(host, (runningOfHost.get(host) ?? 1) - 1)
      response.setHeader('content-type', 'image/png').end(pictures[requests.size % pictures.length])
    }, 20)
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  await service?.kill()
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const progress = async () => (await service!.call('/api/admin/pictures/progress')).body.data

test('shows its progress and survives a kill', { timeout: 600_000 }, async () => {
  const environment = {
    PORT: String(await freePort()),
    DATA_DIR: folder,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    MIRROR_PICTURES: 'on',
    RATE_LIMIT_SCALE: '1000',
  }
  service = await spawnService(environment)
  await service.ready()
  const lines = Array.from({ length: LISTINGS }, (_, i) => {
    const address = (name: string) => `http://127.0.1.${(i % HOSTS) + 1}:${port}/${name}-${i}.png`
    return { kind: 'tool', slug: `tool-${i}`, name: `Tool ${i}`, icon: address('icon'), frame: address('frame') }
  })
  const response = await fetch(`${service.origin}/api/admin/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  })
  expect(response.status).toBe(200)

  const seen: number[] = []
  await until(async () => {
    const { done, waiting } = await progress()
    if (done > 0) seen.push(done)
    return waiting > 0 && done >= LISTINGS / 4
  }, 240_000)
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
  const status = await catalog(['pictures', 'status'], { CATALOG_URL: service.origin, ADMIN_TOKEN })
  expect(status.out).toMatch(/listings have all copies, [\d,]+ wait, 0 failed\./)

  await service.kill('SIGKILL')
  service = await spawnService(environment)
  await service.ready()
  await until(async () => (await progress()).done === LISTINGS, 300_000)
  expect(await progress()).toEqual({ isOn: true, waiting: 0, done: LISTINGS, failed: 0 })

  const exported = await (
    await fetch(`${service.origin}/api/admin/export`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
  ).text()
  const tools = exported.split('\n').flatMap((line) => (line.includes('"kind":"tool"') ? [JSON.parse(line)] : []))
  expect(tools.length).toBe(LISTINGS)
  const own = `${service.origin}/media/`
  expect(tools.filter(({ icon, frame }) => !icon.startsWith(own) || !frame.startsWith(own))).toEqual([])
  expect((await fetch(tools[0].frame)).status).toBe(200)
  // Every picture was fetched, and only those on their way during the kill were fetched twice.
  expect(requests.size).toBe(2 * LISTINGS)
  expect([...requests.values()].reduce((sum, count) => sum + count, 0)).toBeLessThan(2 * LISTINGS + 30)
  expect([running, mostOfHost <= 2]).toEqual([0, true])
})
