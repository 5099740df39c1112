import type { Context } from '../../kernel/context.ts'
import type { AuditEntry } from './queries.ts'

/** The row that says who did what and when. Secrets and keys never belong into `details`. */
export const auditEntry = (
  ctx: Pick<Context, 'caller' | 'now'>,
  action: string,
  subject: string,
  details: Record<string, unknown> = {},
): AuditEntry => ({ at: ctx.now(), actor: ctx.caller.label, action, subject, details })

/** Whether a change would change anything. One that would not, such as a request sent again, is neither stored nor in the log. */
export const changesAnything = (before: object, change: object): boolean =>
  Object.keys(changesIn(before, change)).length > 0

/** Of a change only the fields that are not so already. */
export const changesIn = (before: object, change: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(change).filter(
      ([name, value]) => value !== undefined && written(before[name as keyof typeof before]) !== written(value),
    ),
  )

const written = (value: unknown): string => JSON.stringify(value ?? null)
