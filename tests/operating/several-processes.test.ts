// Two processes share one PostgreSQL and one Redis. tests/with-servers.sh runs this file.
// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FaultProxy, startFaultProxy } from '../harness/fault-proxy.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { createDatabase } from '../harness/service.ts'

const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env

describe.skipIf(!TEST_DATABASE_URL || !TEST_REDIS_URL)('two processes on one PostgreSQL and one Redis', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let databaseProxy: FaultProxy
  let redisProxy: FaultProxy
  let a: ServiceProcess
  let b: ServiceProcess
  const folders: string[] = []

  const newKey = async (plan = 'standard') => {
    const email = `user-${Math.random()}@example.com`
    return (await a.call('/api/admin/keys', { method: 'POST', body: { email, plan } })).body.data as {
      id: string
      key: string
    }
  }
  const read = (service: ServiceProcess, key: string, path = '/tools') => service.call(`/api/v1${path}`, { token: key })
  const proxied = (url: string, proxy: FaultProxy) => {
    const own = new URL(url)
    own.port = String(proxy.port)
    return own.href
  }

  beforeAll(async () => {
    database = await createDatabase(TEST_DATABASE_URL!)
    const { hostname: host, port } = new URL(TEST_DATABASE_URL!)
    databaseProxy = await startFaultProxy({ host, port: Number(port) })
    const redisUrl = new URL(TEST_REDIS_URL!)
    redisUrl.pathname = '/15'
    redisProxy = await startFaultProxy({ host: redisUrl.hostname, port: Number(redisUrl.port) })
    const redis = new Redis(redisUrl.href)
    await redis.flushdb()
    redis.disconnect()
    const environment = () => {
      const DATA_DIR = mkdtempSync(join(tmpdir(), 'catalog-several-'))
      folders.push(DATA_DIR)
      return {
        DATA_DIR,
        DATABASE_URL: proxied(database.url, databaseProxy),
        REDIS_URL: proxied(redisUrl.href, redisProxy),
        KEY_PEPPER: 'a pepper that both processes share, long enough',
      }
    }
    // Both processes start at the same time; one of them applies the migrations.
    ;[a, b] = await Promise.all([spawnService(environment()), spawnService(environment())])
    await Promise.all([a.ready(), b.ready()])
  })
  afterAll(async () => {
    await Promise.all([a?.kill('SIGTERM'), b?.kill('SIGTERM')])
    await databaseProxy?.close()
    await redisProxy?.close()
    await database?.drop()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  test('a key made by one works at once on the other', async () => {
    for (let i = 0; i < 10; i++) expect((await read(b, (await newKey()).key)).status).toBe(200)
  })

  test('forty calls at once through both with a new standard key: exactly ten succeed', async () => {
    for (let round = 0; round < 5; round++) {
      const { key } = await newKey()
      const calls = await Promise.all(Array.from({ length: 40 }, (_, i) => read(i % 2 ? a : b, key)))
      expect(calls.filter((call) => call.status === 200)).toHaveLength(10)
      expect(calls.filter((call) => call.status === 429)).toHaveLength(30)
    }
  })

  test('a revoked key, a changed plan and a ban take effect on the other process within one second', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => newKey()))
    for (const { key } of keys) expect((await read(b, key)).status).toBe(200)
    await Promise.all(keys.map(({ id }) => a.call(`/api/admin/keys/${id}`, { method: 'DELETE' })))
    await new Promise((resolve) => setTimeout(resolve, 1000))
    for (const { key } of keys) expect((await read(b, key)).status).toBe(401)

    const { key } = await newKey()
    expect((await read(b, key)).headers.get('x-ratelimit-limit')).toBe('10')
    const user = (await a.call('/api/admin/users')).body.data[0]
    await a.call(`/api/admin/users/${user.id}`, { method: 'PATCH', body: { plan: 'premium' } })
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect((await read(b, key)).headers.get('x-ratelimit-limit')).toBe('60')
    await a.call(`/api/admin/users/${user.id}`, { method: 'PATCH', body: { banned: true } })
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect((await read(b, key)).status).toBe(401)
  })

  test('a change of a listing is visible on the other process within one second', async () => {
    const { key } = await newKey('premium')
    for (const name of ['First', 'Second']) {
      await a.call('/api/admin/tools/shared', { method: 'PUT', body: { name } })
      await new Promise((resolve) => setTimeout(resolve, 1000))
      expect((await read(b, key, '/tools/shared')).body.data.name).toBe(name)
    }
    await a.call('/api/admin/tools/shared', { method: 'DELETE' })
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect((await read(b, key, '/tools/shared')).status).toBe(404)
  })

  test('while Redis is away each process counts in memory and logs it, and both share counts again when Redis is back', async () => {
    await redisProxy.cut()
    const { key } = await newKey()
    const calls = await Promise.all(Array.from({ length: 15 }, () => read(a, key)))
    expect(calls.filter((call) => call.status === 200)).toHaveLength(10)
    await until(() => /Redis is away/.test(a.output()), 3000)
    await redisProxy.restore()
    await until(() => /Redis is back/.test(a.output()) && /Redis is back/.test(b.output()), 5000)
    const fresh = await newKey()
    const shared = await Promise.all(Array.from({ length: 20 }, (_, i) => read(i % 2 ? a : b, fresh.key)))
    expect(shared.filter((call) => call.status === 200)).toHaveLength(10)
  })

  test('while the database is away reads continue, writes are a 503 with the envelope, and both processes recover by themselves', async () => {
    const { key } = await newKey('premium')
    await a.call('/api/admin/tools/lasting', { method: 'PUT', body: { name: 'Lasting' } })
    await until(async () => (await read(b, key, '/tools/lasting')).status === 200, 2000)
    await databaseProxy.cut()
    expect((await read(b, key, '/tools/lasting')).status).toBe(200)
    const began = Date.now()
    const refused = await a.call('/api/admin/tools/new', { method: 'PUT', body: { name: 'New' } })
    expect(refused.status).toBe(503)
    expect(refused.body).toEqual({
      success: false,
      error: expect.stringContaining('Try again'),
      code: 'unavailable',
    })
    expect(refused.headers.get('retry-after')).toBeTruthy()
    expect(Date.now() - began).toBeLessThan(2000)
    await databaseProxy.restore()
    await until(
      async () => (await a.call('/api/admin/tools/new', { method: 'PUT', body: { name: 'New' } })).status === 200,
      5000,
    )
    // The other process missed the announcements too, and must catch up by itself.
    await until(async () => (await read(b, key, '/tools/new')).status === 200, 5000)
    expect(a.output()).not.toMatch(/unhandled|uncaught/i)
  })

  test('a process that starts while the database is away waits for it', async () => {
    await databaseProxy.cut()
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'catalog-several-'))
    folders.push(DATA_DIR)
    const late = await spawnService({
      DATA_DIR,
      DATABASE_URL: proxied(database.url, databaseProxy),
      KEY_PEPPER: 'a pepper that both processes share, long enough',
    })
    try {
      await until(async () => (await fetch(`${late.origin}/readyz`).catch(() => null))?.status === 503, 10_000)
      const { status, body } = await late.call('/api/admin/users')
      expect([status, body.success]).toEqual([503, false])
      await databaseProxy.restore()
      await late.ready()
      expect((await late.call('/api/admin/users')).status).toBe(200)
    } finally {
      await late.kill()
    }
  })

  test('a process refuses to start with a pepper other than the one the keys were made with', async () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'catalog-several-'))
    folders.push(DATA_DIR)
    const otherPepper = await spawnService({ DATA_DIR, DATABASE_URL: database.url })
    expect(await otherPepper.ended).toBe(1)
    expect(otherPepper.output()).toMatch(/KEY_PEPPER .* is not the one/)
  })
})
