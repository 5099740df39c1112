// The whole sign-in for agents, with the official client and a person at a real browser: discover, register in both ways, sign in,
// consent, call, refresh, withdraw.
// @module-tag long
import { createServer } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PASSWORD, signedUp } from '../harness/browser.ts'
import { horizontalOverflow, launchChromium, type Visit, violations, visitor } from '../harness/chromium.ts'
import { startDocumentSite } from '../harness/client-document.ts'
import { type Listening, listening } from '../harness/listening.ts'
import { grantsOf } from '../harness/oauth.ts'
import { createProvider, OFFICIAL_CLIENTS, type Provider } from '../harness/sign-in-provider.ts'
import { use, useService } from '../harness/use.ts'

const client = OFFICIAL_CLIENTS[0]!

const site = use(startDocumentSite)
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
const browser = use(launchChromium)
let returned: URL[]
/** The program's own server, which the browser comes back to. */
const program: Listening = use(() =>
  listening(
    createServer((request, response) => {
      // Hosts send the browser on to another site of theirs, and the policy of the consent page must allow that.
      if (request.url!.startsWith('/callback?')) {
        returned.push(new URL(request.url!, program.url))
        return response.writeHead(302, { location: `http://localhost:${program.port}/callback/done` }).end()
      }
      response.setHeader('content-type', 'text/html')
      response.end(
        '<!DOCTYPE html><html lang="en"><title>Done</title><link rel="icon" href="data:,"><h1>Back in the program</h1>',
      )
    }),
  ),
)
const callback = () => `${program.url}/callback`

const mcp = () => `${service.origin}/mcp`

/** The program connects and wants a page to be opened. */
async function pageFor(provider: Provider): Promise<string> {
  await expect(client.connect(mcp(), provider)).rejects.toThrow(/unauthorized/i)
  return provider.opened.at(-1)!.href
}

describe.each([
  ['on a desktop, with a script', { phone: false, javaScript: true }],
  ['on a phone, without a script', { phone: true, javaScript: false }],
])('%s', (_where, options) => {
  let visit: Visit
  beforeEach(async () => {
    returned = []
    visit = await visitor(browser, service.origin, options)
    visit.page.setDefaultTimeout(20_000)
  })
  afterEach(async () => {
    // The program's own page is another host, which the browser was sent to on purpose.
    expect(visit.problems.filter((problem) => !problem.includes('/callback'))).toEqual([])
    await visit.context.close()
  })

  test.each(['registration', 'a document'])(
    'the person signs in, allows, and withdraws; the program is known by %s',
    async (way) => {
      const { page } = visit
      const { email } = await signedUp(service)
      const document =
        way === 'a document'
          ? site.put('/client.json', { client_name: 'Official Client', redirect_uris: ['http://127.0.0.1/callback'] })
          : undefined
      const provider = createProvider(callback(), document)
      await page.goto(await pageFor(provider))
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1, name: 'Allow Official Client to read the catalog?' }).waitFor()
      expect(await page.getByText('If you did not start signing in there just now').isVisible()).toBe(true)
      expect(await horizontalOverflow(page)).toBe(0)
      await page.getByLabel('I agree to the acceptable-use policy').check()
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByRole('heading', { name: 'Back in the program' }).waitFor()

      await client.finish(mcp(), provider, returned[0]!)
      const connection = await client.connect(mcp(), provider)
      expect((await connection.call('list_tags')).isError ?? false).toBe(false)
      const first = provider.stored.tokens
      provider.stored.tokens = { ...first, access_token: `${first.access_token.slice(0, -1)}!` }
      expect((await connection.call('list_tags')).isError ?? false).toBe(false)
      expect(provider.stored.tokens.refresh_token).not.toBe(first.refresh_token)
      expect(provider.opened).toHaveLength(1)

      await page.goto('/dashboard/apps')
      expect(await page.getByRole('row', { name: /Official Client/ }).innerText()).toContain('MCP')
      await page.getByRole('link', { name: /^Withdraw/ }).click()
      await page.getByRole('button', { name: 'Withdraw access' }).click()
      await page.getByText('Access is withdrawn.').waitFor()
      await expect(connection.call('list_tags')).rejects.toThrow()
      await connection.close()
      expect((await grantsOf(service, email))[0].endedBy).toBe('user')
    },
  )

  test('a request that is refused after signing in leads back to the program by a link', async () => {
    const { page } = visit
    const { email } = await signedUp(service)
    const address = new URL(await pageFor(createProvider(callback())))
    address.searchParams.set('resource', 'https://other.example.com/mcp')
    await page.goto(address.href)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'Return to the program' }).waitFor()
    if (options.javaScript) expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'Return to the program' }).click()
    await page.getByRole('heading', { name: 'Back in the program' }).waitFor()
    expect(returned[0]!.searchParams.get('error')).toBe('invalid_target')
  })

  test('a person who presses Deny goes back to the program, which gets nothing', async () => {
    const { page } = visit
    const { email } = await signedUp(service)
    const provider = createProvider(callback())
    await page.goto(await pageFor(provider))
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    // Deny works without the agreement.
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Back in the program' }).waitFor()
    expect(returned[0]!.searchParams.get('error')).toBe('access_denied')
    expect(await grantsOf(service, email)).toEqual([])
  })
})

test('another site can neither frame the page nor send its form', async () => {
  const { cookies } = await signedUp(service)
  const provider = createProvider(callback())
  const address = await pageFor(provider)
  const visit = await visitor(browser, service.origin, { cookies })
  const evil = createServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    const fields = [...new URL(address).searchParams].map(([name, value]) => `<input name="${name}" value="${value}">`)
    response.end(
      request.url === '/frame'
        ? `<!DOCTYPE html><iframe src="${address.replaceAll('&', '&amp;')}"></iframe>`
        : `<!DOCTYPE html><form method="post" action="${service.origin}/oauth/authorize">${fields.join('')}<input name="decision" value="allow"><input name="agree" value="true"><button>Go</button></form>`,
    )
  })
  const { port, close } = await listening(evil)
  const origin = `http://localhost:${port}`
  try {
    await visit.page.goto(`${origin}/frame`)
    const [, frame] = visit.page.frames()
    await frame!.waitForLoadState()
    expect(await frame!.getByRole('button', { name: 'Allow' }).count()).toBe(0)
    await visit.page.goto(`${origin}/form`)
    await visit.page.getByRole('button', { name: 'Go' }).click()
    await visit.page.waitForURL(/\/oauth\/authorize/)
    expect(await service.sql('select 1 from oauth_grants where ended_at is null')).toEqual([])
  } finally {
    await close()
    await visit.context.close()
  }
})
