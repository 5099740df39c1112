// `catalog demo reset` puts the data aside, and the next start has the demo catalog again.
// @module-tag long
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { catalog } from '../harness/command.ts'
import { spawnService } from '../harness/process.ts'
import { copyTemplate } from '../harness/template.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

test('the demo catalog is back, the old data is kept aside, and the operator token is the same', async () => {
  const DATA_DIR = join(temporaryFolder('demo'), 'data')
  await copyTemplate(DATA_DIR)
  const env = { DATA_DIR, ADMIN_TOKEN: '', SEED: 'demo' }
  const start = async () => {
    const service = await spawnService(env)
    await service.ready()
    return service
  }
  const token = () => readFileSync(join(DATA_DIR, 'admin-token'), 'utf8').trim()
  const count = async (service: Awaited<ReturnType<typeof start>>) =>
    (await service.call('/api/admin/tools?limit=1000', { token: token() })).body.data.length

  const service = await start()
  const before = token()
  const tools = await count(service)
  await service.call('/api/admin/tools/mine', { method: 'PUT', token: before, body: { name: 'Mine' } })
  const busy = await catalog(['demo', 'reset', '--yes'], { DATA_DIR })
  expect([busy.status, busy.err]).toEqual([1, expect.stringContaining('is in use by')])
  await service.kill('SIGTERM')

  const unsure = await catalog(['demo', 'reset'], { DATA_DIR })
  expect([unsure.status, unsure.err]).toEqual([2, expect.stringContaining('--yes')])
  expect((await catalog(['demo', 'reset', '--yes'], { DATA_DIR, SEED: 'none' })).err).toContain('SEED is none')
  const done = await catalog(['demo', 'reset', '--yes', '--json'], { DATA_DIR })
  expect(done.status).toBe(0)
  const { old } = JSON.parse(done.out)
  expect(readdirSync(old)).toContain('database')
  expect(token()).toBe(before)

  const again = await start()
  expect(await count(again)).toBe(tools)
  expect((await again.call('/api/admin/tools/mine', { token: before })).status).toBe(404)
  await again.kill('SIGTERM')
  expect((await catalog(['demo', 'reset', '--yes'], { DATABASE_URL: 'postgres://x/y', DATA_DIR })).status).toBe(1)
})
