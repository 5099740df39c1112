// Public reads are compressed for clients that ask for it. Answers that are not public are never compressed.
// @module-tag once
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { FIXTURE } from '../harness/fixture.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { newTool, submit } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  await service.load(FIXTURE)
  key = (await service.newKey()).key
})

interface RawReply {
  status: number
  headers: Record<string, string | undefined>
  bytes: Buffer
}

/** Returns the bytes as they travel. fetch would decompress them. */
function requestRaw(
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', held = key, body }: { method?: string; held?: string; body?: object } = {},
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const asked = request(
      service.origin + path,
      {
        method,
        headers: {
          ...(held ? { authorization: `Bearer ${held}` } : {}),
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({
            status: answer.statusCode!,
            headers: answer.headers as RawReply['headers'],
            bytes: Buffer.concat(chunks),
          }),
        )
      },
    )
    asked.on('error', reject)
    asked.end(body ? JSON.stringify(body) : undefined)
  })
}

const PUBLIC = ['/api/v1/tools', '/api/v1/tools?limit=3&page=1', '/api/v1/openapi.json', '/api/v1/']

describe('a public answer over 1 KB', () => {
  test.each(PUBLIC)('of %s is br or gzip for clients that ask, with the same content', async (path) => {
    const plain = await requestRaw(path)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.bytes.length).toBeGreaterThan(1024)
    // The first answer is compressed on request, the second comes from the cache.
    for (const _time of [1, 2]) {
      const br = await requestRaw(path, { 'accept-encoding': 'gzip, deflate, br' })
      expect(br.headers['content-encoding']).toBe('br')
      expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes)
      const gzip = await requestRaw(path, { 'accept-encoding': 'gzip' })
      expect(gzip.headers['content-encoding']).toBe('gzip')
      expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes)
      for (const { headers, bytes } of [br, gzip]) {
        expect(bytes.length).toBeLessThan(plain.bytes.length)
        expect(headers['content-length']).toBe(String(bytes.length))
        expect(headers['content-type']).toBe(plain.headers['content-type'])
        expect(headers.vary).toBe('Accept-Encoding')
      }
    }
    expect(plain.headers.vary).toBe('Accept-Encoding')
  })

  test('is the same for many clients that ask at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => requestRaw('/api/v1/tools?limit=7', { 'accept-encoding': 'br' })),
    )
    const plain = await requestRaw('/api/v1/tools?limit=7')
    for (const { bytes } of answers) expect(brotliDecompressSync(bytes)).toEqual(plain.bytes)
  })

  test('is not compressed for a client that refuses the encodings or names none of them', async () => {
    for (const asked of ['gzip;q=0, br;q=0', 'identity', 'deflate', ''])
      expect(
        (await requestRaw('/api/v1/tools', { 'accept-encoding': asked })).headers['content-encoding'],
      ).toBeUndefined()
  })

  // The client prefers the encoding with the higher q value; `*` stands for every encoding that it does not name.
  test.each([
    ['gzip;q=0.1, br;q=1', 'br'],
    ['gzip;q=1, br;q=0.1', 'gzip'],
    ['br;q=0.5, gzip;q=0.8, identity;q=0.1', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['GZIP;Q=0.9, br;q=0.8', 'gzip'],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['br;q=0.3, gzip;q=0.2, identity;q=0.4', undefined],
    ['identity, gzip', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0.5, *;q=0.1', 'gzip'],
    ['gzip, *;q=0', 'gzip'],
    ['*;q=0', undefined],
    ['br;q=x', undefined],
  ])('follows the preference of Accept-Encoding: %s', async (asked, encoding) => {
    const { status, headers } = await requestRaw('/api/v1/tools', { 'accept-encoding': asked })
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, encoding, 'Accept-Encoding'])
  })

  test('is chosen by the same preference for a page, which has only gzip, and for the stylesheet', async () => {
    const page = (asked: string) => requestRaw('/', { 'accept-encoding': asked }, { held: '' })
    expect((await page('br;q=1, gzip;q=0.1')).headers['content-encoding']).toBe('gzip')
    const plain = await page('identity;q=1, gzip;q=0.5')
    expect(plain.headers['content-encoding']).toBeUndefined()
    const [stylesheet] = /\/assets\/style\.[\w-]+\.css/.exec(plain.bytes.toString())!
    const style = await requestRaw(stylesheet, { 'accept-encoding': 'gzip;q=1, br;q=0.1' }, { held: '' })
    expect(style.headers['content-encoding']).toBe('gzip')
  })

  test('has the same headers for HEAD as for GET, and no body', async () => {
    const headers = { 'accept-encoding': 'br' }
    const get = await requestRaw('/api/v1/tools', headers)
    const head = await requestRaw('/api/v1/tools', headers, { method: 'HEAD' })
    expect(head.bytes.length).toBe(0)
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]])
  })
})

