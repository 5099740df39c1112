// @module-tag once
// Single rules of plans: kinds by name and address, topics, founding dates, past outcomes, diversity.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { acceptedKinds } from '../../src/features/catalog/known-hosts/known-hosts.rules.ts'
import { ageInMonths } from '../../src/features/plan/age.rules.ts'
import {
  meanRate,
  type Outcomes,
  outcomePoints,
  outcomeReason,
} from '../../src/features/plan/evidence/evidence.rules.ts'
import { factReasons, reasonsRepeating } from '../../src/features/plan/points.rules.ts'
import type { PlanDirectory, PlanInput } from '../../src/features/plan/rules.ts'
import { planOf } from '../harness/plan-of.ts'

const directory = (slug: string, more: Partial<PlanDirectory> = {}): PlanDirectory => ({
  slug,
  name: slug,
  website: `https://${slug}.example.org`,
  categories: [],
  smallDescription: null,
  fullDescription: null,
  cost: 'Free',
  minimumPrice: 0,
  type: 'DoFollow',
  requiresBadge: false,
  domainRating: 50,
  monthlyVisits: 1000,
  submissionExperience: null,
  accepts: [],
  languages: [],
  minimumAge: 0,
  ...more,
})

const input = (more: Partial<PlanInput['product']> = {}, rest: Partial<PlanInput> = {}): PlanInput => ({
  product: {
    name: 'Acme Mail',
    tagline: 'Answers your e-mail',
    description: 'An assistant for the inbox, designed for small teams.',
    category: 'Productivity',
    tags: ['Email'],
    isForSale: false,
    isAdult: false,
    hasDeal: false,
    kind: 'web',
    language: 'en',
    foundingDate: null,
    ...more,
  },
  limits: { budget: 0, badges: true, currency: 'USD' },
  decisions: new Map(),
  recorded: new Map(),
  outcomes: new Map(),
  count: 10,
  today: new Date('2026-11-16T00:00:00Z'),
  ...rest,
})

const leftOf = (given: PlanInput, ...list: PlanDirectory[]) =>
  Object.fromEntries(planOf(given, list).leftOut.map(({ slug, reason }) => [slug, reason]))
const chosenOf = (given: PlanInput, ...list: PlanDirectory[]) =>
  planOf(given, list).chosen.map(({ directory: { slug } }) => slug)

describe('reasons that repeat facts beside them', () => {
  const facts = directory('one', { monthlyVisits: 5000, requiresBadge: true, submissionExperience: 'Easy form' })
  const remaining = (given: PlanDirectory, shown: Parameters<typeof reasonsRepeating>[0]) =>
    factReasons(given, { budget: null, badges: true, currency: 'USD' }).filter(
      (reason) => !reasonsRepeating(shown).includes(reason),
    )

  test('are left out, and only those whose fact is shown', () => {
    expect(remaining(facts, facts)).toEqual(['5K visits a month', 'demands a badge on the product’s site'])
    const { domainRating, cost } = facts
    expect(remaining(facts, { domainRating, cost })).toEqual([
      '5K visits a month',
      'followed links',
      'demands a badge on the product’s site',
      'submitting: Easy form',
    ])
  })

  test('stay if they say more than the fact', () => {
    const paid = { ...facts, cost: 'Paid', website: 'https://one.github.io' } as const
    expect(remaining(paid, paid)).toEqual([
      'Domain Rating 50, which is that of its host',
      '5K visits a month',
      'paid; its price is not known',
      'demands a badge on the product’s site',
    ])
  })
})

describe('stores whose accepts is empty', () => {
  test.each([
    ['WordPress Plugin Directory', 'https://example.org', [], ['plugin', 'extension']],
    ['Add-ons for Firefox', 'https://addons.mozilla.org', [], ['extension']],
    ['Chrome Web Store', 'https://example.org', [], ['extension']],
    ['Shopify App Store', 'https://example.org', [], ['plugin']],
    ['Apple App Store', 'https://example.org', [], ['mobile']],
    ['Google Play', 'https://play.google.com/store', [], ['mobile']],
    ['Somewhere', 'https://www.openalternative.co/?ref=x', [], ['open-source']],
    ['Somewhere', 'https://example.org', ['app-stores'], ['mobile', 'extension', 'plugin']],
    ['Free AI Apps', 'https://example.org', ['ai'], []],
    ['AI Agent Store', 'https://example.org', ['ai'], []],
    ['Product Hunt', 'https://www.producthunt.com', ['launch-platforms', 'app-stores'], []],
  ] as const)('%s at %s takes %j', (name, website, categories, kinds) => {
    expect(acceptedKinds({ name, website, categories, accepts: [] })).toEqual(kinds)
  })

  test('are not proposed for a web app, and an operator who names all kinds overrules the guess', () => {
    const store = directory('store', { name: 'Plugin Store' })
    expect(leftOf(input(), store)).toEqual({
      store: 'takes only plug-ins, browser or editor extensions, not web apps',
    })
    const all = { ...store, accepts: ['web', 'plugin'] as const }
    expect(chosenOf(input(), all)).toEqual(['store'])
    expect(chosenOf(input({ kind: 'plugin' }), store)).toEqual(['store'])
  })
})

