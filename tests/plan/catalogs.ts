// Random products, directories and decisions for the properties of plans.
import fc from 'fast-check'
import { COST, PRODUCT_KINDS } from '../../src/features/catalog/schema.ts'
import type { PlanDecision, PlanDirectory, PlanInput, PlanProduct } from '../../src/features/plan/rules.ts'

const WORDS =
  'writing image video developer design marketing wombat mail notes gpts agency adult launch startup list'.split(' ')
const phrase = (maxLength: number) => fc.array(fc.constantFrom(...WORDS), { maxLength }).map((list) => list.join(' '))
const LANGUAGES = ['en', 'de', 'pt-BR', 'pt']
const CATEGORIES = ['ai', 'saas', 'developer-tools', 'design', 'app-stores', 'communities']

export const product: fc.Arbitrary<PlanProduct> = fc.record({
  name: phrase(2),
  tagline: phrase(4),
  description: phrase(8),
  category: fc.option(fc.constantFrom('Writing', 'Image & Design', 'Developer tools', 'Wombats')),
  tags: fc.subarray(WORDS, { maxLength: 3 }),
  isForSale: fc.boolean(),
  hasDeal: fc.boolean(),
  isAdult: fc.boolean(),
  kind: fc.constantFrom(...PRODUCT_KINDS),
  language: fc.constantFrom(...LANGUAGES),
  foundingDate: fc.constantFrom(null, '2025', '2026-10', 'Spring 2024', 'soon'),
})

const directory: fc.Arbitrary<Omit<PlanDirectory, 'slug'>> = fc.record({
  name: phrase(3),
  website: fc.constantFrom('https://example.org', 'https://wordpress.org/plugins', 'nothing', ''),
  categories: fc.subarray(CATEGORIES, { maxLength: 3 }),
  smallDescription: fc.option(phrase(6)),
  fullDescription: fc.option(phrase(10)),
  cost: fc.constantFrom(...COST),
  minimumPrice: fc.constantFrom(0, 0, 0, 19, 99),
  type: fc.constantFrom('DoFollow', 'NoFollow', ''),
  requiresBadge: fc.boolean(),
  domainRating: fc.option(fc.oneof(fc.integer({ min: 0, max: 100 }), fc.constantFrom(0.4, 33.3, 71.5))),
  monthlyVisits: fc.option(fc.integer({ min: 0, max: 1e8 })),
  submissionExperience: fc.constantFrom(null, 'Good', 'Slow review', 'Bad'),
  accepts: fc.subarray([...PRODUCT_KINDS], { maxLength: 3 }),
  languages: fc.subarray(LANGUAGES, { maxLength: 2 }),
  minimumAge: fc.constantFrom(0, 0, 0, 6, 24),
})

export const catalog: fc.Arbitrary<PlanDirectory[]> = fc
  .array(directory, { maxLength: 30 })
  .map((list) => list.map((one, at) => ({ slug: `d${String(at).padStart(2, '0')}`, ...one })))

const slugs = fc.subarray(
  Array.from({ length: 30 }, (_, at) => `d${String(at).padStart(2, '0')}`),
  { maxLength: 6 },
)

export const input: fc.Arbitrary<PlanInput> = fc
  .record({
    product,
    limits: fc.record({ budget: fc.constantFrom(0, 50, 1000), badges: fc.boolean(), currency: fc.constant('USD') }),
    pinned: slugs,
    skipped: slugs,
    recorded: slugs,
    outcomes: fc.array(
      fc.record({
        accepted: fc.nat(5),
        refused: fc.nat(5),
        lost: fc.nat(3),
        isDead: fc.boolean(),
      }),
      { maxLength: 30 },
    ),
    count: fc.integer({ min: 0, max: 20 }),
  })
  .map(({ pinned, skipped, recorded, outcomes, ...rest }) => ({
    ...rest,
    decisions: new Map<string, PlanDecision>([
      ...skipped.map((slug) => [slug, { decision: 'skipped' as const, reason: null }] as const),
      ...pinned.map((slug) => [slug, { decision: 'pinned' as const, reason: null }] as const),
    ]),
    recorded: new Map(recorded.map((slug, at) => [slug, at % 2 === 0])),
    outcomes: new Map(outcomes.map((one, at) => [`d${String(at).padStart(2, '0')}`, one])),
    today: new Date('2026-11-16T12:00:00Z'),
  }))
