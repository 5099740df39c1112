// @module-tag once
// What a page says about the link, when a listing is looked at, and when a link is lost: the rules without a network.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { websiteKey } from '../../src/features/listings/website-key.ts'
import { isProduct } from '../../src/features/proof/links/address.rules.ts'
import { readListingPage } from '../../src/features/proof/links/page.rules.ts'
import { robotsAllow } from '../../src/features/proof/politeness/robots.rules.ts'
import { afterCheck, type LinkMemory, nextCheckAt, robotsRules, stateOfStatus } from '../../src/features/proof/rules.ts'
import { LINK_STATES, type LinkState } from '../../src/features/submissions/bench/link.rules.ts'
import { LISTING_KINDS, PRODUCT } from '../harness/listing-pages.ts'

const MAX_BYTES = 2 * 1024 * 1024

describe('the state of a link', () => {
  test.each(LISTING_KINDS.map((kind) => [kind.name, kind] as const))('%s', (_name, { page, state, also }) => {
    const whole = Buffer.from(page!.body as string)
    const verdict = readListingPage(
      {
        url: 'https://launch-list.example.org/listing',
        status: page!.status ?? 200,
        headers: { 'content-type': 'text/html; charset=utf-8', ...page!.headers },
        bytes: whole.subarray(0, MAX_BYTES),
        truncated: whole.length > MAX_BYTES,
      },
      [websiteKey(PRODUCT)],
    )
    const { status: _, ...expected } = also ?? {}
    expect(verdict).toMatchObject({ state, ...expected })
  })

  test.each(['Captcha Solver by Acme', 'Access denied? Try Acme', 'Robot check: Acme', 'Please wait for Acme'])(
    '%s is the title of a listing when the page has the link, and of a challenge otherwise',
    (title) => {
      const stateOf = (content: string) =>
        readListingPage(
          {
            url: 'https://launch-list.example.org/listing',
            status: 200,
            headers: { 'content-type': 'text/html' },
            bytes: Buffer.from(`<title>${title}</title><h1>${title}</h1>${content}`),
            truncated: false,
          },
          [websiteKey(PRODUCT)],
        ).state
      expect(stateOf(`<a href="${PRODUCT}">Open</a>`)).toBe('live')
      expect(stateOf('<p>Open</p>')).toBe('blocked')
      expect(stateOf(`<div id="px-captcha"></div><a href="${PRODUCT}">Open</a>`)).toBe('blocked')
    },
  )

  test.each([
    ['https://github.com/acme/writer', 'https://github.com/acme/writer/', true],
    ['https://github.com/acme/writer', 'https://www.github.com/acme/writer/releases?x=1', true],
    ['https://github.com/acme/writer', 'https://github.com/acme/writer-2', false],
    ['https://github.com/acme/writer', 'https://github.com/acme', false],
    ['https://github.com/acme/writer', 'https://github.com/', false],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/', true],
    ['https://xn--bcher-kva.example', 'https://BÜCHER.example./a', true],
    ['https://acme.com', 'https://acme.co', false],
  ])('of the product %s, %s is a link to it: %s', (product, href, expected) => {
    expect(isProduct(new URL(href), [websiteKey(product)])).toBe(expected)
  })

  test.each([
    [204, null],
    [404, 'gone'],
    [410, 'gone'],
    [401, 'blocked'],
    [403, 'blocked'],
    [405, 'blocked'],
    [429, 'blocked'],
    [451, 'blocked'],
    [999, 'blocked'],
    [408, 'unreachable'],
    [500, 'unreachable'],
    [522, 'unreachable'],
    [304, 'unreachable'],
  ])('by status %d alone: %s', (status, state) => expect(stateOfStatus(status)).toBe(state))
})

const DAY = 24 * 60 * 60 * 1000
const at = (days: number) => new Date(Date.UTC(2026, 0, 1) + days * DAY)

describe('the schedule', () => {
  test('is 1, 7 and 30 days after the recording, then every 30, a little later for each listing', () => {
    const looks: number[] = []
    for (let time = at(0); looks.length < 7; ) {
      time = nextCheckAt(at(0), 0, time)
      looks.push((time.getTime() - at(0).getTime()) / DAY)
    }
    expect(looks).toEqual([1, 7, 30, 60, 90, 120, 150])
    expect(nextCheckAt(at(0), 1, at(8)).getTime() - at(0).getTime()).toBe(30 * DAY * (1 + 1 / 24))
  })

  test('goes on after a look, always in the future, and never later than 31.25 days', () => {
    const day = fc.double({ min: -40, max: 4000, noNaN: true })
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), day, (spread, after) => {
        const next = nextCheckAt(at(0), spread, at(after))
        expect(next.getTime()).toBeGreaterThan(at(after).getTime())
        if (after > 0) expect(next.getTime() - at(after).getTime()).toBeLessThanOrEqual(31.25 * DAY)
      }),
    )
  })
})

