// Which pages are for sale or parked: small copies of the usual kinds, and living pages that look like them.
// @module-tag once
import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { readPage } from '../../src/features/enrichment/page/page.rules.ts'
import { websiteStateOf } from '../../src/features/health/looks/page.rules.ts'
import { readListingPage } from '../../src/features/proof/links/page.rules.ts'
import { registrableDomain } from '../../src/kernel/addresses/registrable-domain.ts'

/** Each page follows a comment with its name and the address that answered. */
const pagesIn = (file: string) =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .split(/^<!-- (?=[a-z0-9-]+ http)/m)
    .slice(1)
    .map((page) => {
      const [, name = '', url = '', body = ''] = /^(\S+) (\S+) -->\n([\s\S]*)$/.exec(page) ?? []
      return { name, url, body }
    })

const lookedAt = ({ url, body, status = 200 }: { url: string; body: string; status?: number }, website: string) =>
  websiteStateOf(
    {
      url,
      status,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      bytes: Buffer.from(body),
      truncated: false,
    },
    website,
  ).finding

const parked = pagesIn('parked-pages.txt')
const living = pagesIn('living-pages.txt')

test('there are at least 30 kinds of parking pages and 60 living pages that look like them', () => {
  expect(parked.length).toBeGreaterThanOrEqual(30)
  expect(living.length).toBeGreaterThanOrEqual(60)
})

test.each(parked)('$name is parked', (page) => expect(lookedAt(page, 'https://acme-writer.com/')).toBe('parked'))

test.each(living)('$name is alive', (page) => {
  const website = page.name === 'market-product' ? page.url : 'https://acme-writer.com/'
  expect(lookedAt(page, website)).toBe('alive')
})

describe('what the answer alone says', () => {
  const body = '<p>Hello</p>'
  const url = 'https://acme-writer.com/'
  test.each([
    [404, 'gone'],
    [410, 'gone'],
    [401, 'blocked'],
    [403, 'blocked'],
    [429, 'blocked'],
    [500, 'unreachable'],
    [503, 'unreachable'],
    [200, 'alive'],
  ])('%i is %s', (status, finding) => expect(lookedAt({ url, body, status }, url)).toBe(finding))

  test('a challenge page is blocked, whatever its status', () => {
    const challenge = '<title>Just a moment...</title><div id="challenge-form"></div>'
    for (const status of [200, 404, 503]) expect(lookedAt({ url, body: challenge, status }, url)).toBe('blocked')
  })

  test('an empty answer says nothing', () => expect(lookedAt({ url, body: '' }, url)).toBe('unreachable'))
})

test.each([
  ['app.acme.com', 'acme.com'],
  ['acme.com', 'acme.com'],
  ['www.acme.co.uk', 'acme.co.uk'],
  ['acme.com.au', 'acme.com.au'],
  ['acme.github.io', 'acme.github.io'],
  ['a.b.acme.github.io', 'a.b.acme.github.io'],
  ['acme.vercel.app', 'acme.vercel.app'],
  ['t.co', 't.co'],
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', 'localhost'],
])('the registrable domain of %s is %s', (host, domain) => expect(registrableDomain(host)).toBe(domain))

test('addresses on a page whose host is too long are not parsed, because that takes the square of its length', () => {
  const long = '漢字'.repeat(200)
  const links = [`https://${long}.example/`, `//${long}.example/`]
    .map((to) => `<a href="${to}">Submit</a><img src="${to}/badges/a.svg"><iframe src="${to}"></iframe>`)
    .join('')
  const contentType = 'text/html; charset=utf-8'
  const page = {
    ...{ url: 'https://acme.example/', status: 200, headers: { 'content-type': contentType }, truncated: false },
    ...{
      contentType,
      bytes: Buffer.from(`<base href="https://${long}.example/"><title>Acme</title><body>${links}</body>`),
    },
  }
  const parse = vi.spyOn(URL, 'parse')
  websiteStateOf(page, page.url, true)
  readListingPage(page, ['acme-writer.com'])
  readPage(page)
  const parsed = parse.mock.calls.map(([text]) => String(text))
  parse.mockRestore()
  expect(parsed.length).toBeGreaterThan(0)
  expect(parsed.filter((text) => text.includes(long))).toEqual([])
})
