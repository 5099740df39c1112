// Once a first administrator exists, the service always keeps at least one.
import type { TransactionContext } from '../../kernel/context.ts'
import { badRequest } from '../../kernel/errors.ts'
import { listAdministratorsForUpdate } from './queries.ts'

/**
 * Refuses to remove, demote or ban the last administrator. Call it in the transaction of that change, before the change: the rows of all
 * administrators stay locked until the transaction ends, so of two concurrent transactions the second sees what the first did.
 */
export async function requireOtherAdministrator(ctx: TransactionContext, leavingId: string): Promise<void> {
  const [first, ...others] = await listAdministratorsForUpdate(ctx.db)
  if (first?.id === leavingId && others.length === 0)
    throw badRequest(`${first.email} is the only administrator. Promote another user first.`)
}
