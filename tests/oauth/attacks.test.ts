// What an attacker may try against sign-in for agents. Each is refused.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, formIn, signedUp } from '../harness/browser.ts'
import * as oauth from '../harness/oauth.ts'
import { type Reply, startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let user: Awaited<ReturnType<typeof signedUp>>
let clientId: string
/** A user who has allowed the program. */
let friend: typeof user
const service = useService()
beforeAll(async () => {
  user = await signedUp(service)
  clientId = await oauth.registered(service)
  friend = (await oauth.allowed(service, { clientId })).browser
})

const proof = oauth.newProof()
const path = (changes: Record<string, string | undefined> = {}, of = clientId) =>
  oauth.authorizePath(service, of, proof, changes)

describe('an authorization request', () => {
  test.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['without a method, which means plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['with a method that does not exist', { code_challenge_method: 'S512' }, 'invalid_request'],
    ['with a challenge that is no hash', { code_challenge: 'short' }, 'invalid_request'],
    ['for a token without a code', { response_type: 'token' }, 'unsupported_response_type'],
    ['without a response type', { response_type: undefined }, 'invalid_request'],
    ['for another resource', { resource: 'https://other.example.com/mcp' }, 'invalid_target'],
    ['for a resource that differs by a slash', { resource: 'SAME/' }, 'invalid_target'],
    ['for the operator API as the resource', { resource: 'ORIGIN/api/admin' }, 'invalid_target'],
  ] as [string, Record<string, string | undefined>, string][])(
    '%s is refused: to a program that the user has allowed, and otherwise on a page',
    async (_, given, error) => {
      const changes = Object.fromEntries(
        Object.entries(given).map(([name, value]) => [
          name,
          value?.replace('SAME', `${service.origin}/mcp`).replace('ORIGIN', service.origin),
        ]),
      )
      const page = await user.open(path(changes))
      expect([page.status, page.headers.get('location')]).toEqual([400, null])
      expect(page.text).toContain('The button leads to <bdi>agent.example.com</bdi>')
      const reply = await friend.open(path(changes))
      expect(reply.status).toBe(303)
      const { origin, searchParams } = oauth.locationOf(reply)
      expect(origin).toBe('https://agent.example.com')
      expect(searchParams.get('error')).toBe(error)
      expect(searchParams.get('code')).toBeNull()
      expect(searchParams.get('iss')).toBe(service.origin)
    },
  )

  test.each([
    ['differs by a character', 'https://agent.example.com/callbacK'],
    ['is longer', `${oauth.REDIRECT}/more`],
    ['has a query', `${oauth.REDIRECT}?next=https://evil.example`],
    ['has a fragment', `${oauth.REDIRECT}#x`],
    ['has an empty fragment', `${oauth.REDIRECT}#`],
    ['uses http', oauth.REDIRECT.replace('https', 'http')],
    ['has another port', 'https://agent.example.com:8443/callback'],
    ['is on a subdomain', 'https://x.agent.example.com/callback'],
    ['has a user name', 'https://agent.example.com@evil.example/callback'],
    ['climbs up', 'https://agent.example.com/x/../callback'],
    ['is on another site', 'https://evil.example/callback'],
    ['is on the own computer', 'http://127.0.0.1/callback'],
    ['runs a script', 'javascript:alert(1)'],
    ['has a line break', `${oauth.REDIRECT}\r\nx: y`],
  ])('whose redirect address %s is refused on a page, and the browser is sent nowhere', async (_, redirect) => {
    const reply = await user.open(path({ redirect_uri: redirect }))
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
    expect(reply.text).toContain('This request cannot be used')
    // Nor may a form be sent there.
    expect(reply.headers.get('content-security-policy')).toContain("form-action 'self';")
  })

  test.each([
    ['an unknown program', { client_id: 'unknown' }],
    ['no program', { client_id: undefined }],
    ['no redirect address', { redirect_uri: undefined }],
  ] as [string, Record<string, string | undefined>][])('of %s is refused on a page', async (_, changes) => {
    const reply = await user.open(path(changes))
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
  })

  test.each([
    'redirect_uri=https://evil.example/',
    'client_id=x',
    'code_challenge=x',
    'state=x',
    'resource=https://x.example/',
  ])('with a second %s is refused on a page', async (second) => {
    const reply = await user.open(`${path()}&${second}`)
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
  })

  test('with another loopback path or host than the registered one is refused', async () => {
    const native = await oauth.registered(service, { redirect_uris: ['http://127.0.0.1/callback'] })
    for (const redirect of ['http://127.0.0.1:99/other', 'http://localhost:99/callback', 'http://127.0.0.2/callback'])
      expect((await user.open(path({ redirect_uri: redirect }, native))).status).toBe(400)
  })
})

