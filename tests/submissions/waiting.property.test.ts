// Who a directory on record waits for, on random rows: the reason that the service says is the one that the rules in words give.
// @module-tag slow
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { LINK_STATES } from '../../src/features/submissions/bench/link.rules.ts'
import {
  ACTORS,
  GIVEN_REASONS,
  WAITING_REASONS,
  waitingOf,
} from '../../src/features/submissions/queue/waiting.rules.ts'
import { useService } from '../harness/use.ts'
import { createWorkflow } from '../harness/workflow.ts'

const DAY = 24 * 3600_000
/** Days until nine of ten listings of these directories were found, and the days after which they are overdue. */
const USUAL = { unknown: [null, 30], quick: [1, 3], usual: [12, 12], slow: [200, 60] } as const
type Pace = keyof typeof USUAL

const service = useService()
let partner: { id: string; key: string }
const { work } = createWorkflow(
  () => service,
  () => partner,
)

/** Ages are in days; a quarter keeps them away from the limits, which are whole days. */
const age = fc.nat(120).map((days) => days + 0.25)
const row = fc.record({
  pace: fc.constantFrom(...(Object.keys(USUAL) as Pace[])),
  isSubmitted: fc.boolean(),
  submittedAge: fc.option(age, { freq: 4 }),
  createdAge: age,
  link: fc.option(fc.record({ state: fc.constantFrom(...LINK_STATES), wasLive: fc.boolean() })),
  lostAge: fc.option(age, { nil: null, freq: 1 }),
  given: fc.option(fc.record({ reason: fc.constantFrom(...GIVEN_REASONS), age })),
})
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never
const rows = fc.sample(row, { numRuns: 800, seed: 20_261_118 })

/** The rules in words of docs/evidence.md. */
function reasonOf({ pace, isSubmitted, submittedAge, createdAge, link, lostAge, given }: Row, isDone: boolean) {
  const waited = given?.age ?? submittedAge ?? createdAge
  if (link?.state === 'live' || link?.state === 'nofollow') return null
  if (lostAge !== null && lostAge < (given?.age ?? Number.POSITIVE_INFINITY)) return 'link-missing'
  if (given?.reason === 'paid-queue') return waited > 90 ? 'overdue' : 'paid-queue'
  if (given && given.reason !== 'review') return given.reason
  if (!isSubmitted) return isDone ? null : 'to-enter'
  if (!given && link && !link.wasLive && (link.state === 'missing' || link.state === 'gone')) return 'link-missing'
  if (!given && link) return null
  return waited > USUAL[pace][1] ? 'overdue' : 'review'
}

const at = (now: number, days: number | null) =>
  days === null ? 'null' : `'${new Date(now - days * DAY).toISOString()}'`

/** Stores the rows of one submission, each in a directory of its own, and the history of those directories. */
async function store(submissionId: string, now: number): Promise<void> {
  for (const [i, { pace, isSubmitted, submittedAge, createdAge, link, lostAge, given }] of rows.entries()) {
    const url = link ? `'https://d-${i}.example.org/x'` : 'null'
    await service.sql(`insert into submission_rows
      (submission_id, directory_id, is_submitted, listing_url, submitted_by, submitted_at, lost_at, waiting_reason, waiting_since, created_at, updated_at)
      select '${submissionId}', id, ${isSubmitted}, ${url}, 'ADMIN', ${at(now, submittedAge)}, ${at(now, lostAge)},
        ${given ? `'${given.reason}'` : 'null'}, ${at(now, given?.age ?? null)}, ${at(now, createdAge)}, now()
      from directories where slug = '${pace}-${i}'`)
    if (link)
      await service.sql(`insert into listing_links (submission_id, directory_id, partner_id, listing_url, host, state, recorded_at, next_at, first_live_at)
        select '${submissionId}', id, '${partner.id}', ${url}, 'd', '${link.state}', now(), now() + interval '1 day', ${link.wasLive ? at(now, 1) : 'null'}
        from directories where slug = '${pace}-${i}'`)
  }
}

let submissions: { id: string; isDone: boolean }[]

