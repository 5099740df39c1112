import type { Context } from '../../kernel/context.ts'
import { insertAudit } from './queries.ts'
import { auditEntry } from './rules.ts'

/** Writes to the audit log what the caller does now. `details` must never contain secrets or keys. */
export const writeAudit = (
  ctx: Pick<Context, 'db' | 'caller' | 'now'>,
  action: string,
  subject: string,
  details: Record<string, unknown> = {},
) => insertAudit(ctx.db, auditEntry(ctx, action, subject, details))

/** The arguments that name a thing; texts that an agent writes are not repeated here. */
const NAMED = ['id', 'slug'] as const
const LONGEST = 100

/** Written for every call of an agent at /mcp/operator, also if its operation only reads or refuses. The caller's label names the program. */
export const noteAgentCall = (ctx: Context, tool: string, given: Readonly<Record<string, unknown>>) => {
  const named = NAMED.flatMap((name) => {
    const value = given[name]
    return typeof value === 'string' ? [[name, value.slice(0, LONGEST)]] : []
  })
  return writeAudit(ctx, 'agent.call', `agent-tool:${tool}`, Object.fromEntries(named))
}

export type RefusalReason = 'unknown tool' | 'past the limit'

/** A call that no tool saw. Its name may be any text. */
export const noteRefusedCall = (ctx: Context, tool: string, why: RefusalReason) =>
  writeAudit(ctx, 'agent.refused', `agent-tool:${tool.slice(0, LONGEST).replace(/[^\w-]/g, '?')}`, { why })
