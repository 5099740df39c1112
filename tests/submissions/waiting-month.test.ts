// A month of work with a stepped clock: administrators enter products, founders and directories do their part late or never, and what is
// found out is recorded late or never. On every day at least 95 % of the open rows name an actor, what is forgotten comes up by itself,
// and the table that is printed says how often the named actor is the true one.
//   npx vitest run --project service tests/submissions/waiting-month.test.ts
// @module-tag long
import { beforeAll, expect, test } from 'vitest'
import { recordDirectory } from '../../src/features/submissions/queue/queue.operations.ts'
import { listWaitingRows } from '../../src/features/submissions/queue/waiting.queries.ts'
import type { GivenReason } from '../../src/features/submissions/queue/waiting.rules.ts'
import type { Context } from '../../src/kernel/context.ts'
import { perform } from '../../src/kernel/invoke.ts'
import { extend } from '../../src/kernel/values/objects.ts'
import { useService } from '../harness/use.ts'
import { createWorkflow } from '../harness/workflow.ts'

const DAYS = 31
const PRODUCTS = 20
const DIRECTORIES = 25
/** What the administrators enter on a day, and what they look at of what is overdue. */
const ENTRIES_A_DAY = 30
const LOOKS_A_DAY = 10
const DAY = 24 * 3600_000
/** With so many rows the list of what waits is read at once. */
const ALL = 10_000

const service = useService()
let partner: { id: string; key: string }
const { work } = createWorkflow(
  () => service,
  () => partner,
)

// The same numbers in every run.
let seed = 20_261_118
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}
const isLikely = (share: number) => random() < share

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

const FOUNDER_REASONS = ['form-needs-answer', 'e-mail-to-confirm', 'payment', 'badge'] as const

/** What is true about a product in a directory. Days count from when it is entered; Infinity: never. */
interface Truth {
  submissionId: string
  slug: string
  enteredOn: number | null
  founderTask: { reason: GivenReason; days: number } | null
  reviewDays: number
  outcome: 'live' | 'rejected'
  /** What the administrators know. */
  isTaskKnown: boolean
  isTaskRecordedDone: boolean
  isOutcomeRecorded: boolean
}

const newTruth = (submissionId: string, slug: string): Truth => ({
  submissionId,
  slug,
  enteredOn: null,
  founderTask: isLikely(0.35)
    ? {
        reason: FOUNDER_REASONS[Math.floor(random() * FOUNDER_REASONS.length)]!,
        days: isLikely(0.15) ? Number.POSITIVE_INFINITY : random() * 10,
      }
    : null,
  reviewDays: isLikely(0.25) ? Number.POSITIVE_INFINITY : 1 + random() * 20,
  outcome: isLikely(0.85) ? 'live' : 'rejected',
  isTaskKnown: false,
  isTaskRecordedDone: false,
  isOutcomeRecorded: false,
})

const founderDoneOn = ({ enteredOn, founderTask }: Truth) =>
  enteredOn === null ? Number.POSITIVE_INFINITY : enteredOn + (founderTask?.days ?? 0)
const decidedOn = (truth: Truth) => founderDoneOn(truth) + truth.reviewDays

function trueActor(truth: Truth, today: number): 'us' | 'founder' | 'directory' | null {
  if (truth.enteredOn === null) return 'us'
  if (founderDoneOn(truth) > today) return 'founder'
  return decidedOn(truth) > today ? 'directory' : null
}

const start = Date.now()
let today = 0
const contextOfToday = () => extend(service.context(), { now: () => new Date(start + today * DAY) }) as Context

async function record({ submissionId, slug, enteredOn }: Truth, more: { listingUrl?: string; reason?: GivenReason }) {
  const submittedAt = new Date(start + (enteredOn ?? today) * DAY).toISOString()
  await perform(
    recordDirectory,
    contextOfToday(),
    { id: submissionId, slug },
    { isSubmitted: true, submittedAt, ...more },
  )
}

/** The address is recorded, and the look that follows finds the link or sees that it cannot tell. */
async function recordOutcome(truth: Truth): Promise<void> {
  truth.isOutcomeRecorded = true
  if (truth.outcome === 'rejected') return record(truth, { reason: 'rejected' })
  await record(truth, { listingUrl: `https://${truth.slug}.example.org/${truth.submissionId}` })
  const found = isLikely(0.8) ? `'live', first_live_at = '${contextOfToday().now().toISOString()}'` : `'blocked'`
  await service.sql(`update listing_links set state = ${found} where submission_id = '${truth.submissionId}'
    and directory_id = (select id from directories where slug = '${truth.slug}')`)
}