beforeAll(async () => {
  const now = Date.now()
  partner = await service.newPartner()
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'api', name: 'API' },
    ...rows.map(({ pace }, i) => ({ kind: 'directory', slug: `${pace}-${i}`, name: `Directory ${i}` })),
  ])
  // Twenty earlier products in each directory whose usual time is known, so many that the two of the test do not change it.
  for (let product = 0; product < 20; product++) {
    const { id } = await work()
    for (const [pace, [days]] of Object.entries(USUAL)) {
      if (days === null) continue
      await service.sql(`insert into submission_rows
        (submission_id, directory_id, is_submitted, listing_url, submitted_by, submitted_at, created_at, updated_at)
        select '${id}', id, true, 'https://x.example.org/' || id, 'ADMIN', ${at(now, -1)}, now(), now() from directories where slug like '${pace}-%'`)
      await service.sql(`insert into listing_links (submission_id, directory_id, partner_id, listing_url, host, state, recorded_at, next_at, first_live_at)
        select '${id}', id, '${partner.id}', 'https://x.example.org/' || id, 'x', 'live', now(), now() + interval '9 days', ${at(now, -1 - days)}
        from directories where slug like '${pace}-%'`)
    }
  }
  submissions = []
  for (const isDone of [false, true]) {
    const { id } = await work()
    await store(id, now)
    await service.sql(`update submissions set state = '${isDone ? 'DONE' : 'IN_PROGRESS'}' where id = '${id}'`)
    submissions.push({ id, isDone })
  }
}, 240_000)

test('every row has the reason that the rules give, and its actor', async () => {
  for (const { id, isDone } of submissions) {
    const shown = new Map<string, { waitingFor: string | null; reason: string | null; action: string | null }>()
    for (const one of (await service.admin('GET', `/submissions/${id}`)).body.data.submissions) shown.set(one.slug, one)
    expect(shown.size).toBe(rows.length)
    for (const [i, one] of rows.entries()) {
      const expected = waitingOf(reasonOf(one, isDone), `Directory ${i}`, 'operator')
      expect(shown.get(`${one.pace}-${i}`), JSON.stringify(one)).toMatchObject(expected)
    }
  }
})

test('the list of what waits has exactly the rows with an actor, and each filter exactly its own', async () => {
  const listed = async (query: string) => {
    const found: any[] = []
    for (let page = 1; ; page++) {
      const { data } = (await service.admin('GET', `/queue/waiting?limit=1000&page=${page}&${query}`)).body
      found.push(...data)
      if (data.length < 1000) return found
    }
  }
  const all = await listed('')
  expect(new Set(all.map(({ submissionId, directory }) => `${submissionId} ${directory}`)).size).toBe(all.length)
  expect(all.every(({ waitingFor, action }) => waitingFor !== null && action !== null)).toBe(true)
  const since = all.map((one) => one.since)
  expect(since).toEqual(since.toSorted())
  for (const actor of ACTORS)
    expect(await listed(`waitingFor=${actor}`)).toEqual(all.filter(({ waitingFor }) => waitingFor === actor))
  const expected = submissions.flatMap(({ isDone }) => rows.map((one) => reasonOf(one, isDone)))
  for (const reason of WAITING_REASONS)
    expect(await listed(`reason=${reason}`), reason).toHaveLength(expected.filter((one) => one === reason).length)
})

test('a sentence for founders exists for every reason that waits for them, and none for what waits for us', () => {
  for (const reason of WAITING_REASONS) {
    const operator = waitingOf(reason, 'Peak', 'operator')
    const founder = waitingOf(reason, 'Peak', 'founder')
    expect(operator.action).toContain(reason === 'to-enter' ? 'Enter' : 'Peak')
    expect(founder.waitingFor).toBe(operator.waitingFor)
    if (founder.waitingFor === 'founder')
      expect(founder).toMatchObject({ reason, action: expect.stringContaining('Peak') })
    if (founder.waitingFor === 'us') expect(founder).toMatchObject({ reason: null, action: null })
    expect(founder.action === null).toBe(founder.reason === null)
  }
})
