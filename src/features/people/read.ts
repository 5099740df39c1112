// Reads what is stored about a person.
import type { Context } from '../../kernel/context.ts'
import type { UserRow } from '../accounts/queries.ts'
import { readSections } from './export.queries.ts'
import type { Scope } from './find.queries.ts'

export async function readPerson(ctx: Context, email: string, account: UserRow | undefined, scope: Scope) {
  const person = { email, userId: account?.id ?? null }
  const read = await readSections(ctx.db, ctx.personalData.texts, person, scope)
  return { email, exportedAt: ctx.now(), account: account ? accountOf(account) : null, ...read }
}

/** The fields are named one by one, because the schema of the operation does not filter what users download. */
function accountOf(user: UserRow) {
  const { id, email, emailVerified, name, image, plan, role, banned, partnerId, createdAt, updatedAt } = user
  return { id, email, emailVerified, name, image, plan, role, banned, partnerId, createdAt, updatedAt }
}