describe('the consent page', () => {
  test('is in no frame, is not cached, and its form may be redirected as often as the program likes', async () => {
    const { headers } = await user.open(path())
    expect(headers.get('x-frame-options')).toBe('DENY')
    const policy = headers.get('content-security-policy')!
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('form-action')
    expect(policy).toContain("default-src 'none'")
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('same-origin')
  })

  const formOf = async (browser = user) => {
    const page = await browser.open(path())
    return { ...formIn(page.text, '/oauth/authorize')!, decision: 'allow', agree: 'true' } as Record<string, string>
  }

  test('a form that another site made the browser send is refused', async () => {
    const form = await formOf()
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
    ])
      expect((await user.post('/oauth/authorize', form, headers)).status).toBe(403)
    expect(await oauth.grantsOf(service, user.email)).toEqual([])
  })

  test('a form without the token of the session is refused', async () => {
    const { token: _token, ...form } = await formOf()
    expect((await user.post('/oauth/authorize', form)).status).toBe(403)
    expect((await user.post('/oauth/authorize', { ...form, token: 'x' })).status).toBe(403)
  })

  test('a form with the token of another user is refused', async () => {
    const other = await signedUp(service)
    const { token } = await formOf(other)
    expect((await user.post('/oauth/authorize', { ...(await formOf()), token: token! })).status).toBe(403)
  })

  test('a visitor who is not signed in cannot allow anything', async () => {
    const reply = await createBrowser(service).post('/oauth/authorize', await formOf())
    expect(reply.status).toBe(303)
    expect(reply.headers.get('location')).toMatch(/^\/sign-in/)
  })

  test('opening an address never allows anything', async () => {
    const reply = await user.open(`${path()}&decision=allow&agree=true&allowed=true`)
    expect(reply.status).toBe(200)
    expect(await oauth.grantsOf(service, user.email)).toEqual([])
  })

  test('a form whose redirect address was changed is refused', async () => {
    const reply = await user.post('/oauth/authorize', { ...(await formOf()), redirect_uri: 'https://evil.example/' })
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
  })

  test('a form whose challenge was taken out is refused', async () => {
    const { code_challenge: _challenge, ...form } = await formOf()
    const reply = await user.post('/oauth/authorize', form)
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
  })

  test('the name of a program is text, on one line, and hides nothing', async () => {
    const named = await oauth.registered(service, {
      client_name: `<script>alert(1)</script>\u202Egnp.exe\n\n\u200B${'long '.repeat(100)}`,
    })
    const { text } = await user.open(path({}, named))
    expect(text).not.toContain('<script>alert')
    expect(text).toContain('&lt;script&gt;')
    expect(text).not.toMatch(/[\u202E\u200B]/)
    const [, name] = /<h1>Allow <bdi>(.*?)<\/bdi>/s.exec(text)!
    expect(name!.length).toBeLessThan(120)
  })

  test('a website that is no web address is not shown', async () => {
    const named = await oauth.registered(service, { client_uri: 'javascript:alert(1)' })
    expect((await user.open(path({}, named))).text).not.toContain('javascript:')
  })
})

