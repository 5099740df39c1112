// The plan of a submission in the operator API: shapes, limits, decisions and what is remembered.
import { beforeAll, describe, expect, test } from 'vitest'
import { statusOf, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'
import { refused } from '../harness/workflow.ts'

const DIRECTORIES = [
  { slug: 'strong', name: 'Strong List', domainRating: 90, type: 'DoFollow' },
  { slug: 'middle', name: 'Middle List', domainRating: 60, type: 'DoFollow' },
  { slug: 'weak', name: 'Weak List', domainRating: 20, type: 'NoFollow' },
  { slug: 'plugins', name: 'Some Store', domainRating: 99, accepts: ['plugin'] },
  { slug: 'unnamed-store', name: 'WordPress Plugins', domainRating: 99 },
  { slug: 'german', name: 'German List', domainRating: 99, languages: ['de'] },
  { slug: 'paid', name: 'Paid List', domainRating: 99, cost: 'Paid', minimumPrice: 50 },
  { slug: 'badge', name: 'Badge List', domainRating: 80, requiresBadge: true },
  { slug: 'draft', name: 'Draft List', domainRating: 99, published: false },
]

let partner: { id: string; key: string }
const service = useService()
beforeAll(() =>
  service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'api', name: 'API' },
    ...DIRECTORIES.map((line) => ({ kind: 'directory', ...line })),
  ]),
)

const newSubmission = async (paymentType: string | null = 'starter'): Promise<string> => {
  partner = await service.newPartner()
  return (await submitted(service, partner.key, { paymentType: paymentType ?? undefined })).id
}
const planOf = async (id: string, query = '') =>
  (await service.admin('GET', `/submissions/${id}/plan${query}`)).body.data
const decide = (id: string, slug: string, body: object, query = '') =>
  service.admin('PUT', `/submissions/${id}/plan/${slug}${query}`, body)
const slugsOf = (plan: any): string[] => plan.chosen.map(({ slug }: any) => slug)
const leftOf = (plan: any) => Object.fromEntries(plan.left.map(({ slug, reason }: any) => [slug, reason]))

