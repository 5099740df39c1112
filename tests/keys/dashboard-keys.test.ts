// The dashboard without JavaScript: a key from the form to its revocation, its usage, and no access to the keys of other users.
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { accountOperations } from '../../src/features.ts'
import { audited } from '../harness/audit.ts'
import { type Browser, formIn, newAddress, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const HOSTILE = '"><script>alert(1)</script>'
const make = (browser: Browser, fields: Record<string, string> = {}) =>
  browser.submit('/dashboard', '/dashboard/keys', { name: 'Production', agree: 'true', ...fields })
const keyIn = (text: string) => /aid_[0-9A-Za-z]{38}/.exec(text)?.[0]
const revokeLinks = (text: string) => [...text.matchAll(/\/dashboard\/keys\/([^/"]+)\/revoke/g)].map(([, id]) => id!)

async function withKey(browser: Browser, fields: Record<string, string> = {}): Promise<{ key: string; id: string }> {
  const key = keyIn((await make(browser, fields)).text)!
  return { key, id: revokeLinks((await browser.open('/dashboard')).text)[0]! }
}

describe('a key', () => {
  test('is made after the user agrees, shown once with filled-in snippets, and afterwards only with its last four characters', async () => {
    const browser = await signedUp(service)
    const rows = await audited(service, () => Promise.resolve())
    expect(rows).toEqual([])
    const shown = await make(browser)
    expect(shown.status).toBe(201)
    expect(shown.headers.get('cache-control')).toBe('no-store')
    expect(shown.headers.get('content-encoding')).toBeNull()
    await expectSound(shown.text)
    const key = keyIn(shown.text)!
    expect(shown.text.split(key)).toHaveLength(1 + 4)
    for (const snippet of [
      'curl -H',
      'createClient(',
      `npm install ${service.origin}/client.tgz`,
      'mcpServers',
      `${service.origin}/api/v1/tools`,
      `${service.origin}/mcp`,
    ])
      expect(shown.text).toContain(snippet)
    expect((await service.rest('/tags', { key })).status).toBe(200)
    const list = await browser.open('/dashboard')
    await expectSound(list.text)
    expect(list.text).not.toContain(key)
    expect(list.text).toContain(`…${key.slice(-4)}`)
    expect(list.text).toContain('Production')
    expect(JSON.stringify(service.logged)).not.toContain(key)
  })

  test('records which policy the user agreed to and when, and who made it', async () => {
    const browser = await signedUp(service)
    const rows = await audited(service, () => make(browser, { name: 'Recorded' }))
    expect(rows).toMatchObject([{ actor: browser.email, action: 'key.create', details: { owner: browser.email } }])
    const { data } = (await service.admin('GET', '/keys?limit=1000')).body
    const row = data.find(({ owner }: { owner: string }) => owner === browser.email)
    expect(row).toMatchObject({ name: 'Recorded', policyVersion: '2026-11-01', plan: 'standard' })
    expect(Date.now() - Date.parse(row.policyAgreedAt)).toBeLessThan(60_000)
  })

  test('is not made without agreement, and the page says why', async () => {
    const browser = await signedUp(service)
    const reply = await make(browser, { agree: '' })
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/dashboard'])
    const page = (await browser.open('/dashboard')).text
    expect(page).toContain('agreement to the acceptable-use policy')
    expect(page).toContain('No key yet')
    // The page shows the message only once.
    expect((await browser.open('/dashboard')).text).not.toContain('agreement to the acceptable-use policy')
  })

  test('is revoked on a confirmation page, which changes nothing by being opened', async () => {
    const browser = await signedUp(service)
    const { key, id } = await withKey(browser)
    const page = `/dashboard/keys/${id}/revoke`
    const question = await browser.open(page)
    await expectSound(question.text)
    expect(question.text).toContain(key.slice(-4))
    expect((await service.rest('/tags', { key })).status).toBe(200)
    const rows = await audited(service, () => browser.submit(page, page))
    expect(rows).toMatchObject([{ actor: browser.email, action: 'key.revoke', subject: `key:${id}` }])
    expect((await service.rest('/tags', { key })).status).toBe(401)
    const list = (await browser.open('/dashboard')).text
    expect(list).toContain('The key is revoked.')
    expect(list).toContain('Revoked keys (1)')
  })

  test('is one of at most ten live keys; at ten the page has no form for another', async () => {
    const browser = await signedUp(service)
    for (let i = 0; i < 9; i++) await service.newKey('standard', browser.email)
    // The test opens the form before there are ten keys, because then the page has no form.
    const form = formIn((await browser.open('/dashboard')).text, '/dashboard/keys')!
    const send = () => browser.post('/dashboard/keys', { ...form, name: 'Production', agree: 'true' })
    const replies = await Promise.all([send(), send(), send()])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 303, 303])
    const page = (await browser.open('/dashboard')).text
    expect(page).toContain('Live keys: 10 of 10')
    expect(formIn(page, '/dashboard/keys')).toBeNull()
  })

  test('shows a name with markup as text', async () => {
    const browser = await signedUp(service)
    const shown = await make(browser, { name: HOSTILE })
    await expectSound(shown.text, [HOSTILE])
    for (const path of [
      '/dashboard',
      '/dashboard/usage',
      `/dashboard/keys/${revokeLinks((await browser.open('/dashboard')).text)[0]}/revoke`,
    ])
      await expectSound((await browser.open(path)).text, [HOSTILE])
    expect((await make(browser, { name: 'a'.repeat(201) })).status).toBe(303)
  })
})

describe('the plan and limits on the dashboard', () => {
  test('are those that the operator set', async () => {
    const browser = await signedUp(service)
    expect((await browser.open('/dashboard')).text).toContain('10 REST and 30 MCP calls a minute (plan Standard)')
    const { id } = await userNamed(service, browser.email)
    await service.admin('PATCH', `/users/${id}`, { plan: 'premium' })
    expect((await browser.open('/dashboard')).text).toContain('60 REST and 120 MCP calls a minute (plan Premium)')
  })
})

describe('the usage page', () => {
  test('shows calls by key, day and surface within seconds, as a chart and as a table, without refused calls', async () => {
    const browser = await signedUp(service)
    const one = await withKey(browser, { name: 'One' })
    for (let i = 0; i < 3; i++) await service.rest('/tags', { key: one.key })
    // These two calls are charged too: an unknown tool, and an address that does not exist.
    await service.rest('/tools/no-such', { key: one.key })
    await service.rest('/nowhere', { key: one.key })
    for (let i = 0; i < 2; i++) await service.tool('list_tags', {}, one.key)
    const two = await withKey(browser, { name: 'Two' })
    await service.rest('/tags', { key: two.key })
    const today = new Date().toISOString().slice(0, 10)
    const row = (rest: number, mcp: number) =>
      new RegExp(`${today}</time></th><td class="number">${rest}</td><td class="number">${mcp}</td>`)
    await expect.poll(async () => (await browser.open('/dashboard/usage')).text, { timeout: 10_000 }).toMatch(row(6, 2))
    const all = await browser.open('/dashboard/usage')
    await expectSound(all.text)
    // Two charts, each drawn for wide and for narrow pages.
    expect(all.text.match(/<svg class="chart/g)).toHaveLength(4)
    expect((await browser.open(`/dashboard/usage?key=${one.id}`)).text).toMatch(row(5, 2))
    expect((await browser.open(`/dashboard/usage?key=${two.id}`)).text).toMatch(row(1, 0))
    const keys = (await browser.open('/dashboard')).text
    expect(keys).toContain(`<time datetime="${today}T`)
    expect(keys).toMatch(/Calls today<\/dt><dd>8</)
  })
})

describe('another user', () => {
  test('gets a 404 for a foreign key as for an unknown one, and the key still works', async () => {
    const [owner, other] = [await signedUp(service), await signedUpAdmin(service)]
    const { key, id } = await withKey(owner)
    const { token } = formIn((await other.open('/dashboard')).text, '/dashboard/keys')!
    for (const path of [id, 'no-such']) {
      expect((await other.open(`/dashboard/keys/${path}/revoke`)).status).toBe(404)
      expect((await other.post(`/dashboard/keys/${path}/revoke`, { token: token! })).status).toBe(404)
      expect((await other.open(`/dashboard/usage?key=${path}`)).status).toBe(404)
    }
    expect((await service.rest('/tags', { key })).status).toBe(200)
    for (const path of ['/dashboard', '/dashboard/usage', '/dashboard/account'])
      for (const text of [id, key.slice(-4), owner.email]) expect((await other.open(path)).text).not.toContain(text)
  })

  test('gets a 403 for the pages of a partner', async () => {
    const browser = await signedUp(service)
    for (const path of [
      '/dashboard/partner',
      '/dashboard/partner/webhooks',
      '/dashboard/partner/secret',
      '/dashboard/partner/submissions/x',
    ])
      expect((await browser.open(path)).status).toBe(403)
    expect((await browser.open('/dashboard')).text).not.toContain('/dashboard/partner')
  })
})

test.each(['/dashboard', '/dashboard/usage', '/dashboard/account', '/dashboard/account/delete', '/dashboard/partner'])(
  '%s leads a visitor to the sign-in page, and the browser may not store it',
  async (path) => {
    const reply = await service.fetch(path)
    expect([reply.status, reply.headers.get('location')]).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`])
    const browser = await signedUp(service, newAddress())
    const page = await browser.open(path)
    expect(page.headers.get('cache-control')).toBe('no-store')
    await expectSound(page.text)
  },
)

describe.each(accountOperations.map((operation) => [operation.name, operation] as const))('%s', (_name, operation) => {
  test('is for signed-in users', () => {
    expect(operation.access).toBe('account')
  })
})
