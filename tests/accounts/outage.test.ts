// While the database is away, signed-in pages say so; they work again by themselves. tests/with-servers.sh runs this file.
// @module-tag slow
import { expect, test } from 'vitest'
import { createBrowser, isSignedIn, PASSWORD, signedUp } from '../harness/browser.ts'
import { startFaultProxy } from '../harness/fault-proxy.ts'
import { createDatabase, startService } from '../harness/service.ts'

const { TEST_DATABASE_URL } = process.env

test.skipIf(!TEST_DATABASE_URL)(
  'pages, forms and the operator API answer 503 while the database is away, and afterwards nothing is lost',
  async () => {
    const database = await createDatabase(TEST_DATABASE_URL!)
    const url = new URL(database.url)
    const proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port) })
    url.host = `127.0.0.1:${proxy.port}`
    const service = await startService({ DATABASE_URL: url.href })
    try {
      const browser = await signedUp(service)
      const { key } = await service.newKey('standard', browser.email)
      // The key is used once so that the service has it in memory: this process learns of a new key a moment later.
      expect((await service.rest('/tags', { key })).status).toBe(200)
      await service.settled()
      await proxy.cut()
      const page = await browser.open('/dashboard')
      expect(page.status).toBe(503)
      expect(page.text).toContain('Back in a moment')
      const signIn = await createBrowser(service).post('/sign-in', { email: browser.email, password: PASSWORD })
      expect(signIn.status).toBe(503)
      const signUp = await createBrowser(service).post('/sign-up', { email: 'x@example.com', password: PASSWORD })
      expect(signUp.status).toBe(503)
      const admin = await service.fetch('/api/admin/users', { headers: { cookie: browser.cookieHeader() } })
      expect(admin.status).toBe(503)
      // Reads continue, and their usage is counted when the database is back.
      for (let i = 0; i < 7; i++) expect((await service.rest('/tags', { key })).status).toBe(200)
      await proxy.restore()
      await expect.poll(() => isSignedIn(browser), { timeout: 10_000 }).toBe(true)
      await expect
        .poll(async () => (await browser.open('/dashboard')).text, { timeout: 15_000 })
        .toMatch(/Calls today<\/dt><dd>8</)
    } finally {
      await service.close()
      await proxy.close()
      await database.drop()
    }
  },
)