describe('GET /submissions/:id/plan', () => {
  test('has exactly the fields of the contract, best first, and says what is missing and why', async () => {
    const plan = await planOf(await newSubmission())
    expect(plan).toEqual({ count: 30, shortBy: 26, chosen: expect.any(Array), left: expect.any(Array) })
    expect(plan.chosen[0]).toEqual({
      slug: 'strong',
      name: 'Strong List',
      domainRating: 90,
      cost: 'Free',
      minimumPrice: 0,
      requiresBadge: false,
      type: 'DoFollow',
      score: expect.any(Number),
      chance: 0.5,
      reasons: expect.arrayContaining(['Domain Rating 90', 'free']),
      recorded: false,
    })
    expect(slugsOf(plan)).toEqual(['strong', 'middle', 'badge', 'weak'])
    expect(leftOf(plan)).toEqual({
      plugins: 'takes only plug-ins, not web apps',
      'unnamed-store': 'takes only plug-ins, browser or editor extensions, not web apps',
      german: 'takes only de, and the product is in en',
      paid: 'costs at least $50, over the budget of $0',
    })
  })

  test('prices are in the currency of the site', async () => {
    const id = await newSubmission()
    await service.admin('PUT', '/site', { currency: 'EUR' })
    expect(leftOf(await planOf(id)).paid).toBe('costs at least €50, over the budget of €0')
    await service.admin('PATCH', `/submissions/${id}`, { plan: { budget: 60 } })
    const { reasons } = (await planOf(id)).chosen.find(({ slug }: any) => slug === 'paid')
    expect(reasons).toContain('costs at least €50, within the budget of €60')
    await service.admin('PUT', '/site', { currency: 'USD' })
  })

  test('count is the number of the package, or the one in the address', async () => {
    const id = await newSubmission('pro')
    expect(await planOf(id)).toMatchObject({ count: 60, shortBy: 56 })
    const two = await planOf(id, '?count=2')
    expect(two).toMatchObject({ count: 2, shortBy: 0 })
    expect(slugsOf(two)).toEqual(['strong', 'middle'])
    expect(leftOf(two).weak).toBe('fits, but 2 others come first')
    expect(await planOf(await newSubmission(null))).toMatchObject({ count: 0, shortBy: 0, chosen: [] })
    for (const count of ['x', '-1', '1001', '2.5'])
      expect(await refused(service.admin('GET', `/submissions/${id}/plan?count=${count}`))).toContain('count must be')
    await refused(service.admin('GET', '/submissions/nothing/plan'), 404)
  })

  test('the same request gets the same bytes', async () => {
    const id = await newSubmission()
    const [first, second] = [1, 2].map(() => service.admin('GET', `/submissions/${id}/plan`))
    expect((await first)?.text).toBe((await second)?.text)
  })

  test('kind and language of the submission decide, and the partner notices nothing', async () => {
    const id = await newSubmission()
    const before = (await statusOf(service, partner.key, { id })).text
    const change = { kind: 'plugin', language: 'de-AT', plan: { budget: 50, badges: false } }
    expect((await service.admin('PATCH', `/submissions/${id}`, change)).body.data).toMatchObject(change)
    expect(new Set(slugsOf(await planOf(id)))).toEqual(
      new Set(['plugins', 'unnamed-store', 'german', 'paid', 'strong', 'middle', 'weak']),
    )
    expect((await statusOf(service, partner.key, { id })).text).toBe(before)
    const [item] = (await service.admin('GET', `/submissions?client=${partner.id}`)).body.data
    expect(item).toMatchObject(change)
    expect((await service.admin('GET', `/submissions/${id}`)).body.data).toMatchObject(change)
    for (const [body, word] of [
      [{ kind: 'game' }, 'kind'],
      [{ language: 'english language' }, 'language'],
      [{ plan: { budget: -1 } }, 'plan.budget'],
      [{ plan: { badges: 'no' } }, 'plan.badges'],
    ] as const)
      expect(await refused(service.admin('PATCH', `/submissions/${id}`, body))).toContain(word)
  })

  test('limits of the submission win over those of the partner, and null gives them back', async () => {
    const id = await newSubmission()
    const ofPartner = await service.admin('PATCH', `/partners/${partner.id}`, { plan: { budget: 60, badges: false } })
    expect(ofPartner.body.data.plan).toEqual({ budget: 60, badges: false })
    expect((await service.admin('GET', `/partners/${partner.id}`)).body.data.plan).toEqual({
      budget: 60,
      badges: false,
    })
    expect(slugsOf(await planOf(id))).toEqual(['strong', 'paid', 'middle', 'weak'])
    const patch = (plan: unknown) => service.admin('PATCH', `/submissions/${id}`, { plan })
    expect((await patch({ badges: true })).body.data.plan).toEqual({ budget: null, badges: true })
    expect(slugsOf(await planOf(id))).toContain('badge')
    expect((await patch({ budget: 0 })).body.data.plan).toEqual({ budget: 0, badges: true })
    expect(slugsOf(await planOf(id))).not.toContain('paid')
    expect((await patch(null)).body.data.plan).toBe(null)
    expect(slugsOf(await planOf(id))).toEqual(['strong', 'paid', 'middle', 'weak'])
    const partial = await service.admin('PATCH', `/partners/${partner.id}`, { plan: { budget: 0 } })
    expect(partial.body.data.plan).toEqual({ budget: 0, badges: false })
  })

  test('what is on record stays in the plan and is marked', async () => {
    const id = await newSubmission()
    for (const slug of ['weak', 'paid'])
      await service.admin('PUT', `/submissions/${id}/directories/${slug}`, { isSubmitted: slug === 'paid' })
    const plan = await planOf(id, '?count=2')
    expect(slugsOf(plan)).toEqual(['paid', 'weak'])
    expect(plan.chosen.map(({ recorded }: any) => recorded)).toEqual([true, true])
    expect(plan.chosen[0].reasons).toEqual(
      expect.arrayContaining(['already entered', 'kept although it costs at least $50, over the budget of $0']),
    )
    expect(plan.chosen[1].reasons).toContain('already planned')
  })
})

