// Fills in what a submitted listing lacks. Safe to run twice and to be cut off anywhere: what was already done is found done.
import type { Caller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import { type Attempt, type Job, TimeUp } from '../../kernel/job.ts'
import { sentencesOf } from '../../kernel/problem.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { TOPIC } from '../catalog/schema.ts'
import { updateToolFields } from '../listings/queries.ts'
import { readFields } from '../listings/rules.ts'
import { ENRICHMENT_SECONDS, gather, gatherDerived } from './gather.ts'
import * as queries from './queries.ts'
import { ENRICHMENT } from './request.ts'
import {
  changesFor,
  type EnrichmentResult,
  type Findings,
  MAX_ATTEMPTS,
  mergeParts,
  type Part,
  resultOf,
  toolProblem,
} from './rules.ts'

/** Who is named in the audit log. Has no access: it calls no operation. */
export const enricher: Caller = {
  kind: 'operator',
  id: ENRICHMENT,
  label: ENRICHMENT,
  access: new Set(),
  budgets: new Map(),
  clientId: null,
}

/**
 * Our own row counts the attempts at a site. The queue may try more often: it also counts those that the database, or the end of
 * the process, cut short.
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

/** Failing is how the queue is told to try again. */
class TryAgain extends Error {}

export async function enrich(ctx: Context, toolId: string, attempt: Attempt): Promise<void> {
  const row = await queries.updateAttempts(ctx.db, toolId, ctx.now())
  const tool = row && (await queries.findTool(ctx.db, toolId))
  // Deleted, or done by another run.
  if (!row || !tool) return
  const broken = toolProblem(tool)
  if (broken) return setFailed(ctx, row, `The listing is broken: ${broken}`)
  if (row.attempts > MAX_ATTEMPTS) return giveUp(ctx, tool, row, 'It was begun several times and never came to an end.')
  let findings: Findings
  try {
    findings = await gather(ctx, tool, row.declined, attempt)
    // What is found after the end is found again by the next attempt.
    attempt.signal.throwIfAborted()
  } catch (error) {
    const { reason } = attempt.signal
    if (reason instanceof TimeUp) return cutOff(ctx, tool, row, reason)
    // The service stops; the next one to start goes on.
    if (attempt.signal.aborted) throw reason
    ctx.log.error({ err: error, toolId }, 'a listing could not be enriched')
    if (row.attempts >= MAX_ATTEMPTS)
      return giveUp(ctx, tool, row, 'Something went wrong on our side; the log says what.')
    throw error
  }
  const verdict = await store(ctx, tool, row, findings)
  if (verdict === 'again')
    throw new TryAgain(`attempt ${row.attempts} of ${MAX_ATTEMPTS}: not everything could be reached`)
}

/** What was fetched so far is lost; the listing gets derived texts and says why until another attempt says more. */
async function cutOff(
  ctx: Context,
  tool: queries.EnrichedTool,
  row: queries.EnrichmentRow,
  reason: TimeUp,
): Promise<void> {
  await storeDerived(ctx, tool, row, reason.message)
  if (row.attempts < MAX_ATTEMPTS) throw reason
}

async function giveUp(
  ctx: Context,
  tool: queries.EnrichedTool,
  row: queries.EnrichmentRow,
  note: string,
): Promise<void> {
  try {
    await storeDerived(ctx, tool, { ...row, attempts: MAX_ATTEMPTS }, note)
  } catch (error) {
    // The fault that ended the attempts may be one of deriving too; the row must come to an end all the same.
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
  await store(ctx, tool, row, { fields, parts: [{ part: 'page', outcome: 'unreachable', note }, ...parts] })
}

const setFailed = async (ctx: Context, row: queries.EnrichmentRow, note: string): Promise<void> => {
  const parts = mergeParts(row.parts, [{ part: 'page', outcome: 'unreachable', note }])
  const now = ctx.now()
  await queries.updateEnrichment(ctx.db, row.toolId, { state: 'failed', parts, updatedAt: now, finishedAt: now })
}

const store = (
  ctx: Context,
  before: queries.EnrichedTool,
  row: queries.EnrichmentRow,
  { fields, parts }: Findings,
): Promise<EnrichmentResult> =>
  ctx.transaction(async (ctx) => {
    const tool = await queries.findToolForUpdate(ctx.db, before.id)
    if (!tool) return 'done'
    const isOtherSite = tool.website !== before.website
    // What was found belongs to another site by now.
    const changes = isOtherSite ? {} : changesFor(before, tool, fields)
    const { fields: checked, problems } = readFields('tool', changes)
    if (problems.length > 0)
      ctx.log.error(
        { toolId: tool.id, problems: sentencesOf(problems) },
        'what was found is not what a listing may have, and is not written',
      )
    const refused = Object.keys(changes).filter((name) => !(name in checked))
    const noted = isOtherSite
      ? mergeParts(row.parts, [{ part: 'page', outcome: 'unreachable', note: 'The website was changed meanwhile.' }])
      : mergeParts(row.parts, [
          ...parts,
          ...refused.map(
            (part): Part => ({ part, outcome: 'dropped', note: 'A listing may not have what was found.' }),
          ),
        ])
    const now = ctx.now()
    const names = Object.keys(checked)
    if (names.length > 0) {
      await updateToolFields(ctx.db, tool.id, checked, now)
      const details = { fields: names, attempt: row.attempts }
      await insertAudit(ctx.db, auditEntry(ctx, 'tool.enrich', `tool:${tool.slug}`, details))
      await ctx.announce({ topic: TOPIC.tool, ids: [tool.id] })
    }
    const verdict = resultOf(noted, row.attempts)
    await queries.updateEnrichment(ctx.db, tool.id, {
      parts: noted,
      updatedAt: now,
      ...(verdict === 'again' ? {} : { state: verdict, finishedAt: now }),
    })
    return verdict
  })
