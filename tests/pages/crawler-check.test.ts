// Crawlers may not be impersonated: who calls itself one is looked up by name and back, and everybody else is left alone.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { HostNames } from '../../src/kernel/host-names.ts'
import { createCrawlerCheck } from '../../src/surfaces/http/crawlers.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { startService, type TestService } from '../harness/service.ts'

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const BINGBOT = 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** The far side: names by address, addresses by name; an Error is thrown, `never` is no answer at all. */
type Zone = Record<string, string[] | Error | 'never'>
const asked: string[] = []
let zone: Zone = {}

const answer = async (question: string): Promise<string[]> => {
  asked.push(question)
  const found = zone[question] ?? []
  if (found === 'never') return new Promise(() => {})
  if (found instanceof Error) throw found
  return found
}
const hostNames: HostNames = { namesOf: answer, addressesOf: answer }

const REAL: Zone = {
  '66.249.66.1': ['crawl-66-249-66-1.googlebot.com'],
  'crawl-66-249-66-1.googlebot.com': ['66.249.66.1'],
  '2001:4860:4801:10::1': ['crawl-v6.googlebot.com.'],
  'crawl-v6.googlebot.com': ['2001:4860:4801:0010::0001'],
  '157.55.39.1': ['msnbot-157-55-39-1.search.msn.com'],
  'msnbot-157-55-39-1.search.msn.com': ['157.55.39.1'],
}

describe('on the site', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ TRUST_PROXY: '127.0.0.1/32' }, { hostNames })
  })
  afterAll(() => service.close())

  const open = (path: string, agent: string, address: string, accept = BROWSER) =>
    service.fetch(path, { headers: { 'user-agent': agent, 'x-forwarded-for': address, accept } })

  test('the real one is let in, by IPv4 and by IPv6', async () => {
    zone = REAL
    expect((await open('/', GOOGLEBOT, '66.249.66.1')).status).toBe(200)
    expect((await open('/robots.txt', GOOGLEBOT, '2001:4860:4801:10::1')).status).toBe(200)
    expect((await open('/tools', BINGBOT, '157.55.39.1')).status).toBe(200)
  })

  test('an impostor gets a friendly page and one line in the log', async () => {
    zone = REAL
    const before = service.logged.length
    for (const path of ['/', '/tools', '/sitemap.xml']) {
      const reply = await open(path, GOOGLEBOT, '203.0.114.7')
      expect([path, reply.status]).toEqual([path, 403])
      expect(reply.text).toContain('You call yourself Googlebot')
      expect(reply.headers.get('cache-control')).toBe('no-store')
    }
    await expectSound((await open('/', GOOGLEBOT, '203.0.114.7')).text)
    const json = await open('/', GOOGLEBOT, '203.0.114.7', 'application/json')
    expect(json.body).toMatchObject({ success: false })
    const lines = service.logged.slice(before).filter(({ message }) => String(message).includes('pretends to be'))
    expect(lines).toMatchObject([{ level: 'warn', crawler: 'Googlebot', address: '203.0.114.7' }])
  })

  test('an ordinary visitor is not looked up', async () => {
    zone = {}
    asked.length = 0
    expect((await open('/', FIREFOX, '203.0.114.8')).status).toBe(200)
    expect((await service.fetch('/', { headers: { accept: BROWSER } })).status).toBe(200)
    expect(asked).toEqual([])
  })

  test('where DNS cannot tell, it is an ordinary visitor', async () => {
    zone = { '203.0.114.9': Object.assign(new Error('refused'), { code: 'ESERVFAIL' }) }
    expect((await open('/', GOOGLEBOT, '203.0.114.9')).status).toBe(200)
  })

  test('a private address says nothing: a proxy may stand in front that is not trusted', async () => {
    zone = {}
    expect((await open('/', GOOGLEBOT, '10.1.2.3')).status).toBe(200)
    expect((await service.fetch('/', { headers: { 'user-agent': GOOGLEBOT, accept: BROWSER } })).status).toBe(200)
  })

  test('the API does not care what a caller calls itself', async () => {
    zone = REAL
    const { key } = await service.newKey()
    const headers = { 'user-agent': GOOGLEBOT, 'x-forwarded-for': '203.0.114.7' }
    expect((await service.rest('/tools', { key, headers })).status).toBe(200)
  })
})

