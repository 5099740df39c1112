// @module-tag once
// The properties that the contract demands of plans, on random catalogs.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSameLanguage } from '../../src/features/catalog/rules.ts'
import { ageInMonths } from '../../src/features/plan/age.rules.ts'
import type { PlanDirectory, PlanInput, ProposedPlan } from '../../src/features/plan/rules.ts'
import { planOf } from '../harness/plan-of.ts'
import { catalog, input } from './catalogs.ts'

const RUNS = Number(process.env.PLAN_RUNS ?? 150)
const slugsOf = ({ chosen }: ProposedPlan): string[] => chosen.map(({ directory }) => directory.slug)
const holds = (property: (given: PlanInput, directories: PlanDirectory[]) => void) =>
  fc.assert(fc.property(input, catalog, property), { numRuns: RUNS })

/** Why a directory breaks a hard constraint of the product, written anew from the contract. */
function breaks({ product, limits, today }: PlanInput, directory: PlanDirectory): boolean {
  const age = ageInMonths(product.foundingDate, today)
  return (
    (directory.accepts.length > 0 && !directory.accepts.includes(product.kind)) ||
    (directory.languages.length > 0 && !directory.languages.some((code) => isSameLanguage(code, product.language))) ||
    directory.minimumPrice > (limits.budget ?? 0) ||
    (limits.budget === 0 && directory.cost === 'Paid') ||
    (directory.requiresBadge && !limits.badges) ||
    (age !== null && age < directory.minimumAge)
  )
}

/** The one category that names a topic in these catalogs, and a directory of it, which no other category or known host says more about. */
function isAboutSomethingElse({ product }: PlanInput, { name, categories }: PlanDirectory): boolean {
  const told = `${product.name} ${product.tagline} ${product.description} ${product.category} ${product.tags.join(' ')}`
  return (
    categories[0] === 'design' &&
    name === '' &&
    !/design/i.test(told) &&
    /writing|image|video|developer|marketing/i.test(told)
  )
}

describe('a plan', () => {
  test('is the same for the same input, in whatever order the directories come', () => {
    fc.assert(
      fc.property(input, catalog, fc.infiniteStream(fc.nat()), (given, directories, keys) => {
        const shuffled = directories
          .map((one): [number, PlanDirectory] => [keys.next().value, one])
          .sort(([a], [b]) => a - b)
          .map(([, one]) => one)
        expect(planOf(given, shuffled)).toEqual(planOf(given, directories))
      }),
      { numRuns: RUNS },
    )
  })

  test('never contains what breaks a constraint, unless an administrator pinned or recorded it', () => {
    holds((given, directories) => {
      for (const { directory } of planOf(given, directories).chosen) {
        const isKept = given.decisions.get(directory.slug)?.decision === 'pinned' || given.recorded.has(directory.slug)
        if (isKept) continue
        expect(breaks(given, directory)).toBe(false)
        expect(given.outcomes.get(directory.slug)?.isDead ?? false).toBe(false)
        expect(isAboutSomethingElse(given, directory)).toBe(false)
      }
    })
  })

  test('is not filled up: shortBy is what is missing, and nothing that fits is left while it is short', () => {
    holds((given, directories) => {
      const { chosen, leftOut, shortBy } = planOf(given, directories)
      expect(shortBy).toBe(Math.max(0, given.count - chosen.length))
      if (shortBy > 0) expect(leftOut.filter(({ reason }) => reason.startsWith('fits'))).toEqual([])
      expect(new Set([...chosen.map(({ directory }) => directory.slug), ...leftOut.map(({ slug }) => slug)])).toEqual(
        new Set(directories.map(({ slug }) => slug)),
      )
      expect(chosen.length + leftOut.length).toBe(directories.length)
    })
  })

  test('keeps what is pinned or on record, never has what is skipped, and is longer than asked only by what it keeps', () => {
    holds((given, directories) => {
      const plan = planOf(given, directories)
      const chosen = new Set(slugsOf(plan))
      const decisionOf = (slug: string) => given.decisions.get(slug)?.decision
      const kept = directories.filter(
        ({ slug }) => decisionOf(slug) === 'pinned' || (given.recorded.has(slug) && decisionOf(slug) !== 'skipped'),
      )
      for (const { slug } of kept) expect(chosen).toContain(slug)
      for (const { slug } of directories) if (decisionOf(slug) === 'skipped') expect(chosen).not.toContain(slug)
      expect(chosen.size).toBeLessThanOrEqual(Math.max(given.count, kept.length))
    })
  })

  test('does not lower the place of a directory whose Domain Rating rises', () => {
    fc.assert(
      fc.property(
        input,
        catalog.filter((list) => list.length > 0),
        fc.nat(),
        fc.integer({ min: 0, max: 100 }),
        (given, directories, pick, higher) => {
          const raised = directories[pick % directories.length]!
          if (raised.domainRating !== null && higher < raised.domainRating) return
          const place = (list: PlanDirectory[]) => {
            const at = slugsOf(planOf(given, list)).indexOf(raised.slug)
            return at === -1 ? Number.POSITIVE_INFINITY : at
          }
          const after = directories.map((one) => (one === raised ? { ...one, domainRating: higher } : one))
          expect(place(after)).toBeLessThanOrEqual(place(directories))
        },
      ),
      { numRuns: RUNS * 4 },
    )
  })

  test('is sorted by score, says why for every directory, and repeats none', () => {
    holds((given, directories) => {
      const { chosen, leftOut } = planOf(given, directories)
      const scores = chosen.map(({ score }) => score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      for (const { reasons } of chosen) {
        expect(reasons.length).toBeGreaterThan(2)
        for (const reason of reasons) expect(reason).toMatch(/^\S.*\S$/)
      }
      for (const { reason } of leftOut) expect(reason).toMatch(/^\S.*\S$/)
      expect(new Set(chosen.map(({ directory }) => directory.slug)).size).toBe(chosen.length)
    })
  })

  test('survives values that only a broken row can have', () => {
    const broken = [Number.NaN, Number.POSITIVE_INFINITY, -5, 1e300]
    fc.assert(
      fc.property(input, catalog, fc.constantFrom(...broken), (given, directories, value) => {
        const list = directories.map((one, at) =>
          at % 3 === 0 ? { ...one, domainRating: value, monthlyVisits: value, minimumPrice: value } : one,
        )
        const { chosen } = planOf(given, list)
        for (const { score } of chosen) expect(Number.isFinite(score)).toBe(true)
        expect(slugsOf(planOf(given, list.toReversed()))).toEqual(chosen.map(({ directory }) => directory.slug))
      }),
      { numRuns: RUNS },
    )
  })
})
