// Asking for a tool to be enriched, in the transaction of the change that gave reason to.
import type { TransactionContext } from '../../kernel/context.ts'
import { OPERATOR } from '../../kernel/job.ts'
import { upsertPending } from './queries.ts'

export const ENRICHMENT = 'enrichment'

export async function requestEnrichment(ctx: TransactionContext, toolId: string): Promise<void> {
  await upsertPending(ctx.db, toolId, ctx.now())
  await ctx.enqueue(ENRICHMENT, { toolId }, ctx.caller.clientId ?? OPERATOR)
}
