// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { prefersHtml } from '../../src/surfaces/pages/kit/sending/answers.ts'
import { type Reply, startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

const service = useService()
beforeAll(() =>
  service.load([
    { kind: 'tool', slug: 'bare', name: 'Bare' },
    { kind: 'directory', slug: 'bare', name: 'Bare' },
  ]),
)

const open = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  service.fetch(path, { headers: { accept: BROWSER, ...headers } })

test('a public page has strict headers, an ETag, and a stylesheet that may be cached forever', async () => {
  for (const path of ['/', '/tools/bare', '/directories/bare']) {
    const { headers, text } = await open(path)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
    expect(headers.get('cache-control')).toBe('public, max-age=60')
    expect(headers.get('x-ratelimit-limit')).toBeTruthy()
    expect(text).not.toMatch(/\sstyle=|<style/)
    const style = await service.fetch(/<link rel="stylesheet" href="([^"]+)"/.exec(text)![1]!)
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(style.headers.get('cache-control')).toContain('immutable')
    expect(style.headers.get('x-ratelimit-limit')).toBeNull()
    expect((await service.fetch(path, { method: 'HEAD' })).status).toBe(200)
  }
})

test('a public page is answered with 304 when the browser has it', async () => {
  const etag = (await open('/tools/bare')).headers.get('etag')!
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const reply = await open('/tools/bare', { 'if-none-match': tag })
    expect([reply.status, reply.text]).toEqual([304, ''])
    expect(reply.headers.get('content-security-policy')).toBeTruthy()
  }
  expect((await open('/tools/bare', { 'if-none-match': '"other"' })).status).toBe(200)
})

describe('a missing page', () => {
  test('is a page for a browser and the envelope for a program', async () => {
    for (const path of [
      '/tools/nope',
      '/tools/top',
      '/directories/nope',
      '/tools/nope/visit',
      '/tools/bare/visit',
      '/tools/%3Cscript%3E',
    ]) {
      const page = await open(path)
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.text).toContain('<meta name="robots" content="noindex">')
      const envelope = await service.fetch(path)
      expect([envelope.status, envelope.body.success]).toEqual([404, false])
      expect(envelope.headers.get('x-ratelimit-limit')).toBeTruthy()
    }
  })

  test('is HTML or JSON by the Accept header', () => {
    for (const accept of [BROWSER, 'text/html', 'text/html, */*', 'application/json;q=0.5, text/html;q=0.6'])
      expect(prefersHtml(accept)).toBe(true)
    for (const accept of [
      undefined,
      '',
      '*/*',
      'application/json',
      'application/json, text/html;q=0.9',
      'text/html;q=0',
      'text/html;q=x',
    ])
      expect(prefersHtml(accept)).toBe(false)
  })
})

test('the address of a form is a page for a browser that opens it, and the envelope for a program', async () => {
  for (const path of ['/sign-out', '/dashboard/keys', '/admin/users/x/keys/y/revoke']) {
    const page = await open(path)
    expect([page.status, page.headers.get('allow'), page.headers.get('content-type')]).toEqual([
      405,
      'POST',
      'text/html; charset=utf-8',
    ])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await service.fetch(path)).body).toMatchObject({ success: false, error: expect.stringContaining('POST') })
  }
})

test('a public page answers 405 with Allow, in the envelope, to other methods', async () => {
  for (const path of ['/', '/tools/bare', '/directories/bare', '/tools/bare/visit'])
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const reply = await service.fetch(path, { method, headers: { accept: BROWSER } })
      expect([reply.status, reply.headers.get('allow'), reply.body.success]).toEqual([405, 'GET, HEAD', false])
    }
})

test('the 61st page a minute from one address is a 429, as a page for a browser', async () => {
  const strict = await startService({ RATE_LIMIT_SCALE: '1' })
  try {
    for (let i = 0; i < 60; i++) expect((await strict.fetch('/')).status).toBe(200)
    const page = await strict.fetch('/', { headers: { accept: BROWSER } })
    expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(page.headers.get('content-security-policy')).toBeTruthy()
    expect((await strict.fetch('/tools/x/visit')).body).toMatchObject({ success: false })
    const style = /<link rel="stylesheet" href="([^"]+)"/.exec(page.text)![1]!
    expect((await strict.fetch(style)).status).toBe(200)
  } finally {
    await strict.close()
  }
})
