import { randomUUID } from 'node:crypto'
import type { TransactionContext } from '../../kernel/context.ts'
import { PLAN_LABELS, type Plan } from '../accounts/schema.ts'
import { KEY_BUDGETS } from '../keys/budgets.rules.ts'
import { tellUser } from '../mail/mail.ts'

/** Tells a user which plan the account has now, and what it allows. */
export const tellPlan = (ctx: TransactionContext, userId: string, plan: Plan): Promise<void> =>
  tellUser(ctx, {
    event: randomUUID(),
    kind: 'plan-changed',
    userId,
    details: { plan: PLAN_LABELS[plan], rest: String(KEY_BUDGETS.rest[plan]), mcp: String(KEY_BUDGETS.mcp[plan]) },
  })
