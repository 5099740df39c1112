// A certified OAuth library signs in by what the service says about itself, with nothing configured but its address.
import { describe, expect, test } from 'vitest'
import { signedUp } from '../harness/browser.ts'
import { decide, locationOf, REDIRECT } from '../harness/oauth.ts'
import { useService } from '../harness/use.ts'
import { areToolsInstalled, inTools } from './tools.ts'

describe.skipIf(!areToolsInstalled())('openid-client', () => {
  const service = useService()

  test('discovers, registers, signs in with PKCE for a resource, refreshes and revokes', async () => {
    const library = await import(inTools('node_modules/openid-client/build/index.js'))
    const resource = `${service.origin}/mcp`
    const config = await library.dynamicClientRegistration(
      new URL(service.origin),
      { client_name: 'Certified', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
      library.None(),
      { algorithm: 'oauth2', execute: [library.allowInsecureRequests] },
    )
    const [verifier, state] = [library.randomPKCECodeVerifier(), library.randomState()]
    const address = library.buildAuthorizationUrl(config, {
      ...{ redirect_uri: REDIRECT, state, resource, scope: 'catalog:read' },
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const answer = locationOf(await decide(await signedUp(service), address.pathname + address.search))
    const checks = { pkceCodeVerifier: verifier, expectedState: state }
    const tokens = await library.authorizationCodeGrant(config, answer, checks, { resource })
    expect((await service.rest('/tags', { key: tokens.access_token })).status).toBe(200)
    const renewed = await library.refreshTokenGrant(config, tokens.refresh_token, { resource })
    expect((await service.rest('/tags', { key: renewed.access_token })).status).toBe(200)
    await library.tokenRevocation(config, renewed.refresh_token)
    expect((await service.rest('/tags', { key: renewed.access_token })).status).toBe(401)
  })
})