describe('PUT /submissions/:id/plan/:slug', () => {
  test('pins, skips and withdraws, with versions and in the audit log', async () => {
    const id = await newSubmission()
    expect((await decide(id, 'weak', { decision: 'pinned' }, '?ifVersion=0')).body.data).toEqual({
      slug: 'weak',
      name: 'Weak List',
      decision: 'pinned',
      reason: null,
      version: 1,
      updatedAt: expect.any(String),
    })
    await decide(id, 'strong', { decision: 'skipped', reason: ' too expensive ' })
    const plan = await planOf(id, '?count=1')
    expect(slugsOf(plan)).toEqual(['weak'])
    expect(plan.chosen[0].reasons[0]).toBe('pinned by an administrator')
    expect(leftOf(plan).strong).toBe('skipped: too expensive')
    const list = (await service.admin('GET', `/submissions/${id}/decisions`)).body.data
    expect(list.map(({ slug, decision, version }: any) => [slug, decision, version])).toEqual([
      ['strong', 'skipped', 1],
      ['weak', 'pinned', 1],
    ])
    const late = await decide(id, 'weak', { decision: 'skipped' }, '?ifVersion=0')
    expect(late.status).toBe(409)
    expect(late.body.error).toContain('There is a decision about weak already')
    expect((await decide(id, 'weak', { decision: null, reason: 'x' }, '?ifVersion=1')).body.data).toMatchObject({
      decision: null,
      reason: null,
      version: 2,
    })
    // Sent again, it changes nothing.
    expect((await decide(id, 'weak', { decision: null })).body.data.version).toBe(2)
    expect(slugsOf(await planOf(id))).toEqual(['middle', 'badge', 'weak'])
    const log = (await service.admin('GET', `/audit?action=submission.plan&limit=3`)).body.data
    expect(log.map(({ details }: any) => [details.directory, details.decision])).toEqual([
      ['weak', null],
      ['strong', 'skipped'],
      ['weak', 'pinned'],
    ])
  })

  test('a pinned directory stays although it does not fit, and says so', async () => {
    const id = await newSubmission()
    await decide(id, 'plugins', { decision: 'pinned' })
    const found = (await planOf(id)).chosen.find(({ slug }: any) => slug === 'plugins')
    expect(found.reasons).toContain('kept although it takes only plug-ins, not web apps')
  })

  test('what is wrong is refused', async () => {
    const id = await newSubmission()
    expect(await refused(decide(id, 'weak', { decision: 'maybe' }))).toContain('decision')
    expect(await refused(decide(id, 'weak', {}))).toContain('decision')
    expect(await refused(decide(id, 'weak', { decision: 'pinned', reason: 'x'.repeat(501) }))).toContain('reason')
    await refused(decide(id, 'nothing', { decision: 'pinned' }), 404)
    await refused(decide('nothing', 'weak', { decision: 'pinned' }), 404)
    expect((await planOf(id)).chosen).toHaveLength(4)
  })

  test('refused and dead are remembered for later products, other reasons are not', async () => {
    const [first, later] = [await newSubmission(), await newSubmission()]
    await decide(first, 'strong', { decision: 'skipped', reason: 'Refused' })
    await decide(first, 'middle', { decision: 'skipped', reason: 'too slow' })
    await decide(first, 'weak', { decision: 'skipped', reason: 'dead' })
    const plan = await planOf(later)
    expect(plan.chosen[0]).toMatchObject({ slug: 'strong' })
    expect(plan.chosen[0].reasons).toContain('refused 1 of 1 earlier product')
    expect(slugsOf(plan)).toContain('middle')
    expect(leftOf(plan).weak).toBe('was reported dead')
    // A listing that is recorded afterwards shows that it lives.
    const another = await newSubmission()
    const row = { isSubmitted: true, listingUrl: 'https://weak.example.org/x' }
    await service.admin('PUT', `/submissions/${another}/directories/weak`, row)
    const alive = (await planOf(later)).chosen.find(({ slug }: any) => slug === 'weak')
    expect(alive.reasons).toContain('listed 1 of 1 earlier product')
    for (const slug of ['strong', 'weak']) await decide(first, slug, { decision: null })
    expect((await planOf(later)).chosen[0].reasons).not.toContain('refused 1 of 1 earlier product')
  })

  test('a directory with a decision can be deleted', async () => {
    await service.load([{ kind: 'directory', slug: 'short-lived', name: 'Short-lived' }])
    const id = await newSubmission()
    await decide(id, 'short-lived', { decision: 'pinned' })
    expect((await service.admin('DELETE', '/directories/short-lived')).status).toBe(200)
    expect((await planOf(id)).chosen).toHaveLength(4)
  })
})

