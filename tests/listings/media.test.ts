// How pictures are uploaded and served.
import { request } from 'node:http'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { decompressionBomb, picture, SVG } from '../harness/product-site.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

// With the real limits, the test notices if serving a picture is charged.
const service = useService({ RATE_LIMIT_SCALE: '1' })

async function upload(bytes: Buffer, type = 'image/png') {
  const response = await fetch(`${service.origin}/api/admin/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': type },
    body: new Uint8Array(bytes),
  })
  return { status: response.status, body: (await response.json()) as any }
}

describe('uploading a picture', () => {
  test('answers 200 with an address, gives the same picture the same address, and is audited', async () => {
    const bytes = await picture(2400, 100)
    let url = ''
    const rows = await audited(service, async () => {
      const reply = await upload(bytes)
      expect(reply.status).toBe(200)
      url = reply.body.data.url
    })
    expect(url).toMatch(/\/media\/[0-9a-f]{40}\.webp$/)
    expect(rows).toMatchObject([
      { actor: 'operator', action: 'media.create', subject: `media:${url.split('/').at(-1)}` },
    ])
    expect((await upload(bytes)).body.data.url).toBe(url)
    const served = Buffer.from(await (await fetch(url)).arrayBuffer())
    expect(await sharp(served).metadata()).toMatchObject({ format: 'webp', width: 1600 })
  })

  test('an upload that is no picture gets a 400, whatever its content type says', async () => {
    for (const bytes of [SVG, Buffer.from('<html>'), Buffer.alloc(0), await decompressionBomb()]) {
      const { status, body } = await upload(bytes)
      expect([status, body.success]).toEqual([400, false])
      expect(body.error).toMatch(/^The body (is|has) /)
    }
  })

  test('an upload of more than 10 MiB gets a 413', async () => {
    const { status, body } = await upload(Buffer.alloc(10 * 1024 * 1024 + 1))
    expect([status, body.error]).toEqual([413, 'The request body is too large: at most 10 MiB.'])
  })

  test('answers 415 to other content types, and to none', async () => {
    for (const type of ['image/svg+xml', 'text/html', 'application/json'])
      expect((await upload(SVG, type)).status).toBe(415)
    const reply = await service.fetch('/api/admin/media', { method: 'POST', key: ADMIN_TOKEN })
    expect(reply.status).toBe(415)
  })

  test('answers 401 without the token', async () => {
    expect((await service.fetch('/api/admin/media', { method: 'POST' })).status).toBe(401)
  })
})

describe('a stored picture', () => {
  let path: string
  beforeAll(async () => {
    path = new URL((await upload(await picture(20, 10))).body.data.url).pathname
  })

  test('is served with strict headers and may be cached forever', async () => {
    const { status, headers } = await service.fetch(path)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'inline',
      etag: `"${path.slice(7, 47)}"`,
    })
    expect(headers.get('x-ratelimit-limit')).toBeNull()
    const head = await service.fetch(path, { method: 'HEAD' })
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      headers.get('content-length'),
    ])
  })

  test('is answered with 304 when the browser has it', async () => {
    const cached = await service.fetch(path, { headers: { 'if-none-match': `"${path.slice(7, 47)}"` } })
    expect([cached.status, cached.text]).toEqual([304, ''])
  })

  test('is served any number of times without being charged', async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, () => service.fetch(path)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    const missing = await Promise.all(Array.from({ length: 100 }, () => service.fetch(`/media/${'0'.repeat(40)}.png`)))
    expect(new Set(missing.map(({ status }) => status))).toEqual(new Set([404]))
    expect((await service.fetch('/')).status).toBe(200)
  })

  test('is the only thing served: any other name is a 404, and no path leads out of the folder', async () => {
    const name = path.slice(7)
    for (const wrong of [
      'nope.png',
      `${'0'.repeat(40)}.webp`,
      name.replace('.webp', '.svg'),
      name.replace('.webp', '.html'),
      name.replace('.webp', ''),
      name.toUpperCase(),
      `..%2fadmin-token`,
      `..%2f..%2f..%2fetc%2fpasswd`,
      `%2e%2e%2fkey-pepper`,
      `..%5cadmin-token`,
      `${name}%00.png`,
      `tmp%2f${name}`,
    ]) {
      const { status, headers } = await raw(`/media/${wrong}`)
      expect([wrong, status, headers['content-type']]).toEqual([wrong, 404, 'application/json; charset=utf-8'])
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
    for (const wrong of ['/media/../admin-token', '/media/../../etc/passwd', '/media/'])
      expect((await raw(wrong)).status).toBe(404)
  })

  test('answers 405 to other methods', async () => {
    const reply = await service.fetch(path, { method: 'DELETE' })
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

/** Sends the path unchanged. fetch would normalise it. */
const raw = (path: string): Promise<{ status: number; headers: Record<string, unknown> }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.origin)
    request({ hostname, port, path }, (response) => {
      response.resume()
      resolve({ status: response.statusCode!, headers: response.headers })
    })
      .on('error', reject)
      .end()
  })
