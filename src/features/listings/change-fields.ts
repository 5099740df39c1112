// Changes some fields of a tool that is locked, with the entry in the audit log and the announcement.
import type { TransactionContext } from '../../kernel/context.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { TOPIC } from '../catalog/schema.ts'
import { flaggedFields } from './find-instructions.ts'
import { updateToolFields } from './queries.ts'
import type { CheckedFields } from './rules.ts'

interface ChangedTool {
  id: string
  slug: string
  flaggedFields: readonly string[]
}

/** `isReviewed`: an administrator has seen the texts, so they are not flagged. A field stays flagged unless its text is replaced. */
export async function changeToolFields(
  ctx: TransactionContext,
  tool: ChangedTool,
  fields: CheckedFields,
  { action, details = {}, isReviewed = false }: { action: string; details?: object; isReviewed?: boolean },
): Promise<void> {
  const names = Object.keys(fields)
  const flagged = [
    ...tool.flaggedFields.filter((name) => !names.includes(name)),
    ...(isReviewed ? [] : flaggedFields(fields)),
  ]
  await updateToolFields(ctx.db, tool.id, { ...fields, flaggedFields: flagged }, ctx.now())
  await insertAudit(ctx.db, auditEntry(ctx, action, `tool:${tool.slug}`, { fields: names, ...details }))
  await ctx.announce({ topic: TOPIC.tool, ids: [tool.id] })
}
