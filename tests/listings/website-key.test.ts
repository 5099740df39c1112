// Which addresses are the same website, tested with random pages in random spellings.
// @module-tag slow
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostOfKey, hostsOfKey, websiteKey } from '../../src/features/listings/website-key.ts'

/** A page: its host, its port (0 for the default port) and its path, without any encoding. */
interface Page {
  host: string
  port: number
  path: string[]
}

const label = fc
  .stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/)
  .filter((text) => !/^(www|xn--.*|\d+)$/.test(text))
const host = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 3 }), fc.constantFrom('com', 'example', 'co.uk', 'bücher', '例え'))
  .map(([labels, end]) => [...labels, end].join('.'))
const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .map((text) => text.replace(/[\s/\\?#;%\p{Cc}]/gu, '').toWellFormed())
  .filter(
    (text) => text !== '' && !/^\.{1,2}$/.test(text) && !/^(index|default)\./i.test(text) && !text.includes('\ufffd'),
  )
const page: fc.Arbitrary<Page> = fc.record({
  host,
  port: fc.constantFrom(0, 0, 0, 8443, 3000),
  path: fc.array(segment, { maxLength: 4 }),
})

const plain = ({ host, port, path }: Page): string =>
  `https://${host}${port ? `:${port}` : ''}/${path.map(encodeURIComponent).join('/')}`

/** Chooses by the numbers that a property test drew, so that a failure can be repeated. */
type Pick = (choiceCount: number) => number
const picks = fc.infiniteStream(fc.nat()).map(
  (stream): Pick =>
    (choiceCount) =>
      (stream.next().value as number) % choiceCount,
)

/** Returns the address of the same page in one of its many spellings. */
function spelling({ host, port, path }: Page, pick: Pick): string {
  const one = <T>(...choices: T[]): T => choices[pick(choices.length)]!
  const scheme = one('http', 'https', 'HTTP', 'Https')
  const written = [...host].map((c) => one(c, c.toUpperCase())).join('')
  // Some letters have two lower-case forms and change when they are written in upper case; such a host is kept as it is.
  const name = new URL(`https://${written}`).hostname === new URL(`https://${host}`).hostname ? written : host
  const www = one('', '', 'www.', 'WWW.', 'www.www.', 'www.www.www.')
  const ports = port ? [`:${port}`] : ['', '', scheme.toLowerCase() === 'http' ? ':80' : ':443', ':80', ':443']
  const segments = path.map((text) => encode(text, pick) + one('', '', '', ';', ';a=b', ';jsessionid=1;x'))
  const detours = [
    [],
    [],
    [],
    ['.'],
    [''],
    ['', ''],
    ['x', '..'],
    ['%2e'],
    ['x', '%2E%2e'],
    ['x', '..;'],
    [';'],
    [';v=1'],
  ]
  const withDetours = segments.flatMap((text) => [...one(...detours), text])
  const end = one(
    [],
    [],
    [],
    [''],
    ['', ''],
    ['.'],
    [';'],
    ['index.html'],
    ['INDEX.htm'],
    ['index.php'],
    ['default.aspx'],
    ['index%2ehtml'],
  )
  const query = one('', '', '?utm_source=x', '?a=/b/../c', '?', '#top', '?q#/route', '#')
  return `${scheme}://${www}${name}${one('', '', '.')}${one(...ports)}/${[...withDetours, ...end].join('/')}${query}`
}

/** Returns each character either as it is, if a path may contain it, or percent-encoded in lower or upper case. */
function encode(text: string, pick: Pick): string {
  return [...text]
    .map((character) => {
      const plainly = encodeURIComponent(character)
      const bytes = [...new TextEncoder().encode(character)]
        .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
        .join('')
      return [plainly, plainly, bytes, bytes.toUpperCase()][pick(4)]!
    })
    .join('')
}

describe('a website', () => {
  test('has one key in every spelling that reaches it', () => {
    fc.assert(
      fc.property(page, picks, (one, pick) => {
        const key = websiteKey(plain(one))
        for (let i = 0; i < 5; i++) {
          const other = spelling(one, pick)
          expect(websiteKey(other), other).toBe(key)
        }
      }),
      { numRuns: 3_000 },
    )
  })

  test('has another key than another page, port or host', () => {
    fc.assert(
      fc.property(page, page, picks, (one, two, pick) => {
        const isSame = new URL(plain(one)).href === new URL(plain(two)).href
        if (!isSame) expect(websiteKey(spelling(one, pick))).not.toBe(websiteKey(spelling(two, pick)))
        const key = websiteKey(spelling(one, pick))
        expect(websiteKey(plain({ ...one, path: [...one.path, 'more'] }))).not.toBe(key)
        expect(websiteKey(plain({ ...one, port: one.port + 9000 }))).not.toBe(key)
        expect(websiteKey(plain({ ...one, host: `sub.${one.host}` }))).not.toBe(key)
      }),
      { numRuns: 3_000 },
    )
  })

  test('has a key that gives the same key again, so that stored keys can be computed again from themselves', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          page.map(plain),
          fc.webPath().map((path) => `https://a.example${path}`),
        ),
        (website) => {
          const key = websiteKey(website)
          expect(websiteKey(`https://${key}`)).toBe(key)
        },
      ),
      { numRuns: 3_000 },
    )
  })
})

