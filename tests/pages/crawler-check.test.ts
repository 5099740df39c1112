// @module-tag once
// A client that names itself a known crawler is checked by DNS in both directions. Other clients are not checked.
import { beforeEach, describe, expect, test } from 'vitest'
import type { HostNames } from '../../src/kernel/interfaces/outbound.ts'
import { createCrawlerCheck } from '../../src/surfaces/http/requests/crawler-check.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const BINGBOT = 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** The answers of the DNS: names by address, addresses by name. An Error is thrown, and `never` gives no answer at all. */
type DnsAnswers = Record<string, string[] | Error | 'never'>
const lookups: string[] = []
let dnsAnswers: DnsAnswers = {}

const answer = async (question: string): Promise<string[]> => {
  lookups.push(question)
  const found = dnsAnswers[question] ?? []
  if (found === 'never') return new Promise(() => {})
  if (found instanceof Error) throw found
  return found
}
const hostNames: Pick<HostNames, 'namesOf' | 'addressesOf'> = { namesOf: answer, addressesOf: answer }

const REAL_CRAWLERS: DnsAnswers = {
  '66.249.66.1': ['crawl-66-249-66-1.googlebot.com'],
  'crawl-66-249-66-1.googlebot.com': ['66.249.66.1'],
  '2001:4860:4801:10::1': ['crawl-v6.googlebot.com.'],
  'crawl-v6.googlebot.com': ['2001:4860:4801:0010::0001'],
  '157.55.39.1': ['msnbot-157-55-39-1.search.msn.com'],
  'msnbot-157-55-39-1.search.msn.com': ['157.55.39.1'],
}

describe('on the site', () => {
  const service = useService({ TRUST_PROXY: '127.0.0.1/32' }, { hostNames })

  const open = (path: string, agent: string, address: string, accept = BROWSER) =>
    service.fetch(path, { headers: { 'user-agent': agent, 'x-forwarded-for': address, accept } })

  test('a real crawler is let in, by IPv4 and by IPv6', async () => {
    dnsAnswers = REAL_CRAWLERS
    expect((await open('/', GOOGLEBOT, '66.249.66.1')).status).toBe(200)
    expect((await open('/robots.txt', GOOGLEBOT, '2001:4860:4801:10::1')).status).toBe(200)
    expect((await open('/tools', BINGBOT, '157.55.39.1')).status).toBe(200)
  })

  test('a client that only pretends to be a crawler gets a 403 page, and one line is logged', async () => {
    dnsAnswers = REAL_CRAWLERS
    const before = service.logged.length
    for (const path of ['/', '/tools', '/sitemap.xml']) {
      const reply = await open(path, GOOGLEBOT, '203.0.114.7')
      expect([path, reply.status]).toEqual([path, 403])
      expect(reply.text).toContain('Your client names itself Googlebot')
      expect(reply.headers.get('cache-control')).toBe('no-store')
    }
    await expectSound((await open('/', GOOGLEBOT, '203.0.114.7')).text)
    const json = await open('/', GOOGLEBOT, '203.0.114.7', 'application/json')
    expect(json.body).toMatchObject({ success: false })
    const lines = service.logged.slice(before).filter(({ message }) => String(message).includes('pretends to be'))
    expect(lines).toMatchObject([{ level: 'warn', crawler: 'Googlebot', address: '203.0.114.7' }])
  })

  test('an ordinary visitor is not looked up', async () => {
    dnsAnswers = {}
    lookups.length = 0
    expect((await open('/', FIREFOX, '203.0.114.8')).status).toBe(200)
    expect((await service.fetch('/', { headers: { accept: BROWSER } })).status).toBe(200)
    expect(lookups).toEqual([])
  })

  test('a crawler that DNS cannot confirm or deny is served like an ordinary visitor', async () => {
    dnsAnswers = { '203.0.114.9': Object.assign(new Error('refused'), { code: 'ESERVFAIL' }) }
    expect((await open('/', GOOGLEBOT, '203.0.114.9')).status).toBe(200)
  })

  test('a crawler at a private address is served, because an untrusted proxy may be in front of the service', async () => {
    dnsAnswers = {}
    expect((await open('/', GOOGLEBOT, '10.1.2.3')).status).toBe(200)
    expect((await service.fetch('/', { headers: { 'user-agent': GOOGLEBOT, accept: BROWSER } })).status).toBe(200)
  })

  test('the API ignores the User-Agent', async () => {
    dnsAnswers = REAL_CRAWLERS
    const { key } = await service.newKey()
    const headers = { 'user-agent': GOOGLEBOT, 'x-forwarded-for': '203.0.114.7' }
    expect((await service.rest('/tools', { key, headers })).status).toBe(200)
  })
})