async function workADay(truths: readonly Truth[]): Promise<void> {
  for (const truth of truths.filter(({ enteredOn }) => enteredOn === null).slice(0, ENTRIES_A_DAY)) {
    truth.enteredOn = today
    // Most forms say at once what the founder has to do.
    truth.isTaskKnown = truth.founderTask !== null && isLikely(0.9)
    await record(truth, truth.isTaskKnown && truth.founderTask ? { reason: truth.founderTask.reason } : {})
  }
  for (const truth of truths) {
    const { isTaskKnown, isTaskRecordedDone, isOutcomeRecorded } = truth
    // Founders say that they are done, and directories write, most of the time.
    if (isTaskKnown && !isTaskRecordedDone && founderDoneOn(truth) <= today && isLikely(0.5)) {
      truth.isTaskRecordedDone = true
      await record(truth, {})
    }
    if (!isOutcomeRecorded && decidedOn(truth) <= today && decidedOn(truth) > today - 1 && isLikely(0.7))
      await recordOutcome(truth)
  }
}

/** What is overdue is looked at: what is decided is recorded, for the rest the directory is asked and the time begins anew. */
async function lookAtOverdue(byKey: ReadonlyMap<string, Truth>): Promise<number> {
  const { db, now } = contextOfToday()
  const overdue = await listWaitingRows(db, { reason: 'overdue' }, LOOKS_A_DAY, 0, now())
  for (const { submissionId, directory } of overdue) {
    const truth = byKey.get(`${submissionId} ${directory}`)
    if (!truth) throw new Error(`${directory} was never on record`)
    if (decidedOn(truth) <= today) await recordOutcome(truth)
    else await record(truth, { reason: 'review' })
  }
  return overdue.length
}

const truths: Truth[] = []
const byKey = new Map<string, Truth>()

beforeAll(async () => {
  partner = await service.newPartner()
  const slugs = Array.from({ length: DIRECTORIES }, (_, i) => `month-${i}`)
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'api', name: 'API' },
    ...slugs.map((slug) => ({ kind: 'directory', slug, name: slug })),
  ])
  for (let i = 0; i < PRODUCTS; i++) {
    const { id } = await work()
    for (const slug of slugs) {
      const truth = newTruth(id, slug)
      truths.push(truth)
      byKey.set(`${id} ${slug}`, truth)
    }
    await service.sql(`insert into submission_rows (submission_id, directory_id, is_submitted, submitted_by, created_at, updated_at)
      select '${id}', id, false, 'ADMIN', now(), now() from directories where slug like 'month-%'`)
  }
}, 120_000)

test('at least 95 % of the open rows name an actor on every day of a month', { timeout: 600_000 }, async () => {
  const table: object[] = []
  for (today = 0; today < DAYS; today++) {
    const isWorkday = today % 7 < 5
    if (isWorkday) await workADay(truths)
    const looked = isWorkday ? await lookAtOverdue(byKey) : 0
    const { db, now } = contextOfToday()
    const named = new Map<string, string | null>()
    for (const row of await listWaitingRows(db, {}, ALL, 0, now()))
      named.set(`${row.submissionId} ${row.directory}`, row.waitingFor)
    const open = [...byKey].filter(([, truth]) => trueActor(truth, today) !== null)
    const naming = open.filter(([key]) => named.get(key) != null)
    const right = open.filter(([key, truth]) => named.get(key) === trueActor(truth, today))
    const share = open.length === 0 ? 1 : naming.length / open.length
    if (today % 5 === 0)
      table.push({
        day: today,
        open: open.length,
        named: percent(share),
        right: percent(right.length / open.length),
        looked,
      })
    expect(share, `day ${today}`).toBeGreaterThanOrEqual(0.95)
  }
  console.table(table)
})

test('what was forgotten comes up by itself: after the usual time no decided row waits for a directory any more', async () => {
  today = DAYS + 60
  const { db, now } = contextOfToday()
  const waiting = await listWaitingRows(db, { waitingFor: 'directory' }, ALL, 0, now())
  expect(waiting).toEqual([])
  const overdue = await listWaitingRows(db, { reason: 'overdue' }, ALL, 0, now())
  const forgotten = truths.filter((truth) => decidedOn(truth) <= DAYS && !truth.isOutcomeRecorded && !truth.isTaskKnown)
  const keys = new Set(overdue.map(({ submissionId, directory }) => `${submissionId} ${directory}`))
  expect(forgotten.length).toBeGreaterThan(0)
  expect(forgotten.filter(({ submissionId, slug }) => !keys.has(`${submissionId} ${slug}`))).toEqual([])
})