test.each([
  [
    'spellings that would undo a take-down',
    'evil.example',
    [
      'https://evil.example.',
      'https://evil.example:443',
      'http://evil.example:80/',
      'https://evil.example/index.html',
      'https://evil.example/;',
      'https://www.www.evil.example',
      'https://EVIL.example//',
      'https://evil.example/x/..',
      'https://evil.example/x/..;/',
    ],
  ],
  [
    'an encoded letter',
    'evil.example/A',
    ['https://evil.example/A', 'https://evil.example/%41', 'https://evil.example/%41/'],
  ],
  [
    'small and large hexadecimal digits',
    'evil.example/%C3%A4',
    ['https://evil.example/ä', 'https://evil.example/%c3%a4'],
  ],
  [
    'a name in another script',
    'xn--bcher-kva.example',
    ['https://bücher.example', 'https://xn--bcher-kva.example', 'https://BÜCHER.example'],
  ],
  ['bytes that are no text', 'evil.example/%FFA', ['https://evil.example/%ff%41', 'https://evil.example/%FFA']],
  ['a sign that encodes nothing', 'evil.example/100%', ['https://evil.example/100%']],
  ['a host that is called www', 'www.com', ['https://www.com', 'http://www.com/']],
])('the key of %s is %s', (_, key, websites) => {
  for (const website of websites) expect(websiteKey(website), website).toBe(key)
})

test('a double encoding, an encoded slash and the case of a path make different keys', () => {
  const keys = ['/A', '/a', '/%2541', '/a%2Fb', '/a/b', '/a%3Bb', '/index', '/a.html', '/index.html.bak'].map((path) =>
    websiteKey(`https://a.example${path}`),
  )
  expect(new Set(keys).size).toBe(keys.length)
})

test('the hosts of a website are its own host and the domains above it', () => {
  expect(hostsOfKey('a.b.evil.example:8443/x')).toEqual(['a.b.evil.example', 'b.evil.example', 'evil.example'])
  expect(hostsOfKey('evil.example')).toEqual(['evil.example'])
  expect(hostsOfKey('1.2.3.4/x')).toEqual(['1.2.3.4'])
  expect(hostsOfKey('[2001:db8::1]:8080/x')).toEqual(['[2001:db8::1]'])
  expect(hostsOfKey('localhost')).toEqual(['localhost'])
  expect(hostOfKey('evil.example:1/x')).toBe('evil.example')
})

test('a capital i with a dot is the same letter as the two characters that it is in lower case', () => {
  const key = websiteKey('https://i\u0307stanbul.example.com/\u0130')
  expect(websiteKey('https://\u0130STANBUL.example.com/%C4%B0')).toBe(key)
  expect(websiteKey(`https://${key}`)).toBe(key)
})