describe('the crawler check', () => {
  let time = 0
  let lines: object[] = []
  const make = (timeoutMs = 50) =>
    createCrawlerCheck({ hostNames, log: { warn: (details) => lines.push(details) }, now: () => time, timeoutMs })
  beforeEach(() => {
    time = 1_000_000
    lines = []
    lookups.length = 0
    dnsAnswers = { ...REAL_CRAWLERS }
  })
  const HOUR = 3_600_000

  test('a host name that does not lead back to the address of the client proves nothing', async () => {
    dnsAnswers = {
      '203.0.114.20': ['crawl-66-249-66-1.googlebot.com'],
      'crawl-66-249-66-1.googlebot.com': ['66.249.66.1'],
    }
    expect(await make().impostor(GOOGLEBOT, '203.0.114.20')).toBe('Googlebot')
  })

  test.each(['evilgooglebot.com', 'googlebot.com.evil.example', 'googlebot.com', 'crawl.search.msn.com'])(
    'does not take a host called %s for Googlebot, although the name leads back',
    async (name) => {
      dnsAnswers = { '203.0.114.21': [name], [name]: ['203.0.114.21'] }
      expect(await make().impostor(GOOGLEBOT, '203.0.114.21')).toBe('Googlebot')
    },
  )

  test('does not accept one crawler as another', async () => {
    const check = make()
    expect(await check.impostor(BINGBOT, '66.249.66.1')).toBe('Bingbot')
    expect(await check.impostor(GOOGLEBOT, '66.249.66.1')).toBeNull()
  })

  test('caches answers for hours and failures for minutes', async () => {
    const check = make()
    await check.impostor(GOOGLEBOT, '66.249.66.1')
    const first = lookups.length
    time += 5 * HOUR
    await check.impostor(GOOGLEBOT, '66.249.66.1')
    expect(lookups).toHaveLength(first)
    time += 2 * HOUR
    await check.impostor(GOOGLEBOT, '66.249.66.1')
    expect(lookups).toHaveLength(first * 2)
    dnsAnswers['203.0.114.22'] = new Error('away')
    lookups.length = 0
    expect(await check.impostor(GOOGLEBOT, '203.0.114.22')).toBeNull()
    time += 4 * 60_000
    expect(await check.impostor(GOOGLEBOT, '203.0.114.22')).toBeNull()
    expect(lookups).toHaveLength(1)
    time += 2 * 60_000
    dnsAnswers['203.0.114.22'] = []
    expect(await check.impostor(GOOGLEBOT, '203.0.114.22')).toBe('Googlebot')
    expect(lines).toHaveLength(1)
  })

  test('makes no client wait longer than the limit, and with many lookups open a client does not wait at all', async () => {
    const check = make()
    const addresses = Array.from({ length: 10 }, (_, i) => `203.0.114.${30 + i}`)
    for (const address of addresses) dnsAnswers[address] = 'never'
    const answered: string[] = []
    const ask = async (address: string) => {
      expect(await check.impostor(GOOGLEBOT, address)).toBeNull()
      answered.push(address)
    }
    await Promise.all(addresses.map(ask))
    expect(lookups).toHaveLength(4)
    expect(answered.slice(0, 6)).toEqual(addresses.slice(4))
  })

  test('looks an address up once for several requests at the same time', async () => {
    const check = make()
    await Promise.all([1, 2, 3].map(() => check.impostor(GOOGLEBOT, '66.249.66.1')))
    expect(lookups).toEqual(['66.249.66.1', 'crawl-66-249-66-1.googlebot.com'])
  })

  test('answers at once for a client that does not name itself a crawler', () => {
    const check = make()
    for (const agent of [undefined, '', FIREFOX, 'curl/8.0', 'DuckDuckBot/1.1', 'my-google-reader/1.0'])
      expect(check.impostor(agent, '203.0.114.50')).toBeNull()
  })
})
