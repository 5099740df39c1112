// Programs that are known by the document at their address (client ID metadata documents).
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { signedUp } from '../harness/browser.ts'
import { startDocumentSite } from '../harness/client-document.ts'
import * as oauth from '../harness/oauth.ts'
import { startService } from '../harness/service.ts'
import { use, useService } from '../harness/use.ts'

let user: Awaited<ReturnType<typeof signedUp>>
const site = use(startDocumentSite)
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
beforeAll(async () => {
  user = await signedUp(service)
})

const METADATA = { client_name: 'Documented Agent', redirect_uris: [oauth.REDIRECT] }
const open = (clientId: string, browser = user, of = service) =>
  browser.open(oauth.authorizePath(of, clientId, oauth.newProof()))

describe('a program with a document', () => {
  test('needs no registration: consent, token, call, refresh', async () => {
    const clientId = site.put('/client.json', METADATA)
    const signedIn = await oauth.signedIn(service, { browser: user, clientId })
    expect(await oauth.statuses(service, signedIn.token)).toEqual([200, 200])
    expect((await oauth.refresh(service, signedIn)).status).toBe(200)
    const [grant] = await oauth.grantsOf(service, user.email)
    expect(grant).toMatchObject({ clientId, kind: 'document', program: 'Documented Agent' })
  })

  test('is shown by the host of its document, with a warning when the browser goes elsewhere', async () => {
    const clientId = site.put('/shown.json', METADATA)
    const { text } = await open(clientId)
    expect(text).toContain(clientId)
    expect(text).toContain('Access goes to another machine than the program')
    const own = site.put('/own.json', { ...METADATA, redirect_uris: [`${site.origin}/callback`] })
    const path = oauth.authorizePath(service, own, oauth.newProof(), { redirect_uri: `${site.origin}/callback` })
    expect((await user.open(path)).text).not.toContain('another machine')
  })

  test('has a letter as its mark: the picture that it names is neither fetched nor shown', async () => {
    const clientId = site.put('/marked.json', { ...METADATA, logo_uri: `${site.origin}/logo.png` })
    const { text } = await open(clientId)
    expect(text).toMatch(/<span class="tile [^"]+" aria-hidden="true">D<\/span>/)
    expect(text).not.toContain('logo.png')
    expect(site.requests).not.toContain('/logo.png')
  })

  test('is read again after a while, and what its document says then holds', async () => {
    const clientId = site.put('/changing.json', METADATA)
    expect((await open(clientId)).status).toBe(200)
    site.put('/changing.json', { ...METADATA, redirect_uris: ['https://moved.example.com/'] })
    expect((await open(clientId)).status).toBe(200)
    expect(site.requests.filter((path) => path === '/changing.json')).toHaveLength(1)
    await service.sql(`update oauth_clients set updated_at = now() - interval '6 minutes'`)
    expect((await open(clientId)).status).toBe(400)
    expect(site.requests.filter((path) => path === '/changing.json')).toHaveLength(2)
  })

  test('is not read for a visitor who is not signed in', async () => {
    const clientId = site.put('/visitor.json', METADATA)
    await service.fetch(oauth.authorizePath(service, clientId, oauth.newProof()))
    expect(site.requests).not.toContain('/visitor.json')
  })

  test('is read for a limited number of requests of a user', async () => {
    const limited = await startService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', RATE_LIMIT_SCALE: '0.05' })
    try {
      const browser = await signedUp(limited)
      const statuses: number[] = []
      for (let i = 0; i < 4; i++) statuses.push((await open(`${site.origin}/flood${i}.json`, browser, limited)).status)
      expect(statuses).toEqual([400, 400, 400, 429])
    } finally {
      await limited.close()
    }
  })
})

/** The person reads why, the browser is sent nowhere, and no program is stored. */
async function expectRefused(clientId: string, reason: RegExp, of = service, browser = user): Promise<void> {
  const reply = await open(clientId, browser, of)
  expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
  expect(reply.text).toMatch(reason)
  const stored = await of.sql(`select 1 from oauth_clients where id = '${clientId.replaceAll("'", "''")}'`)
  expect(stored).toEqual([])
}