describe('the check', () => {
  let time = 0
  let lines: object[] = []
  const make = (timeoutMs = 50) =>
    createCrawlerCheck({ hostNames, log: { warn: (details) => lines.push(details) }, now: () => time, timeoutMs })
  beforeEach(() => {
    time = 1_000_000
    lines = []
    asked.length = 0
    zone = { ...REAL }
  })
  const HOUR = 3_600_000

  test('a name that does not lead back to the address is worth nothing', async () => {
    zone = { '203.0.114.20': ['crawl-66-249-66-1.googlebot.com'], 'crawl-66-249-66-1.googlebot.com': ['66.249.66.1'] }
    expect(await make().impostor(GOOGLEBOT, '203.0.114.20')).toBe('Googlebot')
  })

  test.each(['evilgooglebot.com', 'googlebot.com.evil.example', 'googlebot.com', 'crawl.search.msn.com'])(
    'a host called %s is not Googlebot, though it leads back',
    async (name) => {
      zone = { '203.0.114.21': [name], [name]: ['203.0.114.21'] }
      expect(await make().impostor(GOOGLEBOT, '203.0.114.21')).toBe('Googlebot')
    },
  )

  test('one crawler may not pretend to be another', async () => {
    const check = make()
    expect(await check.impostor(BINGBOT, '66.249.66.1')).toBe('Bingbot')
    expect(await check.impostor(GOOGLEBOT, '66.249.66.1')).toBeNull()
  })

  test('answers are kept for hours, failures for minutes', async () => {
    const check = make()
    await check.impostor(GOOGLEBOT, '66.249.66.1')
    const first = asked.length
    time += 5 * HOUR
    await check.impostor(GOOGLEBOT, '66.249.66.1')
    expect(asked).toHaveLength(first)
    time += 2 * HOUR
    await check.impostor(GOOGLEBOT, '66.249.66.1')
    expect(asked).toHaveLength(first * 2)
    zone['203.0.114.22'] = new Error('away')
    asked.length = 0
    expect(await check.impostor(GOOGLEBOT, '203.0.114.22')).toBeNull()
    time += 4 * 60_000
    expect(await check.impostor(GOOGLEBOT, '203.0.114.22')).toBeNull()
    expect(asked).toHaveLength(1)
    time += 2 * 60_000
    zone['203.0.114.22'] = []
    expect(await check.impostor(GOOGLEBOT, '203.0.114.22')).toBe('Googlebot')
    expect(lines).toHaveLength(1)
  })

  test('nobody waits longer than the limit, and a crowd does not wait at all', async () => {
    const check = make()
    const addresses = Array.from({ length: 10 }, (_, i) => `203.0.114.${30 + i}`)
    for (const address of addresses) zone[address] = 'never'
    const began = performance.now()
    expect(await Promise.all(addresses.map((address) => check.impostor(GOOGLEBOT, address)))).toEqual(
      addresses.map(() => null),
    )
    expect(performance.now() - began).toBeLessThan(1000)
    expect(asked).toHaveLength(4)
  })

  test('the same address asked at once is looked up once', async () => {
    const check = make()
    await Promise.all([1, 2, 3].map(() => check.impostor(GOOGLEBOT, '66.249.66.1')))
    expect(asked).toEqual(['66.249.66.1', 'crawl-66-249-66-1.googlebot.com'])
  })

  test('whoever claims nothing is answered without waiting', () => {
    const check = make()
    for (const agent of [undefined, '', FIREFOX, 'curl/8.0', 'DuckDuckBot/1.1', 'my-google-reader/1.0'])
      expect(check.impostor(agent, '203.0.114.50')).toBeNull()
  })
})
