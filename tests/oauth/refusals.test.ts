// OAuth addresses refuse in the form of their RFCs, not in the envelope.
import { expect, test } from 'vitest'
import { useService } from '../harness/use.ts'

const service = useService()

test.each([
  ['GET', '/oauth/token', 'POST'],
  ['PUT', '/oauth/token', 'POST'],
  ['GET', '/oauth/revoke', 'POST'],
  ['DELETE', '/oauth/register', 'POST'],
  ['POST', '/.well-known/oauth-authorization-server', 'GET, HEAD'],
  ['POST', '/.well-known/oauth-protected-resource', 'GET, HEAD'],
])('%s %s is a 405 with Allow', async (method, path, allow) => {
  const reply = await service.fetch(path, { method })
  expect([reply.status, reply.headers.get('allow')]).toEqual([405, allow])
  expect(reply.body).toEqual({ error: 'invalid_request', error_description: expect.stringContaining(allow) })
  expect(reply.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/)
})

test.each([
  ['grant_type=password&username=ada&password=x', 'unsupported_grant_type'],
  ['grant_type=client_credentials', 'unsupported_grant_type'],
  ['grant_type=', 'invalid_request'],
  ['code=x', 'invalid_request'],
  ['grant_type=authorization_code&client_id=nobody&code=x', 'invalid_client'],
])('a token request %s is refused as %s', async (body, error) => {
  const type = 'application/x-www-form-urlencoded'
  const reply = await service.fetch('/oauth/token', { method: 'POST', type, body })
  expect(reply.body).toEqual({ error, error_description: expect.any(String) })
  if (error !== 'invalid_client') {
    expect(reply.status).toBe(400)
    expect(reply.body.error_description).toContain('authorization_code, refresh_token')
  }
})
