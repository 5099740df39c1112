// Public pages are the same for everybody; who is signed in is asked at an address of its own.
// @module-tag once
import { beforeAll, expect, test } from 'vitest'
import { createBrowser, signedUp, signedUpAdmin } from '../harness/browser.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(FIXTURE))

test('public pages have the same bytes and headers for a visitor, a user and an administrator, and may be cached', async () => {
  const readers = [createBrowser(service), await signedUp(service), await signedUpAdmin(service)]
  for (const path of ['/', '/tools', '/tools/bare-bones', '/directories', '/developers', '/search?q=wombat']) {
    const replies = []
    for (const reader of readers) replies.push(await reader.open(path))
    const [first] = replies
    expect([path, first!.status]).toEqual([path, 200])
    for (const { text, headers } of replies) {
      expect(text === first!.text).toBe(true)
      for (const name of ['etag', 'cache-control', 'vary', 'set-cookie'])
        expect([path, name, headers.get(name)]).toEqual([path, name, first!.headers.get(name)])
    }
    expect(first!.headers.get('cache-control')).not.toContain('no-store')
  }
})

test('/signed-in says who is signed in, and is never cached', async () => {
  expect((await createBrowser(service).open('/signed-in')).status).toBe(204)
  const user = await signedUp(service)
  const reply = await user.open('/signed-in')
  expect(reply.body).toEqual({ name: user.email, isAdministrator: false })
  expect(reply.headers.get('cache-control')).toBe('no-store')
  const administrator = await signedUpAdmin(service)
  expect((await administrator.open('/signed-in')).body).toMatchObject({ isAdministrator: true })
  await user.submit('/dashboard', '/sign-out')
  expect((await user.open('/signed-in')).status).toBe(204)
})

test('without a script, the link for signing in leads a signed-in user to the dashboard', async () => {
  const user = await signedUp(service)
  const reply = await user.open('/sign-in')
  expect([reply.status, reply.headers.get('location')]).toEqual([303, '/dashboard'])
})
