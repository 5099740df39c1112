// Changes some fields of a tool for a partner, an owner, a proposal or enrichment: stores them, writes the audit log and announces it.
import type { TransactionContext } from '../../../kernel/context.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { TOPIC } from '../../catalog/schema.ts'
import { flaggedFields } from '../instructions/find-instructions.ts'
import { updateToolFields } from '../queries.ts'
import type { CheckedFields } from '../rules.ts'
import { websiteKey } from '../website-key.ts'

interface ChangedTool {
  id: string
  slug: string
  flaggedFields: readonly string[]
  /** Needed only with `isByOthers`. */
  editedFields?: readonly string[] | null
}

interface FieldChange {
  action: string
  details?: object
  /** An administrator has seen the texts, so they are not flagged. A field stays flagged unless its text is replaced. */
  isReviewed?: boolean
  /** The change was not made by the partner that submitted the tool, so that partner must ask before it changes these fields again. */
  isByOthers?: boolean
}

/** The tool must be locked. */
export async function changeToolFields(
  ctx: TransactionContext,
  tool: ChangedTool,
  fields: CheckedFields,
  { action, details = {}, isReviewed = false, isByOthers = false }: FieldChange,
): Promise<void> {
  const names = Object.keys(fields)
  const flagged = [
    ...tool.flaggedFields.filter((name) => !names.includes(name)),
    ...(isReviewed ? [] : flaggedFields(fields)),
  ]
  const { website } = fields
  const change = {
    ...fields,
    flaggedFields: flagged,
    ...(typeof website === 'string' && { websiteKey: website === '' ? null : websiteKey(website) }),
    ...(isByOthers && { editedFields: tool.editedFields && [...new Set([...tool.editedFields, ...names])].sort() }),
  }
  await updateToolFields(ctx.db, tool.id, change, ctx.now())
  await writeAudit(ctx, action, `tool:${tool.slug}`, { fields: names, ...details })
  await ctx.announce({ topic: TOPIC.tool, ids: [tool.id] })
}
