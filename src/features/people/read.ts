// Reads what is stored about a person.
import type { Context } from '../../kernel/context.ts'
import type { UserRow } from '../accounts/queries.ts'
import { readSections } from './export.queries.ts'

/** `everywhere`: also rows that do not belong to the account but contain its address. */
export async function readPerson(ctx: Context, email: string, account: UserRow | undefined, everywhere: boolean) {
  const person = { email, userId: account?.id ?? null }
  const read = await readSections(ctx.db, ctx.personalData.texts, person, everywhere)
  return { email, exportedAt: ctx.now(), account: account ? accountOf(account) : null, ...read }
}

/** The fields are named one by one, because the schema of the operation does not filter what users download. */
const accountOf = ({
  id,
  email,
  emailVerified,
  name,
  image,
  plan,
  role,
  banned,
  partnerId,
  createdAt,
  updatedAt,
}: UserRow) => ({
  id,
  email,
  emailVerified,
  name,
  image,
  plan,
  role,
  banned,
  partnerId,
  createdAt,
  updatedAt,
})
