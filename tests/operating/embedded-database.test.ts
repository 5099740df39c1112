// @module-tag long
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { canMount, mountSmallDisk } from '../harness/small-disk.ts'
import { copyTemplate } from '../harness/template.ts'

const started: ServiceProcess[] = []
const folders: string[] = []
const start = async (environment: Record<string, string>) => {
  const service = await spawnService(environment)
  started.push(service)
  return service
}
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-embedded-'))
  folders.push(folder)
  return folder
}
afterEach(async () => {
  for (const service of started.splice(0)) await service.kill()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

describe('the embedded database', () => {
  test('refuses a second process on the same DATA_DIR in one clear line, and accepts one after a kill -9', async () => {
    const DATA_DIR = newFolder()
    await copyTemplate(DATA_DIR)
    const first = await start({ DATA_DIR })
    await first.ready()
    const second = await start({ DATA_DIR })
    expect(await second.ended).toBe(1)
    const lines = second.output().trim().split('\n')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(
      /^DATA_DIR .* is in use by process \d+ on .*\. Stop that one first, or use another DATA_DIR\.$/,
    )
    expect((await first.call('/api/admin/users')).status).toBe(200)
    await first.kill('SIGKILL')
    const third = await start({ DATA_DIR })
    await third.ready()
    expect((await third.call('/api/admin/users')).status).toBe(200)
  })

  test('keeps every acknowledged write through kill -9 in the middle of writes', { tags: 'long' }, async () => {
    const DATA_DIR = newFolder()
    await copyTemplate(DATA_DIR)
    const acknowledged: string[] = []
    for (let round = 0; round < 3; round++) {
      const service = await start({ DATA_DIR })
      await service.ready()
      let running = true
      const writers = [0, 1, 2].map(async (writer) => {
        for (let i = 0; running; i++) {
          const slug = `tool-${round}-${writer}-${i}`
          const reply = await service
            .call(`/api/admin/tools/${slug}`, { method: 'PUT', body: { name: slug } })
            .catch(() => null)
          if (reply?.status === 200) acknowledged.push(slug)
        }
      })
      // At this moment some writes are done and others are in progress.
      await until(() => acknowledged.length > 15 * (round + 1), 60_000)
      await new Promise((resolve) => setTimeout(resolve, 50 + 37 * round))
      await service.kill('SIGKILL')
      running = false
      await Promise.all(writers)
    }
    const service = await start({ DATA_DIR, RATE_LIMIT_SCALE: '1000' })
    await service.ready()
    const { key } = (await service.call('/api/admin/keys', { method: 'POST', body: { email: 'a@example.com' } })).body
      .data
    const found = new Set<string>()
    for (let page = 1; ; page++) {
      const { body } = await service.call(`/api/v1/tools?limit=100&page=${page}`, { token: key })
      for (const tool of body.data) found.add(tool.slug)
      if (page >= body.pagination.pages) break
    }
    expect(acknowledged.length).toBeGreaterThan(30)
    expect(acknowledged.filter((slug) => !found.has(slug))).toEqual([])
  })

  test('starts with the demo catalog, prints working keys once, and keeps its secrets in files of mode 0600', async () => {
    const DATA_DIR = newFolder()
    const first = await start({ DATA_DIR, SEED: 'demo', ADMIN_TOKEN: '' })
    await first.ready()
    await expect.poll(() => first.output(), { timeout: 15_000 }).toMatch(/Partner key/)
    const curl = /curl -H 'Authorization: Bearer (\S+)' '([^']+)'/.exec(first.output())!
    const reply = await fetch(curl[2]!, { headers: { authorization: `Bearer ${curl[1]}` } })
    expect([reply.status, ((await reply.json()) as { data: unknown[] }).data.length]).toEqual([200, 3])
    const client = JSON.parse(/\{\n {4}"mcpServers"[\s\S]*?\n {2}\}\n/.exec(first.output())![0])
    const { url, headers } = client.mcpServers.catalog
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const listed = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(call),
    })
    expect(((await listed.json()) as any).result.tools).toHaveLength(8)
    for (const file of ['admin-token', 'key-pepper']) expect(statSync(join(DATA_DIR, file)).mode & 0o777).toBe(0o600)
    expect(await first.kill('SIGTERM')).toBe(0)
    const again = await start({ DATA_DIR, SEED: 'demo', ADMIN_TOKEN: '' })
    await again.ready()
    await expect.poll(() => again.output(), { timeout: 10_000 }).toMatch(/"ready"/)
    expect(again.output()).not.toMatch(/aid_/)
    expect(
      (await fetch(curl[2]!.replace(first.origin, again.origin), { headers: { authorization: `Bearer ${curl[1]}` } }))
        .status,
    ).toBe(200)
  })

  test('is created anew after a first start that was killed meanwhile', async () => {
    const DATA_DIR = newFolder()
    const first = await start({ DATA_DIR })
    await until(() => existsSync(join(DATA_DIR, 'database-new/PG_VERSION')), 60_000)
    await first.kill('SIGKILL')
    expect(existsSync(join(DATA_DIR, 'database'))).toBe(false)
    const again = await start({ DATA_DIR })
    await again.ready()
    expect(readdirSync(DATA_DIR)).not.toContain('database-new')
  })

  test('needs less than 400 MB of memory for a small catalog, also for a moment at the start', async () => {
    const DATA_DIR = newFolder()
    await copyTemplate(DATA_DIR)
    const service = await start({ DATA_DIR })
    await service.ready()
    const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8')
    expect(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024).toBeLessThan(400)
  })

  test('calls fsync before a write is acknowledged', async () => {
    const { spawnSync } = await import('node:child_process')
    if (spawnSync('strace', ['-V']).error) return
    const DATA_DIR = newFolder()
    await copyTemplate(DATA_DIR)
    const service = await start({ DATA_DIR })
    await service.ready()
    const { spawn } = await import('node:child_process')
    const trace = spawn('strace', ['-f', '-c', '-e', 'trace=fsync,fdatasync', '-p', String(service.child.pid)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let summary = ''
    trace.stderr.on('data', (chunk) => (summary += chunk))
    await until(() => / attached/.test(summary))
    for (let i = 0; i < 20; i++) await service.call(`/api/admin/tags/t${i}`, { method: 'PUT', body: { name: `T${i}` } })
    trace.kill('SIGINT')
    await new Promise((resolve) => trace.once('close', resolve))
    const calls = Number(/(\d+)\s+f(?:data)?sync/.exec(summary)?.[1] ?? 0)
    expect(calls, summary).toBeGreaterThanOrEqual(20)
  })
})

