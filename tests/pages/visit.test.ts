// @module-tag once
import { get } from 'node:http'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { useService } from '../harness/use.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const PHONE =
  'Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36'

let slug: string
let serial = 0

const service = useService({ TRUST_PROXY: '127.0.0.1' })
beforeEach(async () => {
  slug = `tool-${++serial}`
  await service.load([{ kind: 'tool', slug, name: slug, website: 'https://product.example/start?a=1' }])
})

const visit = (from: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.fetch(`/tools/${slug}/visit`, {
    method,
    headers: { 'user-agent': FIREFOX, 'x-forwarded-for': from, ...headers },
  })

const opens = async (): Promise<number> => (await service.rest(`/tools/${slug}`)).body.data.opens
/** Adds a visitor who counts, and returns the opens without that one. When that visitor is counted, all earlier visits are decided. */
async function opensAfterAnother(): Promise<number> {
  const before = await opens()
  await visit('198.51.100.250')
  await vi.waitFor(async () => expect(await opens()).toBeGreaterThan(before), { timeout: 1000, interval: 20 })
  await new Promise((resolve) => setTimeout(resolve, 100))
  return (await opens()) - 1
}

describe("the link to a tool's website", () => {
  test('redirects to the stored website; it may not be cached and crawlers may not follow it', async () => {
    const { status, headers } = await visit('203.0.113.1')
    expect([status, headers.get('location')]).toEqual([302, 'https://product.example/start?a=1'])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
    expect(headers.get('x-ratelimit-limit')).toBeTruthy()
  })

  test('is written in ASCII when the address has another script', async () => {
    await service.load([{ kind: 'tool', slug, name: slug, website: 'https://bücher.example/päth?q=ü' }])
    expect((await visit('203.0.113.1')).headers.get('location')).toBe(
      'https://xn--bcher-kva.example/p%C3%A4th?q=%C3%BC',
    )
    await service.load([{ kind: 'tool', slug, name: slug, website: 'https://plain.example' }])
    expect((await visit('203.0.113.1')).headers.get('location')).toBe('https://plain.example')
  })

  test('counts one open a visitor and day, visible over REST within a second', async () => {
    for (let i = 0; i < 3; i++) await visit('203.0.113.1')
    await visit('203.0.113.2', { 'user-agent': PHONE })
    // The IPv6 addresses of one customer count as one visitor.
    await visit('2001:db8:1:1::1')
    await visit('2001:db8:1:1::2')
    await vi.waitFor(async () => expect(await opens()).toBe(3), { timeout: 1000, interval: 20 })
    expect(await opensAfterAnother()).toBe(3)
  })

  test('counts the same visitor again for another tool', async () => {
    await visit('203.0.113.1')
    await vi.waitFor(async () => expect(await opens()).toBe(1), { timeout: 1000, interval: 20 })
  })

  test('redirects HEAD, prefetches and previews without counting them', async () => {
    expect((await visit('203.0.113.10', {}, 'HEAD')).headers.get('location')).toBe('https://product.example/start?a=1')
    const purposes = [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'x-purpose': 'preview' },
      { 'x-moz': 'prefetch' },
    ]
    for (const [i, headers] of purposes.entries())
      expect((await visit(`203.0.113.${20 + i}`, headers as unknown as Record<string, string>)).status).toBe(302)
    expect(await opensAfterAnother()).toBe(0)
  })

  test('only navigations are counted, not what a page loads as a picture, frame, script or data', async () => {
    const others = [
      'image',
      'iframe',
      'frame',
      'embed',
      'object',
      'script',
      'style',
      'empty',
      'video',
      'fencedframe',
      '',
    ]
    for (const [i, dest] of others.entries())
      expect((await visit(`203.0.113.${70 + i}`, { 'sec-fetch-dest': dest })).status).toBe(302)
    // None of sixty visitors whose browser loads it as a picture on another site has opened the tool.
    for (let i = 0; i < 60; i++)
      await visit(`198.51.100.${100 + i}`, { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'cross-site' })
    expect(await opensAfterAnother()).toBe(0)
    await visit('203.0.113.99', { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' })
    expect(await opensAfterAnother()).toBe(1)
  })

  test('crawlers, programs and clients without a User-Agent are not counted', async () => {
    const agents = [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
      'curl/8.5.0',
      'python-requests/2.32',
      ' ',
    ]
    for (const [i, agent] of agents.entries())
      expect((await visit(`203.0.113.${40 + i}`, { 'user-agent': agent })).status).toBe(302)
    expect(await statusWithoutAgent(`${service.origin}/tools/${slug}/visit`)).toBe(302)
    expect(await opensAfterAnother()).toBe(0)
  })

  test('still redirects when counting fails, which is logged and counted later', async () => {
    const before = await opensAfterAnother()
    await service.sql('alter table visits rename to visits_away')
    try {
      expect((await visit('203.0.113.60')).status).toBe(302)
      const line = { level: 'warn', message: 'click-throughs could not be counted yet' }
      await vi.waitFor(() => expect(service.logged).toContainEqual(expect.objectContaining(line)))
    } finally {
      await service.sql('alter table visits_away rename to visits')
    }
    await vi.waitFor(async () => expect(await opensAfterAnother()).toBe(before + 1), { timeout: 5_000 })
  })
})

// fetch always sends a User-Agent.
const statusWithoutAgent = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { 'x-forwarded-for': '203.0.113.50' } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).on('error', reject)
  })
