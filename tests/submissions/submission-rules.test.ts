// @module-tag once
// The pure rules of submissions.
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { slugify, slugProblem } from '../../src/features/catalog/terms/slugify.ts'
import { checkedEntry, readEntry } from '../../src/features/listings/rules.ts'
import { websiteKey } from '../../src/features/listings/website-key.ts'
import * as rules from '../../src/features/submissions/rules.ts'
import { MOST_NEW_TAGS, MOST_TAGS, submitBody } from '../../src/features/submissions/schema.ts'
import { matchSubmission, readSubmission } from '../../src/features/submissions/submit/read-submission.ts'
import { addressProblem, parseUrl } from '../../src/kernel/addresses/web-address.ts'
import { newTool, spellings } from '../harness/submissions.ts'

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string())

describe('slugs', () => {
  test('are empty or lower-case ASCII letters, digits and single hyphens', () => {
    fc.assert(
      fc.property(text, (name) => {
        const slug = slugify(name)
        expect(slug).toMatch(/^([a-z0-9]+(-[a-z0-9]+)*)?$/)
        expect(slug.length).toBeLessThanOrEqual(80)
        expect(slugify(slug)).toBe(slug)
      }),
    )
  })

  test.each([
    ['Acme Writer 2.0', 'acme-writer-2-0'],
    ['  --Hello--  ', 'hello'],
    ['Crème Brûlée', 'creme-brulee'],
    ['Straße', 'strasse'],
    ['ﬁne', 'fine'],
    ['日本', ''],
    ['x'.repeat(200), 'x'.repeat(80)],
  ])('%j becomes %j', (name, slug) => expect(slugify(name)).toBe(slug))

  test('are made unique by a number, and a reserved slug is never issued', () => {
    expect(rules.freeToolSlug('acme', () => false)).toBe('acme')
    const taken = new Set(['acme', 'acme-2', 'acme-4'])
    expect(rules.freeToolSlug('acme', (slug) => taken.has(slug))).toBe('acme-3')
    expect(rules.freeToolSlug('top', () => false)).toBe('top-2')
    fc.assert(
      fc.property(text, fc.nat({ max: 300 }), (name, count) => {
        const base = slugify(name) || 'tool'
        const used = new Set(['', ...Array.from({ length: count }, (_, i) => `-${i + 1}`)].map((end) => base + end))
        const slug = rules.freeToolSlug(base, (one) => used.has(one))
        expect(used.has(slug)).toBe(false)
        expect(slugProblem('tool', slug)).toBeUndefined()
        // Submissions that may get the same slug wait for the same lock.
        expect(rules.slugFamily(slug)).toBe(rules.slugFamily(base))
      }),
    )
  })
})

describe('websites', () => {
  test('are the same whatever the scheme, www., case of the host, trailing slash, query and fragment', () => {
    const path = fc
      .array(fc.stringMatching(/^[A-Za-z0-9]{1,5}$/), { maxLength: 3 })
      .map((parts) => parts.map((part) => `/${part}`).join(''))
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/), path, (host, rest) => {
        const website = `https://${host}.example.com${rest}`
        for (const spelling of spellings(website)) expect(websiteKey(spelling.trim())).toBe(websiteKey(website))
        expect(websiteKey(`${website}/other`)).not.toBe(websiteKey(website))
        expect(websiteKey(`https://sub.${host}.example.com${rest}`)).not.toBe(websiteKey(website))
      }),
    )
  })

  test('may be stored when they are complete, public and without credentials', () => {
    const problem = (address: string, allowed: string[] = []) => addressProblem(address, { allowed })
    for (const fine of [
      'https://example.com',
      'http://example.com:8080/a?b#c',
      'https://8.8.8.8/',
      'https://[2606:4700::1]/',
      'https://münchen.example/',
    ])
      expect(problem(fine), fine).toBeUndefined()
    for (const wrong of [
      '',
      'x',
      'ftp://example.com',
      'https://a:b@example.com',
      'http://127.0.0.1',
      'http://[::]/',
      'http://192.0.2.1/',
      'http://198.18.0.1/',
      'http://224.0.0.1/',
      'http://255.255.255.255/',
      'http://[2002:7f00:1::]/',
      'http://[2001:db8::1]/',
      'http://LOCALHOST./',
      'http://a.localhost/',
      'http://x.internal/',
    ])
      expect(problem(wrong), wrong).toMatch(/^must .*\.$/)
    expect(problem('http://10.0.0.1/', ['10.0.0.0/8'])).toBeUndefined()
    expect(problem('http://[::ffff:10.0.0.1]/', ['10.0.0.0/8'])).toBeUndefined()
    expect(problem('http://10.0.0.1/', ['fd00::/8'])).toBe('must be a public address.')
  })

  test('with a host that is too long are not parsed, because that takes the square of its length', () => {
    const parse = vi.spyOn(URL, 'parse')
    const long = '漢字'.repeat(500)
    for (const text of [
      `https://${long}.com/`,
      `https:////${long}.com`,
      `HTTPS:\\\\${long}.com`,
      `ht\ttps://${long}.com`,
      ` https:${long}.com`,
      `https://user@${long}`,
      `//${long}.com/`,
      `/\\${long}.com/`,
    ])
      expect(parseUrl(text, 'http://base.example/'), text.slice(0, 20)).toBeNull()
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
    for (const text of [`/${long}`, long, `?q=${long}`, `https://a.example/${long}?${long}#${long}`, '//b.example/'])
      expect(parseUrl(text, 'http://base.example/')?.href).toBe(new URL(text, 'http://base.example/').href)
  })
})

