// Stored pictures that nothing names are removed after a week; every other one stays.
// @module-tag slow
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeUnused } from '../../src/features/pictures/unused.ts'
import { picture } from '../harness/product-site.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../harness/service.ts'
import { queue, SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const DAY_MS = 24 * 3600_000
const file = (name: string) => join(service.dataDir, 'media', name)
let serial = 0

/** Stores a picture that no row names, so many days ago. */
function stored(daysAgo: number, type = 'webp'): { name: string; url: string } {
  const name = `${String(++serial).padStart(40, '0')}.${type}`
  mkdirSync(join(service.dataDir, 'media'), { recursive: true })
  writeFileSync(file(name), name)
  const then = new Date(Date.now() - daysAgo * DAY_MS)
  utimesSync(file(name), then, then)
  return { name, url: `${service.origin}/media/${name}` }
}

test('a folder without pictures is nothing to do', async () => {
  expect(await removeUnused(service.context())).toBe(0)
})

test('removes old pictures that nothing names, and keeps new ones and those that are named anywhere', async () => {
  await service.load(SUBMISSION_CATALOG)
  const [unused, fresh] = [stored(8), stored(6)]
  const kept = Array.from({ length: 8 }, () => stored(30))
  const [icon, frame, shot, directory, proof, logo, text, earlier] = kept.map(({ url }) => url)
  await service.load([
    { kind: 'tool', slug: 'acme', name: 'Acme', icon, frame, screenshots: [shot], published: false },
    { kind: 'directory', slug: 'named', name: 'Named', icon: directory },
    { kind: 'tool', slug: 'moved', name: 'Moved', icon: earlier!.replace(service.origin, 'https://earlier.example') },
  ])
  const { key } = await service.newPartner()
  const { id: toolId } = await submitted(service, key, { paymentType: 'starter' })
  const [{ id }] = (await queue(service)).filter((item) => item.toolId === toolId) as [{ id: string }]
  const record = { isSubmitted: true, proofUrl: proof }
  expect((await service.admin('PUT', `/submissions/${id}/directories/peak`, record)).status).toBe(200)
  const about = { logo, texts: { about: `![us](${text})` } }
  expect((await service.admin('PUT', '/site', about)).status).toBe(200)

  expect(await removeUnused(service.context())).toBe(1)
  expect(existsSync(file(unused.name))).toBe(false)
  for (const { name } of [fresh, ...kept]) expect([name, existsSync(file(name))]).toEqual([name, true])

  expect((await service.admin('DELETE', '/tools/acme')).status).toBe(200)
  expect(await removeUnused(service.context())).toBe(3)
  expect((await fetch(icon!)).status).toBe(404)
})

test('a picture that is uploaded again counts as new', async () => {
  const bytes = await picture(40, 30, '#123456')
  const upload = async (): Promise<string> => {
    const response = await fetch(`${service.origin}/api/admin/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'image/png' },
      body: new Uint8Array(bytes),
    })
    return ((await response.json()) as any).data.url
  }
  const name = (await upload()).split('/').at(-1)!
  const old = new Date(Date.now() - 30 * DAY_MS)
  utimesSync(file(name), old, old)
  await upload()
  expect(await removeUnused(service.context())).toBe(0)
  utimesSync(file(name), old, old)
  expect(await removeUnused(service.context())).toBe(1)
})
