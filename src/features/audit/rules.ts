// The row of the audit log that an operation writes, and which fields a change really changes.
import type { Context } from '../../kernel/context.ts'
import type { AuditEntry } from './queries.ts'

/** The row that says who did what and when. `details` must never contain secrets or keys. */
export const auditEntry = (
  ctx: Pick<Context, 'caller' | 'now'>,
  action: string,
  subject: string,
  details: Record<string, unknown> = {},
): AuditEntry => ({ at: ctx.now(), actor: ctx.caller.label, action, subject, details })

/** False when every new value is stored already, as after a repeated request: such a change is neither stored nor logged. */
export const changesAnything = (before: object, change: object): boolean =>
  Object.keys(changesIn(before, change)).length > 0

/** The fields of a change whose value differs from the stored one. */
export const changesIn = (before: object, change: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(change).filter(
      ([name, value]) =>
        value !== undefined && comparableText(before[name as keyof typeof before]) !== comparableText(value),
    ),
  )

const comparableText = (value: unknown): string => JSON.stringify(value ?? null)