const NEW: LinkMemory = { state: 'unchecked', firstLiveAt: null, missingSince: null, lostAt: null, wasEverLive: false }

/** The events of looks on these days. */
function eventsOf(looks: readonly (readonly [day: number, state: LinkState])[]): string[] {
  let memory = NEW
  return looks.flatMap(([day, state]) => {
    const { event, ...next } = afterCheck(memory, state, at(day))
    memory = next
    return event ? [`${event} on day ${day}`] : []
  })
}

describe('a link is lost', () => {
  test('after two looks at least a day apart that no longer find it', () => {
    expect(
      eventsOf([
        [0, 'live'],
        [1, 'missing'],
        [7, 'gone'],
        [30, 'gone'],
      ]),
    ).toEqual(['listing.live on day 0', 'listing.lost on day 7'])
  })

  test('not after two looks on one day', () => {
    expect(
      eventsOf([
        [0, 'live'],
        [1, 'missing'],
        [1.9, 'missing'],
      ]),
    ).toEqual(['listing.live on day 0'])
    expect(
      eventsOf([
        [0, 'live'],
        [1, 'missing'],
        [2, 'missing'],
      ]),
    ).toHaveLength(2)
  })

  test('not when it had never been there', () => {
    expect(
      eventsOf([
        [0, 'missing'],
        [1, 'gone'],
        [7, 'missing'],
      ]),
    ).toEqual([])
  })

  test('not by looks that could not tell, which do not end the wait either', () => {
    expect(
      eventsOf([
        [0, 'nofollow'],
        [1, 'blocked'],
        [7, 'unreachable'],
        [30, 'unknown'],
        [60, 'blocked'],
      ]),
    ).toEqual(['listing.live on day 0'])
    expect(
      eventsOf([
        [0, 'live'],
        [1, 'missing'],
        [7, 'blocked'],
        [30, 'missing'],
      ]),
    ).toEqual(['listing.live on day 0', 'listing.lost on day 30'])
  })

  test('not when it came back in between; a later loss is said again, a find is not', () => {
    expect(
      eventsOf([
        [0, 'live'],
        [1, 'missing'],
        [7, 'live'],
        [30, 'missing'],
        [60, 'gone'],
        [90, 'live'],
        [120, 'gone'],
        [150, 'gone'],
      ]),
    ).toEqual(['listing.live on day 0', 'listing.lost on day 60', 'listing.lost on day 150'])
  })

  test('never by any looks without two that are missing or gone, and live is said once (random histories)', () => {
    const looks = fc.array(fc.tuple(fc.double({ min: 0.1, max: 40, noNaN: true }), fc.constantFrom(...LINK_STATES)))
    fc.assert(
      fc.property(looks, (steps) => {
        let day = 0
        const history = steps.map(([days, state]) => [(day += days), state] as const)
        const events = eventsOf(history)
        expect(events.filter((event) => event.startsWith('listing.live')).length).toBeLessThanOrEqual(1)
        const absent = history.filter(([, state]) => state === 'missing' || state === 'gone').length
        expect(events.filter((event) => event.startsWith('listing.lost')).length).toBeLessThanOrEqual(absent / 2)
      }),
    )
  })
})

describe('robots.txt', () => {
  const ask = (text: string, path = '/tools/acme') =>
    robotsAllow({ origin: 'https://d.example', rules: robotsRules(text), url: `https://d.example${path}` })

  test('for this program, for all programs, and the longest rule', () => {
    expect(ask('')).toBe(true)
    expect(ask('User-agent: *\nDisallow: /')).toBe(false)
    expect(ask('User-agent: catalog-linkcheck\nDisallow:\n\nUser-agent: *\nDisallow: /')).toBe(true)
    expect(ask('\ufeffUSER-AGENT: *\r\nDISALLOW: /tools\r\nAllow: /tools/acme')).toBe(true)
    expect(ask('User-agent: *\nDisallow: /*acme$')).toBe(false)
    expect(ask('<!doctype html><p>Disallow: /')).toBe(true)
  })

  test('only its rules are kept, within bounds', () => {
    const hostile = `User-agent: *\n${'Sitemap: x\n'.repeat(1000)}Disallow: ${'/*a'.repeat(1000)}\n${'x'.repeat(10 ** 6)}\0`
    expect(robotsRules(hostile)).toBe('User-agent: *')
  })
})