describe('a registration', () => {
  test.each([
    ['a script', ['javascript:alert(1)']],
    ['a data address', ['data:text/html,x']],
    ['a file', ['file:///etc/passwd']],
    ['a program of Windows', ['ms-msdt:/id']],
    ['a search of Windows', ['search-ms:query=x']],
    ['an installation on a phone', ['itms-services://?action=x']],
    ['a game on the own computer', ['steam://run/1']],
    ['a program that runs scripts', ['shortcuts://run-shortcut?name=x']],
    ['a made-up scheme without a dot', ['agent:/callback']],
    ['a scheme with a dot at its end', ['x-apple.:/callback']],
    ['a scheme with two dots in a row', ['com..app:/callback']],
    ['a scheme that is too long', [`com.${'a'.repeat(60)}:/callback`]],
    ['a character beyond ASCII in the path', ['https://agent.example.com/rückruf']],
    ['a character beyond ASCII in the host', ['https://ägent.example.com/']],
    ['a character beyond ASCII on the own computer', ['http://localhost/漢']],
    ['http on another machine', ['http://agent.example.com/']],
    ['http on a name that begins like localhost', ['http://localhost.evil.example/']],
    ['a fragment', ['https://agent.example.com/#x']],
    ['a user name', ['https://user@agent.example.com/']],
    ['a host that would change the policy of the page', ["https://a;script-src'unsafe-inline'.example/"]],
    ['a wildcard', ['https://*.example.com/']],
    ['a space', ['https://agent.example.com/a b']],
    ['a backslash', ['https:\\\\agent.example.com/']],
    ['no address', ['callback']],
    ['a number', [42]],
    ['an address that is too long', [`https://agent.example.com/${'a'.repeat(1000)}`]],
    ['no addresses', []],
    ['too many addresses', Array.from({ length: 11 }, (_, i) => `https://agent.example.com/${i}`)],
    ['one good and one bad address', ['https://agent.example.com/', 'javascript:x']],
  ])('with %s to redirect to is refused', async (_, redirects) => {
    const { status, body } = await oauth.register(service, { redirect_uris: redirects })
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
  })

  test.each([
    ['for the implicit grant', { grant_types: ['implicit'] }],
    ['for the program’s own rights', { grant_types: ['client_credentials'] }],
    ['for tokens without codes', { response_types: ['token'] }],
  ])('%s is refused', async (_, metadata) => {
    const { status, body } = await oauth.register(service, metadata)
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
  })

  test('gets no secret and no more than it may have, whatever it asks for', async () => {
    const { body } = await oauth.register(service, {
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'client_credentials', 'password'],
      scope: 'admin partner catalog:write',
      client_id: 'chosen',
      client_secret: 'chosen',
      skip_consent: true,
    })
    expect(body).toMatchObject({
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    })
    expect(body.client_id).not.toBe('chosen')
    expect(body).not.toHaveProperty('client_secret')
    expect(body).not.toHaveProperty('skip_consent')
  })

  test('that is too large, no JSON or no object is refused in the form of the RFC', async () => {
    const large = await oauth.register(service, { client_name: 'x'.repeat(20_000) })
    expect([large.status, large.body.error]).toEqual([413, 'invalid_request'])
    for (const body of ['{', '[]', '"x"', 'null', '{"__proto__":{}}']) {
      const reply = await service.fetch('/oauth/register', { method: 'POST', body })
      expect([reply.status, typeof reply.body.error_description]).toEqual([400, 'string'])
    }
  })

  test('is limited by network address, and says when to try again', async () => {
    const limited = await startService({ RATE_LIMIT_SCALE: '0.1' })
    try {
      expect((await oauth.register(limited)).status).toBe(201)
      expect((await oauth.register(limited)).status).toBe(201)
      const { status, body, headers } = await oauth.register(limited)
      expect([status, body.error]).toEqual([429, 'temporarily_unavailable'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      await limited.close()
    }
  })
})

describe('a token request', () => {
  const refused = (reply: Reply, error: string, status = 400) =>
    expect([reply.status, reply.body.error, reply.body.access_token]).toEqual([status, error, undefined])

  test('with a code a second time is refused, and the tokens of the first time stop working', async () => {
    const signedIn = await oauth.signedIn(service)
    refused(await oauth.exchange(service, oauth.codeForm(signedIn)), 'invalid_grant')
    expect(await oauth.statuses(service, signedIn.token)).toEqual([401, 401])
    expect((await service.fetch('/api/v1/tags', { key: signedIn.token })).body.error).toBe(
      'This access token is not valid: it has expired, or access was withdrawn. Sign in again.',
    )
    refused(await oauth.refresh(service, signedIn), 'invalid_grant')
    const [grant] = await oauth.grantsOf(service, signedIn.browser.email)
    expect(grant.endedBy).toBe('reuse')
  })

  test('with the code of another program is refused', async () => {
    const asked = await oauth.allowed(service)
    refused(await oauth.exchange(service, { ...oauth.codeForm(asked), client_id: clientId }), 'invalid_grant')
  })

  test('with a wrong verifier is refused, and uses the code up', async () => {
    const asked = await oauth.allowed(service)
    const wrong = { ...oauth.codeForm(asked), code_verifier: oauth.newProof().verifier }
    refused(await oauth.exchange(service, wrong), 'invalid_grant')
    refused(await oauth.exchange(service, oauth.codeForm(asked)), 'invalid_grant')
  })

  test('with the challenge as the verifier is refused', async () => {
    const asked = await oauth.allowed(service)
    const wrong = { ...oauth.codeForm(asked), code_verifier: asked.proof.challenge }
    refused(await oauth.exchange(service, wrong), 'invalid_grant')
  })

  test('without a verifier is refused', async () => {
    const { code_verifier: _verifier, ...form } = oauth.codeForm(await oauth.allowed(service))
    const reply = await oauth.exchange(service, form)
    expect([reply.status, reply.body.access_token]).toEqual([400, undefined])
  })

  test.each([
    ['another', 'https://agent.example.com/other'],
    ['no', undefined],
  ])('with %s redirect address than the code was sent to is refused', async (_, redirect) => {
    const asked = await oauth.allowed(service)
    refused(await oauth.exchange(service, { ...oauth.codeForm(asked), redirect_uri: redirect }), 'invalid_request')
  })

  test('with a code that is older than a minute is refused', async () => {
    const asked = await oauth.allowed(service)
    await service.sql(`update oauth_codes set expires_at = now() - interval '1 second'`)
    refused(await oauth.exchange(service, oauth.codeForm(asked)), 'invalid_grant')
  })

  test.each(['https://other.example.com/mcp', 'ORIGIN/api/admin', 'ORIGIN'])(
    'for the resource %s is refused, and the code still works for the right one',
    async (resource) => {
      const asked = await oauth.allowed(service)
      const wrong = resource.replace('ORIGIN', service.origin)
      refused(await oauth.exchange(service, { ...oauth.codeForm(asked), resource: wrong }), 'invalid_target')
      const right = await oauth.exchange(service, { ...oauth.codeForm(asked), resource: `${service.origin}/mcp` })
      expect(right.status).toBe(200)
    },
  )

  test('that uses one code many times at once gives tokens at most once, and none that works', async () => {
    const asked = await oauth.allowed(service)
    const replies = await Promise.all(Array.from({ length: 8 }, () => oauth.exchange(service, oauth.codeForm(asked))))
    const given = replies.filter(({ status }) => status === 200)
    expect(given).toHaveLength(1)
    expect(await oauth.statuses(service, given[0]!.body.access_token)).toEqual([401, 401])
  })

  test('with a refresh token a second time ends the whole grant, with the tokens of the rightful program', async () => {
    const first = await oauth.signedIn(service)
    const second = (await oauth.refresh(service, first)).body
    expect(await oauth.statuses(service, second.access_token)).toEqual([200, 200])
    refused(await oauth.refresh(service, first), 'invalid_grant')
    expect(await oauth.statuses(service, second.access_token)).toEqual([401, 401])
    expect(await oauth.statuses(service, first.token)).toEqual([401, 401])
    refused(await oauth.refresh(service, { ...first, refreshToken: second.refresh_token }), 'invalid_grant')
    const [{ endedBy }] = await oauth.grantsOf(service, first.browser.email)
    expect(endedBy).toBe('reuse')
    const entries = (await service.admin('GET', '/audit?action=grant.end&limit=5')).body.data
    expect(entries[0]).toMatchObject({ details: { by: 'reuse' } })
  })

  test('that uses one refresh token many times at once leaves no token that works', async () => {
    const first = await oauth.signedIn(service)
    const replies = await Promise.all(Array.from({ length: 6 }, () => oauth.refresh(service, first)))
    const given = replies.filter(({ status }) => status === 200)
    expect(given.length).toBeLessThanOrEqual(1)
    for (const { body } of given) expect(await oauth.statuses(service, body.access_token)).toEqual([401, 401])
  })

  test('with the refresh token of another program is refused', async () => {
    const signedIn = await oauth.signedIn(service)
    refused(await oauth.refresh(service, { ...signedIn, clientId }), 'invalid_grant')
  })

  test('with a refresh token that was not used for 30 days is refused', async () => {
    const signedIn = await oauth.signedIn(service)
    await service.sql(`update oauth_tokens set refresh_expires_at = now() - interval '1 second'`)
    refused(await oauth.refresh(service, signedIn), 'invalid_grant')
  })

  test('with an access token as the refresh token is refused', async () => {
    const signedIn = await oauth.signedIn(service)
    refused(await oauth.refresh(service, { ...signedIn, refreshToken: signedIn.token }), 'invalid_grant')
  })

  test.each(['client_credentials', 'password', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code', ''])(
    'with the grant type "%s" is refused',
    async (type) => {
      const reply = await oauth.exchange(service, {
        grant_type: type,
        client_id: clientId,
        username: 'a',
        password: 'b',
      })
      expect(reply.status).toBeGreaterThanOrEqual(400)
      expect(reply.status).toBeLessThan(500)
      expect(reply.body.access_token).toBeUndefined()
    },
  )

  test('with a secret is refused, because no program has one', async () => {
    const asked = await oauth.allowed(service)
    refused(await oauth.exchange(service, { ...oauth.codeForm(asked), client_secret: 'guess' }), 'invalid_client')
  })

  test('that gives a parameter twice, or as JSON, is refused', async () => {
    const form = new URLSearchParams(oauth.codeForm(await oauth.allowed(service))).toString()
    const type = 'application/x-www-form-urlencoded'
    const twice = await service.fetch('/oauth/token', { method: 'POST', type, body: `${form}&client_id=x` })
    refused(twice, 'invalid_request')
    const json = await service.fetch('/oauth/token', { method: 'POST', body: { grant_type: 'authorization_code' } })
    refused(json, 'invalid_request', 415)
  })

  test('at the same time as a withdrawal never fails, whichever is first', async () => {
    const first = await oauth.signedIn(service)
    const [{ id }] = await oauth.grantsOf(service, first.browser.email)
    const [refreshed, withdrawn] = await Promise.all([
      oauth.refresh(service, first),
      service.admin('DELETE', `/grants/${id}`),
    ])
    expect([200, 400]).toContain(refreshed.status)
    expect(withdrawn.status).toBe(200)
    if (refreshed.status === 200) expect(await oauth.statuses(service, refreshed.body.access_token)).toEqual([401, 401])
  })

  test('is limited by network address', async () => {
    const limited = await startService({ RATE_LIMIT_SCALE: '0.01' })
    try {
      const ask = () => oauth.refresh(limited, { clientId: 'x', refreshToken: 'y' })
      expect((await ask()).status).toBe(400)
      refused(await ask(), 'temporarily_unavailable', 429)
    } finally {
      await limited.close()
    }
  })
})

describe('a token', () => {
  let app: oauth.SignedIn
  beforeAll(async () => {
    app = await oauth.signedIn(service)
  })
  test.each([
    ['GET', '/api/admin/users'],
    ['GET', '/api/admin/keys'],
    ['GET', '/api/admin/export'],
    ['POST', '/api/admin/keys'],
    ['DELETE', '/api/admin/tools/x'],
    ['POST', '/api/v1/submit-ai-tool'],
    ['GET', '/api/v1/ai-tools/status?slug=x'],
    ['POST', '/api/v1/support/ask'],
    ['GET', '/api/v1/support/conversations'],
  ])('is refused at %s %s', async (method, address) => {
    const body = method === 'POST' ? {} : undefined
    expect((await service.fetch(address, { method, body, key: app.token })).status).toBe(403)
  })

  test.each(['/dashboard', '/dashboard/account', '/dashboard/apps', '/admin', '/admin/users', '/oauth/authorize?x=1'])(
    'opens no page of its user: %s',
    async (address) => {
      const reply = await service.fetch(address, { headers: { accept: 'text/html' }, key: app.token })
      expect(reply.status).toBe(303)
      expect(reply.headers.get('location')).toMatch(/^\/sign-in/)
    },
  )

  test('in the query is ignored', async () => {
    expect((await service.fetch(`/api/v1/tags?access_token=${app.token}&key=${app.token}`)).status).toBe(401)
  })

  test('that was altered, a refresh token and a code are refused', async () => {
    const { token, refreshToken, code } = await oauth.signedIn(service)
    const last = token.at(-1) === 'A' ? 'B' : 'A'
    for (const wrong of [token.slice(0, -1) + last, refreshToken, code, token.replace('aid_o_', 'aid_')])
      expect(await oauth.statuses(service, wrong)).toEqual([401, 401])
  })
})
