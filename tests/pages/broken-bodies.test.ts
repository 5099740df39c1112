// Broken requests that a browser, a proxy or an attacker may send instead of a whole form or a plain address.
// @module-tag slow
import { expect, test } from 'vitest'
import { signedUpAdmin } from '../harness/browser.ts'
import { useService } from '../harness/use.ts'

const service = useService()

test('a form that ends in the middle of its file is refused, and the service continues', async () => {
  const admin = await signedUpAdmin(service)
  const body =
    '--x\r\nContent-Disposition: form-data; name="token"\r\n\r\nbad\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n{"kind":"tag"}\n'
  for (let i = 0; i < 3; i++) {
    const reply = await service.fetch('/admin/import', {
      method: 'POST',
      type: 'multipart/form-data; boundary=x',
      body,
      headers: { cookie: admin.cookieHeader(), origin: service.origin, accept: 'text/html' },
    })
    expect(reply.status).toBeGreaterThanOrEqual(400)
    expect(reply.status).toBeLessThan(500)
  }
  expect((await service.fetch('/healthz')).status).toBe(200)
})

test('a link with two tokens is answered as a used one, not with a 5xx', async () => {
  expect((await service.fetch('/link?token=a&token=b', { headers: { accept: 'text/html' } })).status).toBe(410)
})

test("other spellings of the sitemap's address give the same text", async () => {
  const [plain, spelt] = [await service.fetch('/sitemap.xml'), await service.fetch('/%73itemap.xml')]
  expect([plain.status, spelt.status]).toEqual([200, 200])
  expect(spelt.text).toBe(plain.text)
})
