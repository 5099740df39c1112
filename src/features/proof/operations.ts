// Operator API: the history of link checks, a check now, the links to follow up, and the address of a report. Also the report that a
// partner gives its customer.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { badRequest, notFound } from '../../kernel/errors.ts'
import { operationsFor, pageOperation } from '../../kernel/operation.ts'
import { listPage, nullable, offsetOf, stringType } from '../../kernel/schema.ts'
import { createPauses, type Pause } from '../../kernel/work/scheduler.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { LINK_STATES } from '../submissions/bench/link.rules.ts'
import { listRows } from '../submissions/queries.ts'
import { submissionId } from '../submissions/queue/queue.schema.ts'
import { findSubmissionId } from '../submissions/read/read.operations.ts'
import { packageOf, summaryOf } from '../submissions/rules.ts'
import { newReportToken, reportUrl } from '../submissions/status.ts'
import { checkLink, claimLink, type LinkCheck } from './links/check-link.ts'
import { currentValue, driftMessage, remainingDrift } from './links/drift.rules.ts'
import * as queries from './queries.ts'
import { linkCheckSchema, linkFilters, listingLinkSchema, reportAddressSchema, reportSchema } from './schema.ts'

const operation = operationsFor('operator', 'Submissions')

export const listLinkChecks = operation({
  name: 'list_link_checks',
  summary: 'The history of link checks',
  description:
    'Every look at the listings of a submission, newest first. After a year only changes of state and the last look of each quarter are kept.',
  method: 'GET',
  path: '/submissions/:id/checks',
  parameters: Type.Object({ id: submissionId, ...listPage }),
  data: Type.Array(linkCheckSchema),
  run: async (ctx, input) => ({
    data: await queries.listChecks(ctx.db, await findSubmissionId(ctx, input.id), input.limit, offsetOf(input)),
  }),
})

export const checkListings = operation({
  name: 'check_listings',
  summary: 'Look at the listings now',
  description:
    'Looks at every listing of a submission and answers the looks that it made, within 45 seconds; a listing whose host has to wait, or that is being looked at already, is not among them and is looked at in the background: the header X-Catalog-Skipped then says how many and why (host-busy=1, under-way=2, no-time=3). Switched off with LINK_CHECKS it is a 400.',
  method: 'POST',
  path: '/submissions/:id/check',
  parameters: Type.Object({ id: submissionId }),
  answerHeaders: Type.Object({
    'X-Catalog-Skipped': Type.Optional(
      stringType(
        'Only when listings were not looked at: how many, because their host has other requests waiting (host-busy), another look is under way (under-way), or the time was up (no-time).',
        'host-busy=1, no-time=3',
      ),
    ),
  }),
  data: Type.Array(linkCheckSchema),
  failures: [400, 404],
  run: async (ctx, input) => {
    if (!ctx.links.isOn) throw badRequest('Link checks are switched off. Set LINK_CHECKS to on to use them.')
    const { checks, skipped } = await checkSubmission(ctx, await findSubmissionId(ctx, input.id))
    const reasons = [...skipped].map(([reason, count]) => `${reason}=${count}`).join(', ')
    return { data: checks, ...(reasons ? { headers: { 'x-catalog-skipped': reasons } } : {}) }
  },
})

export const listListingLinks = operation({
  name: 'list_links',
  summary: 'The links on recorded listings',
  description:
    'Links with what the last look found, the last looked at first. Each listing is compared with the name, tagline, price and address that the tool has now; what it says otherwise is in drift, with a text for the directory.',
  method: 'GET',
  path: '/links',
  parameters: Type.Object({ ...linkFilters, ...listPage }),
  data: Type.Array(listingLinkSchema),
  run: async (ctx, input) => {
    const pause = createPauses()
    const ended = input.drift === undefined ? [] : await findEndedDrift(ctx, pause)
    const data: ReturnType<typeof shownLink>[] = []
    for (const link of await queries.listLinks(ctx.db, input, ended, input.limit, offsetOf(input))) {
      data.push(shownLink(link))
      await pause()
    }
    return { data }
  },
})

export const replaceReport = operation({
  name: 'replace_report',
  summary: 'Replace the address of the report',
  description: 'Gives the report of a submission another address. The old one is a 404 from then on.',
  method: 'POST',
  path: '/submissions/:id/report',
  parameters: Type.Object({ id: submissionId }),
  data: reportAddressSchema,
  failures: [400, 404],
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => {
      const id = await findSubmissionId(ctx, input.id)
      const token = newReportToken()
      await queries.updateReportToken(ctx.db, id, token)
      await writeAudit(ctx, 'submission.report', `submission:${id}`)
      return { data: { reportUrl: reportUrl(ctx.publicUrl, token) } }
    }),
})

