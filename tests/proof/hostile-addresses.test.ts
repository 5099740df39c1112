// The hostile addresses of outbound.test.ts at every place where a link check or a report could meet them: the recorded listing, redirects of
// the page, of robots.txt and of the directory's own links, meta refresh, and proof pictures. No connection to a private address is tried.
// @module-tag long
import ipaddr from 'ipaddr.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkPage } from '../../src/features/proof/links/check-page.ts'
import { createPoliteness } from '../../src/features/proof/politeness/politeness.ts'
import { extend } from '../../src/kernel/values/objects.ts'
import { createOutbound } from '../../src/platform/outbound/outbound.ts'
import { HOSTILE_URLS, PRIVATE_ANSWERS, PRIVATE_HOSTS, WRONG_PORTS } from '../harness/hostile-addresses.ts'
import { BROWSER } from '../harness/html.ts'
import { html, PRODUCT } from '../harness/listing-pages.ts'
import { loadDirectories, newWork, record } from '../harness/proof.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { type Sentinels, startSentinels, watchAttempts } from '../harness/sentinels.ts'
import { startService, type TestService } from '../harness/service.ts'

// This address plays the public internet; every other address of this machine is private.
const OUTSIDE = '127.0.0.2'

let service: TestService
let outside: Receiver
let sentinels: Sentinels
let watch: ReturnType<typeof watchAttempts>
let target = ''

const hostile = [...PRIVATE_HOSTS.map((host) => `http://${host}/`), ...HOSTILE_URLS, ...WRONG_PORTS].filter(
  (url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol),
)

beforeAll(async () => {
  sentinels = await startSentinels()
  const send =
    (status: number, body: string, headers: Record<string, string> = {}) =>
    (response: any) =>
      response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
  outside = await startReceiver(
    {
      '/robots.txt': (response) => send(404, '')(response),
      '/redirect': (response) => send(302, '', { location: location() })(response),
      '/refresh': (response) => send(200, `<meta http-equiv="refresh" content="0;url=${target}">`)(response),
      '/own': (response) => send(200, html('<a href="/out?to=x">Visit website</a>'))(response),
      '/out': (response) => send(302, '', { location: location() })(response),
    },
    OUTSIDE,
  )
  service = await startService({ OUTBOUND_ALLOW_CIDRS: `${OUTSIDE}/32` })
  watch = watchAttempts()
})
afterAll(async () => {
  watch.stop()
  await service.close()
  await outside.close()
  const isOutside = (ip: string) => ipaddr.process(ip).toString() === OUTSIDE || ip === '127.0.0.1'
  expect(watch.attempts.filter((ip) => !isOutside(ip) && ipaddr.process(ip).range() !== 'unicast')).toEqual([])
  expect(sentinels.arrivals).toBe(0)
  await sentinels.close()
})

/** The bytes of the target as a header may carry them. */
const location = () => Buffer.from(target.replaceAll(/\p{Cc}/gu, encodeURIComponent)).toString('latin1')

/** Many spellings are one host, and the test does not wait for its turns. */
async function freeHosts(): Promise<void> {
  service.context().links.lastAsked.clear()
  await service.sql('delete from link_hosts')
}

/** Looks at an address; robots.txt is fetched for every look but those at the outside. */
async function lookAt(listingUrl: string, ctx = service.context()) {
  await freeHosts()
  const limits = { owner: 'p', until: performance.now() + 20_000 }
  const polite = createPoliteness(ctx, limits)
  return checkPage(
    ctx,
    { listingUrl, productKeys: ['acme-writer.example.com'], ...limits },
    {
      takeTurn: async () => () => {},
      askRobots: (url) => {
        const { host } = new URL(url)
        return host === new URL(outside.origin).host ? Promise.resolve('yes') : polite.askRobots(url)
      },
    },
  )
}

const publicAddress = (url: string): boolean => {
  const { hostname } = new URL(url)
  const address = hostname.replace(/^\[|\]$/g, '')
  return !ipaddr.isValid(address) || ipaddr.process(address).range() === 'unicast'
}

test('a recorded address that is hostile is a 400', async () => {
  await loadDirectories(service, 1)
  const { id } = await newWork(service, await service.newPartner())
  const wrong: string[] = []
  for (const url of hostile.filter((one) => !publicAddress(one)))
    for (const field of ['listingUrl', 'proofUrl']) {
      const body = { isSubmitted: true, [field]: url }
      const { status } = await service.admin('PUT', `/submissions/${id}/directories/d-0`, body)
      if (status !== 400) wrong.push(`${field} ${url}: ${status}`)
    }
  expect(wrong).toEqual([])
})

test('a stored address that is hostile is not asked, nor is its robots.txt', async () => {
  expect(hostile.length).toBeGreaterThan(180)
  const found: [string, string][] = []
  for (const url of hostile) found.push([url, (await lookAt(url)).state])
  expect(found.filter(([, state]) => state !== 'unreachable')).toEqual([])
})

test.each(['/redirect', '/refresh', '/own'])('nor one that %s leads to', async (path) => {
  const wrong: string[] = []
  for (const url of hostile) {
    target = url
    const { state } = await lookAt(`${outside.origin}${path}`)
    if (state === 'live' || state === 'nofollow' || state === 'gone') wrong.push(`${url}: ${state}`)
  }
  expect(wrong).toEqual([])
})

test('nor one that a robots.txt redirects to', async () => {
  const asked: string[] = []
  const ctx = extend(service.context(), {
    outbound: {
      fetch: (url: string, request: any) => {
        asked.push(url)
        const robots = { status: 302, headers: { location: target }, body: Buffer.from(''), truncated: false, url }
        return url === `${outside.origin}/robots.txt`
          ? Promise.resolve(robots)
          : service.context().outbound.fetch(url, request)
      },
    },
  })
  for (const url of hostile) {
    target = new URL(url).href
    const polite = createPoliteness(ctx as never, { owner: 'p', until: performance.now() + 20_000 })
    await freeHosts()
    expect([url, await polite.askRobots(`${outside.origin}/x`)]).toEqual([url, 'unreachable'])
  }
  expect(asked.length).toBe(2 * hostile.length)
})

test('nor a public name whose address is private', async () => {
  for (const address of PRIVATE_ANSWERS) {
    const outbound = createOutbound({ allowed: [], resolve: async () => [address] })
    const { state } = await lookAt('http://directory.example/x', extend(service.context(), { outbound }) as never)
    expect([address, state]).toEqual([address, 'unreachable'])
    await outbound.close()
  }
})

test('a report shows no picture of another host, whatever is stored', async () => {
  const partner = await service.newPartner()
  const work = await newWork(service, partner, { website: PRODUCT })
  await record(service, work.id, 'd-0', null)
  const { reportUrl } = (await service.admin('GET', `/submissions/${work.id}`)).body.data
  const path = reportUrl.slice(service.origin.length)
  for (const url of [
    ...hostile,
    'javascript:alert(1)',
    `${service.origin}/tools/x/visit`,
    'https://tracker.example/p.png',
  ]) {
    const stored = url.replaceAll('\0', '')
    await service.sql(`update submission_rows set proof_url = '${stored.replaceAll("'", "''")}'`)
    expect([url, (await service.fetch(path, { headers: { accept: BROWSER } })).text.includes('<img')]).toEqual([
      url,
      false,
    ])
    expect((await service.fetch(`${path}.json`)).body.submissions[0].proofUrl).toBe(stored)
  }
})
