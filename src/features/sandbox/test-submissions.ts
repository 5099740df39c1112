// Implements the sandbox (`submissions/sandbox.ts`): stores and reads the submissions of test keys for the operations of submissions.
import { randomUUID } from 'node:crypto'
import type { Database, TransactionContext } from '../../kernel/context.ts'
import { orderedId } from '../../kernel/database/ordered-id.ts'
import { lockText } from '../../kernel/database/queries.ts'
import { websiteKey, websiteKeyOf } from '../listings/website-key.ts'
import { progressBody, progressEvent } from '../submissions/events.ts'
import { freeToolSlug, NEW_SUBMISSION, type PaymentType, slugBase } from '../submissions/rules.ts'
import { SANDBOX_TOPIC, type Sandbox, type TestSubmission, type WhichTool } from '../submissions/sandbox.ts'
import { newReportToken } from '../submissions/status.ts'
import { type CheckedSubmission, checkNewTags } from '../submissions/submit/read-submission.ts'
import { storeWantedEvent } from '../webhooks/events.ts'
import * as queries from './queries.ts'
import { linkAfter, listIn, recordedRows } from './rules.ts'

export const createSandbox = (stepSeconds: number): Sandbox => {
  const stepMs = stepSeconds * 1000
  return {
    stepMs,
    submit: (ctx, partnerId, submission) => submit(ctx, partnerId, submission, stepMs),
    async correct(ctx, id, { body, category, tags }) {
      const { name, pricing } = body
      await queries.updateTest(ctx.db, id, {
        ...(name === undefined ? {} : { name }),
        ...(pricing === undefined ? {} : { pricing }),
        ...(category ? { category: { slug: category.slug, name: category.name } } : {}),
        ...(body.tags ? { tags: tags.map(({ slug, name }) => ({ slug, name })) } : {}),
        updatedAt: ctx.now(),
      })
    },
    withdraw: async (ctx, id) => (await queries.deleteUnbegunTest(ctx.db, id)) > 0,
    async find({ db, now }, partnerId, which) {
      const row = await findTest(db, partnerId, which)
      return row && asSubmission(row, { now: now(), stepMs })
    },
    async report({ db, now }, token) {
      const row = await queries.findTestByReport(db, token)
      return row && asSubmission(row, { now: now(), stepMs })
    },
    list: async ({ db, now }, partnerId, filter, limit, offset) =>
      (await queries.listTestsOf(db, partnerId, filter, limit, offset)).map((row) =>
        asSubmission(row, { now: now(), stepMs }),
      ),
    queue: async ({ db }, filter, limit, offset) =>
      (await queries.listTestQueue(db, filter, limit, offset)).map((row) => ({ ...row, ...NEW_SUBMISSION })),
  }
}

async function findTest(
  db: Database,
  partnerId: string,
  { id, slug, website }: WhichTool,
): Promise<queries.TestRow | undefined> {
  if (id !== undefined) return queries.findTest(db, partnerId, 'toolId', id)
  if (slug !== undefined) return queries.findTest(db, partnerId, 'slug', slug)
  const key = websiteKeyOf(website)
  return key === undefined ? undefined : queries.findTest(db, partnerId, 'websiteKey', key)
}

