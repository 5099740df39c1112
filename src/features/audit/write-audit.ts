// Writes entries of the audit log, and tells which fields a change really changes.
import type { Context } from '../../kernel/context.ts'
import { insertAudit } from './queries.ts'

/** Writes to the audit log what the caller does now. `details` must never contain secrets or keys. */
export const writeAudit = (
  ctx: Pick<Context, 'db' | 'caller' | 'now'>,
  action: string,
  subject: string,
  details: Record<string, unknown> = {},
) => insertAudit(ctx.db, { at: ctx.now(), actor: ctx.caller.label, action, subject, details })

/** The arguments of a tool call that name a thing. Only these are logged, and none of the texts that an agent writes. */
const NAMING_ARGUMENTS = ['id', 'slug'] as const
const MAX_TEXT_LENGTH = 100

/** Written for every call of an agent at /mcp/operator, even if its operation only reads or fails. The caller's label names the program. */
export const noteAgentCall = (ctx: Context, tool: string, given: Readonly<Record<string, unknown>>) => {
  const named = NAMING_ARGUMENTS.flatMap((name) => {
    const value = given[name]
    return typeof value === 'string' ? [[name, value.slice(0, MAX_TEXT_LENGTH)]] : []
  })
  return writeAudit(ctx, 'agent.call', `agent-tool:${tool}`, Object.fromEntries(named))
}

export type RefusalReason = 'unknown tool' | 'past the limit'

/** Written for a call that was refused before a tool ran. `tool` is the name that the agent sent, so it may be any text. */
export const noteRefusedCall = (ctx: Context, tool: string, why: RefusalReason) =>
  writeAudit(ctx, 'agent.refused', `agent-tool:${tool.slice(0, MAX_TEXT_LENGTH).replace(/[^\w-]/g, '?')}`, { why })

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
