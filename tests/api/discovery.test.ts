// @module-tag once
import { describe, expect, test } from 'vitest'
import { restOperations } from '../../src/features.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const discover = async () => (await service.rest('/', { key: null })).body.data

describe('the discovery document', () => {
  test('needs no key and has the fields of the contract', async () => {
    const reply = await service.rest('/', { key: null })
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.body).sort()).toEqual(['data', 'success'])
    expect(Object.keys(reply.body.data).sort()).toEqual(
      ['name', 'version', 'description', 'documentation', 'openapi', 'mcp', 'endpoints', 'limits', 'policies'].sort(),
    )
  })

  test('is the same without the trailing slash and with a key', async () => {
    const { text } = await service.rest('/', { key: null })
    expect((await service.fetch('/api/v1')).text).toBe(text)
    expect((await service.rest('/')).text).toBe(text)
  })

  test('names addresses of this service that answer', async () => {
    const { openapi, mcp, documentation, version } = await discover()
    expect(openapi).toBe(`${service.origin}/api/v1/openapi.json`)
    expect(mcp).toBe(`${service.origin}/mcp`)
    expect(version).toBe('1.0.0')
    for (const address of [openapi, documentation])
      expect((await service.fetch(address.slice(service.origin.length))).status).toBe(200)
  })

  test('names the API reference page as its documentation', async () => {
    expect((await discover()).documentation).toBe(`${service.origin}/docs`)
  })

  test('names the operation, method, path and key of every endpoint', async () => {
    const { endpoints } = await discover()
    for (const { name, method, path, access } of restOperations)
      expect(endpoints).toContainEqual({
        operation: name,
        method,
        path: path.replace(/:(\w+)/g, '{$1}'),
        // Support needs a partner key.
        key: access === 'support' ? 'partner' : access,
      })
  })

  test('names only catalog endpoints that answer to a key', async () => {
    for (const { path, key, method } of (await discover()).endpoints) {
      if (key !== 'catalog') continue
      const reply = await service.rest(path.replace(/\{\w+\}/g, 'no-such'), { method })
      expect([path, path.includes('{') ? 404 : 200]).toEqual([path, reply.status])
    }
  })

  test('shows the limits that are applied: those of the specification, times RATE_LIMIT_SCALE', async () => {
    const { limits } = await discover()
    expect(limits).toEqual({
      unit: 'calls per minute and key',
      rest: { standard: 10_000, premium: 60_000 },
      mcp: { standard: 30_000, premium: 120_000 },
      partnerWrites: { submit: 20_000, support: 60_000 },
      withoutKey: { unit: 'calls per address', perMinute: 60_000, perHour: 400_000 },
    })
    expect((await service.rest('/tools')).headers.get('x-ratelimit-limit')).toBe(String(limits.rest.premium))
  })

  test('states the policies of the specification', async () => {
    const { policies } = await discover()
    expect(JSON.stringify(policies)).toMatch(/competing directory or bulk export/)
    expect(JSON.stringify(policies)).toMatch(/permanent ban/)
  })
})
