// DNS rebinding in a real browser: a page of another site points its own name at our address and reads our service as its own origin. For
// the browser, host and port are the same before and after.
import { createServer, request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { PASSWORD } from '../harness/browser.ts'
import { launchChromium } from '../harness/chromium.ts'
import { listening } from '../harness/listening.ts'
import { use, useService } from '../harness/use.ts'

/** Where the name leads: first to the attacker's own page, then to the service. */
let leadsToUs = false

const service = useService()
const name = use(() =>
  listening(
    createServer((incoming, outgoing) => {
      if (!leadsToUs) return outgoing.setHeader('content-type', 'text/html').end('<title>Free games</title>')
      const { method, headers, url } = incoming
      // Forwards the browser's bytes unchanged to where the name leads now.
      const onward = request(service.origin + url, { method, headers, setHost: false }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      })
      onward.on('error', () => outgoing.destroy())
      incoming.pipe(onward)
    }),
  ),
)
const browser = use(() => launchChromium({ worldPort: name.port }))
beforeAll(() => service.load([{ kind: 'tool', slug: 'kept-inside', name: 'Kept Inside' }]))

test('the page reads nothing and makes no account', async () => {
  const page = await (await browser.newContext()).newPage()
  await page.goto('http://games.example/')
  expect(await page.title()).toBe('Free games')
  leadsToUs = true
  const read = (path: string, options: object = {}) =>
    page.evaluate(
      async ([path, options]) => {
        const reply = await fetch(path as string, options as object)
        return { status: reply.status, text: await reply.text() }
      },
      [path, options] as const,
    )
  for (const path of ['/', '/tools/kept-inside', '/metrics', '/sign-up', '/api/v1/', '/sitemap.xml']) {
    const { status, text } = await read(path)
    expect([path, status]).toEqual([path, 421])
    expect(text).not.toContain('Kept Inside')
  }
  const form = `email=rebound%40example.com&password=${encodeURIComponent(PASSWORD)}`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await read('/sign-up', { method: 'POST', headers, body: form })).status).toBe(421)
  expect(await service.sql("select id from users where email = 'rebound@example.com'")).toEqual([])
  await page.goto('http://games.example/tools/kept-inside')
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Another address')
})
