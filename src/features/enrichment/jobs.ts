// The job that fills in what a submitted listing lacks, and the request for it. It may run twice or stop at any point, because it skips what
// is already done.
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { type Attempt, type Job, OPERATOR, TimeUp } from '../../kernel/job.ts'
import { sentencesOf } from '../../kernel/problem.ts'
import { changeToolFields } from '../listings/entries/change-fields.ts'
import { readListingFields } from '../listings/rules.ts'
import { ENRICHMENT_SECONDS, gather, gatherDerived } from './gather.ts'
import * as queries from './queries.ts'
import {
  changesFor,
  type EnrichmentPart,
  type EnrichmentResult,
  type Findings,
  MAX_ATTEMPTS,
  mergeParts,
  resultOf,
  type TextField,
  toolProblem,
} from './rules.ts'

const ENRICHMENT = 'enrichment'

/** The actor in the audit log. It has no access rights, because it calls no operation. */
export const enricher = backgroundCaller(ENRICHMENT)

/**
 * The enrichment's row counts the attempts to read a site. The queue allows more retries, because it also counts attempts that failed
 * because of the database or the end of the process.
 */
export const enrichmentJob = (
  context: (attempt: Attempt) => Context,
  retryDelaySeconds: number,
): Job<{ toolId: string }> => ({
  name: ENRICHMENT,
  retries: 10,
  retryDelaySeconds,
  timeoutSeconds: ENRICHMENT_SECONDS,
  run: ({ toolId }, attempt) => enrich(context(attempt), toolId, attempt),
})

/** The job throws this to make the queue try again. */
class RetryRequested extends Error {}

export async function enrich(ctx: Context, toolId: string, attempt: Attempt): Promise<void> {
  const row = await queries.updateAttempts(ctx.db, toolId, ctx.now())
  const tool = row && (await queries.findEnrichedTool(ctx.db, toolId))
  // The tool was deleted, or another run has finished the enrichment.
  if (!row || !tool) return
  const broken = toolProblem(tool)
  if (broken) return setFailed(ctx, row, `The listing is broken: ${broken}`)
  if (row.attempts > MAX_ATTEMPTS) return giveUp(ctx, tool, row, 'It was begun several times and never came to an end.')
  let findings: Findings
  try {
    findings = await gather(ctx, tool, row.declined, attempt)
    // Findings after the time limit are dropped; the next attempt finds them again.
    attempt.signal.throwIfAborted()
  } catch (error) {
    const { reason } = attempt.signal
    if (reason instanceof TimeUp) return handleTimeout(ctx, tool, row, reason)
    // The service is stopping. The queue runs the job again after the next start.
    if (attempt.signal.aborted) throw reason
    ctx.log.error({ err: error, toolId }, 'a listing could not be enriched')
    if (row.attempts >= MAX_ATTEMPTS)
      return giveUp(ctx, tool, row, 'Something went wrong on our side; the log says what.')
    throw error
  }
  const result = await storeFindings(ctx, tool, row, findings)
  if (result === 'again')
    throw new RetryRequested(`attempt ${row.attempts} of ${MAX_ATTEMPTS}: not everything could be reached`)
}

/** The attempt ran out of time and its findings are lost. The listing gets derived texts and the reason, until another attempt succeeds. */
async function handleTimeout(
  ctx: Context,
  tool: queries.EnrichedTool,
  row: queries.EnrichmentRow,
  reason: TimeUp,
): Promise<void> {
  await storeDerived(ctx, tool, row, reason.message)
  if (row.attempts < MAX_ATTEMPTS) throw reason
}

/** The listing gets derived texts and the state `failed`, and is not tried again. */
async function giveUp(
  ctx: Context,
  tool: queries.EnrichedTool,
  row: queries.EnrichmentRow,
  note: string,
): Promise<void> {
  try {
    // As after the last attempt, so that `resultOf` returns `failed` and not `again`.
    await storeDerived(ctx, tool, { ...row, attempts: MAX_ATTEMPTS }, note)
  } catch (error) {
    // Deriving the texts may fail for the same reason as the attempts; the row must become failed in any case.
    ctx.log.error({ err: error, toolId: tool.id }, 'the texts of a listing could not be derived')
    await setFailed(ctx, row, note)
  }
}

async function storeDerived(
  ctx: Context,
  tool: queries.EnrichedTool,
  row: queries.EnrichmentRow,
  note: string,
): Promise<void> {
  const { fields, parts } = await gatherDerived(ctx, tool, row.declined)
  await storeFindings(ctx, tool, row, { fields, parts: [{ part: 'page', outcome: 'unreachable', note }, ...parts] })
}

const setFailed = async (ctx: Context, row: queries.EnrichmentRow, note: string): Promise<void> => {
  const parts = mergeParts(row.parts, [{ part: 'page', outcome: 'unreachable', note }])
  const now = ctx.now()
  await queries.updateEnrichment(ctx.db, row.toolId, { state: 'failed', parts, updatedAt: now, finishedAt: now })
}

/** Writes the findings into the listing, and the outcome of each part into its enrichment row. Returns whether another attempt follows. */
const storeFindings = (
  ctx: Context,
  before: queries.EnrichedTool,
  row: queries.EnrichmentRow,
  { fields, parts }: Findings,
): Promise<EnrichmentResult> =>
  ctx.transaction(async (ctx) => {
    const tool = await queries.findEnrichedToolForUpdate(ctx.db, before.id)
    if (!tool) return 'done'
    const isOtherSite = tool.website !== before.website
    // If the website was changed in the meantime, the findings are about another site.
    const changes = isOtherSite ? {} : changesFor(before, tool, fields)
    const { fields: checked, problems } = readListingFields('tool', changes)
    if (problems.length > 0)
      ctx.log.error(
        { toolId: tool.id, problems: sentencesOf(problems) },
        'what was found is not what a listing may have, and is not written',
      )
    const refused = Object.keys(changes).filter((name) => !(name in checked))
    const mergedParts = isOtherSite
      ? mergeParts(row.parts, [{ part: 'page', outcome: 'unreachable', note: 'The website was changed meanwhile.' }])
      : mergeParts(row.parts, [
          ...parts,
          ...refused.map(
            (part): EnrichmentPart => ({ part, outcome: 'dropped', note: 'A listing may not have what was found.' }),
          ),
        ])
    const now = ctx.now()
    // The partner also controls the texts of the site, so `changeToolFields` checks these for instructions, too.
    if (Object.keys(checked).length > 0)
      await changeToolFields(ctx, tool, checked, { action: 'tool.enrich', details: { attempt: row.attempts } })
    const result = resultOf(mergedParts, row.attempts)
    await queries.updateEnrichment(ctx.db, tool.id, {
      parts: mergedParts,
      updatedAt: now,
      ...(result === 'again' ? {} : { state: result, finishedAt: now }),
    })
    return result
  })

/**
 * Requests the enrichment of a tool, in the transaction of the change that caused it. `declined`: the texts that were sent empty.
 * `partnerId`: the partner that gets the event about the tool's pictures, and whose share of the queue is used. Both are stored with the
 * first request only; a repeated request keeps what is stored.
 */
export async function requestEnrichment(
  ctx: TransactionContext,
  toolId: string,
  declined: readonly TextField[] = [],
  partnerId: string | null = ctx.caller.partnerId,
): Promise<void> {
  await queries.upsertPending(ctx.db, { toolId, partnerId, declined: [...declined] }, ctx.now())
  await ctx.enqueue(ENRICHMENT, { toolId }, partnerId ?? OPERATOR)
}