export const proofOperations = [listLinkChecks, checkListings, listListingLinks, replaceReport]

const DRIFT_BATCH = 500

/** The links whose stored drift holds no longer: the tool was changed after the last check and now agrees with the listing. */
async function findEndedDrift({ db }: Context, pause: Pause): Promise<queries.LinkKey[]> {
  const ended: queries.LinkKey[] = []
  let last = { submissionId: '', directoryId: '' }
  for (let found = DRIFT_BATCH; found === DRIFT_BATCH; ) {
    const links = await queries.listDriftBeforeChange(db, last, DRIFT_BATCH)
    for (const { submissionId, directoryId, drift, product } of links) {
      if (remainingDrift(drift, product).length === 0) ended.push({ submissionId, directoryId })
      await pause()
    }
    last = links.at(-1) ?? last
    found = links.length
  }
  return ended
}

/** The link as the operator API shows it, without drift that holds no longer because the tool was changed after the last check. */
function shownLink({ product, drift: stored, ...row }: Awaited<ReturnType<typeof queries.listLinks>>[number]) {
  const held = remainingDrift(stored, product)
  const drift = held.map(({ field, found }) => ({ field, found, current: currentValue(field, product) }))
  return { ...row, drift, message: held.length > 0 ? driftMessage(row.listingUrl, held, product) : null }
}

/** Few, because other partners' checks use the same threads. */
const CHECKS_AT_ONCE = 4
// Proxies usually wait a minute for an answer. Listings that were not checked in this time become due for the background checks.
const MAX_MS = 45_000

/** Why a listing was not checked: another check is running, its host has other requests waiting, or the time was up. */
type SkipReason = 'under-way' | 'host-busy' | 'no-time'

/** Checks the listings of one submission now, while an operator waits for the answer. */
async function checkSubmission(
  ctx: Context,
  submissionId: string,
): Promise<{ checks: LinkCheck[]; skipped: Map<SkipReason, number> }> {
  const waiting = await queries.listLinkIds(ctx.db, submissionId)
  const until = performance.now() + MAX_MS
  const checks: LinkCheck[] = []
  const skipped = new Map<SkipReason, number>()
  const skip = (reason: SkipReason, count = 1) => void skipped.set(reason, (skipped.get(reason) ?? 0) + count)
  async function checkWaiting(): Promise<void> {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      if (performance.now() >= until) {
        waiting.unshift(id)
        return
      }
      const claimed = await claimLink(ctx, submissionId, id)
      const check = claimed && (await checkLink(ctx, claimed, { until }))
      if (check) checks.push(check)
      else skip(claimed ? 'host-busy' : 'under-way')
    }
  }
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, checkWaiting))
  if (waiting.length > 0) {
    await queries.updateDue(ctx.db, submissionId, waiting, ctx.now())
    skip('no-time', waiting.length)
  }
  return { checks, skipped }
}

/** Anyone who has the address can read a report, so it shows only what is meant for the customer. */
export const readReport = pageOperation({
  name: 'read_report',
  access: 'public',
  parameters: Type.Object({
    token: stringType('The token in the address.', '3f1c9a0e5b7d42868a1f', { maxLength: 100 }),
  }),
  // Only the page shows the logo; the report as CSV and JSON (`reportSchema`) has none.
  data: Type.Object({
    ...reportSchema.properties,
    logo: nullable(stringType('The logo.', 'https://catalog.example.com/media/acme.png')),
  }),
  run: async (ctx, { token }) => {
    // A text that cannot be a token is looked up too, so that the time of a 404 says nothing about the form of tokens.
    const found = await queries.findReport(ctx.db, token)
    const test = found ? undefined : await ctx.sandbox.report(ctx, token)
    const shown = found ?? test
    if (!shown) throw notFound('Report')
    const { submission, tool } = shown
    const rows = test?.rows ?? (await listRows(ctx.db, submission.id, 'founder', ctx.now()))
    const { notes: _, ...counts } = summaryOf(rows, '')
    const links = Object.fromEntries(
      LINK_STATES.map((state) => [state, rows.filter(({ link }) => link?.state === state).length]),
    )
    return {
      data: {
        tool,
        logo: found?.logo ?? null,
        package: packageOf(submission.paymentType),
        summary: { isComplete: submission.state === 'DONE', ...counts, links },
        submissions: rows,
        generatedAt: ctx.now(),
        ...(test ? { test: true } : {}),
      },
    }
  },
})