/** Submitting the same website again changes nothing, except that a missing package is set. */
async function submit(
  ctx: TransactionContext,
  partnerId: string,
  submission: CheckedSubmission,
  stepMs: number,
): Promise<TestSubmission & { created: boolean }> {
  const { body, category, tags } = submission
  const now = ctx.now()
  const siteKey = websiteKey(body.website)
  // Concurrent submissions of one partner must see each other's website and slug.
  await lockText(ctx.db, `sandbox:${partnerId}`)
  const before = await queries.findTest(ctx.db, partnerId, 'websiteKey', siteKey)
  const initial = stateWithPackage(ctx, body.paymentType ?? null, stepMs)
  if (before?.paymentType === null && initial.paymentType !== null) {
    const after = { ...before, ...initial, updatedAt: now }
    await queries.updateTest(ctx.db, before.id, { ...initial, updatedAt: now })
    await ctx.announce({ topic: SANDBOX_TOPIC, ids: [before.id] })
    await storeTestProgress(ctx, after, 0)
    return { ...asSubmission(after, { now, stepMs }), created: false }
  }
  if (before) return { ...asSubmission(before, { now, stepMs }), created: false }
  checkNewTags(submission)
  const row: queries.TestRow = {
    id: orderedId(),
    partnerId,
    toolId: randomUUID(),
    name: body.name,
    slug: await chooseSlug(ctx, partnerId, submission),
    website: body.website,
    websiteKey: siteKey,
    pricing: body.pricing,
    category: { slug: category.slug, name: category.name },
    tags: tags.map(({ slug, name }) => ({ slug, name })),
    ...initial,
    notes: '',
    rows: [],
    parts: 0,
    reportToken: newReportToken(),
    createdAt: now,
    updatedAt: now,
  }
  await queries.insertTest(ctx.db, row)
  if (row.nextStepAt) await ctx.announce({ topic: SANDBOX_TOPIC, ids: [row.id] })
  return { ...asSubmission(row, { now, stepMs }), created: true }
}

/** The state of a test submission when it gets its package; `paymentType` null: it has none. */
const stateWithPackage = (ctx: TransactionContext, paymentType: PaymentType | null, stepMs: number) =>
  paymentType === null
    ? { paymentType, state: null, nextStepAt: null }
    : { paymentType, state: 'IN_QUEUE' as const, nextStepAt: new Date(ctx.now().getTime() + stepMs) }

/** A slug that is free among the partner's tests and the public listings, like that of a live submission. */
async function chooseSlug(ctx: TransactionContext, partnerId: string, { body }: CheckedSubmission): Promise<string> {
  const base = slugBase(body)
  const taken = await queries.listTestSlugs(ctx.db, partnerId, base)
  const { idOf } = ctx.catalog.snapshot().tools
  return freeToolSlug(base, (slug) => taken.has(slug) || idOf.has(slug))
}

interface TestClock {
  now: Date
  stepMs: number
}

/** The row as the operations of submissions need it. The links on its listings depend on the time. */
function asSubmission(row: queries.TestRow, at: TestClock): TestSubmission {
  const { toolId, name, slug, website, pricing, category } = row
  const tags = listIn(row.tags)
  return {
    submission: row,
    tool: {
      id: toolId,
      name,
      slug,
      website,
      pricing,
      category: category?.slug ?? null,
      tags: tags.map((tag) => tag.slug),
      // The listing of a test is never public; this makes the answer equal to that of a live submission.
      published: true,
      hiddenReason: null,
    },
    terms: { categories: category ? [category] : [], tags },
    rows: recordedRows(row).map((recorded) => ({ ...recorded, link: linkAfter(recorded.submittedAt, at) })),
  }
}

/**
 * Stores the event submission.progress: one for each newly recorded directory, as for a live submission, or a single one when only the
 * state changed. `recordedBefore`: how many directories were on record before.
 */
export async function storeTestProgress(
  ctx: TransactionContext,
  test: queries.TestRow,
  recordedBefore: number,
): Promise<void> {
  const rows = recordedRows(test)
  const store = (count: number, row?: (typeof rows)[number]) =>
    storeWantedEvent(
      ctx,
      test.partnerId,
      progressEvent.name,
      () =>
        progressBody({
          ...test,
          at: test.updatedAt,
          tool: { ...test, id: test.toolId },
          rows: rows.slice(0, count),
          row,
        }),
      { test: true },
    )
  if (rows.length <= recordedBefore) return store(rows.length)
  for (const [index, row] of rows.entries()) if (index >= recordedBefore) await store(index + 1, row)
}