describe('the demo catalog', () => {
  test('proposes no store of plug-ins, extensions or apps for a web app', () => {
    const lines = readFileSync(new URL('../../seeds/demo/directories.ndjson', import.meta.url), 'utf8')
      .trim()
      .split('\n')
    const list = lines.map((line) => directory('', { accepts: [], languages: [], minimumAge: 0, ...JSON.parse(line) }))
    const chosen = chosenOf(input({}, { count: 100, limits: { budget: 1000, badges: true, currency: 'USD' } }), ...list)
    expect(chosen).toContain('product-hunt')
    for (const { slug, categories } of list)
      if (['app-stores', 'mobile-apps'].includes(categories[0] ?? '')) expect(chosen).not.toContain(slug)
    const { leftOut } = planOf(input({}, { count: 100 }), list)
    expect(leftOut.find(({ slug }) => slug === 'wordpress-plugins')?.reason).toBe('takes only plug-ins, not web apps')
  })
})

describe('topics', () => {
  const developers = directory('dev', { name: 'DevHunt', domainRating: 90 })
  const general = directory('all', { name: 'AI Finder', domainRating: 40 })
  const writers = directory('write', { name: 'Writing Tools', domainRating: 30 })

  test('a directory of the same topic comes first, and one of another topic does not fit', () => {
    const product = input({ category: 'Writing', tagline: 'Writes your texts' })
    const { chosen, leftOut, shortBy } = planOf(product, [developers, general, writers])
    expect(chosen.map(({ directory: { slug } }) => slug)).toEqual(['write', 'all'])
    expect(chosen[0]?.reasons[0]).toBe('lists writing tools')
    expect(leftOut).toEqual([{ slug: 'dev', reason: 'is about something else: it lists developer tools' }])
    expect(shortBy).toBe(8)
    expect(chosenOf(input({ category: 'Code' }), developers, general, writers)).toEqual(['dev', 'all'])
  })

  test('a pinned directory of another topic stays and says so', () => {
    const decisions = new Map([['dev', { decision: 'pinned', reason: null } as const]])
    const [first] = planOf(input({ category: 'Writing' }, { decisions }), [developers]).chosen
    expect(first?.reasons).toContain('kept although it is about something else: it lists developer tools')
  })

  test('a product whose topic is not known may be entered into directories of one topic, after all others', () => {
    const product = input({ name: 'Acme', tagline: 'Hello', description: '', category: null, tags: [] })
    expect(chosenOf(product, developers, general)).toEqual(['all', 'dev'])
  })

  test.each([
    ['sourceforge.net', 'takes only open-source projects, not web apps'],
    ['yourstory.com', 'lists only articles and posts'],
    ['sidebar.io', 'lists only articles and posts'],
    ['devpost.com/software', 'lists only hackathon projects'],
    ['webwiki.com', 'lists only figures about web sites'],
    ['www.sitelike.org', 'lists only figures about web sites'],
    ['www.sideprojectors.com', 'lists only businesses for sale'],
    ['getlatka.com', 'lists only companies that publish their revenue'],
    ['stackshare.io', 'is about something else: it lists developer tools'],
    ['ailib.ru', 'takes only ru, and the product is in en'],
  ])('%s is known by its host: it %s', (host, reason) => {
    const known = { name: 'Some Tools', website: `https://${host}/?ref=x`, categories: ['ai'], domainRating: 92 }
    expect(leftOf(input(), directory('one', known))).toEqual({ one: reason })
  })

  test('what an operator wrote counts more than the host', () => {
    const website = 'https://sourceforge.net'
    expect(chosenOf(input(), directory('one', { website, accepts: ['web'] }))).toEqual(['one'])
    const writing = directory('one', { website: 'https://stackshare.io', categories: ['writing'] })
    expect(chosenOf(input({ category: 'Writing' }), writing)).toEqual(['one'])
  })

  test('business software is not what a name says, and a wedding speech is neither that nor a voice tool', () => {
    const reviews = directory('one', { name: 'FinancesOnline', website: 'https://financesonline.com' })
    expect(planOf(input(), [reviews]).chosen[0]?.reasons[0]).toBe('lists business software of all topics')
    const toast = input({ name: 'Toast', tagline: 'A wedding speech', description: '', category: null, tags: [] })
    expect(leftOf(toast, reviews, directory('two', { name: 'Voice Tools' }))).toEqual({
      one: 'lists only business software',
      two: 'is about something else: it lists audio and voice tools',
    })
  })

  test('a tool for agencies is no agency', () => {
    const product = input({ tagline: 'E-mail for agencies', tags: ['Email'] })
    expect(leftOf(product, directory('one', { name: 'Agency Network' }))).toEqual({ one: 'lists only agencies' })
  })

  test.each([
    ['Agency Network', 'lists only agencies', {}],
    ['GPTs Hunter', 'lists only custom GPTs', { tagline: 'Powered by GPT-4' }],
    ['Adult Tools', 'lists only adult products', {}],
  ])('%s is left out: it %s', (name, reason, product) => {
    expect(leftOf(input(product), directory('one', { name }))).toEqual({ one: reason })
  })

  test('an adult directory is for adult products, and one of businesses for sale for those', () => {
    expect(chosenOf(input({ isAdult: true }), directory('one', { name: 'Adult Tools' }))).toEqual(['one'])
    expect(chosenOf(input({ isForSale: true }), directory('one', { name: 'Acquire' }))).toEqual(['one'])
  })
})