describe('the fields of directories', () => {
  test('are written, read, exported and imported by operators, and no catalog read shows them', async () => {
    const fields = { accepts: ['web', 'mobile'], languages: ['en', 'pt-BR'], minimumAge: 6 }
    const put = await service.admin('PUT', '/directories/choosy', { name: 'Choosy', ...fields })
    expect(put.body.data).toMatchObject(fields)
    const line = (await service.fetch('/api/admin/export', { key: 'test-operator-token' })).text
      .split('\n')
      .find((text) => text.includes('"choosy"'))
    expect(JSON.parse(line!)).toMatchObject(fields)
    const shown = (await service.rest('/directories/choosy')).body.data
    for (const name of Object.keys(fields)) expect(shown).not.toHaveProperty(name)
    const plain = await service.admin('PUT', '/directories/choosy', { name: 'Choosy' })
    expect(plain.body.data).toMatchObject({ accepts: [], languages: [], minimumAge: 0 })
    for (const [body, word] of [
      [{ accepts: ['games'] }, 'accepts'],
      [{ languages: ['english'] }, 'languages'],
      [{ minimumAge: -1 }, 'minimumAge'],
    ] as const)
      expect(await refused(service.admin('PUT', '/directories/choosy', { name: 'Choosy', ...body }))).toContain(word)
    await service.admin('DELETE', '/directories/choosy')
  })
})

describe('whether programs may submit', () => {
  const QUOTE = 'Automated submissions are not accepted.'

  test('is a fact of a directory with its quote and day, which no reader sees', async () => {
    const fields = { automation: 'forbidden', automationQuote: QUOTE, automationReadOn: '2026-03-01' }
    const { body } = await service.admin('PUT', '/directories/no-robots', { name: 'No robots', ...fields })
    expect(body.data).toMatchObject(fields)
    await service.admin('PUT', '/directories/robots', { name: 'Robots', automation: 'allowed' })
    expect((await service.rest('/directories/no-robots')).text).not.toContain(QUOTE)
    for (const wrong of [
      { automation: 'maybe' },
      { automationReadOn: 'yesterday' },
      { automationReadOn: '2026-13-01' },
    ])
      expect(await refused(service.admin('PUT', '/directories/robots', { name: 'R', ...wrong }))).toContain(
        'automation',
      )
  })

  test('a plan for programs leaves out those that forbid it, or all that do not allow it', async () => {
    const id = await newSubmission()
    const people = await planOf(id)
    const reasonsOf = (plan: any, slug: string) => plan.chosen.find((row: any) => row.slug === slug).reasons
    expect(reasonsOf(people, 'no-robots')).toContain('forbids programs to submit')
    const open = await planOf(id, '?automation=not-forbidden')
    expect(leftOf(open)['no-robots']).toBe('forbids programs to submit')
    expect(slugsOf(open)).toEqual(slugsOf(people).filter((slug) => slug !== 'no-robots'))
    const allowed = await planOf(id, '?automation=allowed')
    expect(slugsOf(allowed)).toEqual(['robots'])
    expect(reasonsOf(allowed, 'robots')).toContain('programs may submit')
    expect(leftOf(allowed).strong).toBe('does not say whether programs may submit')
    await refused(service.admin('GET', `/submissions/${id}/plan?automation=maybe`))
    const kit = (await service.admin('GET', `/submissions/${id}/kit/no-robots`)).body.data
    expect(kit.directory).toMatchObject({ automation: 'forbidden', automationQuote: QUOTE })
  })
})