describe('a document is refused', () => {
  test('that is too large', async () => {
    const clientId = site.put('/large.json', { ...METADATA, padding: 'x'.repeat(17_000) })
    await expectRefused(clientId, /more than 16 KiB/)
  })

  test('that redirects, also to a good one', async () => {
    const good = site.put('/good.json', METADATA)
    const clientId = site.answer('/moved.json', (_, response) => response.writeHead(302, { location: good }).end())
    await expectRefused(clientId, /does not answer with a document/)
    expect(site.requests).not.toContain('/good.json')
  })

  test('that takes longer than five seconds', async () => {
    const clientId = site.answer('/slow.json', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 200)
      response.on('close', () => clearInterval(timer))
    })
    await expectRefused(clientId, /gives no answer/)
  })

  test.each([
    ['that names another program', { client_id: 'https://agent.example.com/client.json' }, /client_id is another/],
    ['with a secret', { client_secret: 'x' }, /contains a secret/],
    [
      'that wants to authenticate with a secret',
      { token_endpoint_auth_method: 'client_secret_post' },
      /other than none/,
    ],
    ['without redirect addresses', { redirect_uris: undefined }, /redirect_uris/],
    ['with a script to redirect to', { redirect_uris: ['javascript:alert(1)'] }, /redirect_uris.0/],
    ['for the implicit grant', { grant_types: ['implicit'] }, /grant_types/],
  ])('%s', async (_, metadata, reason) => {
    const clientId = site.put(`/bad${JSON.stringify(metadata).length}${reason.source.length}.json`, {
      ...METADATA,
      ...metadata,
    })
    await expectRefused(clientId, reason)
  })

  test.each([
    ['that is HTML', 'text/html', '{}', /not JSON/],
    ['that cannot be read', 'application/json', '{', /not a JSON object/],
    ['that is a list', 'application/json', '[]', /not a JSON object/],
    ['that is null', 'application/json', 'null', /not a JSON object/],
  ])('%s', async (_, type, body, reason) => {
    const clientId = site.answer(`/form${body.length}${type.length}${reason.source.length}`, (_request, response) => {
      response.writeHead(200, { 'content-type': type })
      response.end(body)
    })
    await expectRefused(clientId, reason)
  })

  test('that does not exist', async () => {
    await expectRefused(`${site.origin}/missing.json`, /does not answer with a document/)
  })

  test.each([
    ['has no path', '/'],
    ['has a query', '/client.json?x=1'],
    ['has a fragment', '/client.json#x'],
    ['climbs up', '/a/../client.json'],
    ['is too long', `/${'a'.repeat(600)}`],
  ])('whose address %s', async (_, path) => {
    const asked = site.requests.length
    await expectRefused(site.origin + path, /its address/)
    expect(site.requests.length).toBe(asked)
  })

  test('whose address has a user name', async () => {
    await expectRefused(`${site.origin.replace('//', '//user@')}/client.json`, /its address/)
  })
})

describe('without OUTBOUND_ALLOW_CIDRS', () => {
  let browser: typeof user
  const strict = useService()
  beforeAll(async () => {
    browser = await signedUp(strict)
  })

  test.each([
    'https://127.0.0.1/client.json',
    'https://localhost/client.json',
    'https://[::1]/client.json',
    'https://10.0.0.1/client.json',
    'https://192.168.1.1/client.json',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:127.0.0.1]/client.json',
    'https://metadata.google.internal/client.json',
    'https://0.0.0.0/client.json',
    'https://2130706433/client.json',
    'https://router.lan/client.json',
    'http://agent.example.com/client.json',
    'https://agent.example.com:8080/client.json',
  ])('the document at %s is not fetched', async (clientId) => {
    await expectRefused(clientId, /its address/, strict, browser)
  })

  test('the document of a site on this machine is not fetched', async () => {
    const asked = site.requests.length
    await expectRefused(site.put('/private.json', METADATA), /its address/, strict, browser)
    expect(site.requests.length).toBe(asked)
  })
})