test.each([
  ['2024', 23],
  ['2024-03', 32],
  ['03/2024', 32],
  ['1 March 2024', 32],
  ['Spring 2024', 30],
  ['Q1 2026', 8],
  ['founded 2026 by market people', 0],
  ['2030', 0],
  ['soon', null],
  ['', null],
  [null, null],
] as const)('the founding date %j is %j months ago', (text, months) => {
  expect(ageInMonths(text, new Date('2026-11-16T00:00:00Z'))).toBe(months)
})

describe('the lowest age', () => {
  const old = directory('old', { minimumAge: 6 })

  test('leaves younger products out, and says what it does not know', () => {
    expect(leftOf(input({ foundingDate: '2026-09' }), old)).toEqual({
      old: 'takes products that are at least 6 months old; this one is 2 months old',
    })
    expect(chosenOf(input({ foundingDate: '2025-09' }), old)).toEqual(['old'])
    expect(planOf(input(), [old]).chosen[0]?.reasons).toContain(
      'asks for products that are at least 6 months old; the founding date is not known',
    )
  })
})

describe('past outcomes', () => {
  const past = (accepted: number, refused = 0, lost = 0): Outcomes => ({ accepted, refused, lost, isDead: false })

  test('few cases move a directory little, many move it much', () => {
    const mean = meanRate([past(8, 2)])
    const points = [past(0, 1), past(0, 4), past(0, 20)].map((one) => outcomePoints(one, mean))
    expect(points[0]).toBeGreaterThan(-8)
    expect(points).toEqual(points.toSorted((a, b) => b - a))
    expect(points[2]).toBe(-20)
    expect(outcomePoints(past(5), mean)).toBeGreaterThan(0)
    expect([outcomePoints(undefined, mean), outcomePoints(past(0), mean)]).toEqual([0, 0])
  })

  test('are said in words', () => {
    expect(outcomeReason(past(1, 3))).toEqual(['refused 3 of 4 earlier products'])
    expect(outcomeReason(past(1))).toEqual(['listed 1 of 1 earlier product'])
    expect(outcomeReason(past(2, 0, 1))).toEqual(['lost the listing of 1 of 3 earlier products'])
  })

  test('a directory that was reported dead is left out', () => {
    const outcomes = new Map([['one', { ...past(0), isDead: true }]])
    expect(leftOf(input({}, { outcomes }), directory('one'))).toEqual({ one: 'was reported dead' })
  })
})

test('directories of one category do not take all the first places', () => {
  const many = Array.from({ length: 8 }, (_, at) =>
    directory(`r${at}`, { categories: ['reviews'], domainRating: 60 + at }),
  )
  const other = directory('other', { categories: ['communities'], domainRating: 52 })
  expect(chosenOf(input(), ...many, other).indexOf('other')).toBeLessThan(6)
})

describe('prices', () => {
  test('the budget is the highest least price, and 0 means free ones only', () => {
    const list = [
      directory('free'),
      directory('paid', { cost: 'Paid' }),
      directory('some', { cost: 'Freemium' }),
      directory('dear', { cost: 'Freemium', minimumPrice: 99 }),
    ]
    expect(new Set(chosenOf(input(), ...list))).toEqual(new Set(['free', 'some']))
    expect(leftOf(input(), ...list)).toEqual({
      dear: 'costs at least $99, over the budget of $0',
      paid: 'is paid, and the budget is for free ones only',
    })
    const rich = input({}, { limits: { budget: 99, badges: true, currency: 'USD' } })
    expect(chosenOf(rich, ...list)).toHaveLength(4)
  })
})
