// The official MCP clients sign in by themselves: discover, register in both ways, consent, call, refresh, and notice a withdrawal.
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { signedUp } from '../harness/browser.ts'
import { startDocumentSite } from '../harness/client-document.ts'
import * as oauth from '../harness/oauth.ts'
import { createProvider, OFFICIAL_CLIENTS, type OfficialClient, type Provider } from '../harness/sign-in-provider.ts'
import { use, useService } from '../harness/use.ts'

const REDIRECT = 'http://127.0.0.1:9/callback'

const site = use(startDocumentSite)
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })

const mcp = () => `${service.origin}/mcp`

/** Connects for the first time: the client opens a page, the user allows, and the client gets its tokens. */
async function signIn(client: OfficialClient, provider: Provider) {
  const browser = await signedUp(service)
  await expect(client.connect(mcp(), provider)).rejects.toThrow(/unauthorized/i)
  expect(provider.opened).toHaveLength(1)
  const page = provider.opened[0]!
  expect(page.origin + page.pathname).toBe(`${service.origin}/oauth/authorize`)
  expect(page.searchParams.get('code_challenge_method')).toBe('S256')
  expect(page.searchParams.get('resource')).toBe(mcp())
  const answer = await oauth.decide(browser, page.pathname + page.search)
  const returned = oauth.locationOf(answer)
  expect(returned.searchParams.get('state')).toBe('state-of-the-client')
  await client.finish(mcp(), provider, returned)
  return browser
}

describe.each(OFFICIAL_CLIENTS)('$name', (client) => {
  test.each(['registration', 'a document'])(
    'signs in by %s, calls, refreshes, and asks again after a withdrawal',
    async (way) => {
      const document =
        way === 'a document'
          ? site.put('/client.json', { client_name: 'Official Client', redirect_uris: ['http://127.0.0.1/callback'] })
          : undefined
      const provider = createProvider(REDIRECT, document)
      const browser = await signIn(client, provider)
      if (document) expect(provider.stored.client.client_id).toBe(document)
      const connection = await client.connect(mcp(), provider)
      expect((await connection.call('list_tags')).isError ?? false).toBe(false)
      await connection.close()

      // The access token is gone; the client refreshes by itself, opens no page and calls again.
      const first = provider.stored.tokens
      provider.stored.tokens = { ...first, access_token: `${first.access_token.slice(0, -1)}!` }
      const again = await client.connect(mcp(), provider)
      expect((await again.call('list_tags')).isError ?? false).toBe(false)
      expect(provider.stored.tokens.refresh_token).not.toBe(first.refresh_token)
      expect(provider.opened).toHaveLength(1)

      const [{ id }] = await oauth.grantsOf(service, browser.email)
      const page = `/dashboard/apps/${id}/withdraw`
      await browser.submit(page, page)
      await expect(again.call('list_tags')).rejects.toThrow()
      await again.close()
      await expect(client.connect(mcp(), provider)).rejects.toThrow()
      // The client asks the user again.
      expect(provider.opened.length).toBeGreaterThan(1)
    },
  )

  test('is told when the user denies', async () => {
    const provider = createProvider(REDIRECT)
    const browser = await signedUp(service)
    await expect(client.connect(mcp(), provider)).rejects.toThrow(/unauthorized/i)
    const page = provider.opened[0]!
    const answer = await oauth.decide(browser, page.pathname + page.search, 'deny')
    expect(oauth.locationOf(answer).searchParams.get('error')).toBe('access_denied')
    expect(provider.stored.tokens).toBeUndefined()
  })
})