describe('the ETag', () => {
  const ENCODINGS = ['br', 'gzip', 'identity']
  const tagIn = async (encoding: string, path = '/api/v1/tools') =>
    (await requestRaw(path, { 'accept-encoding': encoding })).headers.etag!

  test('differs in each encoding, because the bytes differ', async () => {
    const tags = await Promise.all(ENCODINGS.map((encoding) => tagIn(encoding)))
    expect(new Set(tags).size).toBe(3)
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/)
  })

  test('leads to a 304 in its own encoding and in no other', async () => {
    for (const first of ENCODINGS)
      for (const second of ENCODINGS) {
        const etag = await tagIn(first)
        const again = await requestRaw('/api/v1/tools', { 'accept-encoding': second, 'if-none-match': etag })
        expect([first, second, again.status]).toEqual([first, second, first === second ? 304 : 200])
        expect([again.headers.vary, again.headers.etag]).toEqual(['Accept-Encoding', await tagIn(second)])
        if (first !== second) continue
        expect([again.bytes.length, again.headers['content-encoding']]).toEqual([0, undefined])
      }
  })

  test('of one answer does not lead to a 304 for another', async () => {
    const etag = await tagIn('br', '/api/v1/tools?limit=1')
    expect((await requestRaw('/api/v1/tools', { 'accept-encoding': 'br', 'if-none-match': etag })).status).toBe(200)
  })
})

describe('whatever the client accepts', () => {
  const ASKED = { 'accept-encoding': 'br, gzip' }

  test('an answer of 1 KB or less is not compressed and has no Vary header', async () => {
    const { headers, bytes } = await requestRaw('/api/v1/directory-categories', ASKED)
    expect(bytes.length).toBeLessThanOrEqual(1024)
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined])
  })

  test('answers to partners about status and support are not compressed', async () => {
    const partner = await service.newPartner({ support: 'hybrid' })
    const { body } = await submit(service, partner.key, newTool({ paymentType: 'starter', name: 'x'.repeat(100) }))
    const status = await requestRaw(`/api/v1/ai-tools/status?id=${body.data.id}`, ASKED, { held: partner.key })
    const question = { question: 'A long question. '.repeat(100) }
    const asked = await requestRaw('/api/v1/support/ask', ASKED, { method: 'POST', held: partner.key, body: question })
    const listed = await requestRaw('/api/v1/support/conversations', ASKED, { held: partner.key })
    expect(asked.bytes.length).toBeGreaterThan(1024)
    for (const { status: code, headers } of [status, asked, listed])
      expect([code, headers['content-encoding']]).toEqual([200, undefined])
  })

  test('answers to operators are not compressed, including those that show a new key', async () => {
    const key = { email: 'long@example.com', name: 'k'.repeat(200) }
    const created = await requestRaw('/api/admin/keys', ASKED, { method: 'POST', held: ADMIN_TOKEN, body: key })
    const listed = await requestRaw('/api/admin/tools', ASKED, { held: ADMIN_TOKEN })
    expect(listed.bytes.length).toBeGreaterThan(1024)
    for (const { headers } of [created, listed]) expect(headers['content-encoding']).toBeUndefined()
  })
})