const longTag = (i: number) => `${i}`.padEnd(100, 't')

describe('reading a body', () => {
  const terms = {
    categories: [
      { slug: 'writing', name: 'Writing' },
      { slug: 'code', name: 'writing' },
    ],
    tags: [
      { slug: 'api', name: 'API' },
      // Beside them a submission may make MOST_NEW_TAGS.
      ...Array.from({ length: MOST_TAGS - MOST_NEW_TAGS }, (_, i) => ({ slug: `long-${i}`, name: longTag(i) })),
    ],
  }
  const readRaw = (raw: unknown) => matchSubmission(readSubmission(raw, []), terms)
  const read = (more: Record<string, unknown> = {}) => readRaw(newTool(more))

  test('a slug is preferred to the name of another category', () => {
    expect(read({ category: 'WRITING' }).category.slug).toBe('writing')
    expect(read({ category: 'Code' }).category.slug).toBe('code')
  })

  test('tags may be known, new and repeated', () => {
    const { tags, newTags } = read({ tags: ['Api', 'New One', 'new-one', ' NEW ONE '] })
    expect(tags.map(({ slug }) => slug)).toEqual(['api', 'new-one'])
    expect(newTags).toEqual([{ slug: 'new-one', name: 'New One' }])
  })

  test('every problem names its field by its path', () => {
    const raw = newTool({
      name: undefined,
      tagline: undefined,
      faq: [{ question: 'Why?', answer: ' ' }],
      features: { ' ': 'Fast' },
      socials: { x: 'nowhere' },
      category: 'unheard-of',
      tags: ['api', '!'],
    })
    let failure: unknown
    try {
      readRaw(raw)
    } catch (error) {
      failure = error
    }
    expect(failure).toMatchObject({
      status: 400,
      problems: [
        { field: 'name', sentence: 'is required.' },
        { field: 'tagline', sentence: 'is required.' },
        { field: 'features', sentence: 'must not be blank.', isName: true },
        { field: 'faq.0.answer', sentence: 'must not be blank.' },
        { field: 'socials.x', sentence: 'must be a complete http or https address.' },
        { field: 'category', sentence: '"unheard-of" does not exist; GET /categories lists the ones there are.' },
        { field: 'tags.1', sentence: 'must contain a letter or a digit.' },
      ],
      message:
        'name, tagline are required. A name in features must not be blank. faq.0.answer must not be blank. socials.x must be a complete http or https address. category "unheard-of" does not exist; GET /categories lists the ones there are. tags.1 must contain a letter or a digit.',
    })
  })

  // A submission is stored as a listing without a second check.
  test('every valid submission, at every limit, is a valid listing', () => {
    const text = (length: number) => 'é'.repeat(length)
    const address = `https://example.com/${'a'.repeat(1980)}`
    const map = (names: number, nameLength: number, value: string) =>
      Object.fromEntries(Array.from({ length: names }, (_, i) => [`${i}`.padEnd(nameLength, 'n'), value]))
    const { properties } = submitBody as unknown as { properties: Record<string, any> }
    const longest = Object.fromEntries(
      Object.entries(properties).flatMap(([name, { type, maxLength }]) =>
        type === 'string' && maxLength && maxLength !== 2000 ? [[name, text(maxLength)]] : [],
      ),
    )
    const { body, tags } = read({
      ...longest,
      category: 'writing',
      founderEmail: 'ada@example.com',
      affiliate: text(properties.affiliate.maxLength),
      ...Object.fromEntries(['website', 'icon', 'frame', 'affiliateLink'].map((name) => [name, address])),
      video: 'https://youtu.be/abc',
      screenshots: Array(properties.screenshots.maxItems).fill(address),
      socials: map(
        properties.socials.maxProperties,
        3,
        address.slice(0, properties.socials.additionalProperties.maxLength),
      ),
      features: map(properties.features.maxProperties, 3, text(properties.features.additionalProperties.maxLength)),
      faq: Array(properties.faq.maxItems).fill({
        question: text(1000),
        answer: text(4000),
      }),
      tags: Array.from({ length: MOST_TAGS }, (_, i) => longTag(i)),
    })
    const listing = {
      ...body,
      category: 'writing',
      tags: tags.map(({ slug }) => slug),
      affiliate: true,
      faqs: body.faq,
      hiddenReason: null,
    }
    const checked = readEntry('tool', 'acme', listing)
    expect(checked).toEqual({ entry: checkedEntry('tool', 'acme', listing) })
    const least = {
      ...read({ features: undefined, faq: undefined, tags: [] }).body,
      category: 'writing',
      tags: [],
      faqs: [],
    }
    expect(readEntry('tool', 'acme', least)).toEqual({ entry: checkedEntry('tool', 'acme', least) })
  })

  test('every body gives a submission or a failure with status 400', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('name', 'tags', 'socials', 'screenshots', 'video', 'category', 'faq'),
        (value, field) => {
          for (const raw of [value, newTool({ [field]: value })])
            try {
              expect(readRaw(raw).body.name).not.toBe('')
            } catch (error) {
              expect(error).toMatchObject({ status: 400 })
            }
        },
      ),
    )
  })
})

