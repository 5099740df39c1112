// What became of products in a directory: GET /directories/{slug}/evidence, the sentence on its page, and the chance in a plan.
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { chanceOf, type EnteredRow, evidenceOf, meanInTime } from '../../src/features/plan/evidence/evidence.rules.ts'
import { submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'
import { refused } from '../harness/workflow.ts'

const service = useService()
let partner: { id: string; key: string }

const DAY = 24 * 3600_000
const evidence = async (slug: string) => (await service.rest(`/directories/${slug}/evidence`)).body.data

interface Entered {
  daysAgo: number
  /** Days until the listing was found; never if omitted. */
  liveAfter?: number
  state?: string
  lostAfter?: number
}

/** Enters a product into the directory, as an administrator and the link checks would have. */
async function enter(slug: string, number: number, { daysAgo, liveAfter, state, lostAfter }: Entered): Promise<void> {
  const website = `https://product-${slug}-${number}.example.com`
  const { id } = await submitted(service, partner.key, { website, paymentType: 'starter' })
  const listingUrl = liveAfter === undefined ? undefined : `https://${slug}.example.org/product-${number}`
  await service.admin('PUT', `/submissions/${id}/directories/${slug}`, { isSubmitted: true, listingUrl })
  const [{ id: submissionId }] = await service.sql(`select id from submissions where tool_id = '${id}'`)
  const at = (days: number) => `now() - interval '${days} days'`
  await service.sql(`update submission_rows set submitted_at = ${at(daysAgo)}
    ${lostAfter === undefined ? '' : `, lost_at = ${at(daysAgo - (liveAfter ?? 0) - lostAfter)}`} where submission_id = '${submissionId}'`)
  if (liveAfter !== undefined)
    await service.sql(`update listing_links set first_live_at = ${at(daysAgo - liveAfter)}, was_live = true,
      state = '${state ?? 'live'}', checked_at = now() where submission_id = '${submissionId}'`)
}

beforeAll(async () => {
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    ...['known', 'little', 'unknown'].map((slug) => ({
      kind: 'directory',
      slug,
      name: `The ${slug} list`,
      domainRating: 50,
    })),
    { kind: 'directory', slug: 'hidden', name: 'Hidden list', published: false },
  ])
  partner = await service.newPartner()
  const rows: Entered[] = [
    { daysAgo: 200, liveAfter: 2 },
    { daysAgo: 200, liveAfter: 4, lostAfter: 10, state: 'gone' },
    { daysAgo: 100, liveAfter: 6, state: 'nofollow' },
    { daysAgo: 100, liveAfter: 50 },
    { daysAgo: 90 },
    { daysAgo: 3 },
  ]
  for (const [number, row] of rows.entries()) await enter('known', number, row)
  await enter('little', 0, { daysAgo: 100, liveAfter: 1 })
})

describe('GET /directories/{slug}/evidence', () => {
  test('says how many products were entered, went live, how soon, and how many listings were lost', async () => {
    expect(await evidence('known')).toEqual({
      slug: 'known',
      submitted: 6,
      live: 4,
      liveShare: 0.667,
      daysToLive: { median: 5, p90: 36.8 },
      lostShare90: 0.333,
      dofollowShare: 0.667,
      lastLiveAt: expect.any(String),
    })
  })

  test('shares and times are null below 5 products', async () => {
    const none = { liveShare: null, daysToLive: { median: null, p90: null }, lostShare90: null, dofollowShare: null }
    expect(await evidence('little')).toEqual({
      slug: 'little',
      submitted: 1,
      live: 1,
      ...none,
      lastLiveAt: null,
    })
    expect(await evidence('unknown')).toEqual({ slug: 'unknown', submitted: 0, live: 0, ...none, lastLiveAt: null })
  })

  test('needs a catalog key, and a directory that is published', async () => {
    await refused(service.fetch('/api/v1/directories/known/evidence'), 401)
    for (const slug of ['hidden', 'nothing']) await refused(service.rest(`/directories/${slug}/evidence`), 404)
  })

  test('is a sentence on the page of the directory', async () => {
    const page = await service.fetch('/directories/known')
    expect(page.text).toContain('Of 6 products entered from here 67 % went live, half of them within 5 days.')
    expect((await service.fetch('/directories/little')).text).not.toContain('entered from here')
  })
})

describe('the chance in a plan', () => {
  test('counts products that were live within 30 days, and says so in words', async () => {
    const { id } = await submitted(service, partner.key, { website: 'https://new.example.com', paymentType: 'starter' })
    const { chosen } = (await service.admin('GET', `/submissions/${id}/plan`)).body.data
    const rowOf = (slug: string) => chosen.find((row: { slug: string }) => row.slug === slug)
    expect(rowOf('known').reasons.at(-1)).toBe(
      `${Math.round(rowOf('known').chance * 100)} % chance of being live within 30 days: 3 of 5 earlier products were`,
    )
    expect(rowOf('unknown').chance).toBe(0.63)
    expect(rowOf('unknown').reasons.join()).not.toContain('chance')
    expect(rowOf('little').chance).toBeGreaterThan(rowOf('unknown').chance)
  })

  test('is between 0 and 1, rises with successes, falls with failures, and changes little with little evidence', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), fc.double({ min: 0.01, max: 0.99, noNaN: true }), (live, failed, mean) => {
        const chance = chanceOf({ live, cases: live + failed }, mean)
        expect(chance).toBeGreaterThanOrEqual(0)
        expect(chance).toBeLessThanOrEqual(1)
        expect(chanceOf({ live: live + 1, cases: live + failed + 1 }, mean)).toBeGreaterThanOrEqual(chance)
        expect(chanceOf({ live, cases: live + failed + 1 }, mean)).toBeLessThanOrEqual(chance)
        expect(Math.abs(chanceOf({ live: 1, cases: 1 }, mean) - mean)).toBeLessThanOrEqual(0.25)
      }),
    )
    expect(meanInTime([])).toBe(0.5)
  })
})

test('shares are between 0 and 1, and nothing is counted twice, for any rows', () => {
  const now = 1_000 * DAY
  const time = fc.nat(1_000).map((day) => day * DAY)
  const row: fc.Arbitrary<EnteredRow> = fc.record({
    submittedAt: time,
    liveAt: fc.option(time),
    lostAt: fc.option(time),
    isFollowed: fc.option(fc.boolean()),
    lastLiveAt: fc.option(time),
  })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), (rows) => {
      const { submitted, live, liveShare, daysToLive, lostShare90, dofollowShare } = evidenceOf(rows, now)
      expect(live).toBeLessThanOrEqual(submitted)
      for (const share of [liveShare, lostShare90, dofollowShare])
        if (share !== null) expect(share >= 0 && share <= 1 && submitted >= 5).toBe(true)
      if (daysToLive.median !== null) expect(daysToLive.median).toBeLessThanOrEqual(daysToLive.p90 ?? 0)
    }),
  )
})
