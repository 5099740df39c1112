// A program that its user signs out of ends its tokens (RFC 7009).
// @module-tag slow
import { expect, test } from 'vitest'
import * as oauth from '../harness/oauth.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const revoke = (form: Record<string, string>) =>
  service.fetch('/oauth/revoke', {
    method: 'POST',
    type: 'application/x-www-form-urlencoded',
    body: new URLSearchParams(form).toString(),
  })

test.each(['token', 'refreshToken'] as const)('revoking the %s ends both tokens and the grant', async (which) => {
  const app = await oauth.signedIn(service)
  const reply = await revoke({ token: app[which], client_id: app.clientId })
  expect([reply.status, reply.text, reply.headers.get('cache-control')]).toEqual([200, '', 'no-store'])
  expect(await oauth.statuses(service, app.token)).toEqual([401, 401])
  expect((await oauth.refresh(service, app)).body.error).toBe('invalid_grant')
  const [grant] = await oauth.grantsOf(service, app.browser.email)
  expect(grant.endedBy).toBe('program')
  const [entry] = (await service.admin('GET', `/audit?subject=grant:${grant.id}&action=grant.end`)).body.data
  expect(entry.details).toEqual({ by: 'program' })
})

test('another sign-in of the same program stays, and with the last one the grant ends', async () => {
  const first = await oauth.signedIn(service)
  const { browser, clientId } = first
  const second = await oauth.signedIn(service, { browser, clientId })
  await revoke({ token: first.refreshToken, client_id: clientId })
  expect(await oauth.statuses(service, first.token)).toEqual([401, 401])
  expect(await oauth.statuses(service, second.token)).toEqual([200, 200])
  const { body } = await oauth.refresh(service, second)
  await revoke({ token: body.refresh_token, client_id: clientId })
  // The token before the last refresh would have worked for another minute.
  for (const token of [second.token, body.access_token])
    expect(await oauth.statuses(service, token)).toEqual([401, 401])
  expect((await oauth.grantsOf(service, browser.email))[0].endedBy).toBe('program')
})

test('a token of another program, an unknown one and one that ended change nothing', async () => {
  const app = await oauth.signedIn(service)
  const other = await oauth.registered(service)
  for (const form of [
    { token: app.refreshToken, client_id: other },
    { token: 'aid_unknown', client_id: app.clientId },
    { token: app.clientId, client_id: app.clientId },
  ])
    expect((await revoke(form)).status).toBe(200)
  expect(await oauth.statuses(service, app.token)).toEqual([200, 200])
})

test('a refresh token that was used already is still noticed when it is used again', async () => {
  const app = await oauth.signedIn(service)
  const { body } = await oauth.refresh(service, app)
  await revoke({ token: app.refreshToken, client_id: app.clientId })
  expect(await oauth.statuses(service, body.access_token)).toEqual([200, 200])
  await oauth.refresh(service, app)
  expect(await oauth.statuses(service, body.access_token)).toEqual([401, 401])
})

test('revoking the earlier access token does not hide that its refresh token was used', async () => {
  const app = await oauth.signedIn(service)
  const { body: thief } = await oauth.refresh(service, app)
  await revoke({ token: app.token, client_id: app.clientId })
  expect(await oauth.statuses(service, app.token)).toEqual([401, 401])
  expect(await oauth.statuses(service, thief.access_token)).toEqual([200, 200])
  // The rightful program refreshes with the token that the thief has used: the whole grant ends.
  expect((await oauth.refresh(service, app)).body.error).toBe('invalid_grant')
  expect(await oauth.statuses(service, thief.access_token)).toEqual([401, 401])
  expect((await oauth.grantsOf(service, app.browser.email))[0].endedBy).toBe('reuse')
})

test.each([{ client_id: 'x' }, { token: 'aid_x' }, {}])('%o: 400 in the form of the RFC', async (form) => {
  const { status, body } = await revoke(form as Record<string, string>)
  expect([status, body.error]).toEqual([400, 'invalid_request'])
})