describe('packages', () => {
  test.each([
    ['starter', 'STARTER', 'Starter (30+ directories)', 30],
    ['pro', 'PRO', 'Pro (60+ directories)', 60],
    ['premium', 'PREMIUM', 'Premium (100+ directories)', 100],
    [null, 'WAITING', 'Waiting', 0],
  ] as const)('%s', (paymentType, paymentStatus, paymentLabel, targetDirectoriesCount) => {
    expect(rules.packageOf(paymentType)).toEqual({ paymentStatus, paymentLabel, targetDirectoriesCount })
  })
})

describe('work', () => {
  const state = fc.constantFrom('IN_QUEUE', 'ASSIGNED', 'IN_PROGRESS', 'REVIEW')
  const assignee = fc.constantFrom('op@example.com', '', '  ', null)
  const paymentType = fc.constantFrom('starter', 'pro', 'premium')
  const change = fc.record({ state, assignee, paymentType }, { requiredKeys: [] }) as fc.Arbitrary<rules.WorkChange>

  test('the rules hold after any sequence of changes by administrators', () => {
    fc.assert(
      fc.property(fc.constantFrom(null, 'starter' as const), fc.array(change), (paid, changes) => {
        let work: rules.WorkState = { state: paid ? 'IN_QUEUE' : null, assignee: null, paymentType: paid }
        for (const one of changes) {
          const next = rules.changeWork(work, one)
          if ('problem' in next) continue
          // A state exists exactly when there is a package, and a package is never removed.
          expect(next.work.state === null).toBe(next.work.paymentType === null)
          if (work.paymentType !== null) expect(next.work.paymentType).not.toBeNull()
          if (one.state) expect(next.work.state).toBe(one.state)
          if (next.work.state === 'ASSIGNED') expect(next.work.assignee).toBeTruthy()
          expect(rules.doneProblem(next.work) === undefined).toBe(next.work.paymentType !== null)
          work = next.work
        }
      }),
    )
  })

  test('Done is final', () => {
    const done: rules.WorkState = { state: 'DONE', assignee: null, paymentType: 'pro' }
    fc.assert(
      fc.property(change, (one) => {
        const next = rules.changeWork(done, one)
        if ('work' in next) expect(next.work).toMatchObject({ state: 'DONE', paymentType: 'pro' })
        else expect(next.problem).toContain('Done')
      }),
    )
  })
})

test('times that the database cannot store are refused', () => {
  for (const time of ['2026-03-01T09:30:00Z', '1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])
    expect(rules.isStorableTime(time)).toBe(true)
  for (const time of ['1969-12-31T23:59:59Z', '9999-12-31T23:59:59-12:00', '2026-12-31T23:59:60Z', 'x'])
    expect(rules.isStorableTime(time)).toBe(false)
})
