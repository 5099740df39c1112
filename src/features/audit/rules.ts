import type { Context } from '../../kernel/context.ts'
import type { AuditEntry } from './queries.ts'

/** The row that says who did what and when. Secrets and keys never belong into `details`. */
export const auditEntry = (
  ctx: Pick<Context, 'caller' | 'now'>,
  action: string,
  subject: string,
  details: Record<string, unknown> = {},
): AuditEntry => ({ at: ctx.now(), actor: ctx.caller.label, action, subject, details })
