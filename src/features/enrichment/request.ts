// Asking for a tool to be enriched, in the transaction of the change that gave reason to.
import type { TransactionContext } from '../../kernel/context.ts'
import { OPERATOR } from '../../kernel/job.ts'
import { upsertPending } from './queries.ts'
import type { TextField } from './rules.ts'

export const ENRICHMENT = 'enrichment'

/** `declined`: texts that the partner sent empty; what was declined before stays declined. */
export async function requestEnrichment(
  ctx: TransactionContext,
  toolId: string,
  declined: readonly TextField[] = [],
): Promise<void> {
  await upsertPending(ctx.db, { toolId, partnerId: ctx.caller.clientId, declined: [...declined] }, ctx.now())
  await ctx.enqueue(ENRICHMENT, { toolId }, ctx.caller.clientId ?? OPERATOR)
}
