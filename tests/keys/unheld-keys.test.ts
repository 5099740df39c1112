// When the answer with a new key is cut off, the key is valid but its owner never received it. The service marks such a key, and it can be
// revoked wherever it is shown.
// @module-tag slow
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { type Browser, signedUp, signedUpAdmin } from '../harness/browser.ts'
import { fill } from '../harness/console-forms.ts'
import { until } from '../harness/process.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let admin: Browser
const service = useService()
beforeAll(async () => {
  admin = await signedUpAdmin(service)
})

interface KeyRow {
  id: string
  owner: string
  shownAt: string | null
  lastUsedAt: string | null
}
const keysOf = async (owner: string, filter = ''): Promise<KeyRow[]> =>
  (await service.admin('GET', `/keys?limit=1000${filter}`)).body.data.filter((key: KeyRow) => key.owner === owner)

/** Sends a request and closes the connection this many milliseconds later. */
async function hangUp(path: string, headers: Record<string, string>, body: string, ms: number): Promise<void> {
  const { hostname, port } = new URL(service.origin)
  const socket = connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  const lines = Object.entries({ host: `${hostname}:${port}`, 'content-length': String(body.length), ...headers })
  socket.write(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`,
  )
  await sleep(ms)
  socket.resetAndDestroy()
}

/**
 * Asks for a key and closes the connection after the service has read the request and before it answers. That moment varies: the wait grows
 * when there is no key, because the request was not read yet, and shrinks when there is one that was shown.
 */
async function createKeyAndHangUp(
  owner: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<KeyRow> {
  let ms = 2
  for (let attempt = 0; attempt < 20; attempt++) {
    const before = (await keysOf(owner)).length
    await hangUp(path, headers, body, ms)
    await sleep(400)
    const [key] = await keysOf(owner, '&unheld=true')
    if (key) return key
    ms = (await keysOf(owner)).length > before ? ms * 0.7 : ms * 1.5
  }
  throw new Error('no answer was cut off')
}

const json = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }

test('a key that was shown has the time at which it was shown, whichever way it was made', async () => {
  const { id: partnerId } = await service.newPartner({ name: 'Shown partner' })
  await service.admin('POST', `/partners/${partnerId}/keys`)
  await service.newKey('standard', 'shown@example.com')
  const browser = await signedUp(service)
  await browser.submit('/dashboard', '/dashboard/keys', { name: 'Mine', agree: 'true' })
  const page = await fill(admin, '/admin/users', '/admin/users', { email: 'console@example.com', name: 'Theirs' })
  expect(page.status).toBe(201)
  await until(async () => (await service.sql('select 1 from keys where shown_at is null')).length === 0)
  for (const owner of ['Shown partner', 'shown@example.com', browser.email, 'console@example.com']) {
    const keys = await keysOf(owner)
    expect([owner, keys.length]).toEqual([owner, owner === 'Shown partner' ? 2 : 1])
    for (const key of keys) expect([owner, key.shownAt]).toEqual([owner, expect.any(String)])
    expect(await keysOf(owner, '&unheld=true')).toEqual([])
  }
})

test('a key whose answer was cut off is listed as never shown and never used, and can be revoked there', async () => {
  const owner = 'cut-off@example.com'
  const key = await createKeyAndHangUp(owner, '/api/admin/keys', json, JSON.stringify({ email: owner }))
  expect(key).toMatchObject({ shownAt: null, lastUsedAt: null })
  expect((await service.admin('GET', '/overview')).body.data.unheldKeys).toBe(1)

  const home = await admin.open('/admin')
  expect(home.text).toContain('Keys that were never shown')
  const [, path] = /href="(\/admin\/users\/[^"]+)"><bdi>cut-off@example\.com/.exec(home.text)!
  const page = await admin.open(path!)
  expect(page.text).toContain('Never shown')
  const revoked = await admin.submit(path!, `${path}/keys/${key.id}/revoke`)
  expect(revoked.status).toBe(303)
  expect(await keysOf(owner, '&unheld=true')).toEqual([])
  expect((await admin.open('/admin')).text).not.toContain('Keys that were never shown')
})

test('the dashboard tells the owner of such a key, and a key that was used counts as received', async () => {
  const browser = await signedUp(service)
  const { text } = await browser.open('/dashboard')
  const [, token] = /name="token" value="([^"]+)"/.exec(text)!
  const form = new URLSearchParams({ token: token!, name: 'Lost', agree: 'true' }).toString()
  await createKeyAndHangUp(
    browser.email,
    '/dashboard/keys',
    {
      cookie: browser.cookieHeader(),
      origin: service.origin,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    },
    form,
  )
  expect((await browser.open('/dashboard')).text).toContain('Never shown')
  // This is the state after the process is killed between the answer and the note of it: the client has the key, and its use proves that.
  const { key, id } = await service.newKey('premium', 'noted-late@example.com')
  await until(
    async () => (await service.sql(`select 1 from keys where id = '${id}' and shown_at is null`)).length === 0,
  )
  await service.sql(`update keys set shown_at = null where id = '${id}'`)
  expect(await keysOf('noted-late@example.com', '&unheld=true')).toHaveLength(1)
  await service.rest('/tags', { key })
  await until(async () => (await keysOf('noted-late@example.com', '&unheld=true')).length === 0)
})
