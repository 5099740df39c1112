// Requests the enrichment of a tool, in the transaction of the change that caused it.
import type { TransactionContext } from '../../kernel/context.ts'
import { OPERATOR } from '../../kernel/job.ts'
import { upsertPending } from './queries.ts'
import type { TextField } from './rules.ts'

export const ENRICHMENT = 'enrichment'

/** `declined`: the texts that the partner sent empty. Used only for the first request; a repeated request keeps the stored list. */
export async function requestEnrichment(
  ctx: TransactionContext,
  toolId: string,
  declined: readonly TextField[] = [],
): Promise<void> {
  await upsertPending(ctx.db, { toolId, partnerId: ctx.caller.clientId, declined: [...declined] }, ctx.now())
  await ctx.enqueue(ENRICHMENT, { toolId }, ctx.caller.clientId ?? OPERATOR)
}
