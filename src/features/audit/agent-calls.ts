// Every call of an agent at /mcp/operator is in the audit log, also one that only reads or is refused.
import type { Context } from '../../kernel/context.ts'
import { insertAudit } from './queries.ts'
import { auditEntry } from './rules.ts'

/** The arguments that name a thing; texts that an agent writes are not repeated here. */
const NAMED = ['id', 'slug'] as const
const LONGEST = 100

/** The caller's label names the program. */
export const noteAgentCall = (ctx: Context, tool: string, given: Readonly<Record<string, unknown>>) =>
  insertAudit(
    ctx.db,
    auditEntry(
      ctx,
      'agent.call',
      `agent-tool:${tool}`,
      Object.fromEntries(
        NAMED.flatMap((name) => {
          const value = given[name]
          return typeof value === 'string' ? [[name, value.slice(0, LONGEST)]] : []
        }),
      ),
    ),
  )
