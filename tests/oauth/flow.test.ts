// Sign-in for agents, as CONTRACT says: discovery, registration, consent, tokens, what a token may do.
import { describe, expect, test } from 'vitest'
import { signedUp } from '../harness/browser.ts'
import * as oauth from '../harness/oauth.ts'
import { startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const service = useService()

describe('discovery', () => {
  test('a 401 of the MCP address says where the metadata of the resource is', async () => {
    const none = await service.fetch('/mcp', { method: 'POST', body: { jsonrpc: '2.0', id: 1, method: 'ping' } })
    expect(none.status).toBe(401)
    const pointer = `Bearer resource_metadata="${service.origin}/.well-known/oauth-protected-resource"`
    expect(none.headers.get('www-authenticate')).toBe(`${pointer}, realm="catalog"`)
    const wrong = await service.fetch('/mcp', { method: 'POST', key: 'aid_wrong', body: {} })
    expect(wrong.headers.get('www-authenticate')).toBe(`${pointer}, realm="catalog", error="invalid_token"`)
  })

  test('a 401 of REST has no pointer, because REST is used with keys', async () => {
    const reply = await service.fetch('/api/v1/tags')
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="catalog", error="invalid_token"')
  })

  test('the address for research has metadata of its own, which its 401 points to, and its tokens are the same', async () => {
    const metadata = `${service.origin}/.well-known/oauth-protected-resource/mcp/research`
    const none = await service.fetch('/mcp/research', {
      method: 'POST',
      body: { jsonrpc: '2.0', id: 1, method: 'ping' },
    })
    expect(none.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadata}", realm="catalog"`)
    const resource = `${service.origin}/mcp/research`
    expect((await service.fetch(new URL(metadata).pathname)).body.resource).toBe(resource)
    const asked = await oauth.allowed(service)
    expect((await oauth.exchange(service, { ...oauth.codeForm(asked), resource })).status).toBe(200)
  })

  test('the metadata is readable after the budget of a visitor is spent', async () => {
    const limited = await startService({ RATE_LIMIT_SCALE: '0.01' })
    try {
      expect((await limited.fetch('/api/v1/tags')).status).toBe(401)
      expect((await limited.fetch('/openapi.json')).status).toBe(429)
      expect((await limited.fetch('/.well-known/oauth-protected-resource')).status).toBe(200)
    } finally {
      await limited.close()
    }
  })

  test.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
    '%s names the resource and its authorization server',
    async (path) => {
      const { status, body, headers } = await service.fetch(path)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        resource: `${service.origin}/mcp`,
        authorization_servers: [service.origin],
        bearer_methods_supported: ['header'],
      })
      expect(headers.get('access-control-allow-origin')).toBe('*')
    },
  )

  test('the metadata of the authorization server allows codes with S256, rotation, documents and registration, nothing else', async () => {
    const { body } = await service.fetch('/.well-known/oauth-authorization-server')
    expect(body).toMatchObject({
      issuer: service.origin,
      authorization_endpoint: `${service.origin}/oauth/authorize`,
      token_endpoint: `${service.origin}/oauth/token`,
      revocation_endpoint: `${service.origin}/oauth/revoke`,
      registration_endpoint: `${service.origin}/oauth/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
  })

  test('a web page of another origin may ask all of it', async () => {
    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/oauth/token',
      '/oauth/revoke',
      '/oauth/register',
    ]) {
      const reply = await service.fetch(path, { method: 'OPTIONS', headers: { origin: 'https://inspector.example' } })
      expect(reply.status).toBe(204)
      expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    }
  })
})

describe('the way of a code', () => {
  test('registration, consent, token, call', async () => {
    const browser = await signedUp(service)
    const reply = await oauth.register(service, { client_uri: 'https://agent.example.com/' })
    expect(reply.status).toBe(201)
    expect(reply.body).toMatchObject({
      client_name: 'Test Agent',
      redirect_uris: [oauth.REDIRECT],
      token_endpoint_auth_method: 'none',
    })
    expect(reply.body).not.toHaveProperty('client_secret')
    const clientId = reply.body.client_id
    const proof = oauth.newProof()
    const answer = await oauth.decide(browser, oauth.authorizePath(service, clientId, proof))
    expect(answer.status).toBe(303)
    const location = oauth.locationOf(answer)
    expect(location.origin + location.pathname).toBe(oauth.REDIRECT)
    expect(location.searchParams.get('state')).toBe('the-state')
    expect(location.searchParams.get('iss')).toBe(service.origin)
    const code = location.searchParams.get('code')!
    const asked = { browser, clientId, proof, code, redirectUri: oauth.REDIRECT }
    const tokens = await oauth.exchange(service, oauth.codeForm(asked))
    expect(tokens.status).toBe(200)
    expect(tokens.headers.get('cache-control')).toBe('no-store')
    expect(tokens.body).toMatchObject({ token_type: 'Bearer', scope: 'catalog:read' })
    // Counted from the moment of issue, so that a second may have passed.
    expect([3599, 3600]).toContain(tokens.body.expires_in)
    expect(await oauth.statuses(service, tokens.body.access_token)).toEqual([200, 200])
  })

  test('a visitor signs in first and then decides', async () => {
    const clientId = await oauth.registered(service)
    const path = oauth.authorizePath(service, clientId, oauth.newProof())
    const reply = await service.fetch(path, { headers: { accept: 'text/html' } })
    expect(reply.status).toBe(303)
    expect(reply.headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
  })

  test('the page shows the program, its address, where the browser goes and what the program may do', async () => {
    const browser = await signedUp(service)
    const clientId = await oauth.registered(service, { client_uri: 'https://other.example.org/' })
    const page = await browser.open(oauth.authorizePath(service, clientId, oauth.newProof()))
    expect(page.status).toBe(200)
    expect(page.text).toContain('Test Agent')
    expect(page.text).toContain('https://other.example.org/')
    expect(page.text).toContain('agent.example.com')
    expect(page.text).toContain('search and read the catalog')
    expect(page.text).toContain('30 MCP calls and 10 REST calls a minute')
    expect(page.text).toContain('Access goes to another machine than the program')
    expect(page.text).toContain('name="agree"')
  })

  test('there is no warning when the browser goes back to the program’s own machine', async () => {
    const browser = await signedUp(service)
    const clientId = await oauth.registered(service, { client_uri: 'https://agent.example.com/' })
    const page = await browser.open(oauth.authorizePath(service, clientId, oauth.newProof()))
    expect(page.text).not.toContain('another machine')
  })

  test('the policy is asked for once, and also not again after it was agreed to with a key', async () => {
    const browser = await signedUp(service)
    await browser.submit('/dashboard', '/dashboard/keys', { name: 'k', agree: 'true' })
    const clientId = await oauth.registered(service)
    const page = await browser.open(oauth.authorizePath(service, clientId, oauth.newProof()))
    expect(page.text).not.toContain('name="agree"')
    const second = await signedUp(service)
    await oauth.allowed(service, { browser: second })
    const again = await second.open(oauth.authorizePath(service, clientId, oauth.newProof()))
    expect(again.text).not.toContain('name="agree"')
  })

  test('Allow without the agreement shows the page again and allows nothing', async () => {
    const browser = await signedUp(service)
    const clientId = await oauth.registered(service)
    const path = oauth.authorizePath(service, clientId, oauth.newProof())
    const reply = await browser.submit(path, '/oauth/authorize', { decision: 'allow' })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('needs your agreement')
    expect(await oauth.grantsOf(service, browser.email)).toEqual([])
  })

  test('Deny tells the program and allows nothing', async () => {
    const browser = await signedUp(service)
    const clientId = await oauth.registered(service)
    const reply = await oauth.decide(browser, oauth.authorizePath(service, clientId, oauth.newProof()), 'deny')
    const { searchParams } = oauth.locationOf(reply)
    expect(searchParams.get('error')).toBe('access_denied')
    expect(searchParams.get('state')).toBe('the-state')
    expect(searchParams.get('code')).toBeNull()
    expect(await oauth.grantsOf(service, browser.email)).toEqual([])
  })

  test.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:43211/callback'],
    ['http://localhost:1234/cb?x=1', 'http://localhost:5678/cb?x=1'],
    ['http://[::1]/callback', 'http://[::1]:43211/callback'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor://anysphere.cursor-mcp/oauth/callback'],
    [
      'vscode-insiders://vscode.github-authentication/did-authenticate',
      'vscode-insiders://vscode.github-authentication/did-authenticate',
    ],
    ['com.example.agent:/callback', 'com.example.agent:/callback'],
    ['com.example.agent:/r%C3%BCckruf', 'com.example.agent:/r%C3%BCckruf'],
  ])('a program on the own computer that registered %s may use %s', async (registered, used) => {
    const clientId = await oauth.registered(service, { redirect_uris: [registered] })
    const signedIn = await oauth.signedIn(service, { clientId, redirectUri: used })
    expect(await oauth.statuses(service, signedIn.token)).toEqual([200, 200])
  })
})

describe('refresh', () => {
  test('a refresh token gives new tokens, and the earlier access token works for a minute at most', async () => {
    const first = await oauth.signedIn(service)
    const { status, body } = await oauth.refresh(service, first)
    expect(status).toBe(200)
    expect(body.access_token).not.toBe(first.token)
    expect(body.refresh_token).not.toBe(first.refreshToken)
    expect(await oauth.statuses(service, body.access_token)).toEqual([200, 200])
    expect(await oauth.statuses(service, first.token)).toEqual([200, 200])
    const [{ seconds }] = await service.sql(
      `select max(extract(epoch from access_expires_at - now())) as seconds from oauth_tokens where refreshed_at is not null`,
    )
    expect(Number(seconds)).toBeLessThanOrEqual(60)
  })

  test('refreshing again and again works, also with a scope and the resource', async () => {
    let current = await oauth.signedIn(service)
    for (let i = 0; i < 5; i++) {
      const { status, body } = await oauth.exchange(service, {
        grant_type: 'refresh_token',
        client_id: current.clientId,
        refresh_token: current.refreshToken,
        scope: 'catalog:read offline_access',
        resource: `${service.origin}/mcp`,
      })
      expect(status).toBe(200)
      current = { ...current, token: body.access_token, refreshToken: body.refresh_token }
    }
    expect(await oauth.statuses(service, current.token)).toEqual([200, 200])
  })
})

test('neither tokens nor codes are stored or logged as they are', async () => {
  const { token, refreshToken, code } = await oauth.signedIn(service)
  await service.fetch(`/tools/${token}`)
  const rows = JSON.stringify([
    ...(await service.sql('select * from oauth_tokens')),
    ...(await service.sql('select * from oauth_codes')),
    ...(await service.sql('select * from audit')),
  ])
  const logged = JSON.stringify(service.logged)
  for (const secret of [token, refreshToken, code]) {
    expect(rows).not.toContain(secret)
    expect(logged).not.toContain(secret)
  }
})
