// Requests the enrichment of a tool, in the transaction of the change that caused it.
import type { TransactionContext } from '../../kernel/context.ts'
import { OPERATOR } from '../../kernel/job.ts'
import { upsertPending } from './queries.ts'
import type { TextField } from './rules.ts'

export const ENRICHMENT = 'enrichment'

/**
 * `declined`: the texts that were sent empty. `partnerId`: the partner that gets the event about the tool's pictures, and whose share of the
 * queue is used. Both are stored with the first request only; a repeated request keeps what is stored.
 */
export async function requestEnrichment(
  ctx: TransactionContext,
  toolId: string,
  declined: readonly TextField[] = [],
  partnerId: string | null = ctx.caller.partnerId,
): Promise<void> {
  await upsertPending(ctx.db, { toolId, partnerId, declined: [...declined] }, ctx.now())
  await ctx.enqueue(ENRICHMENT, { toolId }, partnerId ?? OPERATOR)
}
