// OAUTH=off removes sign-in for agents: addresses, pages, the pointer of the 401, and tokens that were issued before.
// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser, PASSWORD } from '../harness/browser.ts'
import * as oauth from '../harness/oauth.ts'
import { startService, type TestService } from '../harness/service.ts'
import { copyTemplate } from '../harness/template.ts'

let service: TestService
let app: oauth.SignedIn
let key: string
const folder = mkdtempSync(join(tmpdir(), 'catalog-oauth-off-'))

// The embedded database also when a PostgreSQL is given, because the second service must find what the first one stored.
const settings = { DATA_DIR: folder, DATABASE_URL: '', KEY_PEPPER: 'a-pepper-of-at-least-32-characters' }

beforeAll(async () => {
  await copyTemplate(folder)
  const before = await startService(settings)
  app = await oauth.signedIn(before)
  key = (await before.newKey()).key
  expect(await oauth.statuses(before, app.token)).toEqual([200, 200])
  await before.close()
  const again = await startService(settings)
  expect(await oauth.statuses(again, app.token), 'after a restart').toEqual([200, 200])
  await again.close()
  service = await startService({ ...settings, OAUTH: 'off' })
})
afterAll(async () => {
  await service?.close()
  rmSync(folder, { recursive: true, force: true })
})

test.each([
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-protected-resource/mcp/research',
  '/.well-known/oauth-authorization-server',
  '/oauth/authorize',
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/register',
  '/dashboard/apps',
])('%s is a 404', async (path) => {
  for (const method of ['GET', 'POST']) expect((await service.fetch(path, { method })).status).toBe(404)
})

test('the 401 of MCP has no pointer', async () => {
  const reply = await service.fetch('/mcp', { method: 'POST', body: {} })
  expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="catalog", error="invalid_token"')
})

test('a token that was issued before does not work, a key does', async () => {
  expect(await oauth.statuses(service, app.token)).toEqual([401, 401])
  expect(await oauth.statuses(service, key)).toEqual([200, 200])
})

test('no page links to it', async () => {
  const browser = createBrowser(service)
  await browser.submit('/sign-in', '/sign-in', { email: app.browser.email, password: PASSWORD })
  const page = await browser.open('/dashboard')
  expect(page.status).toBe(200)
  expect(page.text).not.toContain('/dashboard/apps')
})