test('a bad setting stops the start with one clear line that names it', async () => {
  const service = await start({ DATA_DIR: newFolder(), RATE_LIMIT_SCALE: 'many' })
  expect(await service.ended).toBe(1)
  expect(service.output().trim()).toBe('RATE_LIMIT_SCALE must be a number greater than 0 (it is "many").')
})

test('a short operator token stops the start with one line that does not show it', async () => {
  const service = await start({ DATA_DIR: newFolder(), ADMIN_TOKEN: 'hunter2' })
  expect(await service.ended).toBe(1)
  expect(service.output().trim()).toBe('ADMIN_TOKEN must have at least 16 characters.')
})

test('an address that cannot be listened on stops the start with one line that names the settings', async () => {
  const service = await start({ DATA_DIR: newFolder(), HOST: '999.9' })
  expect(await service.ended).toBe(1)
  expect(service.output().trim()).toMatch(/^HOST and PORT cannot be listened on: .*999\.9.*$/)
})

describe('a DATA_DIR that cannot be used stops the start with one clear line', () => {
  const outputOfRefusedStart = async (environment: Record<string, string>) => {
    const service = await start(environment)
    expect(await service.ended).toBe(1)
    expect(service.output().trim().split('\n')).toHaveLength(1)
    return service.output()
  }

  test.each([
    ['embedded', {}],
    ['PostgreSQL', { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }],
  ])('when it is below a file (%s)', async (_, environment) => {
    const file = join(newFolder(), 'file')
    writeFileSync(file, '')
    const line = await outputOfRefusedStart({ ...environment, DATA_DIR: join(file, 'data') })
    expect(line).toMatch(/^DATA_DIR .*file\/data cannot be used: ENOTDIR.*catalog doctor$/m)
  })

  test.each(['/proc/catalog/data', '/sys/catalog'])(
    'when it is in a file system of the kernel: %s',
    async (DATA_DIR) => {
      expect(await outputOfRefusedStart({ DATA_DIR })).toMatch(
        /^DATA_DIR must be a folder on a disk; \/(proc|sys) is in a file system of the kernel, which stores nothing \(it is ".*"\)\.$/m,
      )
    },
  )

  test.skipIf(!canMount)('when its disk is full', { tags: 'long' }, async () => {
    const disk = mountSmallDisk(4)
    try {
      await disk.fill(64 * 1024)
      const line = await outputOfRefusedStart({ DATA_DIR: join(disk.folder, 'data') })
      expect(line).toMatch(/^DATA_DIR .* cannot be used: .* Is its disk full, .* catalog doctor$/m)
    } finally {
      disk.remove()
    }
  })
})
